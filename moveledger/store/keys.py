"""API keys: who may ask for what. The key's text is derived, never stored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from moveledger.store.database import Connection


@dataclass(frozen=True, slots=True)
class KeyRow:
    """An API key's facts."""

    key_id: UUID
    name: str
    scopes: frozenset[str]
    generation: int
    created_us: int
    created_by: UUID | None
    revoked_us: int | None


_COLUMNS = "key_id, name, scopes, generation, created_us, created_by, revoked_us"


def insert_key(connection: Connection, row: KeyRow) -> None:
    """A new key; one of that id that is there already stays as it is."""
    connection.execute(
        "INSERT INTO ml.api_keys (key_id, name, scopes, generation, created_us, created_by) VALUES (%s, %s, %s, %s, %s, %s)"
        " ON CONFLICT DO NOTHING",
        [row.key_id, row.name, sorted(row.scopes), row.generation, row.created_us, row.created_by],
    )


def find_key(connection: Connection, key_id: UUID) -> KeyRow | None:
    """A key, revoked or not."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM ml.api_keys WHERE key_id = %s", [key_id]).fetchone()  # noqa: S608 — constant columns
    return _key(row) if row else None


def list_keys(connection: Connection, *, after: UUID | None, limit: int) -> list[KeyRow]:
    """Keys, newest first, after `after`."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM ml.api_keys WHERE (%s::uuid IS NULL OR key_id < %s) ORDER BY key_id DESC LIMIT %s",  # noqa: S608 — constant columns
        [after, after, limit],
    ).fetchall()
    return [_key(row) for row in rows]


def revoke_key(connection: Connection, key_id: UUID, *, now_us: int) -> bool:
    """Revoke a key for good; whether there was one to revoke."""
    done = connection.execute(
        "UPDATE ml.api_keys SET revoked_us = %s WHERE key_id = %s AND revoked_us IS NULL", [now_us, key_id]
    )
    return done.rowcount == 1


def _key(row: Sequence[Any]) -> KeyRow:
    key_id, name, scopes, generation, created_us, created_by, revoked_us = row
    return KeyRow(key_id, name, frozenset(scopes), generation, created_us, created_by, revoked_us)
