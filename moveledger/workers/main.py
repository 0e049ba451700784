"""The worker process: runs jobs, and between them rings for games that were missed and keeps house."""

from __future__ import annotations

import logging
import threading
import time

import redis
from redis.exceptions import RedisError
from rq import SimpleWorker
from rq.serializers import JSONSerializer

from moveledger.errors import PASSING
from moveledger.services.snapshotting import keep_house, ring_for_lagging_games
from moveledger.services.tools import Tools
from moveledger.services.verifying import ring_for_unverified_games
from moveledger.workers.jobs import use_tools
from moveledger.workers.queue import game_queue

RECONCILE_SECONDS = 5.0
HOUSEKEEPING_SECONDS = 60.0
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
        while not _work(redis_url):
            time.sleep(1.0)
    finally:
        stop.set()
        minder.join(10)
        tools.close()


def _work(redis_url: str) -> bool:
    """Run jobs; True when asked to stop, False when Redis went away."""
    connection = redis.Redis.from_url(redis_url)
    try:
        worker = SimpleWorker(
            [game_queue(connection)],
            connection=connection,
            serializer=JSONSerializer,
            worker_ttl=WORKER_TTL,
            maintenance_interval=MAINTENANCE_SECONDS,
        )
        worker.log_result_lifespan = False
        worker.work(logging_level="WARNING")
    except RedisError as away:
        log.warning("Redis is away: %s", away)
        return False
    return True


def _mind(tools: Tools, stop: threading.Event) -> None:
    house_kept = 0.0
    while not stop.wait(RECONCILE_SECONDS):
        try:
            ring_for_lagging_games(tools)
            ring_for_unverified_games(tools)
            if time.monotonic() - house_kept > HOUSEKEEPING_SECONDS:
                keep_house(tools)
                house_kept = time.monotonic()
        except PASSING as away:
            log.warning("%s", away)
        except Exception:
            log.exception("the reconciler failed and goes on")
