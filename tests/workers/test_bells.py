"""What a ring does: the right job for the right games, on the real queue."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from uuid import UUID, uuid4

import pytest
import redis
from rq import SimpleWorker
from rq.serializers import JSONSerializer

from moveledger.rules.registry import rules_digest
from moveledger.services.ordering import order_new_events
from moveledger.services.tools import Job
from moveledger.services.verifying import read_verification
from moveledger.store.snapshots import snapshot_name
from moveledger.workers.jobs import use_tools
from moveledger.workers.queue import BATCH, game_queue, ring_bell
from moveledger.workers.relay import Gathering
from tests.house import House, open_house
from tests.playing import CLOSED_HANDS, Table, new_table


@pytest.fixture
def api(database: str, redis_url: str) -> Iterator[House]:
    """An API process of a service without games."""
    with open_house(database, redis_url) as house:
        yield house


def work_off(database: str, redis_url: str) -> None:
    """A worker does all that is waiting."""
    with open_house(database, redis_url, role="worker") as house, redis.Redis.from_url(redis_url) as connection:
        use_tools(house.tools)
        queue = game_queue(connection)
        SimpleWorker([queue], connection=connection, serializer=JSONSerializer).work(burst=True, logging_level="ERROR")
        assert queue.count == queue.failed_job_registry.count == 0


def finished_game(api: House) -> Table:
    """A whole game."""
    return new_table(api.tools, api.key(), CLOSED_HANDS, 2).play()


def test_the_relay_has_a_finished_game_snapshot_and_verified(api: House, database: str, redis_url: str) -> None:
    table = finished_game(api)
    with open_house(database, redis_url, role="relay") as relay:
        assert order_new_events(relay.tools) == table.game.version
        assert order_new_events(relay.tools) == 0
    work_off(database, redis_url)
    assert read_verification(api.tools, table.caller, table.game_id)["version"] == table.game.version
    name = snapshot_name(CLOSED_HANDS, rules_digest(CLOSED_HANDS), table.game_id)
    assert api.tools.cache.snapshot_seqs([name]) == [table.game.version]


def test_each_job_does_what_it_is_for(api: House, database: str, redis_url: str) -> None:
    verified, snapshot = finished_game(api), finished_game(api)
    api.tools.ring_workers("verification", [verified.game_id])
    api.tools.ring_workers("snapshots", [snapshot.game_id])
    work_off(database, redis_url)
    versions = [read_verification(api.tools, table.caller, table.game_id)["version"] for table in (verified, snapshot)]
    assert versions == [verified.game.version, 0]
    names = [snapshot_name(CLOSED_HANDS, rules_digest(CLOSED_HANDS), table.game_id) for table in (verified, snapshot)]
    assert api.tools.cache.snapshot_seqs(names) == [0, snapshot.game.version]


def test_many_games_make_several_jobs(redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as connection:
        ring_bell(connection, "verification", [uuid4() for _ in range(2 * BATCH + 1)])
        assert game_queue(connection).count == 3


def test_the_relay_gathers_games_for_each_job_apart() -> None:
    rung: list[tuple[Job, Sequence[UUID]]] = []
    gathering = Gathering(lambda job, game_ids: rung.append((job, game_ids)))
    one, other = uuid4(), uuid4()
    gathering.add("snapshots", [one, other])
    gathering.add("snapshots", [other])
    gathering.add("verification", [other])
    gathering.ring_when_due()
    gathering.ring_when_due()
    assert rung == [("snapshots", [one, other]), ("verification", [other])]


def test_the_page_for_operators_names_the_queue_that_there_is(redis_url: str) -> None:
    page = (Path(__file__).parents[2] / "docs" / "operations.md").read_text(encoding="utf-8")
    with redis.Redis.from_url(redis_url) as connection:
        assert set(re.findall(r"rq:queue:[a-z]+", page)) == {game_queue(connection).key}
