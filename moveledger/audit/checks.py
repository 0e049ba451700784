"""What the offline verifier reports, and the two checks that need no rules: the chain and the commitments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias
from uuid import UUID

from moveledger.audit.event import ZERO_HASH, Event, commitment_holds, event_hash, read_event
from moveledger.audit.faults import Check, LogFault
from moveledger.audit.lines import parse_line
from moveledger.audit.record import RecordHeader
from moveledger.errors import MalformedValue

Result: TypeAlias = Literal["pass", "fail", "closed", "pending"]
SEALABLE = frozenset({"moved", "drawn", "left"})
"""The events that are inputs of the rules: only these may be sealed."""
ENDINGS = frozenset({"finished", "aborted"})


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What one check says. `closed`: it would need bodies that are sealed; `pending`: its time has not come.

    `seq` is the event at which a failed check found its fault, where it is one event's.
    """

    name: Check
    result: Result
    detail: str
    seq: int | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """What the verifier says of a game at a version; `closed` counts the bodies that it could not see."""

    version: int
    game_id: str
    ruleset: str
    checks: tuple[CheckResult, ...]
    closed: int
    fault: CheckResult | None
    """The check that failed at the earliest event."""

    @property
    def valid(self) -> bool:
        """Whether no check has failed."""
        return self.fault is None


class Inspection(Protocol):
    """One way of looking at a log, event by event.

    `see` and `end` raise `LogFault`, after which neither is called again. `results` are what it says otherwise.
    `name` is the check that fails when it breaks down over something that nobody foresaw.
    """

    name: Check

    def see(self, event: Event, /) -> None: ...

    def end(self) -> None: ...

    def results(self) -> Iterator[CheckResult]: ...


# --- the chain -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Head:
    """Where a chain has come to."""

    game_id: UUID | None
    seq: int
    hash: bytes


class Chain:
    """Hashes, order and times of the events, and what the record's first line says about them.

    Where another game begins, the events before it must be those of the parent that its opening names. `has_parents`
    says that a fork's parent is to be found among the events.
    """

    name: Check = "chain"

    def __init__(self, header: RecordHeader | None = None, *, has_parents: bool = True) -> None:
        self.head = Head(None, 0, ZERO_HASH)
        self._header = header
        self._has_parents = has_parents
        self._recorded_us = 0
        self._count = 0

    def see(self, event: Event) -> None:
        """Raises `LogFault` when `event` does not follow on those before it."""
        head = self.head
        if event.game_id != head.game_id:
            self._begin(event)
            head = self.head
        if event.seq != head.seq + 1:
            raise LogFault("chain", event.seq, f"expected event {head.seq + 1}")
        if event.prev_hash != head.hash:
            raise LogFault("chain", event.seq, "prev_hash is not the hash of the event before")
        if event.hash != event_hash(event):
            raise LogFault("chain", event.seq, "the hash is not that of its members")
        if event.recorded_us < self._recorded_us:
            raise LogFault("chain", event.seq, "recorded before the event that it follows")
        self._recorded_us = event.recorded_us
        self._count += 1
        self.head = Head(event.game_id, event.seq, event.hash)

    def _begin(self, event: Event) -> None:
        if event.seq != 1:
            raise LogFault("chain", event.seq, f"an event of game {event.game_id}, which has not begun here")
        body = event.body or {}
        if self._header is not None and body.get("ruleset") != self._header.ruleset:
            raise LogFault("chain", 1, f"opened as {body.get('ruleset')!r}, the record says {self._header.ruleset!r}")
        head = self.head
        before = {"game_id": str(head.game_id), "seq": head.seq, "hash": head.hash.hex()} if head.game_id else None
        if body.get("parent") != before and (before is not None or self._has_parents):
            raise LogFault(
                "chain", 1, f"its opening names the parent {body.get('parent')!r}, before it stands {before}"
            )
        self.head, self._recorded_us = Head(event.game_id, 0, ZERO_HASH), 0

    def end(self) -> None:
        """Raises `LogFault` when the last event is not the one that the record's first line names."""
        head, header = self.head, self._header
        if head.game_id is None:
            raise LogFault("chain", 1, "there is no event")
        if header is None:
            return
        if head.game_id != header.game_id:
            raise LogFault("chain", head.seq, f"the record is said to be of game {header.game_id}")
        if head.seq != header.version:
            raise LogFault("chain", head.seq, f"the record is said to go to event {header.version}")
        if head.hash != header.head_hash:
            raise LogFault("chain", head.seq, "the hash is not the head_hash of the record's first line")

    def results(self) -> Iterator[CheckResult]:
        """One result, `chain`."""
        yield CheckResult("chain", "pass", f"{self._count} events, each hashed over the one before")


