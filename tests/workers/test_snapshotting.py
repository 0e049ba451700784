"""A job brings games up to date: once or twice, late, out of order, after a crash, with Redis emptied."""

from __future__ import annotations

import json
from uuid import uuid4

import pytest
import redis

from moveledger.errors import MoveledgerError
from moveledger.services import snapshotting
from moveledger.services.reading import spectator_state
from moveledger.services.snapshotting import bring_up_to_date, sealed_snapshot
from moveledger.services.standing import digest_of
from moveledger.services.tools import Tools
from moveledger.store.snapshots import EVERY, snapshot_name
from tests.house import House
from tests.playing import CLOSED_HANDS, SHANGRILA, Table, new_table, open_new
from tests.workers.snapshots import in_postgres, in_redis, viewed


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept in Redis expires within seconds of real time, and a Redis that takes half a second to answer counts as away. On a
    busy machine either may come between a job and the look at what it has kept, which is not what these tests are about.
    """
    monkeypatch.setattr("moveledger.store.cache.TRUST", 300.0)
    monkeypatch.setattr("moveledger.store.cache.ANSWER", 60.0)
    monkeypatch.setattr("moveledger.store.cache.CONNECT", 60.0)


def test_a_job_keeps_the_game_and_what_its_spectators_see(worker: Tools, table: Table) -> None:
    assert (in_redis(table), viewed(table)) == (None, None)
    bring_up_to_date(worker, [table.game_id])
    assert in_redis(table) == table.game
    kept = viewed(table)
    assert kept is not None
    assert json.loads(kept[1])["version"] == table.game.version
    assert in_postgres(table) == []


def test_twice_is_as_good_as_once(worker: Tools, table: Table) -> None:
    bring_up_to_date(worker, [table.game_id, table.game_id])
    kept = viewed(table)
    bring_up_to_date(worker, [table.game_id])
    assert (in_redis(table), viewed(table)) == (table.game, kept)


def test_a_late_job_does_not_set_anything_back(worker: Tools, table: Table, api: House) -> None:
    """Another worker, whose job began before the last moves, comes to its end after them."""
    old = table.game
    facts, name = table.facts, snapshot_name(SHANGRILA, digest_of(table.facts), table.game_id)
    table.play(until_version=30)
    bring_up_to_date(worker, [table.game_id])
    kept = viewed(table)
    assert kept is not None
    assert json.loads(kept[1])["version"] == 30
    worker.cache.put_snapshot(name, seq=old.version, content=sealed_snapshot(facts, old))
    spectator_state(worker, facts, old)
    assert in_redis(table) == table.game
    assert viewed(table) == kept


def test_postgres_keeps_one_for_every_64_events(worker: Tools, api: House) -> None:
    table = new_table(api.tools, api.key(), SHANGRILA, 4)
    for version in (50, 100, 140):
        table.play(until_version=version)
        bring_up_to_date(worker, [table.game_id])
        assert in_postgres(table) == list(range(EVERY, version + 1, EVERY))
    table.play()
    bring_up_to_date(worker, [table.game_id])
    assert in_postgres(table) == list(range(EVERY, table.game.version + 1, EVERY))


def test_what_a_crash_left_undone_the_next_job_does(worker: Tools, api: House, monkeypatch: pytest.MonkeyPatch) -> None:
    table = new_table(api.tools, api.key(), SHANGRILA, 4).play(until_version=140)

    def die(*_: object) -> None:
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(snapshotting, "_store", die)
        with pytest.raises(SystemExit):
            bring_up_to_date(worker, [table.game_id])
    assert in_postgres(table) == []
    bring_up_to_date(worker, [table.game_id])
    assert in_postgres(table) == [EVERY, 2 * EVERY]


def test_with_redis_emptied_everything_is_made_again(worker: Tools, table: Table, connection: redis.Redis) -> None:
    bring_up_to_date(worker, [table.game_id])
    connection.flushall()
    assert in_redis(table) is None
    bring_up_to_date(worker, [table.game_id])
    assert in_redis(table) == table.game
    assert viewed(table) is not None


def test_a_worker_that_has_forgotten_everything_does_the_same(worker: Tools, table: Table) -> None:
    bring_up_to_date(worker, [table.game_id])
    table.play(until_version=25)
    worker.games.clear()
    worker.facts.clear()
    bring_up_to_date(worker, [table.game_id])
    assert in_redis(table) == table.game


def test_nothing_is_kept_for_the_spectators_of_a_private_game(worker: Tools, api: House) -> None:
    table = Table(api.tools, api.key(), open_new(api.tools, api.key(), CLOSED_HANDS, 2, visibility="private"))
    bring_up_to_date(worker, [table.game_id])
    assert viewed(table) is None
    assert in_redis(table) == table.game


def test_a_snapshot_shows_nothing_of_what_is_in_it(worker: Tools, api: House, connection: redis.Redis) -> None:
    table = new_table(api.tools, api.key(), CLOSED_HANDS, 2)
    bring_up_to_date(worker, [table.game_id])
    contents = [value for key in connection.scan_iter("ml:snap:*") for value in connection.hgetall(key).values()]
    assert contents
    assert not any(b"closed_hands" in value or b'"hands"' in value for value in contents)


def test_a_game_that_cannot_be_brought_up_to_date_does_not_keep_the_others_from_it(
    worker: Tools, api: House, table: Table
) -> None:
    """Jobs come in batches, and the reconciler would make the same batch again and again."""
    other = new_table(api.tools, api.key(), CLOSED_HANDS, 2)
    with pytest.raises(MoveledgerError):
        bring_up_to_date(worker, [table.game_id, uuid4(), other.game_id])
    assert in_redis(table) == table.game
    assert in_redis(other) == other.game
