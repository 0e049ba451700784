"""What the workers' tests share: an API process, a worker and a relay over one clean database."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
import redis

from moveledger.services.tools import Tools
from tests.house import Clock, House, open_house
from tests.playing import SHANGRILA, Table, new_table


@pytest.fixture
def clock() -> Clock:
    """A clock that shows the present time, to which Postgres compares its own, until it is told to go on."""
    return Clock(time.time_ns() // 1000)


@pytest.fixture
def api(database: str, redis_url: str, clock: Clock) -> Iterator[House]:
    """An API process."""
    with open_house(database, redis_url, clock=clock) as house:
        yield house


@pytest.fixture
def worker(database: str, redis_url: str, clock: Clock) -> Iterator[Tools]:
    """A worker's tools."""
    with open_house(database, redis_url, role="worker", clock=clock) as house:
        yield house.tools


@pytest.fixture
def relay(database: str, redis_url: str, clock: Clock) -> Iterator[Tools]:
    """The relay's tools."""
    with open_house(database, redis_url, role="relay", clock=clock) as house:
        yield house.tools


@pytest.fixture
def connection(redis_url: str) -> Iterator[redis.Redis]:
    """A connection to Redis."""
    with redis.Redis.from_url(redis_url) as connection:
        yield connection


@pytest.fixture
def table(api: House) -> Table:
    """A running game of some length."""
    return new_table(api.tools, api.key(), SHANGRILA, 3).play(until_version=20)