def verify_chain(events: Iterable[Event | bytes]) -> Head:
    """The head of a chain of events, given as values or as lines of a record; bodies are not looked at.

    Raises `LogFault`.
    """
    chain = Chain(has_parents=False)
    for given in events:
        chain.see(given if isinstance(given, Event) else _event_of(given, chain.head.seq + 1))
    chain.end()
    return chain.head


def _event_of(line: bytes, seq: int) -> Event:
    try:
        return read_event(parse_line(line))
    except MalformedValue as wrong:
        raise LogFault("chain", seq, f"{wrong.pointer} {wrong.detail}".strip()) from wrong


# --- the commitments -----------------------------------------------------------------------------------


class Commitments:
    """Every open body against its commitment, and whether a closed one may be closed: never in the hands of the service."""

    name: Check = "commitments"

    def __init__(self, *, may_be_closed: bool = True) -> None:
        self._may_be_closed = may_be_closed
        self.closed: list[int] = []
        self._count = 0
        self._game: UUID | None = None
        self._over = False
        self._closed_here: list[int] = []

    def see(self, event: Event) -> None:
        """Raises `LogFault` for a body that is not what was committed to, or is missing without a right."""
        if event.game_id != self._game:
            self._game, self._over, self._closed_here = event.game_id, False, []
        self._count += 1
        self._over = self._over or event.type in ENDINGS
        if event.sealed and event.type not in SEALABLE:
            raise LogFault("commitments", event.seq, f"{event.type} is never sealed")
        if event.body is None:
            self._see_closed(event)
        elif not _holds(event):
            raise LogFault("commitments", event.seq, "the commitment is not that of salt and body")
        if self._over and self._closed_here:
            raise LogFault("commitments", self._closed_here[0], "the body is closed though the game is over")

    def _see_closed(self, event: Event) -> None:
        if not event.sealed:
            raise LogFault("commitments", event.seq, "the body is missing and the event is not sealed")
        if not self._may_be_closed:
            raise LogFault("commitments", event.seq, "the body does not open")
        self.closed.append(event.seq)
        self._closed_here.append(event.seq)

    def end(self) -> None:
        """Nothing is left to say."""

    def results(self) -> Iterator[CheckResult]:
        """One result, `commitments`."""
        seen = f"{self._count - len(self.closed)} of {self._count} bodies are what was committed to"
        if self.closed:
            yield CheckResult("commitments", "closed", f"{seen}; closed: {name_numbers('event', self.closed)}")
        else:
            yield CheckResult("commitments", "pass", seen)


def _holds(event: Event) -> bool:
    try:
        return commitment_holds(event)
    except MalformedValue as wrong:
        raise LogFault("commitments", event.seq, f"the body has no canonical form: {wrong.detail}") from wrong


def name_numbers(noun: str, numbers: list[int], most: int = 12) -> str:
    """`event 7`, `events 7, 9, 12`, `events 1, 2, 3 and 40 more`."""
    named = ", ".join(map(str, numbers[:most]))
    rest = f" and {len(numbers) - most} more" if len(numbers) > most else ""
    return f"{noun}{'s' if len(numbers) > 1 else ''} {named}{rest}"
