"""Applies the plain SQL files of `moveledger/migrations`, once each, in order, one process at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from typing import Any

import psycopg

from moveledger.errors import ConfigurationFault, EditedMigration

LOCK = 0x6D6C6D69  # "mlmi": the advisory lock under which one process migrates and the others wait

_TABLE = """
CREATE TABLE IF NOT EXISTS public.moveledger_migrations (
    name text PRIMARY KEY, digest text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())
"""


def migrations() -> dict[str, str]:
    """The migrations by name, in order: their SQL."""
    folder = resources.files("moveledger.migrations")
    files = {entry.name: entry.read_text(encoding="utf-8") for entry in folder.iterdir() if entry.name.endswith(".sql")}
    return dict(sorted(files.items()))


def migrate(database_url: str, files: dict[str, str] | None = None) -> list[str]:
    """Bring a database up to date; answers the names of the migrations that it applied.

    Each file runs in a transaction of its own. Raises `EditedMigration` when an applied file is not what it was, before
    anything is changed, and `ConfigurationFault` when the address leads nowhere or its login may not do what a file asks.
    """
    wanted, applied = migrations() if files is None else files, []
    with _connection(database_url) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", [LOCK])
        connection.execute(_TABLE)
        done: dict[str, str] = dict(
            connection.execute("SELECT name, digest FROM public.moveledger_migrations").fetchall()
        )
        _refuse_edited(wanted, done)
        for name, text in wanted.items():
            if name not in done:
                with connection.transaction():
                    connection.execute(text.encode())
                    connection.execute(
                        "INSERT INTO public.moveledger_migrations (name, digest) VALUES (%s, %s)", [name, _digest(text)]
                    )
                applied.append(name)
    return applied


@contextmanager
def _connection(database_url: str) -> Iterator[psycopg.Connection[tuple[Any, ...]]]:
    """A connection as the owner, in autocommit, whose faults are the operator's to mend."""
    try:
        connection = psycopg.connect(database_url, autocommit=True)
    except psycopg.OperationalError as wrong:
        raise ConfigurationFault(f"DATABASE_URL leads to no database: {' '.join(str(wrong).split())}") from wrong
    with connection:
        try:
            yield connection
        except psycopg.errors.InsufficientPrivilege as wrong:
            raise ConfigurationFault(
                f"The login of DATABASE_URL lacks a right: {wrong.diag.message_primary}."
            ) from wrong


def _refuse_edited(wanted: dict[str, str], done: dict[str, str]) -> None:
    edited = [name for name, digest in done.items() if name in wanted and _digest(wanted[name]) != digest]
    if edited:
        raise EditedMigration(
            f"{', '.join(edited)}: edited after being applied. Migrations go forward only: undo the edit, add a new file.",
            names=edited,
        )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
