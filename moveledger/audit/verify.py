"""The offline verifier: one pass over a record, or over the events of a game, with every check looking on.

Nothing in a record is believed. A check that finds a fault stops; the others go on, so that a report tells what
still holds. Whatever the bytes are, the answer is a report, or `NotARecord`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from moveledger.audit.checks import Chain, CheckResult, Commitments, Inspection, Report
from moveledger.audit.draws import Draws
from moveledger.audit.event import Event
from moveledger.audit.faults import Check, LogFault
from moveledger.audit.game import Recall
from moveledger.audit.publication import Attached, Publication, Trust
from moveledger.audit.record import RecordFault, RecordHeader, RecordReader
from moveledger.audit.replay import Replay
from moveledger.audit.signed_moves import SignedMoves

ORDER: tuple[Check, ...] = ("chain", "commitments", "draws", "rules", "outcome", "log", "signatures")
"""The checks as a report lists them; of faults at one event the first here is named."""
MOST_TEXT = 1000
"""Characters of a fault's description: a record may have a say in it."""


def verify_record(stream: BinaryIO, trust: Trust | None = None) -> Report:
    """The report on a record, read from a binary stream. Raises `NotARecord`.

    `trust` is what is known of the public log from elsewhere.
    """
    try:
        reader = RecordReader(stream)
    except RecordFault as fault:
        return _unreadable(fault)
    verification = _Verification(Chain(reader.header), Replay(), Publication(reader, trust))
    try:
        for event in reader.events():
            verification.see(event)
    except RecordFault as fault:
        verification.break_off(fault)
    return verification.report(reader.header)


def verify_events(
    events: Iterable[Event],
    *,
    recall: Recall | None = None,
    evidence: Attached | None = None,
    trust: Trust | None = None,
    may_be_closed: bool = True,
) -> Report:
    """The report on a game's events, in order of seq, as the service holds them, with proofs out of the public log.

    A fork's events either come after those of its parent, as in a record, or `recall` gives the parent. For who holds the keys,
    `may_be_closed` is False: then a body that does not open is a fault.
    """
    commitments = Commitments(may_be_closed=may_be_closed)
    publication = Publication(evidence, trust)
    verification = _Verification(Chain(has_parents=recall is None), Replay(recall), publication, commitments)
    for event in events:
        verification.see(event)
    return verification.report(None)


@dataclass(frozen=True, slots=True)
class _Found:
    """A fault and where it was found: the how-manieth game of the record, and the event."""

    name: Check
    game: int
    seq: int | None
    detail: str

    @property
    def rank(self) -> tuple[int, int, int]:
        return self.game, 1 << 63 if self.seq is None else self.seq, ORDER.index(self.name)


class _Verification:
    """All checks over one log."""

    def __init__(
        self, chain: Chain, replay: Replay, publication: Publication, commitments: Commitments | None = None
    ) -> None:
        self._commitments = commitments or Commitments()
        self._inspections: list[Inspection] = [
            chain,
            self._commitments,
            Draws(),
            replay,
            publication,
            SignedMoves(),
        ]
        self._stopped: dict[int, int] = {}
        self._faults: dict[Check, _Found] = {}
        self._first: Event | None = None
        self._last: Event | None = None
        self._games = 0
        self._broken_at: int | None = None

    def see(self, event: Event) -> None:
        if self._last is None or event.game_id != self._last.game_id:
            self._games += 1
            self._first = event
        self._last = event
        self._ask(lambda inspection: inspection.see(event), event.seq)

    def break_off(self, fault: RecordFault) -> None:
        """The file cannot be read on: that is a fault of the chain, at the event that should have come."""
        seq = self._last.seq if self._last is not None else 0
        self._broken_at = seq
        self._file(_Found("chain", self._games, seq + 1 if fault.at_event else None, fault.detail))

    def report(self, header: RecordHeader | None) -> Report:
        last = self._last
        if self._broken_at is None:
            self._ask(lambda inspection: inspection.end(), last.seq if last is not None else 0)
        checks = tuple(self._results())
        first_fault = min(self._faults.values(), key=lambda found: found.rank, default=None)
        opened = self._first.body if self._first is not None and self._first.body is not None else {}
        return Report(
            version=header.version if header is not None else last.seq if last is not None else 0,
            game_id=str(header.game_id if header is not None else last.game_id if last is not None else ""),
            ruleset=header.ruleset if header is not None else str(opened.get("ruleset", "")),
            checks=checks,
            closed=len(self._commitments.closed),
            fault=next((check for check in checks if first_fault and check.name == first_fault.name), None),
        )

    def _ask(self, question: Callable[[Inspection], None], seq: int) -> None:
        for at, inspection in enumerate(self._inspections):
            if at in self._stopped:
                continue
            try:
                question(inspection)
            except LogFault as fault:
                self._stop(at, _Found(fault.check, self._games, fault.seq, fault.detail))
            except Exception as wrong:  # a body of a shape that nobody foresaw is a fault, never a traceback
                detail = f"event {seq}: {type(wrong).__name__}: {wrong}"
                self._stop(at, _Found(inspection.name, self._games, seq, detail))

    def _stop(self, at: int, found: _Found) -> None:
        self._stopped[at] = found.seq or 0
        self._file(found)

    def _file(self, found: _Found) -> None:
        self._faults.setdefault(found.name, found)

    def _results(self) -> Iterator[CheckResult]:
        results = {
            result.name: self._limited(at, result)
            for at, inspection in enumerate(self._inspections)
            for result in inspection.results()
        }
        for name in ORDER:
            found = self._faults.get(name)
            yield results[name] if found is None else self._failed(found)

    def _failed(self, found: _Found) -> CheckResult:
        where = (
            "" if found.game == self._games else f"in the log of game {found.game} of {self._games} in this record, "
        )
        return CheckResult(found.name, "fail", (where + found.detail)[:MOST_TEXT], found.seq)

    def _limited(self, at: int, result: CheckResult) -> CheckResult:
        if at in self._stopped:
            return CheckResult(result.name, "pending", f"not judged beyond event {self._stopped[at]}")
        if self._broken_at is not None:
            return CheckResult(result.name, "pending", f"holds up to event {self._broken_at}, where the record breaks")
        return result


def _unreadable(fault: RecordFault) -> Report:
    failed = CheckResult("chain", "fail", fault.detail)
    rest = (CheckResult(name, "pending", "the first line cannot be read") for name in ORDER if name != "chain")
    return Report(version=0, game_id="", ruleset="", checks=(failed, *rest), closed=0, fault=failed)
