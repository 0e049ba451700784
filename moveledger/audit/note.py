"""Signed notes: a text and under it the signatures of those who vouch for it (c2sp.org/signed-note).

Two kinds of keys sign here: those of logs (Ed25519 over the text) and those of witnesses (c2sp.org/tlog-cosignature,
`cosignature/v1`: Ed25519 over a time and the text).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from moveledger.errors import MalformedValue, MoveledgerError

LOG, WITNESS = 0x01, 0x04
"""Signature types: Ed25519 over the text, and timestamped co-signatures."""
MOST_SIGNATURES = 100
"""How many signatures of a note are read; the format asks for 16 at least."""
PRIVATE = "PRIVATE+KEY+"

_LINE = re.compile(r"— (?P<name>[^\s+]+) (?P<signature>[A-Za-z0-9+/=]+)")


class UntrustedNote(MoveledgerError):
    """A note that is not signed as it has to be."""

    code = "untrusted-note"


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """The public half of a key that signs notes: its name, signature type and 32 bytes. Its text is a C2SP vkey."""

    name: str
    kind: int
    public: bytes

    @property
    def key_id(self) -> bytes:
        """Four bytes that tell keys of one name apart."""
        return key_id(self.name, self.kind, self.public)

    def __str__(self) -> str:
        return f"{self.name}+{self.key_id.hex()}+{to_base64(bytes([self.kind]) + self.public)}"

    def holds(self, text: str, signature: bytes) -> bool:
        """Whether a signature, without its key id, is this key's over a note's text."""
        if self.kind == LOG:
            return self.vouches(text.encode(), signature)
        if len(signature) != 72:
            return False
        message = cosigned_message(int.from_bytes(signature[:8], "big"), text)
        return self.vouches(message, signature[8:])

    def vouches(self, message: bytes, signature: bytes) -> bool:
        """Whether an Ed25519 signature (RFC 8032) of these bytes is this key's."""
        try:
            Ed25519PublicKey.from_public_bytes(self.public).verify(signature, message)
        except InvalidSignature:
            return False
        return True


