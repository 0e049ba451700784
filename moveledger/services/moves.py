"""Moves: judged, played, tried without being played; and leaving."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import UUID

from moveledger.audit.game import Game, apply_input
from moveledger.errors import GameNotStarted, GameOver, IllegalMove, NotToMove, SeatLeft, StaleDecision
from moveledger.rules.encoding import encode
from moveledger.rules.kernel import AnyRuleset, Cause, Move, Observer, Seat
from moveledger.services.access import acting_seat, require_sight
from moveledger.services.callers import Caller
from moveledger.services.house import Pending
from moveledger.services.showing import show_event, show_written
from moveledger.services.standing import current_game, events_of, game_facts
from moveledger.services.submission import WriteRequest, write_events
from moveledger.services.tools import GameFacts, Tools

ActionReader: TypeAlias = Callable[[AnyRuleset, Any], Any]
"""Makes an action of its JSON by the ruleset's schema; raises `InvalidInput`."""

MISSED = 100
"""How many missed events a stale decision is told at most."""


@dataclass(frozen=True, slots=True)
class WantedMove:
    """A move as it is asked for: the seat (None: the token's own), the action's JSON, and the decision it answers."""

    seat: int | None
    action: Any
    decision: str | None
    read_action: ActionReader


def submit_move(
    tools: Tools, caller: Caller, game_id: UUID, wanted: WantedMove, request: WriteRequest
) -> tuple[dict[str, Any], bool]:
    """Play a move, and let the house answer chance and end the game; answers what it made, and whether that is a repeat.

    Raises, in this order: `UnknownGame`, `NotYourSeat`, `InvalidInput`, `StaleDecision`, `GameOver` or `NotToMove`,
    `IllegalMove`.
    """
    facts = game_facts(tools, game_id)
    require_sight(caller, facts)
    seat = acting_seat(caller, facts, wanted.seat, current_game(tools, facts).seats)

    def build(pending: Pending) -> None:
        game = pending.game
        action = wanted.read_action(game.ruleset, wanted.action)
        require_turn(tools, facts, game, seat, wanted.decision)
        sealed_for = game.ruleset.audience(game.state, Move(seat, action))
        pending.add("moved", {"action": encode(action)}, seat=seat, client=caller.client, sealed_for=_seats(sealed_for))
        pending.settle()

    written = write_events(tools, facts, request, build)
    return show_written(written.game, written.events, Observer(seat)), written.repeated


def preview_move(tools: Tools, caller: Caller, game_id: UUID, wanted: WantedMove) -> dict[str, Any]:
    """Whether a move would be accepted now, by what its seat may know: nothing is played and no chance is asked.

    Raises what `submit_move` raises, except that a move which the rules refuse is answered, not raised.
    """
    facts = game_facts(tools, game_id)
    require_sight(caller, facts)
    game = current_game(tools, facts)
    seat = acting_seat(caller, facts, wanted.seat, game.seats)
    action = wanted.read_action(game.ruleset, wanted.action)
    require_turn(tools, facts, game, seat, wanted.decision)
    answer = {"game_id": str(game_id), "version": game.version, "seat": seat, "decision": game.decision(seat)}
    if action in game.ruleset.legal(game.state, seat):
        return {**answer, "legal": True, "refusal": None}
    return {**answer, "legal": False, "refusal": _refusal(game, seat, action)}


def _refusal(game: Game, seat: Seat, action: Any) -> dict[str, Any]:
    try:
        apply_input(game, Move(seat, action), game.version + 1)
    except IllegalMove as wrong:
        return {"code": wrong.code, "detail": wrong.detail}
    raise AssertionError("`legal` and `apply` disagree")


def leave_game(
    tools: Tools, caller: Caller, game_id: UUID, seat: int | None, request: WriteRequest, *, cause: Cause = "resigned"
) -> tuple[dict[str, Any], bool]:
    """A seat leaves for good; what that means for those who stay is the ruleset's to say.

    Raises `GameNotStarted`, `GameOver`, `SeatLeft` and what `acting_seat` raises.
    """
    facts = game_facts(tools, game_id)
    require_sight(caller, facts)

    def build(pending: Pending) -> None:
        game = pending.game
        acts = acting_seat(caller, facts, seat, game.seats)
        require_running(game)
        if acts in game.left:
            raise SeatLeft
        pending.add("left", {"cause": cause}, seat=acts, client=caller.client)
        pending.settle()

    written = write_events(tools, facts, request, build)
    return show_written(written.game, written.events, Observer(Seat(written.events[0].seat))), written.repeated


def require_turn(tools: Tools, facts: GameFacts, game: Game, seat: Seat, decision: str | None) -> None:
    """Raises `StaleDecision` for a decision that is not the seat's present one, `GameOver`, `NotToMove`."""
    if decision is not None and decision != game.decision(seat):
        raise StaleDecision(
            "The game has gone on since this decision.",
            decision=game.decision(seat),
            version=game.version,
            missed_events=_missed(tools, facts, game, seat, decision),
        )
    require_running(game)
    if seat not in game.awaited:
        raise NotToMove("This seat has no choice to make now.", awaited=sorted(game.awaited))


def require_running(game: Game) -> None:
    """Raises `GameOver`, `GameNotStarted`."""
    if game.over:
        raise GameOver
    if game.status != "running":
        raise GameNotStarted


def _missed(tools: Tools, facts: GameFacts, game: Game, seat: Seat, decision: str) -> list[Any]:
    """The events since the decision that a client holds, as its seat may see them."""
    since = int(decision) if decision.isascii() and decision.isdigit() and len(decision) < 16 else 0
    events = events_of(tools, facts, after=min(since, game.version), upto=game.version, most=MISSED)
    return [show_event(event, Observer(seat), over=game.over) for event in events]


def _seats(audience: frozenset[Seat] | None) -> frozenset[int] | None:
    return None if audience is None else frozenset(int(seat) for seat in audience)
