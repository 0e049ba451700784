"""The service's tools for a test: real Postgres and Redis, each role as in production, stand-ins for clock and entropy."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import count
from uuid import UUID, uuid4

from psycopg.conninfo import make_conninfo

from moveledger.audit import note
from moveledger.audit.note import SignerKey
from moveledger.config import Config
from moveledger.rules.kernel import Seat
from moveledger.services.callers import KeyCaller, SeatCaller, identify, seat_token
from moveledger.services.keys import issue_key
from moveledger.services.tools import Tools
from moveledger.wiring import Role, build_tools

MASTER_KEY = bytes(range(32))
LOG_SEED = bytes(range(32, 64))
WITNESS = SignerKey("witness.example/w1", bytes(range(64, 96)), note.WITNESS)
EVERYDAY = ("games:read", "games:write")

_houses = count(1)


class Clock:
    """A clock that stands until it is told to go on. Microseconds since 1970."""

    def __init__(self, now_us: int = 1_796_000_000_000_000) -> None:
        self.now_us = now_us

    def __call__(self) -> int:
        return self.now_us

    def go_on(self, *, seconds: float) -> None:
        """Let time pass."""
        self.now_us += int(seconds * 1_000_000)


class Entropy:
    """Bytes that look random and are the same in every run; no two houses get the same ones."""

    def __init__(self) -> None:
        self._house = next(_houses)
        self._taken = count()

    def __call__(self, size: int) -> bytes:
        text = f"{self._house}/{next(self._taken)}".encode()
        return hashlib.shake_256(text).digest(size)


@dataclass(frozen=True, slots=True)
class House:
    """One process of the service."""

    tools: Tools
    clock: Clock
    config: Config

    def key(self, *scopes: str) -> KeyCaller:
        """A fresh API key, by default one that reads and writes games."""
        _, token = issue_key(self.tools, name="test", scopes=list(scopes or EVERYDAY))
        found = identify(self.tools, f"Bearer {token}")
        assert isinstance(found, KeyCaller)
        return found

    def seat(self, game_id: UUID, seat: int) -> SeatCaller:
        """The seat of a game, by its first token."""
        found = identify(self.tools, f"Bearer {seat_token(self.tools.vault, game_id, seat, 1)}")
        assert isinstance(found, SeatCaller)
        assert found.seat == Seat(seat)
        return found


def read_config(database_url: str, redis_url: str) -> Config:
    """The configuration of a process whose logins are those of production: one for each role."""
    roles = {
        f"{role.upper()}_DATABASE_URL": make_conninfo(database_url, user=f"moveledger_{role}")
        for role in ("api", "worker", "relay")
    }
    return Config.read(
        {
            "DATABASE_URL": database_url,
            "REDIS_URL": redis_url,
            "MASTER_KEY": MASTER_KEY.hex(),
            "API_THREADS": "14",
            "LOG_KEY": LOG_SEED.hex(),
            "LOG_WITNESSES": str(WITNESS.verifier),
            **roles,
        }
    )


@contextmanager
def open_house(database_url: str, redis_url: str, *, role: Role = "api", clock: Clock | None = None) -> Iterator[House]:
    """A process of the service in its role, closed at the end of the block."""
    config, clock = read_config(database_url, redis_url), clock or Clock()
    tools = replace(build_tools(config, role), clock=clock, entropy=Entropy())
    try:
        yield House(tools, clock, config)
    finally:
        tools.close()


def fresh_key() -> str:
    """An Idempotency-Key that nobody has used."""
    return uuid4().hex
