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
from moveledger.audit.proofs import is_consistent
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
class Growth:
    """A consistency proof between two sizes of the log."""

    old: int
    new: int
    path: Sequence[bytes]


@dataclass(frozen=True, slots=True)
class Trust:
    """What a verifier knows of the log from elsewhere: its key, the note of a checkpoint, and how the log has grown since or
    until then.
    """

    checkpoint: str | None = None
    key: VerifierKey | None = None
    growth: Growth | None = None


class Publication:
    """Every proof against the checkpoints that came with it, and those against what the verifier knows."""

    name: Check = "log"

    def __init__(self, attached: Attached | None = None, trust: Trust | None = None) -> None:
        self._attached: Attached = attached or Evidence()
        self._trust = trust or Trust()
        self._game: UUID | None = None
        self._hashes: list[bytes] = []
        self._known: list[Checkpoint] = []
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
        given = [] if self._trust.checkpoint is None else [self._trust.checkpoint]
        self._known = [self._read(note, "the checkpoint that was given") for note in given]
        notes = self._attached.checkpoints[:MOST_CHECKPOINTS]
        brought = [self._read(note, "the checkpoint of the record") for note in notes]
        self._require_one_log([*self._known, *brought])
        self._known += [head for head in brought if self._is_related(head)]
        if self._attached.proofs and not self._known and not brought:
            self._reason = "a proof, and no checkpoint for it"
        for proof in self._attached.proofs:
            self._check(proof, [*self._known, *brought])

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

    def _is_related(self, head: Checkpoint) -> bool:
        """Whether a checkpoint of the record is of the same log as the one that was given, as far as can be told."""
        if self._trust.checkpoint is None:
            return True
        old, new = sorted((self._known[0], head), key=lambda one: one.size)
        growth = self._trust.growth
        if growth is None or (growth.old, growth.new) != (old.size, new.size):
            return old.size == new.size
        if not is_consistent(old.size, old.root, new.size, new.root, growth.path):
            raise self._fault(f"the proof of growth does not lead from {_name(old)} to {_name(new)}")
        return True

    def _check(self, proof: Any, heads: Sequence[Checkpoint]) -> None:
        try:
            seq, index, path = _read_proof(proof, len(self._hashes))
        except MalformedValue as wrong:
            raise self._fault(f"a proof cannot be read: {wrong.detail}") from wrong
        leaf = leaf_hash(self._hashes[seq - 1])
        found = next((head for head in heads if root_from_path(leaf, index, head.size, path) == head.root), None)
        if found is None and heads:
            raise LogFault("log", seq, f"the proof does not lead to the root of {_name(heads[0])}")
        if found is not None and seq > self._proved:
            self._proved, self._head = seq, found

    def _fault(self, detail: str) -> LogFault:
        return LogFault("log", max(1, len(self._hashes)), detail)

    def results(self) -> Iterator[CheckResult]:
        """One result, `log`: pending while the last event is not proved, or not in the log that the verifier knows."""
        count, head, key = len(self._hashes), self._head, self._trust.key
        if head is None:
            yield CheckResult("log", "pending", self._reason)
            return
        where = f"in {_name(head)}, {'signed by its key' if key else 'its signature not checked, for want of a key'}"
        if head not in self._known:
            where += f"; that it is of one log with {_name(self._known[0])} was not shown"
        if self._proved < count:
            yield CheckResult("log", "pending", f"sealed up to event {self._proved} of {count}, {where}")
        elif head in self._known or key:
            yield CheckResult("log", "pass", f"{count} events, proved by the last one, {where}")
        else:
            yield CheckResult("log", "pending", f"{count} events, proved by the last one, {where}")


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


def read_growth(value: Any) -> Growth:
    """The consistency proof of `/v1/log/consistency`. Raises `MalformedValue`."""
    if not isinstance(value, dict) or value.keys() != {"from", "to", "path"} or not isinstance(value["path"], list):
        raise MalformedValue("The members are not those of a consistency proof.")
    if type(value["from"]) is not int or type(value["to"]) is not int or len(value["path"]) > 128:
        raise MalformedValue("Expected two sizes and at most 128 hashes.")
    return Growth(value["from"], value["to"], [hex_bytes({"path": step}, "path") for step in value["path"]])


def _name(head: Checkpoint) -> str:
    return f"the checkpoint of {head.origin}, {head.size} leaves, root {head.root.hex()[:16]}…"
