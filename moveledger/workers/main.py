"""The worker process: runs jobs, and between them rings for games that were missed and keeps house."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

import redis
from redis.exceptions import RedisError
from rq import SimpleWorker
from rq.exceptions import StopRequested
from rq.serializers import JSONSerializer

from moveledger.errors import PASSING
from moveledger.services.snapshotting import keep_house, ring_for_lagging_games
from moveledger.services.tools import Tools
from moveledger.services.verifying import ring_for_unverified_games
from moveledger.workers.jobs import use_tools
from moveledger.workers.queue import game_queue

RECONCILE_SECONDS = 5.0
"""How often games that have just grown are looked after."""
HOUSEKEEPING_SECONDS = 60.0
"""How often all games are."""
WORKER_TTL = 30
MAINTENANCE_SECONDS = 15

log = logging.getLogger("moveledger.worker")


def run_worker(tools: Tools, redis_url: str) -> None:
    """Work until a signal says stop. Redis or Postgres being away is waited out."""
    use_tools(tools)
    stop = threading.Event()
    minder = threading.Thread(target=_mind, args=(tools, stop), name="reconciler", daemon=True)
    minder.start()
    try:
        while not stop.is_set():
            _work(redis_url, stop)
            stop.wait(1.0)
    except StopRequested:  # by the signal handler of a worker that has ended meanwhile
        log.debug("asked to stop between two workers")
    finally:
        stop.set()
        minder.join(10)
        tools.close()


class _Worker(SimpleWorker):
    """RQ's, which tells that it was asked to stop: its farewell to a Redis that is away raises the same as a Redis that goes away.

    A worker that went on then would outlive its supervisor, and work for the next one with old code and an old key.
    """

    stop: threading.Event

    def request_stop(self, signum: Any, frame: Any) -> None:
        """What RQ does at a signal."""
        self.stop.set()
        super().request_stop(signum, frame)  # type: ignore[no-untyped-call]  # RQ leaves it untyped


def _work(redis_url: str, stop: threading.Event) -> None:
    """Run jobs until asked to stop, or until Redis goes away."""
    connection = redis.Redis.from_url(redis_url)
    try:
        worker = _Worker(
            [game_queue(connection)],
            connection=connection,
            serializer=JSONSerializer,
            worker_ttl=WORKER_TTL,
            maintenance_interval=MAINTENANCE_SECONDS,
        )
        worker.stop = stop
        worker.log_result_lifespan = False
        worker.work(logging_level="WARNING")
    except RedisError as away:
        log.warning("Redis is away: %s", away)


def _mind(tools: Tools, stop: threading.Event) -> None:
    house_kept = 0.0
    while not stop.wait(RECONCILE_SECONDS):
        try:
            thorough = time.monotonic() - house_kept > HOUSEKEEPING_SECONDS
            ring_for_lagging_games(tools, everywhere=thorough)
            ring_for_unverified_games(tools, everywhere=thorough)
            if thorough:
                keep_house(tools)
                house_kept = time.monotonic()
        except PASSING as away:
            log.warning("%s", away)
        except Exception:
            log.exception("the reconciler failed and goes on")
