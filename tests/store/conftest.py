"""What the store's tests share: connections to one database for the whole run; each test brings games of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from moveledger.store.database import Connection
from tests.store.drafts import connected


@pytest.fixture
def owner(shared_database: str) -> Iterator[Connection]:
    """The owner's connection, a superuser's."""
    with connected(shared_database) as connection:
        yield connection


@pytest.fixture
def api(shared_database: str) -> Iterator[Connection]:
    """An API process's connection."""
    with connected(shared_database, "api") as connection:
        yield connection


@pytest.fixture
def worker(shared_database: str) -> Iterator[Connection]:
    """A worker's connection."""
    with connected(shared_database, "worker") as connection:
        yield connection


@pytest.fixture
def relay(shared_database: str) -> Iterator[Connection]:
    """The relay's connection."""
    with connected(shared_database, "relay") as connection:
        yield connection
