"""Witnesses co-sign checkpoints: that they have seen this log only grow (c2sp.org/tlog-cosignature)."""

from __future__ import annotations

from moveledger.audit.checkpoint import read_signed_checkpoint
from moveledger.audit.note import WITNESS, Note, Signature, UntrustedNote, verified_signatures
from moveledger.errors import CosignatureRefused, MalformedValue, UnknownCheckpoint
from moveledger.services.tools import Tools
from moveledger.store import publication as store

AHEAD_S = 300
"""How far a witness's clock may be before ours."""


def keep_cosignatures(tools: Tools, text: str) -> int:
    """Keep the signatures of known witnesses under a checkpoint that was published here; how many of them were new.

    `text` is the whole note; signatures of others are passed over. Raises `CosignatureRefused`, `UnknownCheckpoint`.
    """
    try:
        checkpoint, note = read_signed_checkpoint(text)
    except MalformedValue as wrong:
        raise CosignatureRefused(wrong.detail) from wrong
    signatures = _signatures(tools, note)
    with tools.database.transaction() as connection:
        head = store.find_checkpoint(connection, size=checkpoint.size, text=note.text)
        if head is None:
            raise UnknownCheckpoint
        return sum(store.add_cosignature(connection, head.number, signature) for signature in signatures)


def _signatures(tools: Tools, note: Note) -> tuple[Signature, ...]:
    witnesses = [key for key in tools.witnesses if key.kind == WITNESS]
    try:
        found = verified_signatures(note, witnesses)
    except UntrustedNote as wrong:
        raise CosignatureRefused(wrong.detail) from wrong
    if not found:
        raise CosignatureRefused("None of the signatures is one of a witness that is known here.")
    if any((signature.time or 0) > tools.clock() // 1_000_000 + AHEAD_S for signature in found):
        raise CosignatureRefused("A co-signature is dated in the future.")
    return found