class SignerKey:
    """The private half: it signs notes and, with `sign`, other messages that no note can be taken for."""

    def __init__(self, name: str, seed: bytes, kind: int = LOG) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self._seed = seed
        self.verifier = VerifierKey(name, kind, self._key.public_key().public_bytes_raw())

    def __repr__(self) -> str:
        return f"SignerKey({self.verifier})"

    def sign(self, message: bytes) -> bytes:
        """An Ed25519 signature of 64 bytes."""
        return self._key.sign(message)

    def sign_note(self, text: str) -> str:
        """The note of a text, signed by this key alone."""
        return write_note(text, [self.signature_line(self.sign(text.encode()))])

    def cosign(self, text: str, time: int) -> str:
        """The signature line of a witness who saw a text at a POSIX time."""
        return self.signature_line(time.to_bytes(8, "big") + self.sign(cosigned_message(time, text)))

    def signature_line(self, signature: bytes) -> str:
        """A signature as it stands under a note, without the line feed."""
        return f"— {self.verifier.name} {to_base64(self.verifier.key_id + signature)}"

    def private_text(self) -> str:
        """The key as text, for keeping. Whoever has it can sign."""
        verifier = self.verifier
        return f"{PRIVATE}{verifier.name}+{verifier.key_id.hex()}+{to_base64(bytes([verifier.kind]) + self._seed)}"


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature under a note: whose it says it is, and its bytes after the key id."""

    name: str
    key_id: bytes
    signature: bytes

    @property
    def line(self) -> str:
        """As it stands under the note, without the line feed."""
        return f"— {self.name} {to_base64(self.key_id + self.signature)}"

    @property
    def time(self) -> int | None:
        """The POSIX time that a witness gives, None where there is none."""
        return int.from_bytes(self.signature[:8], "big") if len(self.signature) == 72 else None


@dataclass(frozen=True, slots=True)
class Note:
    """A text, which ends in a line feed, and the signatures under it."""

    text: str
    signatures: tuple[Signature, ...]


# --- keys ----------------------------------------------------------------------------------------------


def key_id(name: str, kind: int, public: bytes) -> bytes:
    """The first four bytes of SHA-256 over name, line feed, signature type and public key."""
    return hashlib.sha256(name.encode() + b"\n" + bytes([kind]) + public).digest()[:4]


def require_key_name(name: str) -> None:
    """Raises `MalformedValue` for what cannot be a key's name or a log's origin: empty, with spaces or plus signs."""
    if not name or "+" in name or not name.isprintable() or any(sign.isspace() for sign in name):
        raise MalformedValue("A name of a key or log is not empty and holds no space and no plus sign.")


def read_verifier_key(text: str) -> VerifierKey:
    """The key of a vkey, `name+id+key`. Raises `MalformedValue`."""
    name, given_id, material = _key_parts(text)
    if len(material) != 33 or material[0] not in (LOG, WITNESS):
        raise MalformedValue("The key is not one of Ed25519.")
    key = VerifierKey(name, material[0], material[1:])
    if given_id != key.key_id:
        raise MalformedValue("The key's id is not that of its name and bytes.")
    return key


def read_signer_key(text: str) -> SignerKey:
    """The key of a C2SP signer text, `PRIVATE+KEY+name+id+key`. Raises `MalformedValue`, which never repeats the key."""
    if not text.startswith(PRIVATE):
        raise MalformedValue(f"The text of a private key begins with {PRIVATE}.")
    name, given_id, material = _key_parts(text.removeprefix(PRIVATE))
    if len(material) != 33 or material[0] not in (LOG, WITNESS):
        raise MalformedValue("The key is not one of Ed25519.")
    key = SignerKey(name, material[1:], material[0])
    if given_id != key.verifier.key_id:
        raise MalformedValue("The key's id is not that of its name and bytes.")
    return key


def _key_parts(text: str) -> tuple[str, bytes, bytes]:
    name, *rest = text.split("+", 2)
    require_key_name(name)
    if len(rest) != 2 or not re.fullmatch("[0-9a-f]{8}", rest[0]):
        raise MalformedValue("A key is a name, an id of 8 hex digits and base64, with plus signs between.")
    return name, bytes.fromhex(rest[0]), from_base64(rest[1])


# --- notes ---------------------------------------------------------------------------------------------


def write_note(text: str, lines: Iterable[str]) -> str:
    """A note of a text and signature lines."""
    return "".join([text, "\n", *(f"{line}\n" for line in lines)])


def read_note(note: str) -> Note:
    """The parts of a note, nothing verified. Raises `MalformedValue`."""
    if any(sign < " " and sign != "\n" for sign in note):
        raise MalformedValue("A note holds no control characters but line feeds.")
    body, blank, under = note.rpartition("\n\n")
    if not blank or not under.endswith("\n"):
        raise MalformedValue("A note is a text, an empty line, and lines of signatures.")
    lines = under.split("\n")[:-1]
    if len(lines) > MOST_SIGNATURES:
        raise MalformedValue(f"A note has more than {MOST_SIGNATURES} signatures.")
    return Note(body + "\n", tuple(_read_signature(line) for line in lines))


def _read_signature(line: str) -> Signature:
    found = _LINE.fullmatch(line)
    if found is None:
        raise MalformedValue("A line under the note is not a signature.")
    raw = from_base64(found["signature"])
    if len(raw) < 5:
        raise MalformedValue("A signature is too short.")
    return Signature(found["name"], raw[:4], raw[4:])


def verified_signatures(note: Note, keys: Sequence[VerifierKey]) -> tuple[Signature, ...]:
    """The signatures by known keys; others are ignored. Raises `UntrustedNote` when one by a known key is wrong."""
    known = {(key.name, key.key_id): key for key in keys}
    found = []
    for signature in note.signatures:
        key = known.get((signature.name, signature.key_id))
        if key is None:
            continue
        if not key.holds(note.text, signature.signature):
            raise UntrustedNote(f"The signature of {key.name} is not one of this text.")
        found.append(signature)
    return tuple(found)


def require_signature(note: Note, key: VerifierKey) -> None:
    """Raises `UntrustedNote` unless this key has signed."""
    if not verified_signatures(note, [key]):
        raise UntrustedNote(f"The note is not signed by {key}.")


def cosigned_message(time: int, text: str) -> bytes:
    """What a witness signs: that at this POSIX time it had seen no later checkpoint of the log."""
    return f"cosignature/v1\ntime {time}\n{text}".encode()


# --- base64 --------------------------------------------------------------------------------------------


def to_base64(raw: bytes) -> str:
    """RFC 4648, section 4."""
    return base64.b64encode(raw).decode()


def from_base64(text: str) -> bytes:
    """The bytes of a text that `to_base64` could have made; raises `MalformedValue` for any other spelling."""
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError) as wrong:
        raise MalformedValue("Expected base64.") from wrong
    if to_base64(raw) != text:
        raise MalformedValue("Expected base64 in its one canonical spelling.")
    return raw
