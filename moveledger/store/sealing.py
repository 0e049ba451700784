"""Closing and opening what a stolen dump must not show: AES-256-GCM, data keys wrapped by the master key.

A sealed text is a 12-byte random nonce and the ciphertext with its tag. Every sealing names what it is bound to, so a
ciphertext moved to another row does not open.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from uuid import UUID

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from moveledger.errors import WrongMasterKey

NONCE = 12
SALT = 32
BLOCK = 256
"""Sealed bodies are padded to a multiple of this many bytes, so that a length tells little."""


def seal(key: bytes, text: bytes, bound_to: bytes) -> bytes:
    """`text` closed under a 32-byte key."""
    nonce = secrets.token_bytes(NONCE)
    return nonce + AESGCM(key).encrypt(nonce, text, bound_to)


def unseal(key: bytes, sealed: bytes, bound_to: bytes) -> bytes:
    """What `seal` closed; raises `WrongMasterKey` when key or binding do not fit."""
    try:
        return AESGCM(key).decrypt(sealed[:NONCE], sealed[NONCE:], bound_to)
    except (InvalidTag, ValueError) as wrong:  # a ValueError: there is not even a whole nonce
        raise WrongMasterKey("A sealed text does not open: wrong MASTER_KEY, or the row was altered.") from wrong


def seal_body(key: bytes, *, salt: bytes, body: bytes, commitment: bytes) -> bytes:
    """A sealed event's salt and body, padded to a multiple of `BLOCK` bytes, bound to the event's commitment."""
    plain = salt + len(body).to_bytes(4, "big") + body
    return seal(key, plain + bytes(-len(plain) % BLOCK), commitment)


def unseal_body(key: bytes, sealed: bytes, commitment: bytes) -> tuple[bytes, bytes]:
    """Salt and body of a sealed event."""
    plain = unseal(key, sealed, commitment)
    length = int.from_bytes(plain[SALT : SALT + 4], "big")
    return plain[:SALT], plain[SALT + 4 : SALT + 4 + length]


@dataclass(frozen=True, slots=True)
class Vault:
    """What is derived from the master key and from the service's own secret, which the master key wraps.

    Tokens hang on the service's secret and not on the master key itself, so that a change of the master key leaves every token valid.
    """

    master_key: bytes
    service_secret: bytes

    def wrap_key(self, game_id: UUID, key: bytes) -> bytes:
        """A game's data key, closed under the master key."""
        return seal(self.master_key, key, b"data key" + game_id.bytes)

    def unwrap_key(self, game_id: UUID, wrapped: bytes) -> bytes:
        """A game's data key."""
        return unseal(self.master_key, wrapped, b"data key" + game_id.bytes)

    def derive(self, purpose: str, *parts: bytes) -> bytes:
        """32 bytes that only this service can make, for one purpose and these parts."""
        text = b"".join(len(part).to_bytes(4, "big") + part for part in (purpose.encode(), *parts))
        return hmac.digest(self.service_secret, text, "sha256")


def digest_id(*parts: bytes) -> UUID:
    """A UUID (version 8) that stands for these parts: the first 16 bytes of their SHA-256."""
    text = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
    raw = bytearray(hashlib.sha256(text).digest()[:16])
    raw[6] = raw[6] & 0x0F | 0x80
    raw[8] = raw[8] & 0x3F | 0x80
    return UUID(bytes=bytes(raw))
