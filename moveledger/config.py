"""The configuration: read once from an environment, every fault named in one message."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from moveledger.errors import ConfigurationFault

SERVICE_ENV = "service.env"
"""Where `moveledger up` writes what its processes are told, for commands like `moveledger check`."""
DEFAULT_TRAIL_DAYS = 400
"""A year and some weeks, so that a year can be looked back on."""
DEFAULT_LOG_ORIGIN = "moveledger.local/log"


@dataclass(frozen=True, slots=True)
class Config:
    """What a process is told from outside. Secrets, and URLs that may hold passwords, stay out of `repr`."""

    database_url: str = field(repr=False)
    """The owner's connection: migrations run through it."""
    api_database_url: str = field(repr=False)
    worker_database_url: str = field(repr=False)
    relay_database_url: str = field(repr=False)
    redis_url: str = field(repr=False)
    master_key: bytes = field(repr=False)
    """32 bytes. Data keys are wrapped with it, tokens are derived from it."""
    host: str
    port: int
    api_workers: int
    """Server processes."""
    api_threads: int
    """Requests that one server process works on at the same time."""
    public_url: str | None
    """Where clients find the service, if a proxy stands before it: what the OpenAPI document tells them."""
    log_origin: str
    """The first line of every checkpoint: the name of this log, and of its key."""
    log_key: str | None = field(repr=False)
    """The key that signs checkpoints and receipts: a C2SP signer text, or a seed of 64 hex digits. None: it is in the state folder."""
    log_witnesses: tuple[str, ...]
    """The C2SP vkeys of those whose co-signatures are taken."""
    state_folder: Path
    trail_days: int
    """How long refusals are kept in the security trail. The database drops none in its first thirty days."""

    @property
    def api_pool(self) -> int:
        """How many connections to Postgres one API process makes at most: one for each request that it works on, and two spare."""
        return self.api_threads + 2

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> Config:
        """Read the configuration, or raise one `ConfigurationFault` that names everything missing or wrong."""
        source = _Source(environ)
        database_url = source.database("DATABASE_URL", source.required("DATABASE_URL"))
        config = cls(
            database_url=database_url,
            api_database_url=source.database("API_DATABASE_URL", database_url),
            worker_database_url=source.database("WORKER_DATABASE_URL", database_url),
            relay_database_url=source.database("RELAY_DATABASE_URL", database_url),
            redis_url=source.redis("REDIS_URL"),
            master_key=source.secret("MASTER_KEY", size=32),
            host=source.text("HOST", "127.0.0.1"),
            port=source.number("PORT", 8000, among=range(1, 65536)),
            api_workers=source.number("API_WORKERS", 2, among=range(1, 257)),
            api_threads=source.number("API_THREADS", 16, among=range(1, 1025)),
            public_url=source.web("PUBLIC_URL"),
            log_origin=source.shaped(
                "LOG_ORIGIN", DEFAULT_LOG_ORIGIN, r"[^\s+]{1,200}", "a name without spaces and plus signs"
            ),
            log_key=source.text("LOG_KEY", "") or None,
            log_witnesses=source.words("LOG_WITNESSES"),
            state_folder=Path(source.text("STATE_FOLDER", "var")),
            trail_days=source.number("SECURITY_TRAIL_DAYS", DEFAULT_TRAIL_DAYS, among=range(30, 36_501)),
        )
        source.raise_faults()
        return config


def read_stored_config(environ: Mapping[str, str]) -> Config:
    """The configuration of the service that commands work on: the environment's, or else what a running `moveledger up`
    wrote into its state folder. Raises `ConfigurationFault`.
    """
    written = Path(environ.get("STATE_FOLDER") or "var") / SERVICE_ENV
    found = dict(environ)
    if not environ.get("DATABASE_URL") and written.exists():
        lines = (line.split("=", 1) for line in written.read_text(encoding="utf-8").splitlines())
        found = {**environ, **dict(lines)}
    return Config.read(found)


class _Source:
    """An environment that is asked for one value after the other and remembers what was wrong with each."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._faults: list[str] = []

    def text(self, name: str, default: str) -> str:
        """A value that may be left out. An empty one counts as left out: that is how compose files unset."""
        return self._environ.get(name, "").strip() or default

    def shaped(self, name: str, default: str, shape: str, expected: str) -> str:
        """A value that may be left out and otherwise has a shape."""
        found = self.text(name, default)
        if not re.fullmatch(shape, found):
            self._faults.append(f"{name} is not {expected}: {found!r}")
        return found

    def words(self, name: str) -> tuple[str, ...]:
        """Values with spaces or commas between them."""
        return tuple(word for word in re.split(r"[\s,]+", self.text(name, "")) if word)

    def required(self, name: str) -> str:
        value = self.text(name, "")
        if not value:
            self._faults.append(f"{name} is not set")
        return value

    def database(self, name: str, default: str) -> str:
        """An address of Postgres, which libpq reads. The message never repeats what was given: a password may be in it."""
        from psycopg import ProgrammingError  # noqa: PLC0415 — commands that need no database start without it
        from psycopg.conninfo import conninfo_to_dict  # noqa: PLC0415 — likewise

        given = self.text(name, default)
        try:
            conninfo_to_dict(given)
        except ProgrammingError:
            self._faults.append(f"{name} is not an address of Postgres, as postgresql://HOST/DATABASE is one")
            return ""
        return given

    def redis(self, name: str) -> str:
        """An address of Redis. The message never repeats it either."""
        given = self.required(name)
        if given and not _is_redis_url(given):
            self._faults.append(f"{name} is not an address of Redis, as redis://HOST/0 is one")
        return given

    def web(self, name: str) -> str | None:
        """An address for browsers, which may be left out."""
        given = self.text(name, "").rstrip("/")
        if given and not re.fullmatch(r"https?://[^\s?#]+", given):
            self._faults.append(f"{name} is not an address as https://HOST is one: {given!r}")
        return given or None

    def secret(self, name: str, *, size: int) -> bytes:
        """Bytes in hexadecimal. The message never repeats what was given."""
        digits = self.required(name)
        if digits and not re.fullmatch(rf"[0-9a-fA-F]{{{2 * size}}}", digits):
            self._faults.append(f"{name} is not {2 * size} hexadecimal digits")
            return b""
        return bytes.fromhex(digits)

    def number(self, name: str, default: int, *, among: range) -> int:
        text = self.text(name, str(default))
        if re.fullmatch(r"[0-9]{1,9}", text) and int(text) in among:
            return int(text)
        self._faults.append(f"{name} is not a number from {among.start} to {among.stop - 1}: {text!r}")
        return default

    def raise_faults(self) -> None:
        if self._faults:
            raise ConfigurationFault("Configuration: " + "; ".join(self._faults) + ".")


def _is_redis_url(text: str) -> bool:
    try:
        url = urlsplit(text)
        return url.scheme in ("redis", "rediss", "unix") and (url.port is None or url.port > 0)
    except ValueError:  # a port that is no number, or a bracket too few
        return False
