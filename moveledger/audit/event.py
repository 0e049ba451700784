"""One event of the log: its members, its bytes and its JSON. `docs/formats.md` gives the layout and vectors."""

from __future__ import annotations

import hashlib
import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Any, TypedDict
from uuid import UUID

from moveledger.errors import MalformedValue
from moveledger.rules.encoding import canonical
from moveledger.rules.kernel import Observer

TYPES = {
    "opened": 1,
    "seated": 2,
    "entropy_committed": 3,
    "entropy_opened": 4,
    "started": 5,
    "moved": 6,
    "drawn": 7,
    "left": 8,
    "ruled": 9,
    "finished": 10,
    "aborted": 11,
    "timed": 12,
    "reseated": 13,
}
TYPE_NAMES = {number: name for name, number in TYPES.items()}
SCHEMA = 1
HOUSE, REFEREE_SEAT = -1, -2
NIL = UUID(int=0)
ZERO_HASH = bytes(32)

_EPOCH = datetime(1970, 1, 1)
_HEADER = struct.Struct(">6s16sqhhh16sq32s32s")
_HEX = re.compile("[0-9a-f]{64}")
_UUID = re.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@dataclass(frozen=True, slots=True)
class Event:
    """A fact in the log. `salt` and `body` are None where the event is closed to this reader.

    `sealed_for` names the seats that may see a sealed body before the game is over; it is None for a public event
    and is not part of a record, which only tells that the event was `sealed`.
    """

    game_id: UUID
    seq: int
    type: str
    schema: int
    seat: int
    client: UUID
    request_id: str
    recorded_us: int
    prev_hash: bytes
    commitment: bytes
    hash: bytes
    sealed: bool
    salt: bytes | None
    body: Mapping[str, Any] | None
    sealed_for: frozenset[int] | None = None


class EventJson(TypedDict):
    """An event as the API, streams, webhooks and records show it."""

    game_id: str
    seq: int
    type: str
    schema: int
    seat: int
    client: str
    request_id: str
    recorded_at: str
    recorded_us: int
    prev_hash: str
    commitment: str
    hash: str
    sealed: bool
    salt: str | None
    body: Mapping[str, Any] | None


def commitment(salt: bytes, body: bytes) -> bytes:
    """What an event's hash covers of its body: SHA-256 over 0x02, a 32-byte salt and the canonical body."""
    return hashlib.sha256(b"\x02" + salt + body).digest()


def event_hash(event: Event) -> bytes:
    """The hash of an event's header, which chains it to the one before."""
    return hashlib.sha256(
        b"\x01"
        + _HEADER.pack(
            b"ml/ev1",
            event.game_id.bytes,
            event.seq,
            TYPES[event.type],
            event.schema,
            event.seat,
            event.client.bytes,
            event.recorded_us,
            event.prev_hash,
            event.commitment,
        )
    ).digest()


def commitment_holds(event: Event) -> bool:
    """Whether an open event's salt and body are what its commitment says."""
    if event.salt is None or event.body is None:
        return False
    return commitment(event.salt, canonical(event.body)) == event.commitment


def may_see(event: Event, observer: Observer, *, over: bool) -> bool:
    """Whether an observer may read the body: public, its own, anybody's once the game is over; a referee always."""
    if event.sealed_for is None or over or observer.referee:
        return True
    return observer.seat is not None and observer.seat in event.sealed_for


def recorded_at(recorded_us: int) -> str:
    """RFC 3339, UTC, microseconds always written."""
    moment = _EPOCH + timedelta(microseconds=recorded_us)
    return moment.isoformat(timespec="microseconds") + "Z"


def event_json(event: Event, *, is_open: bool) -> EventJson:
    """An event for a reader to whom it is open or closed."""
    return {
        "game_id": str(event.game_id),
        "seq": event.seq,
        "type": event.type,
        "schema": event.schema,
        "seat": event.seat,
        "client": str(event.client),
        "request_id": event.request_id,
        "recorded_at": recorded_at(event.recorded_us),
        "recorded_us": event.recorded_us,
        "prev_hash": event.prev_hash.hex(),
        "commitment": event.commitment.hex(),
        "hash": event.hash.hex(),
        "sealed": event.sealed,
        "salt": event.salt.hex() if is_open and event.salt is not None else None,
        "body": event.body if is_open else None,
    }


def read_event(value: Any) -> Event:
    """The event that a record's line says; raises `MalformedValue` for anything that is not exactly an event."""
    if not isinstance(value, dict) or value.keys() != EventJson.__annotations__.keys():
        raise MalformedValue("The members are not those of an event.")
    if not isinstance(value["type"], str) or value["type"] not in TYPES:
        raise MalformedValue("There is no such event type.", "/type")
    if not isinstance(value["request_id"], str) or not isinstance(value["sealed"], bool):
        raise MalformedValue("A member has another type than an event's.")
    if value["body"] is not None and not isinstance(value["body"], dict):
        raise MalformedValue("A body is an object or null.", "/body")
    event = Event(
        game_id=read_uuid(value, "game_id"),
        seq=_integer(value, "seq", 8),
        type=value["type"],
        schema=_integer(value, "schema", 2),
        seat=_integer(value, "seat", 2),
        client=read_uuid(value, "client"),
        request_id=value["request_id"],
        recorded_us=_integer(value, "recorded_us", 8),
        prev_hash=hex_bytes(value, "prev_hash"),
        commitment=hex_bytes(value, "commitment"),
        hash=hex_bytes(value, "hash"),
        sealed=value["sealed"],
        salt=None if value["salt"] is None else hex_bytes(value, "salt"),
        body=value["body"],
    )
    if not 0 <= event.recorded_us < 2**55 or value["recorded_at"] != recorded_at(event.recorded_us):
        raise MalformedValue("recorded_at and recorded_us differ.", "/recorded_at")
    if (event.salt is None) != (event.body is None):
        raise MalformedValue("Salt and body are open or closed together.", "/salt")
    return event


def _integer(value: Mapping[str, Any], name: str, size: int) -> int:
    found = value[name]
    if type(found) is not int or not -(1 << 8 * size - 1) <= found < 1 << 8 * size - 1:
        raise MalformedValue("Expected an integer of the field's width.", f"/{name}")
    return found


def hex_bytes(members: Mapping[str, Any], name: str) -> bytes:
    """The 32 bytes that a member says in lower-case hex; raises `MalformedValue`, also when it is missing."""
    found = members.get(name)
    if not isinstance(found, str) or not _HEX.fullmatch(found):
        raise MalformedValue("Expected 64 lower-case hex digits.", f"/{name}")
    return bytes.fromhex(found)


def read_uuid(members: Mapping[str, Any], name: str) -> UUID:
    """The UUID that a member says in lower case; raises `MalformedValue`, also when it is missing."""
    found = members.get(name)
    if not isinstance(found, str) or not _UUID.fullmatch(found):
        raise MalformedValue("Expected a UUID in lower case with hyphens.", f"/{name}")
    return _uuid(found)


@lru_cache(maxsize=64)
def _uuid(text: str) -> UUID:
    """A log names one game and few clients again and again."""
    return UUID(text)
