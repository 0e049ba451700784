"""The log only grows: nobody changes, deletes or empties it while the triggers stand, not even a superuser."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import sql

from moveledger.store.database import Connection
from moveledger.store.log import order_events
from tests.store.drafts import all_rows, connected, grow, new_id

CHANGES = ("UPDATE {} SET game_id = game_id", "DELETE FROM {}", "TRUNCATE {}", "TRUNCATE {} CASCADE")


@pytest.fixture(scope="module")
def guarded(shared_database: str) -> list[sql.Identifier]:
    """The log, its leaves, and each of its partitions, with something in them."""
    with connected(shared_database) as connection:
        grow(connection, new_id(), to=3)
        order_events(connection, most=10_000)
        partitions = all_rows(
            connection, "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'ml.events'::regclass"
        )
    names = ["ml.events", "ml.log_leaf", *(name for (name,) in partitions)]
    assert len(names) == 7
    return [sql.Identifier(*name.split(".")) for name in names]


@pytest.mark.parametrize("change", CHANGES)
def test_a_superuser_changes_nothing(owner: Connection, guarded: list[sql.Identifier], change: str) -> None:
    for table in guarded:
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="the log only grows"):
            owner.execute(sql.SQL(change).format(table))


@pytest.mark.parametrize("change", CHANGES)
def test_the_owner_of_the_tables_changes_nothing(owner: Connection, guarded: list[sql.Identifier], change: str) -> None:
    owner.execute("SET ROLE moveledger_owner")
    for table in guarded:
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="the log only grows"):
            owner.execute(sql.SQL(change).format(table))


@pytest.mark.parametrize("change", CHANGES)
def test_a_replica_s_session_changes_nothing_either(
    owner: Connection, guarded: list[sql.Identifier], change: str
) -> None:
    owner.execute("SET session_replication_role = replica")
    for table in guarded:
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="the log only grows"):
            owner.execute(sql.SQL(change).format(table))


@pytest.mark.parametrize(
    "change",
    [
        "INSERT INTO {events} SELECT * FROM {events} ON CONFLICT (game_id, seq) DO UPDATE SET seat = 9",
        "MERGE INTO {events} AS e USING {events} AS f ON e.game_id = f.game_id WHEN MATCHED THEN UPDATE SET seat = 9",
        "MERGE INTO {events} AS e USING {events} AS f ON e.game_id = f.game_id WHEN MATCHED THEN DELETE",
    ],
)
def test_there_is_no_way_around_by_upsert_or_merge(
    owner: Connection, guarded: list[sql.Identifier], change: str
) -> None:
    before = all_rows(owner, "SELECT count(*), sum(seat) FROM ml.events")
    with pytest.raises(psycopg.Error):
        owner.execute(sql.SQL(change).format(events=guarded[0]))
    assert all_rows(owner, "SELECT count(*), sum(seat) FROM ml.events") == before


@pytest.mark.parametrize("role", ["api", "worker", "relay"])
def test_no_role_of_the_service_may_even_try(shared_database: str, guarded: list[sql.Identifier], role: str) -> None:
    with connected(shared_database, role) as connection:
        for change in CHANGES:
            for table in guarded:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    connection.execute(sql.SQL(change).format(table))


@pytest.mark.parametrize("role", ["api", "worker", "relay"])
def test_no_role_of_the_service_switches_a_trigger_off(
    shared_database: str, guarded: list[sql.Identifier], role: str
) -> None:
    with connected(shared_database, role) as connection:
        for table in guarded:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(sql.SQL("ALTER TABLE {} DISABLE TRIGGER ALL").format(table))
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("SET session_replication_role = replica")
