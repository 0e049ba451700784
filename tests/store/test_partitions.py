"""The log in months: made ahead, guarded from the first moment, found by the game's id."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

import psycopg
import pytest
from psycopg import sql

from moveledger.store.database import Connection
from moveledger.store.log import make_partitions
from tests.store.drafts import all_rows, connected, draft, new_id, put

NAMES = "SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'ml.events'::regclass ORDER BY 1"


def month(ahead: int) -> datetime:
    """The beginning of the month that comes so many months after this one."""
    now = datetime.now(UTC)
    years, months = divmod(now.month - 1 + ahead, 12)
    return datetime(now.year + years, months + 1, 1, tzinfo=UTC)


def id_at(moment: datetime, rest: int = 0) -> UUID:
    """A UUIDv7 made at a moment (RFC 9562, 5.7)."""
    return UUID(int=int(moment.timestamp() * 1000) << 80 | 7 << 76 | 2 << 62 | rest)


def partition_of(connection: Connection, game_id: UUID) -> str:
    """Where the first event of a new game falls."""
    put(connection, draft(game_id, 1))
    return str(all_rows(connection, "SELECT tableoid::regclass::text FROM ml.events WHERE game_id = %s", game_id)[0][0])


def test_there_is_this_month_the_three_after_it_and_one_for_the_rest(owner: Connection) -> None:
    expected = [f"ml.events_{month(ahead):%Y_%m}" for ahead in range(4)]
    assert [name for (name,) in all_rows(owner, NAMES)] == [*expected, "ml.events_default"]


def test_a_game_falls_in_the_month_that_its_id_was_made_in(database: str) -> None:
    with connected(database) as owner:
        assert partition_of(owner, new_id()) == f"ml.events_{month(0):%Y_%m}"
        for ahead in range(4):
            name = f"ml.events_{month(ahead):%Y_%m}"
            assert partition_of(owner, id_at(month(ahead))) == name
            last = int(month(ahead + 1).timestamp() * 1000) - 1
            assert partition_of(owner, UUID(int=last << 80 | (1 << 80) - 1)) == name
        assert partition_of(owner, id_at(month(4))) == "ml.events_default"
        assert partition_of(owner, UUID(int=1)) == "ml.events_default"


def test_a_worker_makes_what_is_missing_and_nothing_twice(database: str) -> None:
    with connected(database, "worker") as worker:
        assert make_partitions(worker, months=3) == 0
        assert make_partitions(worker, months=6) == 3
        assert make_partitions(worker, months=6) == 0
        assert partition_of(worker, id_at(month(6))) == f"ml.events_{month(6):%Y_%m}"


def test_a_new_partition_is_guarded(database: str) -> None:
    with connected(database) as owner:
        make_partitions(owner, months=4)
        made = sql.Identifier("ml", f"events_{month(4):%Y_%m}")
        put(owner, draft(id_at(month(4)), 1))
        for change in ("UPDATE {} SET seat = 9", "DELETE FROM {}", "TRUNCATE {}"):
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="the log only grows"):
                owner.execute(sql.SQL(change).format(made))


def test_rows_that_came_before_their_month_was_made_stay_where_they_are(database: str) -> None:
    """Nobody had made months for a while: what went into the default partition cannot be moved, and need not be."""
    with connected(database) as owner:
        early = id_at(month(5))
        assert partition_of(owner, early) == "ml.events_default"
        assert make_partitions(owner, months=6) == 2
        names = [name for (name,) in all_rows(owner, NAMES)]
        assert f"ml.events_{month(4):%Y_%m}" in names
        assert f"ml.events_{month(5):%Y_%m}" not in names
        assert f"ml.events_{month(6):%Y_%m}" in names
        assert put(owner, draft(early, 2)).result == "ok"


@pytest.mark.parametrize("by_two", [False, True])
def test_keys_of_the_log_hold_over_all_partitions(database: str, by_two: bool) -> None:
    with connected(database) as first, connected(database) as second:
        game = id_at(month(2), rest=5)
        assert put(first, draft(game, 1)).result == "ok"
        assert put(second if by_two else first, draft(game, 1)).result == "conflict"


def test_every_unique_key_of_the_log_holds_the_game(owner: Connection) -> None:
    rows = all_rows(
        owner,
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'ml.events'::regclass AND contype IN ('p', 'u')",
    )
    assert len(rows) == 2
    assert all("game_id" in definition for (definition,) in rows)
