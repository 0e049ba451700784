"""A seat's signature under its move: Ed25519 over the move, its place, and what the seat last saw of the log.

`docs/formats.md` has the bytes. Only a seat whose player gave a public key can sign, and none has to.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from moveledger.audit.event import hex_bytes
from moveledger.errors import MalformedValue
from moveledger.rules.encoding import canonical

_PLACE = struct.Struct(">8s16shq32s")
_SIGNATURE = re.compile("[0-9a-f]{128}")


@dataclass(frozen=True, slots=True)
class Signed:
    """What stands beside the action: seq and hash (32 bytes) of the event that the seat last saw, and 64 bytes of signature."""

    seq: int
    head_hash: bytes
    signature: bytes


def read_signed(value: Any) -> Signed:
    """The `signed` of a move's body. Raises `MalformedValue`."""
    if not isinstance(value, Mapping) or value.keys() != {"seq", "head_hash", "signature"}:
        raise MalformedValue("Expected seq, head_hash and signature.", "/signed")
    seq, signature = value["seq"], value["signature"]
    if type(seq) is not int or not 1 <= seq < 1 << 63:
        raise MalformedValue("Expected the seq of an event.", "/signed/seq")
    if not isinstance(signature, str) or not _SIGNATURE.fullmatch(signature):
        raise MalformedValue("Expected 128 lower-case hex digits.", "/signed/signature")
    return Signed(seq, hex_bytes(value, "head_hash"), bytes.fromhex(signature))


def signed_text(game_id: UUID, *, seat: int, seq: int, head_hash: bytes, action: Mapping[str, Any]) -> bytes:
    """The bytes that a seat signs; `action` as it stands in the log."""
    return _PLACE.pack(b"ml/move1", game_id.bytes, seat, seq, head_hash) + canonical(action)


def find_fault(
    signed: Signed,
    *,
    public_key: bytes | None,
    game_id: UUID,
    seat: int,
    action: Mapping[str, Any],
    hash_at: Callable[[int], bytes | None],
) -> str | None:
    """What is wrong with a signature, in a sentence; None for one that holds.

    `public_key` (32 bytes) is the seat's; `hash_at` gives the hash of an event before the move, None where there is none.
    """
    if public_key is None:
        return f"Seat {seat} has no public key and signs."
    if hash_at(signed.seq) != signed.head_hash:
        return f"The signature is upon event {signed.seq}, whose hash is not the one that it names."
    text = signed_text(game_id, seat=seat, seq=signed.seq, head_hash=signed.head_hash, action=action)
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signed.signature, text)
    except (InvalidSignature, ValueError):
        return f"The signature is not one of seat {seat} under this move."
    return None
