"""What the suite of sight shares: one stage for the whole run."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from moveledger.store.embedded import Servers
from tests.api.service import open_service
from tests.house import open_house
from tests.sight.tables import Stage


@pytest.fixture(scope="session")
def stage(servers: Servers, shared_database: str) -> Iterator[Stage]:
    """The application and a worker over the session's servers."""
    with (
        open_service(shared_database, servers.redis_url()) as service,
        open_house(shared_database, servers.redis_url(), role="worker") as worker,
    ):
        yield Stage(service, service.client(), service.client("games:referee"), worker.tools)
