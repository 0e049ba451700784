"""The check of the rules: every move and draw judged again, by the fold that the service itself uses."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from uuid import UUID

from moveledger.audit.checks import CheckResult, name_numbers
from moveledger.audit.event import Event
from moveledger.audit.faults import Check, ClosedEvent, LogFault
from moveledger.audit.game import Game, Recall, evolve
from moveledger.errors import MoveledgerError
from moveledger.rules.encoding import canonical
from moveledger.rules.kernel import Chance, Over
from moveledger.rules.registry import rules_digest

STRIDE = 64
"""A rewind costs at most this many applies."""


@dataclass(slots=True)
class _Course:
    """One game as far as it is read: where it stands, some earlier states, and its events with their bodies as bytes.

    A state is kept after every `STRIDE` events and after every ruling, so that going back never passes a rewind.
    """

    game: Game
    kept: list[Game] = field(default_factory=list)
    events: list[tuple[Event, bytes]] = field(default_factory=list)
    closed_at: int | None = None

    def add(self, game: Game, event: Event) -> None:
        self.game = game
        self.events.append((replace(event, body=None), canonical(event.body)))
        if event.type == "ruled" or event.seq % STRIDE == 1:
            self.kept.append(game)

    def stored(self, after: int, to: int) -> Iterator[Event]:
        """The events after seq `after` up to seq `to`."""
        for event, body in self.events[after:to]:
            yield replace(event, body=json.loads(body))


class Past:
    """What `evolve` may ask for: a game of this record as it stood after an earlier event."""

    def __init__(self, elsewhere: Recall | None = None) -> None:
        self._courses: dict[UUID, _Course] = {}
        self._elsewhere = elsewhere

    def add(self, game: Game, event: Event) -> None:
        """Keeps the event and what the game is after it."""
        if event.seq == 1:
            self._courses[game.game_id] = _Course(game)
        self._courses[game.game_id].add(game, event)

    def close(self, game_id: UUID, seq: int) -> None:
        """Notes that the game cannot be followed from event `seq` on."""
        if game_id in self._courses:
            self._courses[game_id].closed_at = seq

    def recall(self, game_id: UUID, seq: int) -> Game:
        """The game after event `seq`. Raises `LogFault` when it is not here, `ClosedEvent` when it is sealed."""
        course = self._courses.get(game_id)
        if course is None and self._elsewhere is not None:
            return self._elsewhere(game_id, seq)
        if course is not None and course.closed_at is not None and seq >= course.closed_at:
            raise ClosedEvent(course.closed_at)
        if course is None or not 1 <= seq <= course.game.version:
            raise LogFault("rules", 1, f"event {seq} of game {game_id} is not here")
        if seq == course.game.version:
            return course.game
        game = course.kept[bisect_right(course.kept, seq, key=lambda kept: kept.version) - 1]
        for event in course.stored(game.version, seq):
            game = evolve(game, event, self.recall)
        return game


class Replay:
    """The fold of the log, as far as its bodies are open. Its faults are of `rules`, `outcome` and `draws`."""

    name: Check = "rules"

    def __init__(self, elsewhere: Recall | None = None) -> None:
        self._past = Past(elsewhere)
        self._game: Game | None = None
        self._game_id: UUID | None = None
        self._stopped: int | None = None
        self._judged = 0
        self._closed: list[int] = []
        self._closed_draws = 0

    def see(self, event: Event) -> None:
        """Raises `LogFault` when the rules do not allow the event."""
        if event.body is None:
            self._closed.append(event.seq)
            self._closed_draws += event.type == "drawn"
        if event.game_id != self._game_id:
            self._game, self._game_id = None, event.game_id
        elif self._stopped is not None:
            return
        try:
            self._game = judge(self._game, event, self._past.recall)
        except ClosedEvent:
            self._stopped = event.seq
            self._past.close(event.game_id, event.seq)
            return
        self._stopped = None
        self._judged += 1
        self._past.add(self._game, event)

    def end(self) -> None:
        """Raises `LogFault` when the house has left undone what it does in the same breath."""
        if self._game is None or self._stopped is not None or self._game.status != "running":
            return
        awaiting = self._game.ruleset.awaiting(self._game.state)
        if isinstance(awaiting, Over):
            raise LogFault("outcome", self._game.version, "the rules end the game here, and no event says so")
        if isinstance(awaiting, Chance):
            raise LogFault("draws", self._game.version, "chance was asked here, and no draw answers")

    def results(self) -> Iterator[CheckResult]:
        """Two results, `rules` and `outcome`."""
        if self._stopped is not None:
            closed = f"{name_numbers('event', self._closed)} closed, {self._closed_draws} of them draws"
            detail = f"{self._judged} events judged again; nothing from event {self._stopped} on: {closed}"
            yield CheckResult("rules", "closed", detail)
            yield CheckResult("outcome", "pending", "the game goes on")
            return
        yield CheckResult("rules", "pass", f"{self._judged} events judged again{self._other_sources()}")
        yield self._outcome()

    def _outcome(self) -> CheckResult:
        game = self._game
        if game is None or not game.over:
            return CheckResult("outcome", "pending", "the game goes on")
        if game.outcome is None:
            return CheckResult("outcome", "pass", "the game was aborted: there is no outcome")
        annulled = ", annulled afterwards" if game.annulled else ""
        return CheckResult(
            "outcome", "pass", f"placings {list(game.outcome.placings)}: {game.outcome.reason}{annulled}"
        )

    def _other_sources(self) -> str:
        if self._game is None:
            return ""
        if self._game.opened.get("rules_digest") == rules_digest(self._game.ruleset.id):
            return ""
        return ", by other sources of the rules than when the game was opened (which is no fault)"


def judge(game: Game | None, event: Event, recall: Recall) -> Game:
    """`evolve`, with whatever a ruleset may throw at an unforeseen body turned into a fault."""
    try:
        return evolve(game, event, recall)
    except MoveledgerError:
        raise
    except Exception as wrong:
        raise LogFault("rules", event.seq, f"cannot be judged: {type(wrong).__name__}: {wrong}") from wrong
