"""What the API's tests share: one application for the whole run; each test opens games and keys of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from moveledger.store.embedded import Servers
from tests.api.service import Client, Service, open_service


@pytest.fixture(scope="session")
def service(servers: Servers, shared_database: str) -> Iterator[Service]:
    """The application over the session's servers."""
    with open_service(shared_database, servers.redis_url()) as service:
        yield service


@pytest.fixture
def client(service: Service) -> Client:
    """The holder of a fresh key that reads and writes games."""
    return service.client()


@pytest.fixture
def anybody(service: Service) -> Client:
    """Somebody without a credential."""
    return service.anybody


@pytest.fixture
def admin(service: Service) -> Client:
    """The holder of a fresh key that may do everything."""
    return service.client("admin")
