"""The door to Postgres: one pool a process, and its errors made ours."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import psycopg
from psycopg.conninfo import conninfo_to_dict
from psycopg_pool import ConnectionPool, PoolTimeout

from moveledger.errors import Contended, StoreUnavailable

Connection: TypeAlias = "psycopg.Connection[tuple[Any, ...]]"

WAIT = 3.0
"""Seconds that a request waits for a connection before it is told to come back."""
PAUSE = 1.0
"""Seconds between attempts to connect while the database is away. The pool would double them, up to minutes: then its own
attempts are given up after the first pause, and the next request makes the next one."""
PATIENCE = {
    "connect_timeout": 3,
    "tcp_user_timeout": 10_000,
    "keepalives_idle": 10,
    "keepalives_interval": 3,
    "keepalives_count": 3,
}
"""After how long a server over TCP that says nothing is away (libpq's parameters): seconds, where the system's own settings wait a
quarter of an hour for an answer, and two hours on an idle connection. What the address says itself stands.
"""


NOT_MIGRATED = (
    psycopg.errors.InvalidSchemaName,
    psycopg.errors.UndefinedTable,
    psycopg.errors.UndefinedColumn,
    psycopg.errors.UndefinedFunction,
)
"""What Postgres says to a process that was started before its migrations were applied."""

log = logging.getLogger("moveledger.store")


class Database:
    """A pool of connections to one database as one role, every statement its own transaction unless asked.

    `role` is taken on connection, for set-ups with a single login; with a login of its own for each role it changes nothing.
    """

    def __init__(self, url: str, *, role: str, size: int) -> None:
        self._pool = ConnectionPool(
            url,
            min_size=1,
            max_size=size,
            timeout=WAIT,
            reconnect_timeout=PAUSE,
            open=False,
            kwargs={"autocommit": True, "prepare_threshold": 1, "options": f"-c role={role}", **_patience(url)},
            check=None,
            name=role,
        )

    def open(self) -> None:
        """Start connecting, in the background: the service comes up even when the database is late."""
        self._pool.open(wait=False)

    def close(self) -> None:
        """Close every connection."""
        self._pool.close()

    @contextmanager
    def connection(self) -> Iterator[Connection]:
        """A connection in autocommit. Raises `StoreUnavailable` when there is none, or when it breaks, and `Contended` when
        Postgres ends a transaction in favour of another one.
        """
        with store_errors(), self._pool.connection() as connection:
            try:
                yield connection
            except psycopg.OperationalError:
                if connection.closed:
                    self._pool.check()  # where one was cut off the others were too: found out now, not request by request
                raise

    @contextmanager
    def transaction(self) -> Iterator[Connection]:
        """A connection inside one transaction, committed at the end of the block."""
        with self.connection() as connection, connection.transaction():
            yield connection


def _patience(url: str) -> dict[str, int]:
    told = conninfo_to_dict(url)
    return {name: value for name, value in PATIENCE.items() if name not in told}


@contextmanager
def store_errors() -> Iterator[None]:
    """Turns the driver's word that the database is away, or not migrated yet, into `StoreUnavailable`, and a transaction that was
    given up for another one's sake (SQLSTATE 40001, 40P01: Postgres manual, 13.5) into `Contended`; all else passes.
    """
    try:
        yield
    except (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected) as lost:
        raise Contended(
            "Others were writing to the same at the same time. Nothing of this was kept; try again."
        ) from lost
    except NOT_MIGRATED as behind:
        log.warning("the database is not of this version: %s", behind)
        raise StoreUnavailable(
            "The database is not of this version yet: `moveledger migrate` brings it up to date."
        ) from behind
    except (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout) as away:
        raise StoreUnavailable("The database does not answer. Nothing that was answered is lost; try again.") from away
