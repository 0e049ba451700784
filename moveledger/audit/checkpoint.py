"""Checkpoints of the public log: which log, how many leaves, which root (c2sp.org/tlog-checkpoint)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from moveledger.audit.note import (
    Note,
    UntrustedNote,
    VerifierKey,
    from_base64,
    read_note,
    require_signature,
    to_base64,
)
from moveledger.errors import MalformedValue

_SIZE = re.compile(r"0|[1-9][0-9]{0,18}")


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The head of a log's tree: its name, its size in leaves and its root of 32 bytes."""

    origin: str
    size: int
    root: bytes

    @property
    def text(self) -> str:
        """The text of its note."""
        return f"{self.origin}\n{self.size}\n{to_base64(self.root)}\n"


def read_checkpoint(text: str) -> Checkpoint:
    """The checkpoint that a note's text says; lines after the third, which nobody audits, are passed over.

    Raises `MalformedValue`.
    """
    origin, size, root, *more = text.split("\n")[:-1] if text.count("\n") > 2 else ["", "", ""]
    if not origin or not _SIZE.fullmatch(size) or int(size) >= 1 << 63 or "" in more:
        raise MalformedValue("The note is not a checkpoint: a name, a size and a root.")
    raw = from_base64(root)
    if len(raw) != 32:
        raise MalformedValue("The root of a checkpoint has 32 bytes.")
    return Checkpoint(origin, int(size), raw)


def read_signed_checkpoint(note: str) -> tuple[Checkpoint, Note]:
    """The checkpoint of a note, and the note with its signatures, which are not verified. Raises `MalformedValue`."""
    found = read_note(note)
    return read_checkpoint(found.text), found


def verify_checkpoint(note: str, key: VerifierKey) -> Checkpoint:
    """The checkpoint of a note that the log of this key has signed. Raises `MalformedValue`, `UntrustedNote`."""
    checkpoint, found = read_signed_checkpoint(note)
    if checkpoint.origin != key.name:
        raise UntrustedNote(f"The checkpoint is one of {checkpoint.origin}, the key one of {key.name}.")
    require_signature(found, key)
    return checkpoint
