"""`moveledger check --against`: stored games replayed under another version of their rules, in processes of its own.

The jobs go to a queue that only these processes work on, so no worker of the service need run, and none is held up.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.process import BaseProcess
from uuid import UUID, uuid4

import redis
from redis.exceptions import RedisError
from rq import Queue, SimpleWorker
from rq.exceptions import StopRequested
from rq.serializers import JSONSerializer

from moveledger.config import Config
from moveledger.errors import ServerFault
from moveledger.services.releases import games_under, require_comparable
from moveledger.services.tools import Tools
from moveledger.store.trails import count_rule_checks, forget_rule_checks, rule_differences
from moveledger.wiring import build_tools
from moveledger.workers.jobs import use_tools
from moveledger.workers.queue import RULES_JOB, own_queue

MOST_IN_A_JOB = 50
LOOK_SECONDS = 0.1
PATIENCE_SECONDS = 5.0
Progress = Callable[[int, int], None]
"""Is told how many games are done, of how many."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a run found: by game, the first event where it differs and what does; and how many games it did not get to."""

    games: int
    differences: Sequence[tuple[UUID, int, str]]
    missed: int


def compare_rules(
    config: Config, ruleset: str, against: str, *, games: Sequence[UUID], processes: int, progress: Progress
) -> Comparison:
    """Replay these games of a ruleset, or all of them if none is named, under the rules `against`.

    Raises `UnknownRuleset`, `InvalidInput` when the two are different games, `ServerFault` when Redis is away.
    """
    require_comparable(ruleset, against)
    tools, run_id = build_tools(config, "worker"), uuid4()
    try:
        wanted = games_under(tools, ruleset, games)
        with _queued(config, run_id, wanted, against=against, processes=processes) as queue:
            workers = [_start(config, queue.name) for _ in range(min(processes, len(queue)))]
            try:
                done = _watch(tools, run_id, len(wanted), workers, progress)
                for worker in workers:
                    worker.join(PATIENCE_SECONDS)
            finally:
                for worker in workers:
                    worker.kill()
                    worker.join()
        with tools.database.connection() as connection:
            differences = rule_differences(connection, run_id)
            forget_rule_checks(connection, run_id)
        return Comparison(len(wanted), differences, missed=len(wanted) - done)
    finally:
        tools.close()


@contextmanager
def _queued(config: Config, run_id: UUID, games: Sequence[UUID], *, against: str, processes: int) -> Iterator[Queue]:
    """A queue that holds jobs for these games, several for each process; it is gone afterwards."""
    size = max(1, min(MOST_IN_A_JOB, len(games) // (4 * processes)))
    try:
        with redis.Redis.from_url(config.redis_url) as connection:
            queue = own_queue(connection, f"rules-{run_id}")
            for at in range(0, len(games), size):
                ids = [str(game_id) for game_id in games[at : at + size]]
                queue.enqueue(RULES_JOB, ids, str(run_id), against, result_ttl=0, failure_ttl=60, job_timeout=-1)
            try:
                yield queue
            finally:
                queue.delete(delete_jobs=True)
    except RedisError as away:
        raise ServerFault(f"Redis does not answer: {away}") from away


def _watch(tools: Tools, run_id: UUID, total: int, workers: Sequence[BaseProcess], progress: Progress) -> int:
    """Wait until every game is done, or nobody works any more; how many were done."""
    while True:
        is_over = not any(worker.is_alive() for worker in workers)
        with tools.database.connection() as connection:
            done = count_rule_checks(connection, run_id)
        progress(done, total)
        if is_over or done == total:
            return done
        time.sleep(LOOK_SECONDS)


def _start(config: Config, queue_name: str) -> BaseProcess:
    """A process that works until the queue is empty. It is begun afresh: one that is forked would share our connections."""
    process = multiprocessing.get_context("spawn").Process(target=_work, args=(config, queue_name), daemon=True)
    process.start()
    return process


def _work(config: Config, queue_name: str) -> None:
    tools = build_tools(config, "worker")
    use_tools(tools)
    with redis.Redis.from_url(config.redis_url) as connection:
        queue = own_queue(connection, queue_name)
        worker = SimpleWorker([queue], connection=connection, serializer=JSONSerializer)
        with suppress(StopRequested):  # Ctrl-C: the owner says so
            worker.work(burst=True, logging_level="ERROR")
    tools.close()
