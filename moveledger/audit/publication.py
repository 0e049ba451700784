"""The check of the public log: that the events of a record are leaves of a tree whose head the operator has signed.

One proof covers all events up to its own, because an event's hash covers the one before. Whose head it is, only a key
tells that came another way; which log others were shown, only a checkpoint that did.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID

from moveledger.audit.checkpoint import Checkpoint, read_signed_checkpoint, verify_checkpoint
from moveledger.audit.checks import CheckResult
from moveledger.audit.event import Event, hex_bytes
from moveledger.audit.faults import Check, LogFault
from moveledger.audit.note import UntrustedNote, VerifierKey
from moveledger.errors import MalformedValue
from moveledger.rules.merkle import leaf_hash, root_from_path

MOST_CHECKPOINTS = 100
"""How many checkpoints of a record are looked at."""


class Attached(Protocol):
    """What stands beside the events: proofs `{seq, leaf_index, path}` and signed notes, nothing of it believed."""

    @property
    def proofs(self) -> Sequence[Any]: ...

    @property
    def checkpoints(self) -> Sequence[Any]: ...


@dataclass(frozen=True, slots=True)
class Evidence:
    """Proofs and checkpoints that do not come with a record."""

    proofs: Sequence[Mapping[str, Any]] = ()
    checkpoints: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Trust:
    """What a verifier knows of the log from elsewhere: its key, and the note of a checkpoint."""

    checkpoint: str | None = None
    key: VerifierKey | None = None


class Publication:
    """Every proof against the checkpoints that came with it, and those against what the verifier knows."""

    name: Check = "log"

    def __init__(self, attached: Attached | None = None, trust: Trust | None = None) -> None:
        self._attached: Attached = attached or Evidence()
        self._trust = trust or Trust()
        self._game: UUID | None = None
        self._hashes: list[bytes] = []
        self._proved = 0
        self._head: Checkpoint | None = None
        self._reason = "no proofs"

    def see(self, event: Event) -> None:
        """Remember the hash: proofs come after the events. They are of the record's own game, which is the last one."""
        if event.game_id != self._game:
            self._game, self._hashes = event.game_id, []
        self._hashes.append(event.hash)

    def end(self) -> None:
        """Raises `LogFault` for a proof or a checkpoint that is wrong."""
        known = [self._read(note, "the checkpoint that was given") for note in _present(self._trust.checkpoint)]
        brought = [
            self._read(note, "the checkpoint of the record") for note in self._attached.checkpoints[:MOST_CHECKPOINTS]
        ]
        self._require_one_log([*known, *brought])
        heads = known or brought
        if self._attached.proofs and not heads:
            self._reason = "a proof, and no checkpoint for it"
        for proof in self._attached.proofs:
            self._check(proof, heads, brought)

    def _read(self, note: Any, name: str) -> Checkpoint:
        try:
            if not isinstance(note, str):
                raise MalformedValue("Expected the text of a note.")
            return verify_checkpoint(note, self._trust.key) if self._trust.key else read_signed_checkpoint(note)[0]
        except (MalformedValue, UntrustedNote) as wrong:
            raise self._fault(f"{name} does not hold: {wrong.detail}") from wrong

    def _require_one_log(self, heads: Sequence[Checkpoint]) -> None:
        seen: dict[int, Checkpoint] = {}
        for head in heads:
            other = seen.setdefault(head.size, head)
            if other.origin != head.origin or other.root != head.root:
                raise self._fault(f"two checkpoints of {head.size} leaves differ: {_name(other)} and {_name(head)}")

    def _check(self, proof: Any, heads: Sequence[Checkpoint], brought: Sequence[Checkpoint]) -> None:
        try:
            seq, index, path = _read_proof(proof, len(self._hashes))
        except MalformedValue as wrong:
            raise self._fault(f"a proof cannot be read: {wrong.detail}") from wrong
        leaf = leaf_hash(self._hashes[seq - 1])
        for head in heads:
            if root_from_path(leaf, index, head.size, path) == head.root:
                if seq > self._proved:
                    self._proved, self._head = seq, head
                return
        for other in brought:  # its own checkpoint is not the one that is known: neither proved nor wrong
            if other not in heads and root_from_path(leaf, index, other.size, path) == other.root:
                self._reason = (
                    f"proved in {_name(other)}, which is not the checkpoint that was given: {_name(heads[0])}"
                )
                return
        if heads:
            raise LogFault("log", seq, f"the proof does not lead to the root of {_name(heads[0])}")

    def _fault(self, detail: str) -> LogFault:
        return LogFault("log", max(1, len(self._hashes)), detail)

    def results(self) -> Iterator[CheckResult]:
        """One result, `log`: pending while the last event is not proved."""
        count, head = len(self._hashes), self._head
        if head is None:
            yield CheckResult("log", "pending", self._reason)
            return
        signed = "signed by its key" if self._trust.key else "its signature not checked, for want of a key"
        where = f"in {_name(head)}, {signed}"
        if self._proved < count:
            yield CheckResult("log", "pending", f"sealed up to event {self._proved} of {count}, {where}")
        else:
            yield CheckResult("log", "pass", f"{count} events, proved by the last one, {where}")


def _read_proof(proof: Any, count: int) -> tuple[int, int, list[bytes]]:
    if not isinstance(proof, dict) or proof.keys() != {"seq", "leaf_index", "path"}:
        raise MalformedValue("The members are not those of a proof.")
    seq, index, path = proof["seq"], proof["leaf_index"], proof["path"]
    if type(seq) is not int or not 1 <= seq <= count:
        raise MalformedValue("It is of an event that is not here.", "/seq")
    if type(index) is not int or not 0 <= index < 1 << 63:
        raise MalformedValue("Expected the index of a leaf.", "/leaf_index")
    if not isinstance(path, list) or len(path) > 64:
        raise MalformedValue("Expected at most 64 hashes.", "/path")
    return seq, index, [hex_bytes({"path": step}, "path") for step in path]


def _present(note: str | None) -> list[str]:
    return [] if note is None else [note]


def _name(head: Checkpoint) -> str:
    return f"the checkpoint of {head.origin}, {head.size} leaves, root {head.root.hex()[:16]}…"
