"""How a process is connected to Postgres."""

from __future__ import annotations

from psycopg.conninfo import make_conninfo

from moveledger.store.database import PATIENCE, Database


def parameters_of(url: str) -> dict[str, str]:
    """With what a connection was made."""
    database = Database(url, role="moveledger_api", size=1)
    database.open()
    try:
        with database.connection() as connection:
            return connection.info.get_parameters()
    finally:
        database.close()


def test_a_server_that_falls_silent_is_away_within_seconds(shared_database: str) -> None:
    """Cut off from it without a word, a request would wait for as long as the system sends its packets again."""
    found = parameters_of(shared_database)
    assert {name: found.get(name) for name in PATIENCE} == {name: str(value) for name, value in PATIENCE.items()}
    idle = PATIENCE["keepalives_idle"] + PATIENCE["keepalives_interval"] * PATIENCE["keepalives_count"]
    assert PATIENCE["tcp_user_timeout"] <= 10_000
    assert idle <= 20


def test_an_address_may_ask_for_another_patience(shared_database: str) -> None:
    found = parameters_of(make_conninfo(shared_database, tcp_user_timeout=60_000))
    assert (found["tcp_user_timeout"], found["keepalives_idle"]) == ("60000", "10")
