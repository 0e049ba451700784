"""What the suite of sight shares: one application, one key that opens games, one that sees all."""

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


@pytest.fixture(scope="session")
def key(service: Service) -> Client:
    """The holder of the key that opens every game here."""
    return service.client()


@pytest.fixture(scope="session")
def referee(service: Service) -> Client:
    """Somebody who may see all."""
    return service.client("games:referee")
