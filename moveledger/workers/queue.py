"""The queue of jobs about games. A ring is a hint: what is lost is found by the reconciler."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from uuid import UUID

import redis
from redis.exceptions import RedisError
from rq import Queue, Retry
from rq.serializers import JSONSerializer

from moveledger.services.tools import Job

GAMES = "games"
BATCH = 50
JOBS: Mapping[Job, str] = {
    "snapshots": "moveledger.workers.jobs.bring_games_up_to_date",
    "verification": "moveledger.workers.jobs.verify_games",
}
RULES_JOB = "moveledger.workers.jobs.check_games_against"


def game_queue(connection: redis.Redis) -> Queue:
    """The one queue that the workers listen on."""
    return Queue(GAMES, connection=connection, serializer=JSONSerializer)


def own_queue(connection: redis.Redis, name: str) -> Queue:
    """A queue that no worker of the service listens on: for who starts workers of its own."""
    return Queue(name, connection=connection, serializer=JSONSerializer)


def ring_bell(connection: redis.Redis, job: Job, game_ids: Sequence[UUID]) -> None:
    """Enqueue jobs about these games; with Redis away nothing happens."""
    queue = game_queue(connection)
    with contextlib.suppress(RedisError):
        for at in range(0, len(game_ids), BATCH):
            queue.enqueue(
                JOBS[job],
                [str(game_id) for game_id in game_ids[at : at + BATCH]],
                result_ttl=0,
                failure_ttl=3600,
                job_timeout=120,
                retry=Retry(max=3),
            )
