"""The relay orders what has come, and tells the workers and whoever listens."""

from __future__ import annotations

import json
from collections.abc import Sequence
from uuid import UUID, uuid4

import pytest
import redis

from moveledger.services.ordering import order_new_events
from moveledger.services.tools import Job, Tools
from moveledger.store.cache import BELL
from moveledger.workers.queue import BATCH, game_queue
from moveledger.workers.relay import RING_SECONDS, Gathering
from tests.house import House, open_house
from tests.playing import CLOSED_HANDS, Table, new_table


def test_it_orders_and_rings_for_the_games_that_have_grown(relay: Tools, table: Table, connection: redis.Redis) -> None:
    assert order_new_events(relay) == 20
    (job,) = game_queue(connection).jobs
    assert list(job.args) == [[str(table.game_id)]]
    assert order_new_events(relay) == 0
    table.step()
    assert order_new_events(relay) == 1
    assert len(game_queue(connection)) == 2


def test_many_games_are_rung_for_in_batches(relay: Tools, api: House, connection: redis.Redis) -> None:
    key = api.key()
    games = {str(new_table(api.tools, key, CLOSED_HANDS, 2, named=False).game_id) for _ in range(BATCH + 3)}
    order_new_events(relay)
    jobs = game_queue(connection).jobs
    assert sorted(len(job.args[0]) for job in jobs) == [3, BATCH]
    assert {game for job in jobs for game in job.args[0]} == games


def test_whoever_listens_hears_how_far_each_game_has_come(relay: Tools, table: Table, connection: redis.Redis) -> None:
    with connection.pubsub(ignore_subscribe_messages=True) as listener:  # type: ignore[no-untyped-call]  # of redis
        listener.subscribe(BELL)
        order_new_events(relay)
        heard = None
        while heard is None:
            heard = listener.get_message(timeout=5)
    assert json.loads(heard["data"]) == {str(table.game_id): 20}


def test_with_redis_away_it_orders_all_the_same(database: str, table: Table) -> None:
    with open_house(database, "unix:///nowhere/valkey.sock", role="relay") as alone:
        assert order_new_events(alone.tools) == 20


def test_a_game_that_grows_again_and_again_is_rung_for_together_with_others(monkeypatch: pytest.MonkeyPatch) -> None:
    now, games = 100.0, [uuid4() for _ in range(3)]
    rung: list[object] = []

    def ring(job: Job, game_ids: Sequence[UUID], *_: str) -> None:
        rung.append((job, game_ids))

    monkeypatch.setattr("moveledger.workers.relay.time.monotonic", lambda: now)
    gathering = Gathering(ring)
    gathering.add("snapshots", games[:1])
    gathering.ring_when_due()
    for game in (1, 2, 1, 1):
        gathering.add("snapshots", [games[game]])
        gathering.ring_when_due()
    assert rung == [("snapshots", games[:1])]
    now += RING_SECONDS
    gathering.ring_when_due()
    gathering.ring_when_due()
    assert rung == [("snapshots", games[:1]), ("snapshots", games[1:])]
