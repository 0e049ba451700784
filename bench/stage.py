"""What is measured on: servers of our own, set up as `make run` sets them up, on the disk that holds `var/`."""

from __future__ import annotations

import http.client
import json
import os
import secrets
import shutil
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from moveledger.child import Child
from moveledger.config import Config
from moveledger.services.tools import Tools
from moveledger.store.embedded import Servers
from moveledger.store.migrate import migrate
from moveledger.wiring import build_tools

ROLES = ("api", "worker", "relay")
PATIENCE_S = 60.0


@dataclass(frozen=True, slots=True)
class Effort:
    """How long to measure: seconds for one side of one round, and how many rounds."""

    seconds: float
    rounds: int


@dataclass(slots=True)
class Stage:
    """The servers of one run. Every row gets a database of its own in the one cluster."""

    folder: Path
    effort: Effort
    servers: Servers
    master_key: str = field(default_factory=lambda: secrets.token_hex(32))
    _databases: int = 0

    def make_database(self) -> str:
        """The name of a new database, migrated."""
        self._databases += 1
        name = f"bench_{self._databases}"
        with psycopg.connect(self.servers.database_url(), autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        migrate(self.servers.database_url(dbname=name))
        return name

    def url(self, database: str, role: str = "") -> str:
        """Where a database is, for the owner or for a process of the service."""
        return self.servers.database_url(**({"user": f"moveledger_{role}"} if role else {}), dbname=database)

    def execute(self, database: str, statement: str) -> None:
        """Run statements as the owner."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(statement.encode())

    def settle(self) -> None:
        """Write out what earlier work has left behind, so that it is not written during the next measurement."""
        with psycopg.connect(self.servers.database_url(), autocommit=True) as connection:
            connection.execute("CHECKPOINT")

    def environment(self, database: str) -> dict[str, str]:
        """The environment of a process of the service that works on `database`."""
        return {
            **os.environ,
            "DATABASE_URL": self.url(database),
            **{f"{role.upper()}_DATABASE_URL": self.url(database, role) for role in ROLES},
            "REDIS_URL": self.servers.redis_url(self._databases % 16),
            "MASTER_KEY": self.master_key,
            "STATE_FOLDER": str(self.folder / database),
            "HOST": "127.0.0.1",
            "PORT": str(free_port()),
        }

    def tools(self, database: str) -> Tools:
        """What an API process works with, in this process. The caller closes it."""
        return build_tools(Config.read(self.environment(database)), "api")

    @contextmanager
    def running(self, name: str, *words: str, environment: Mapping[str, str]) -> Iterator[None]:
        """A Python process, for as long as the block takes."""
        command = [sys.executable, "-m", *words]
        child = Child(name, command, log=self.folder / "log" / f"{name}.log", environ=environment)
        child.start()
        try:
            yield
            if not child.alive():
                raise RuntimeError(f"{name} ended with status {child.exit_status()}: {child.last_words()}")
        finally:
            child.stop(grace=15.0)


@contextmanager
def open_stage(effort: Effort) -> Iterator[Stage]:
    """Servers in a new folder under `var/`; when the block ends they are stopped and the folder is gone."""
    parent = Path(os.environ.get("STATE_FOLDER") or "var").resolve()
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix="bench-", dir=parent))
    servers = Servers(folder)
    try:
        servers.start()
        yield Stage(folder, effort, servers)
    finally:
        servers.stop()
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class Service:
    """A service that answers: where, and with which key."""

    host: str
    port: int
    key: str

    def call(self, method: str, path: str, content: Any = None) -> Any:
        """One request with the key; what was answered, as JSON."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        headers = {"Authorization": f"Bearer {self.key}", "Idempotency-Key": secrets.token_hex(8)}
        if content is not None:
            headers["Content-Type"] = "application/json"
        try:
            connection.request(method, path, None if content is None else json.dumps(content), headers)
            response = connection.getresponse()
            text = response.read()
        finally:
            connection.close()
        if response.status >= 300:
            raise RuntimeError(f"{method} {path}: {response.status} {text[:500]!r}")
        return json.loads(text)


@contextmanager
def open_service(stage: Stage, database: str) -> Iterator[Service]:
    """Everything that `moveledger up` runs (API, worker, relay), on the stage's servers."""
    environment = stage.environment(database)
    port = int(environment["PORT"])
    known = Path(environment["STATE_FOLDER"]) / "dev.env"
    with stage.running("up", "moveledger", "up", environment=environment):
        wait_until(known.exists, "the service")  # written when the API answers
        key = dict(line.split("=", 1) for line in known.read_text().splitlines())["MOVELEDGER_KEY"]
        yield Service("127.0.0.1", port, key)


def wait_until(ready: Callable[[], bool], what: str, *, patience: float = PATIENCE_S) -> None:
    """Wait for something that is coming; raises `TimeoutError`."""
    deadline = time.monotonic() + patience
    while not ready():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {patience:.0f} s for {what}")
        time.sleep(0.02)


def answers(port: int) -> bool:
    """Whether somebody takes connections on a port of the loopback."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1.0):
        return True
    return False


def free_port() -> int:
    """A port of the loopback that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
