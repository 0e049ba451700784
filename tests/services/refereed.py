"""Tables with a referee: games that are ruled on, forked, exported, and read in every condition of the service."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, Literal, TypeAlias
from uuid import UUID

from moveledger.audit.checks import Report
from moveledger.audit.event import Event
from moveledger.audit.game import Game, fold
from moveledger.audit.verify import verify_record
from moveledger.rules.kernel import REFEREE, SPECTATOR, Observer
from moveledger.services.callers import KeyCaller
from moveledger.services.forks import fork_game
from moveledger.services.reading import Look, all_events, export_record
from moveledger.services.rulings import Ruling, Wanted, rule
from moveledger.services.snapshotting import bring_up_to_date
from moveledger.services.standing import recall_with
from moveledger.services.submission import WriteRequest
from tests.house import House, fresh_key
from tests.playing import SHANGRILA, Table, open_new, request_key

SANTIIBA = "santiiba@1"
REASON = "a finger slipped"

Condition: TypeAlias = Literal["memory", "Redis only", "Redis emptied"]
CONDITIONS: tuple[Condition, ...] = ("memory", "Redis only", "Redis emptied")


@dataclass(frozen=True, slots=True)
class RefereedTable(Table):
    """A game, the key that opened it, and a key that may rule on it."""

    referee: KeyCaller = field(kw_only=True)

    @property
    def events(self) -> list[Event]:
        """The whole log, all bodies open."""
        return list(all_events(self.tools, self.facts, after=0, upto=2**62))

    def act(self, moves: int = 1) -> RefereedTable:
        """So many moves at random; fewer when the game ends before."""
        for _ in range(moves):
            if not self.game.over:
                self.step()
        return self

    def rule(self, wanted: Wanted, reason: str = REASON, key: str | None = None) -> tuple[dict[str, Any], bool]:
        """The referee rules: the answer, and whether it is a repeat."""
        request = WriteRequest(self.referee.client, "rulings", key or fresh_key(), [repr(wanted), reason], "ruling")
        return rule(self.tools, self.referee, self.game_id, lambda: Ruling(wanted, reason), request)

    def fork(self, at: int, caller: KeyCaller | None = None, key: str | None = None) -> RefereedTable:
        """A game that starts where this one stood after event `at`, in the hands of who forks it."""
        who = caller or self.caller
        assert isinstance(who, KeyCaller)
        request = request_key(self.tools, who, f"forks:{self.game_id}", key or fresh_key(), at)
        answer, _ = fork_game(self.tools, who, self.game_id, at=at, request=request, request_id="fork")
        return RefereedTable(self.tools, who, UUID(answer["id"]), self.rng, referee=self.referee)

    def look(self, observer: Observer = SPECTATOR) -> Look:
        """The game as an observer looks at it."""
        return Look(self.facts, self.game, observer)

    def record(self, observer: Observer = SPECTATOR) -> bytes:
        """The record that an observer exports."""
        return b"".join(export_record(self.tools, self.look(observer)))

    def verified(self, observer: Observer = REFEREE) -> Report:
        """What the offline verifier says of the record that an observer exports."""
        return verify_record(BytesIO(self.record(observer)))

    def folded(self) -> Game:
        """The game folded from its first event, whatever anybody remembers of it."""
        return fold(self.events, recall_with(self.tools))

    def standings(self) -> Iterator[Game]:
        """The game after each of its events."""
        recall, game = recall_with(self.tools), None
        for event in self.events:
            game = fold([event], recall, game)
            yield game

    def choices(self) -> list[int]:
        """The seqs to which the game may be rewound: those of earlier events after which a seat was awaited."""
        return [game.version for game in self.standings() if game.awaited and game.version < self.game.version]


def refereed(house: House, ruleset: str = SHANGRILA, seats: int = 3, *, seed: int = 1, **members: Any) -> RefereedTable:
    """A running game with a key that opened it and another that may rule on it."""
    opener = house.key()
    game_id = open_new(house.tools, opener, ruleset, seats, **members)
    referee = house.key("games:referee")
    return RefereedTable(house.tools, opener, game_id, random.Random(seed), referee=referee)


def bring_into(condition: Condition, table: RefereedTable, worker: House) -> None:
    """Let the process know of a game all that it does, or what a worker has written of it, or nothing but the log."""
    match condition:
        case "memory":
            assert table.tools.games.get(table.game_id) is not None
        case "Redis only":
            bring_up_to_date(worker.tools, [table.game_id])
            table.tools.games.clear()
        case "Redis emptied":
            table.tools.cache.client.flushall()
            table.tools.games.clear()


def said(event: Event) -> Mapping[str, Any]:
    """The body of an event that is open."""
    assert event.body is not None
    return event.body
