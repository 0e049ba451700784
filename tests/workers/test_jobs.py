"""Jobs go through RQ and back: by name and ids, in JSON, leaving nothing behind."""

from __future__ import annotations

import json
import signal
import zlib
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
import redis
from rq import SimpleWorker
from rq.serializers import JSONSerializer

from moveledger.services.ordering import order_new_events
from moveledger.services.tools import Tools
from moveledger.workers.jobs import use_tools
from moveledger.workers.queue import game_queue, ring_bell
from tests.house import House
from tests.playing import CLOSED_HANDS, SHANGRILA, Table, new_table
from tests.workers.snapshots import in_redis

BRING = "moveledger.workers.jobs.bring_games_up_to_date"


@pytest.fixture(autouse=True)
def own_signals() -> Iterator[None]:
    """RQ takes the process's signals for its own; a test run wants them back."""
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def work(tools: Tools, connection: redis.Redis) -> None:
    """Do all the jobs that wait."""
    use_tools(tools)
    worker = SimpleWorker([game_queue(connection)], connection=connection, serializer=JSONSerializer)
    worker.work(burst=True, logging_level="ERROR")


def test_from_a_move_to_its_snapshot(
    api: House, relay: Tools, worker: Tools, table: Table, connection: redis.Redis
) -> None:
    other = new_table(api.tools, api.key(), CLOSED_HANDS, 2)
    order_new_events(relay)
    work(worker, connection)
    for played in (table, other):
        assert in_redis(played) == played.game
    table.step()
    order_new_events(relay)
    work(worker, connection)
    assert in_redis(table) == table.game


def test_a_job_that_is_done_leaves_nothing_behind(worker: Tools, table: Table, connection: redis.Redis) -> None:
    ring_bell(connection, "snapshots", [table.game_id])
    work(worker, connection)
    assert len(game_queue(connection)) == 0
    assert list(connection.keys("rq:job:*")) == []
    assert game_queue(connection).failed_job_registry.count == 0


def test_a_job_is_a_name_and_ids_in_json(table: Table, connection: redis.Redis) -> None:
    ring_bell(connection, "snapshots", [table.game_id])
    (job,) = game_queue(connection).jobs
    assert (job.func_name, list(job.args)) == (BRING, [[str(table.game_id)]])
    assert (job.result_ttl, job.timeout) == (0, 120)
    written: Any = connection.hget(f"rq:job:{job.id}", "data")
    assert json.loads(zlib.decompress(written)) == [BRING, None, [[str(table.game_id)]], {}]


def test_jobs_done_twice_and_out_of_order_end_where_the_log_is(
    worker: Tools, table: Table, connection: redis.Redis
) -> None:
    ring_bell(connection, "snapshots", [table.game_id])
    connection.flushall()
    table.play(until_version=30)
    ring_bell(connection, "snapshots", [table.game_id])
    work(worker, connection)
    for _ in range(2):
        game_queue(connection).enqueue(BRING, [str(table.game_id)] * 2)
        work(worker, connection)
    assert in_redis(table) == table.game


def test_a_job_that_fails_is_tried_again_and_then_kept_for_an_hour(
    worker: Tools, table: Table, connection: redis.Redis
) -> None:
    """The game is not there: three more tries, and the others of its batch are up to date."""
    ring_bell(connection, "snapshots", [uuid4(), table.game_id])
    work(worker, connection)
    failed = game_queue(connection).failed_job_registry
    assert failed.count == 1
    assert len(game_queue(connection)) == 0
    assert in_redis(table) == table.game


def test_a_worker_that_comes_up_after_redis_was_emptied_finds_its_jobs_again(
    api: House, relay: Tools, worker: Tools, connection: redis.Redis
) -> None:
    table = new_table(api.tools, api.key(), SHANGRILA, 3)
    order_new_events(relay)
    connection.flushall()
    work(worker, connection)
    assert in_redis(table) is None
    table.step()
    order_new_events(relay)
    work(worker, connection)
    assert in_redis(table) == table.game
