"""Who is asking: nobody, an API key (`mlk_…`) or a seat of a game (`mls_…`). Tokens are derived, never stored."""

from __future__ import annotations

import base64
import binascii
import hmac
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias, TypeVar, cast
from uuid import UUID

from moveledger.audit.event import NIL
from moveledger.errors import Unauthenticated
from moveledger.rules.kernel import Seat
from moveledger.services.tools import Tools
from moveledger.store.cache import TRUST
from moveledger.store.games import seat_generations
from moveledger.store.keys import KeyRow, find_key
from moveledger.store.sealing import Vault, digest_id

T = TypeVar("T")
MAC = 18
"""Bytes of the derived part of a token."""


@dataclass(frozen=True, slots=True)
class Anonymous:
    """Nobody in particular."""

    client: UUID = NIL


@dataclass(frozen=True, slots=True)
class KeyCaller:
    """An API key and its scopes."""

    client: UUID
    scopes: frozenset[str]


@dataclass(frozen=True, slots=True)
class SeatCaller:
    """A seat of one game; `client` stands for its token in the log."""

    client: UUID
    game_id: UUID
    seat: Seat


Caller: TypeAlias = Anonymous | KeyCaller | SeatCaller


def key_token(vault: Vault, key_id: UUID, generation: int) -> str:
    """The text of an API key."""
    mac = vault.derive("api key", key_id.bytes, generation.to_bytes(4, "big"))
    return "mlk_" + _text(key_id.bytes + mac[:MAC])


def seat_token(vault: Vault, game_id: UUID, seat: int, generation: int) -> str:
    """The text of a seat's token."""
    named = game_id.bytes + bytes([seat]) + generation.to_bytes(2, "big")
    return "mls_" + _text(named + vault.derive("seat token", named)[:MAC])


def seat_client(game_id: UUID, seat: int, generation: int) -> UUID:
    """What stands in the log as the client of a seat's token."""
    return digest_id(b"seat token", game_id.bytes, bytes([seat]), generation.to_bytes(2, "big"))


def identify(tools: Tools, authorization: str | None) -> Caller:
    """The caller whose `Authorization` header this is. Raises `Unauthenticated` for anything but a token that is valid now."""
    if authorization is None:
        return Anonymous()
    scheme, _, token = authorization.partition(" ")
    if scheme.lower() == "bearer":
        if token.startswith("mlk_"):
            return _identify_key(tools, _raw(token[4:], 16 + MAC))
        if token.startswith("mls_"):
            return _identify_seat(tools, _raw(token[4:], 19 + MAC))
    raise Unauthenticated("The Authorization header is not `Bearer mlk_…` or `Bearer mls_…`.")


def _identify_key(tools: Tools, raw: bytes) -> KeyCaller:
    key_id = UUID(bytes=raw[:16])

    def load() -> KeyRow | None:
        with tools.database.connection() as connection:
            return find_key(connection, key_id)

    row = _remembered(tools, key_id, load)
    if row is None or row.revoked_us is not None:
        raise Unauthenticated("The API key is unknown or revoked.")
    expected = tools.vault.derive("api key", raw[:16], row.generation.to_bytes(4, "big"))[:MAC]
    if not hmac.compare_digest(expected, raw[16:]):
        raise Unauthenticated("The API key is unknown or revoked.")
    return KeyCaller(key_id, row.scopes)


def _identify_seat(tools: Tools, raw: bytes) -> SeatCaller:
    game_id, seat, generation = UUID(bytes=raw[:16]), raw[16], int.from_bytes(raw[17:19], "big")
    if not hmac.compare_digest(tools.vault.derive("seat token", raw[:19])[:MAC], raw[19:]):
        raise Unauthenticated("The seat token is unknown.")

    def load() -> int | None:
        with tools.database.connection() as connection:
            return seat_generations(connection, game_id).get(seat)

    if _remembered(tools, (game_id, seat), load) != generation:
        raise Unauthenticated("The seat token has been replaced.")
    return SeatCaller(seat_client(game_id, seat, generation), game_id, Seat(seat))


def _remembered(tools: Tools, name: object, load: Callable[[], T]) -> T:
    """What is known of a credential: believed for `TRUST` seconds, and only while no key has changed anywhere."""
    epoch = tools.cache.keys_epoch()
    held = tools.credentials.get(name)
    if held is not None and epoch is not None and held[0] == epoch and time.monotonic() - held[1] < TRUST:
        return cast(T, held[2])
    at, found = time.monotonic(), load()
    if epoch is None:
        tools.cache.set_keys_epoch(tools.entropy(8).hex(), only_if_missing=True)
    elif found is not None:
        tools.credentials.put(name, (epoch, at, found))
    return found


def _text(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def _raw(text: str, size: int) -> bytes:
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as wrong:
        raise Unauthenticated("The token is not well formed.") from wrong
    if len(raw) != size or _text(raw) != text:
        raise Unauthenticated("The token is not well formed.")
    return raw
