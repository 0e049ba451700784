"""What the services' tests share: one process of the service over real servers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from moveledger.services.callers import KeyCaller
from moveledger.store.embedded import Servers
from tests.house import Clock, House, open_house


@pytest.fixture(scope="session")
def session_house(servers: Servers, shared_database: str) -> Iterator[House]:
    """An API process for the session. Its clock is nobody's to move."""
    with open_house(shared_database, servers.redis_url()) as house:
        yield house


@pytest.fixture
def house(session_house: House, redis_url: str) -> House:
    """The same with Redis emptied and everything forgotten."""
    for shelf in (session_house.tools.games, session_house.tools.facts, session_house.tools.credentials):
        shelf.clear()
    return session_house


@pytest.fixture
def own_house(shared_database: str, redis_url: str) -> Iterator[House]:
    """An API process for this test, with a clock of its own."""
    with open_house(shared_database, redis_url) as house:
        yield house


@pytest.fixture
def second_house(shared_database: str, redis_url: str) -> Iterator[House]:
    """Another API process over the same servers."""
    with open_house(shared_database, redis_url, clock=Clock()) as house:
        yield house


@pytest.fixture
def key(house: House) -> KeyCaller:
    """A fresh key that reads and writes games."""
    return house.key()


@pytest.fixture(scope="session")
def worker(servers: Servers, shared_database: str) -> Iterator[House]:
    """A worker for the session: it writes snapshots and views, and verifies."""
    with open_house(shared_database, servers.redis_url(), role="worker") as house:
        yield house
