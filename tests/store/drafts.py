"""Events to append, and connections in the roles of production."""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import psycopg
import uuid_utils.compat
from psycopg.conninfo import make_conninfo

from moveledger.audit.event import NIL, SCHEMA, ZERO_HASH, Event, commitment
from moveledger.rules.encoding import canonical
from moveledger.store.database import Connection
from moveledger.store.events import Appended, Draft, Repeat, append
from moveledger.store.sealing import digest_id

DATA_KEY = bytes(range(32))


def new_id() -> UUID:
    """A game's id as the service makes them."""
    return UUID(bytes=uuid_utils.compat.uuid7().bytes)


@contextmanager
def connected(database_url: str, role: str | None = None) -> Iterator[Connection]:
    """A connection in autocommit, as the owner or as one of the service's roles."""
    url = make_conninfo(database_url, user=f"moveledger_{role}") if role else database_url
    with psycopg.connect(url, autocommit=True) as connection:
        yield connection


def draft(
    game_id: UUID,
    seq: int,
    body: Mapping[str, Any] | None = None,
    *,
    type_: str = "moved",
    seat: int = 0,
    client: UUID = NIL,
    sealed_for: frozenset[int] | None = None,
) -> Draft:
    """An event that no rules have judged: the log takes any."""
    body = {"seq": seq} if body is None else body
    salt, text = secrets.token_bytes(32), canonical(body)
    event = Event(
        game_id=game_id,
        seq=seq,
        type=type_,
        schema=SCHEMA,
        seat=seat,
        client=client,
        request_id=f"request-{seq}",
        recorded_us=0,
        prev_hash=ZERO_HASH,
        commitment=commitment(salt, text),
        hash=ZERO_HASH,
        sealed=sealed_for is not None,
        salt=salt,
        body=body,
        sealed_for=sealed_for,
    )
    return Draft(event, text)


def repeat(name: str, asked: str = "this") -> Repeat:
    """What makes a request known again: its name, and what it asks."""
    return Repeat(digest_id(name.encode()), asked.encode().ljust(32, b"."))


def put(connection: Connection, *drafts: Draft, again: Repeat | None = None) -> Appended:
    """Append drafts to their game."""
    game_id = drafts[0].event.game_id
    return append(connection, game_id=game_id, drafts=drafts, repeat=again, status=None, data_key=DATA_KEY)


def grow(connection: Connection, game_id: UUID, *, to: int) -> None:
    """Append public events, one at a time, up to a seq."""
    row = connection.execute("SELECT coalesce(max(seq), 0) FROM ml.events WHERE game_id = %s", [game_id]).fetchone()
    assert row is not None
    for seq in range(row[0] + 1, to + 1):
        assert put(connection, draft(game_id, seq)).result == "ok"


def all_rows(connection: Connection, statement: str, *values: object) -> list[tuple[Any, ...]]:
    """The rows that a statement answers."""
    return connection.execute(statement.encode(), values).fetchall()
