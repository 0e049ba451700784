"""Events in Postgres: appended by `ml.append` in one round trip, read back as they were written."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias
from uuid import UUID

from moveledger.audit.event import SCHEMA, TYPE_NAMES, TYPES, Event
from moveledger.errors import WrongMasterKey
from moveledger.store.database import Connection
from moveledger.store.sealing import seal_body, unseal_body

Result: TypeAlias = Literal["ok", "duplicate", "key_reuse", "conflict"]

COLUMNS = (
    "seq, type, schema, seat, client, request_id, recorded_us, prev_hash, commitment, hash, salt, body, sealed_for"
)
_APPEND = """
SELECT * FROM ml.append(%s, %s, %s, %s, %s, %s, %s::smallint[], %s::smallint[], %s::uuid[], %s::bytea[], %s::bytea[],
                        %s::bytea[], %s::integer[])
"""


@dataclass(frozen=True, slots=True)
class Draft:
    """An event before the log has given it a time and a hash: what `append` needs of it."""

    event: Event
    canonical_body: bytes


@dataclass(frozen=True, slots=True)
class Repeat:
    """What makes a request repeatable: the hash of client, route and key, and a keyed hash of what was asked."""

    idem_key: UUID
    fingerprint: bytes


@dataclass(frozen=True, slots=True)
class Appended:
    """What the log answered: the batch written (`ok`) or written before (`duplicate`), or the head (`conflict`)."""

    result: Result
    first_seq: int
    head_seq: int
    recorded_us: int
    hashes: Sequence[bytes]
    prev_hash: bytes


def append(
    connection: Connection,
    *,
    game_id: UUID,
    drafts: Sequence[Draft],
    repeat: Repeat | None,
    status: str | None,
    data_key: bytes,
) -> Appended:
    """Append drafts right after the event before the first of them; `status` is the game's new status, if it changes."""
    events = [draft.event for draft in drafts]
    stored = [_stored(draft, data_key) for draft in drafts]
    row = connection.execute(
        _APPEND,
        [
            game_id,
            events[0].seq - 1,
            repeat and repeat.idem_key,
            repeat and repeat.fingerprint,
            events[0].request_id,
            status,
            _array(TYPES[event.type] for event in events),
            _array(event.seat for event in events),
            _array(event.client for event in events),
            _array(event.commitment for event in events),
            _array(salt for salt, _ in stored),
            _array(body for _, body in stored),
            _array(None if event.sealed_for is None else seat_mask(event.sealed_for) for event in events),
        ],
    ).fetchone()
    assert row is not None  # the function always answers one row
    result, first, head, recorded_us, prev, hashes = row
    return Appended(result, first, head, recorded_us, hashes, prev)


def _array(values: Iterable[int | UUID | bytes | None]) -> str:
    """A Postgres array in its text form (manual, 8.15.2): psycopg takes several times as long to find out what to make of a list."""
    return "{" + ",".join(map(_element, values)) + "}"


def _element(value: int | UUID | bytes | None) -> str:
    if isinstance(value, bytes):
        return f'"\\\\x{value.hex()}"'
    return "NULL" if value is None else str(value)


def _stored(draft: Draft, data_key: bytes) -> tuple[bytes | None, bytes]:
    event = draft.event
    if event.sealed_for is None:
        return event.salt, draft.canonical_body
    assert event.salt is not None  # drafts are whole
    return None, seal_body(data_key, salt=event.salt, body=draft.canonical_body, commitment=event.commitment)


def load_events(
    connection: Connection,
    game_id: UUID,
    *,
    data_key: bytes,
    after: int = 0,
    upto: int | None = None,
    most: int | None = None,
    is_strict: bool = True,
) -> list[Event]:
    """The events of a game with after < seq <= upto, at most `most`, in order, sealed bodies opened.

    Raises `WrongMasterKey` for a sealed body that does not open. When not strict, a body that was altered so that it does not
    open, or is no JSON, comes closed: for who looks for just that.
    """
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM ml.events WHERE game_id = %s AND seq > %s AND seq <= %s ORDER BY seq LIMIT %s",  # noqa: S608 — constant columns
        [game_id, after, upto if upto is not None else 2**62, most],
    ).fetchall()
    return [_event(game_id, row, data_key, is_strict) for row in rows]


def load_rulings(connection: Connection, game_id: UUID) -> list[tuple[int, Mapping[str, Any]]]:
    """Seq and body of each ruling on a game, in order. Rulings are never sealed."""
    rows = connection.execute(
        "SELECT seq, body FROM ml.events WHERE game_id = %s AND type = %s ORDER BY seq", [game_id, TYPES["ruled"]]
    ).fetchall()
    return [(seq, json.loads(body)) for seq, body in rows]


def find_batch(connection: Connection, game_id: UUID, idem_key: UUID) -> tuple[int, int, bytes] | None:
    """First seq, last seq and fingerprint of the request that an idem key stands for."""
    row = connection.execute(
        "SELECT seq, seq + batch - 1, fingerprint FROM ml.events WHERE game_id = %s AND idem_key = %s",
        [game_id, idem_key],
    ).fetchone()
    return (row[0], row[1], row[2]) if row else None


def head_of(connection: Connection, game_id: UUID) -> tuple[int, bytes] | None:
    """Seq and hash of a game's last event."""
    row = connection.execute(
        "SELECT seq, hash FROM ml.events WHERE game_id = %s ORDER BY seq DESC LIMIT 1", [game_id]
    ).fetchone()
    return (row[0], row[1]) if row else None


def has_event(connection: Connection, game_id: UUID, seq: int) -> bool:
    """Whether the log holds an event, whatever its body is."""
    found = connection.execute("SELECT 1 FROM ml.events WHERE game_id = %s AND seq = %s", [game_id, seq])
    return found.fetchone() is not None


def find_hash(connection: Connection, game_id: UUID, seq: int) -> bytes | None:
    """The hash of one event, None if it is not there."""
    row = connection.execute("SELECT hash FROM ml.events WHERE game_id = %s AND seq = %s", [game_id, seq]).fetchone()
    return row[0] if row else None


def seat_mask(seats: frozenset[int]) -> int:
    """A set of seats as bits."""
    return sum(1 << seat for seat in seats)


def _seats_in(mask: int) -> frozenset[int]:
    return frozenset(seat for seat in range(mask.bit_length()) if mask >> seat & 1)


def _event(game_id: UUID, row: Sequence[Any], data_key: bytes, is_strict: bool) -> Event:
    seq, type_, schema, seat, client, request_id, recorded_us, prev_hash, commitment, hash_, salt, body, mask = row
    assert schema == SCHEMA or not is_strict  # upcasters go here when a second one exists
    parsed: Mapping[str, Any] | None
    try:
        if mask is not None:
            salt, body = unseal_body(data_key, body, commitment)
        parsed = json.loads(body)
    except (WrongMasterKey, ValueError):
        if is_strict:
            raise
        salt, parsed = None, None
    return Event(
        game_id=game_id,
        seq=seq,
        type=TYPE_NAMES[type_],
        schema=schema,
        seat=seat,
        client=client,
        request_id=request_id,
        recorded_us=recorded_us,
        prev_hash=prev_hash,
        commitment=commitment,
        hash=hash_,
        sealed=mask is not None,
        salt=salt,
        body=parsed,
        sealed_for=None if mask is None else _seats_in(mask),
    )
