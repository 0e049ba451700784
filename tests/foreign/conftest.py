"""One published log for all who look at it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from moveledger.store.embedded import Servers
from tests.conftest import copy_of
from tests.foreign.copies import Published, publish_log


@pytest.fixture(scope="module")
def published(
    servers: Servers, template_database: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Published]:
    """A log with checkpoints of several sizes."""
    folder: Path = tmp_path_factory.mktemp("state")
    with copy_of(servers, template_database) as database, publish_log(database, servers.redis_url(), folder) as found:
        yield found
