"""The worker as a process of its own: it ends when it is told to, whatever has become of Redis, and only then."""

from __future__ import annotations

import shutil
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis

from moveledger.store.embedded import Valkey, prepare_folder
from moveledger.workers.queue import JOBS, game_queue
from tests.patience import in_time
from tests.places import quick_folder
from tests.workers.process import running


@pytest.fixture
def valkey() -> Iterator[Valkey]:
    """A Valkey of this test's own, which it may end."""
    folder = quick_folder()
    prepare_folder(folder)
    valkey = Valkey(folder, durable=False)
    valkey.start()
    yield valkey
    valkey.stop()
    shutil.rmtree(folder, ignore_errors=True)


def has_done_a_job(redis_url: str) -> bool:
    """Whether a worker is at it, and so far that it takes signals: what it writes into Redis before, it may have left there earlier."""
    with redis.Redis.from_url(redis_url) as connection:
        game_queue(connection).enqueue(JOBS["snapshots"], [], result_ttl=0)
        return in_time(lambda: game_queue(connection).is_empty(), seconds=2.0)


def test_it_ends_when_it_is_told_to(database: str, redis_url: str, tmp_path: Path) -> None:
    with running("worker", database, redis_url, tmp_path) as worker:
        assert in_time(lambda: has_done_a_job(redis_url))
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(20) == 0
    assert "Traceback" not in (tmp_path / "worker.log").read_text()


@pytest.mark.parametrize("seconds_before", [0.0, 3.0])
def test_it_ends_also_when_redis_ends_with_it_or_before(
    database: str, valkey: Valkey, tmp_path: Path, seconds_before: float
) -> None:
    """As when a supervisor is killed, with whom both end: to wait for Redis then would be to wait for the next one's."""
    with running("worker", database, valkey.redis_url(), tmp_path) as worker:
        assert in_time(lambda: has_done_a_job(valkey.redis_url()))
        valkey.stop()
        time.sleep(seconds_before)
        worker.send_signal(signal.SIGTERM)
        valkey.start()
        assert worker.wait(20) == 0
    assert "Traceback" not in (tmp_path / "worker.log").read_text()


def test_it_waits_for_a_redis_that_is_away(database: str, valkey: Valkey, tmp_path: Path) -> None:
    with running("worker", database, valkey.redis_url(), tmp_path) as worker:
        for _ in range(2):
            assert in_time(lambda: has_done_a_job(valkey.redis_url()))
            valkey.stop()
            time.sleep(1.5)
            valkey.start()
        assert in_time(lambda: has_done_a_job(valkey.redis_url()))
        assert worker.poll() is None
