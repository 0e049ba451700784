"""Rulings of a referee. Each is an event with its reason; nothing is edited and nothing is removed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import UUID

from moveledger.audit.event import REFEREE_SEAT
from moveledger.audit.game import Game
from moveledger.errors import (
    GameNotFinished,
    GameOver,
    InvalidInput,
    RedrawNotSaid,
    RewindImpossible,
    SeatLeft,
    UnknownSeat,
    UnknownVersion,
)
from moveledger.rules.encoding import encode
from moveledger.rules.kernel import SPECTATOR, Outcome, Seat
from moveledger.services.callers import Caller
from moveledger.services.entrance import find_game_to_rule_on
from moveledger.services.house import Pending
from moveledger.services.moves import require_running
from moveledger.services.showing import show_written
from moveledger.services.standing import game_at
from moveledger.services.submission import WriteRequest, write_events
from moveledger.services.tools import GameFacts, Tools


@dataclass(frozen=True, slots=True)
class Abort:
    """End the game without an outcome."""


@dataclass(frozen=True, slots=True)
class RemoveSeat:
    """A seat leaves; the game goes on as the ruleset says."""

    seat: int


@dataclass(frozen=True, slots=True)
class Rewind:
    """The game stands again as it stood after event `to`; `redraw` says that draws in between are understood to be lost."""

    to: int
    redraw: bool


@dataclass(frozen=True, slots=True)
class Adjudicate:
    """End the game with these placings (by seat, in the form 1, 1, 3) and scores."""

    placings: tuple[int, ...]
    scores: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class Annul:
    """A finished game does not count; its outcome stays in the log."""


Wanted: TypeAlias = Abort | RemoveSeat | Rewind | Adjudicate | Annul


@dataclass(frozen=True, slots=True)
class Ruling:
    """What a referee decides, and why."""

    wanted: Wanted
    reason: str


def rule(
    tools: Tools, caller: Caller, game_id: UUID, read_ruling: Callable[[], Ruling], request: WriteRequest
) -> tuple[dict[str, Any], bool]:
    """Put a ruling into the log; answers what it made, and whether that is a repeat.

    Raises `ScopeMissing`, `UnknownGame`, `GameOver`, `GameNotStarted`, `GameNotFinished`, `UnknownSeat`, `SeatLeft`,
    `RewindImpossible`, `RedrawNotSaid`, `InvalidInput`.
    """
    referee, facts = find_game_to_rule_on(tools, caller, game_id)

    def build(pending: Pending) -> None:
        ruling = read_ruling()
        body = _body(tools, facts, pending.game, ruling)
        pending.add("ruled", body, seat=REFEREE_SEAT, client=referee.client)
        match ruling.wanted:
            case Abort():
                pending.abort("ruling")
            case RemoveSeat(seat):
                pending.add("left", {"cause": "removed"}, seat=seat, client=referee.client)
        pending.settle()

    written = write_events(tools, facts, request, build)
    return show_written(written.game, written.events, SPECTATOR, tools.signer), written.repeated


def _body(tools: Tools, facts: GameFacts, game: Game, ruling: Ruling) -> Mapping[str, Any]:
    """The body of `ruled`, when the ruling can be made now."""
    match ruling.wanted:
        case Abort():
            if game.over:
                raise GameOver
            facts_of_it: dict[str, Any] = {"ruling": "abort"}
        case RemoveSeat(seat):
            _require_removable(game, seat)
            facts_of_it = {"ruling": "remove_seat", "seat": seat}
        case Rewind(to, redraw):
            _require_rewindable(tools, facts, game, to, redraw=redraw)
            facts_of_it = {"ruling": "rewind", "to": to, **({"redraw": True} if redraw else {})}
        case Adjudicate(placings, scores):
            require_running(game)
            outcome = _adjudged(game, placings, scores)
            facts_of_it = {"ruling": "adjudicate", "outcome": encode(outcome)}
        case Annul():
            if game.status != "finished" or game.annulled:
                raise GameNotFinished
            facts_of_it = {"ruling": "annul"}
    return {**facts_of_it, "reason": ruling.reason}


def _require_removable(game: Game, seat: int) -> None:
    require_running(game)
    if not 0 <= seat < game.seats:
        raise UnknownSeat
    if Seat(seat) in game.left:
        raise SeatLeft


def _require_rewindable(tools: Tools, facts: GameFacts, game: Game, to: int, *, redraw: bool) -> None:
    if game.status != "running":
        raise RewindImpossible(f"The game is {game.status}: only a running game is rewound.")
    if not 1 <= to < game.version:
        raise RewindImpossible(f"There is no earlier event {to}.")
    try:
        target = game_at(tools, facts, to)
    except UnknownVersion as unknown:
        raise RewindImpossible(f"There is no earlier event {to}.") from unknown
    if not target.awaited:
        raise RewindImpossible(f"No seat was awaited after event {to}.")
    if target.draws != game.draws and not redraw:
        raise RedrawNotSaid(draws=game.draws - target.draws)


def _adjudged(game: Game, placings: tuple[int, ...], scores: tuple[int, ...] | None) -> Outcome:
    errors, outcome = [], Outcome(placings, scores or (0,) * game.seats, "adjudicated")
    if len(placings) != game.seats or not outcome.is_ranking:
        errors.append({"pointer": "/placings", "detail": "One placing a seat, in the form 1, 1, 3."})
    if scores is not None and len(scores) != game.seats:
        errors.append({"pointer": "/scores", "detail": "One score a seat, or none."})
    if errors:
        raise InvalidInput("The outcome is not well formed.", errors=errors)
    return outcome
