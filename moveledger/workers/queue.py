"""The queue of snapshot jobs. A ring is a hint: what is lost is found by the reconciler."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from uuid import UUID

import redis
from redis.exceptions import RedisError
from rq import Queue, Retry
from rq.serializers import JSONSerializer

SNAPSHOTS = "snapshots"
BATCH = 50


def snapshot_queue(connection: redis.Redis) -> Queue:
    """The one queue that the snapshot workers listen on."""
    return Queue(SNAPSHOTS, connection=connection, serializer=JSONSerializer)


def ring_bell(connection: redis.Redis, game_ids: Sequence[UUID]) -> None:
    """Enqueue jobs that bring these games up to date, a batch a job; with Redis away nothing happens."""
    queue = snapshot_queue(connection)
    with contextlib.suppress(RedisError):
        for at in range(0, len(game_ids), BATCH):
            queue.enqueue(
                "moveledger.workers.jobs.bring_games_up_to_date",
                [str(game_id) for game_id in game_ids[at : at + BATCH]],
                result_ttl=0,
                failure_ttl=3600,
                job_timeout=120,
                retry=Retry(max=3),
            )
