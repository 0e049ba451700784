"""What each role of the service may do in the database, and what not."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import sql

from moveledger.store.database import Connection, Database
from moveledger.store.events import load_events
from tests.store.drafts import DATA_KEY, all_rows, connected, draft, new_id, put

ROLES = ("api", "worker", "relay")
WRITES = ("INSERT", "UPDATE", "DELETE", "TRUNCATE")
TABLES = (
    "service_secrets", "api_keys", "players", "games", "seats", "game_keys", "idempotency",
    "events", "outbox", "log_leaf", "snapshots", "progress", "tiles", "checkpoints", "cosignatures", "log_alarms",
)  # fmt: skip


def may(connection: Connection, role: str, table: str, right: str) -> bool:
    """Whether a role has a right on a table or on any of its columns."""
    asked = "has_table_privilege(%s, %s, %s)"
    if right not in ("DELETE", "TRUNCATE"):
        asked = "has_any_column_privilege(%s, %s, %s)"
    return bool(all_rows(connection, f"SELECT {asked}", f"moveledger_{role}", f"ml.{table}", right)[0][0])


def test_each_role_writes_just_what_it_has_to(owner: Connection) -> None:
    found = {
        role: {f"{right} {table}" for table in TABLES for right in WRITES if may(owner, role, table, right)}
        for role in ROLES
    }
    assert found == {
        "api": {
            "INSERT service_secrets", "INSERT api_keys", "INSERT players", "INSERT games", "INSERT seats",
            "INSERT game_keys", "INSERT idempotency", "UPDATE api_keys", "UPDATE players", "UPDATE seats",
            "UPDATE idempotency", "INSERT cosignatures",
        },
        "worker": {"INSERT service_secrets", "INSERT snapshots", "DELETE snapshots", "UPDATE progress", "DELETE idempotency"},
        "relay": {"INSERT tiles", "INSERT checkpoints", "INSERT log_alarms"},
    }  # fmt: skip


def test_the_relay_reads_nothing_that_closes_or_names_anything(owner: Connection) -> None:
    private = ("service_secrets", "api_keys", "players", "game_keys", "idempotency")
    assert [table for table in private if may(owner, "relay", table, "SELECT")] == []


@pytest.mark.parametrize("role", ROLES)
def test_nobody_inserts_an_event_by_hand(shared_database: str, role: str) -> None:
    with connected(shared_database, role) as connection:
        for table in ("ml.events", "ml.events_default", "ml.outbox", "ml.log_leaf"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(sql.SQL("INSERT INTO {} DEFAULT VALUES").format(sql.Identifier(*table.split("."))))


@pytest.mark.parametrize(
    ("role", "functions"),
    [("api", {"append"}), ("worker", {"append", "make_partitions", "first_id_at"}), ("relay", {"order_events"})],
)
def test_each_role_calls_just_what_it_has_to(owner: Connection, role: str, functions: set[str]) -> None:
    rows = all_rows(
        owner,
        "SELECT proname FROM pg_proc WHERE pronamespace = 'ml'::regnamespace AND has_function_privilege(%s, oid, 'EXECUTE')",
        f"moveledger_{role}",
    )
    assert {name for (name,) in rows} == functions


@pytest.mark.parametrize("role", ROLES)
def test_nobody_makes_anything_in_the_schema_or_becomes_the_owner(shared_database: str, role: str) -> None:
    with connected(shared_database, role) as connection:
        for statement in ("CREATE TABLE ml.mine (a integer)", "SET ROLE moveledger_owner", "DROP TABLE ml.seats"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement.encode())


def test_a_function_of_the_log_takes_no_table_of_the_caller_s(shared_database: str) -> None:
    """`SECURITY DEFINER` with a search path that starts elsewhere would write where the caller wants."""
    game = new_id()
    with connected(shared_database, "api") as connection:
        connection.execute("CREATE TEMP TABLE events (LIKE ml.events)")
        connection.execute("CREATE TEMP TABLE outbox (LIKE ml.outbox)")
        connection.execute("SET search_path = pg_temp, ml")
        assert put(connection, draft(game, 1)).result == "ok"
    with connected(shared_database) as connection:
        assert len(load_events(connection, game, data_key=DATA_KEY)) == 1


def test_a_login_with_more_rights_takes_the_role_that_it_is_told(shared_database: str) -> None:
    database = Database(shared_database, role="moveledger_relay", size=1)
    database.open()
    try:
        with database.connection() as connection:
            assert all_rows(connection, "SELECT current_user::text") == [("moveledger_relay",)]
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                put(connection, draft(new_id(), 1))
    finally:
        database.close()
