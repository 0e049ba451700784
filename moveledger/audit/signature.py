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

P = 2**255 - 19
"""The prime of the curve (RFC 8032, 5.1)."""
SMALL_ORDER = frozenset(
    bytes.fromhex(encoded)
    for encoded in (
        "0100000000000000000000000000000000000000000000000000000000000000",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0000000000000000000000000000000000000000000000000000000000000080",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    )
)
"""The eight points of order 1, 2, 4 and 8, in their canonical encoding (Chalkias, Garillot, Nikolaenko, "Taming the many EdDSAs",
2020; libsodium refuses the same). `cryptography` has no means to tell them.
"""

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


def find_key_fault(public_key: bytes) -> str | None:
    """Why 32 bytes are no key to sign with, in a sentence; None for bytes that may be one.

    Under a point of small order a signature can be made that holds for every text; and of one point there is one encoding
    (RFC 8032, 5.1.3: y below p, and where x is 0 its sign is 0), or one key would go by two names.
    """
    y = int.from_bytes(public_key, "little") & ((1 << 255) - 1)
    if y >= P or (y in (1, P - 1) and public_key[-1] & 0x80):
        return "The public key is not in canonical form."
    if public_key in SMALL_ORDER:
        return "The public key is a point of small order: anybody could sign with it."
    return None


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
