"""Receipts: the log's signature on a promise that an event is in it, given before the log is sealed over it."""

from __future__ import annotations

import struct

from moveledger.audit.event import Event
from moveledger.audit.note import SignerKey, VerifierKey

_MESSAGE = struct.Struct(">11s16sq32sq")


def receipt_message(event: Event) -> bytes:
    """What is signed: game, seq, hash and time of the event. `docs/formats.md` has the layout."""
    return _MESSAGE.pack(b"ml/receipt1", event.game_id.bytes, event.seq, event.hash, event.recorded_us)


def sign_receipt(key: SignerKey, event: Event) -> bytes:
    """The 64 bytes of the signature."""
    return key.sign(receipt_message(event))


def receipt_holds(key: VerifierKey, event: Event, signature: bytes) -> bool:
    """Whether a receipt of an event is signed by the log of this key."""
    return key.vouches(receipt_message(event), signature)
