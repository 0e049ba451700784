"""Moves: judged, played, tried without being played; and leaving."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from moveledger.audit.game import Game, apply_input
from moveledger.audit.signature import read_signed
from moveledger.errors import GameNotStarted, GameOver, IllegalMove, NotToMove, SeatLeft, StaleDecision
from moveledger.rules.encoding import encode
from moveledger.rules.kernel import AnyRuleset, Move, Observer, Seat
from moveledger.services.access import acting_seat
from moveledger.services.callers import Caller
from moveledger.services.entrance import find_game_to_act_in
from moveledger.services.house import Pending
from moveledger.services.showing import show_event, show_written
from moveledger.services.signing import require_signature
from moveledger.services.standing import current_game, events_of
from moveledger.services.submission import WriteRequest, write_events
from moveledger.services.tools import GameFacts, Tools
from moveledger.services.trails import Asked, note_look


@dataclass(frozen=True, slots=True)
class MoveReader:
    """How a move is read: the body's members (`seat`, `action`, `signed`), and the action by its ruleset's schema.

    Both raise `InvalidInput`.
    """

    read_body: Callable[[Any], Mapping[str, Any]]
    read_action: Callable[[AnyRuleset, Any], Any]


MISSED = 100
"""How many missed events a stale decision is told at most."""


@dataclass(frozen=True, slots=True)
class WantedMove:
    """A move as a client asks for it: the request's body, how to read it, and the decision that it answers."""

    body: Any
    reader: MoveReader
    decision: str | None

    def seat(self, caller: Caller, facts: GameFacts, game: Game) -> Seat:
        """The seat that is to move. Raises `InvalidInput` and what `acting_seat` raises."""
        return acting_seat(caller, facts, self.reader.read_body(self.body)["seat"], game.seats)

    def read(self, tools: Tools, caller: Caller, facts: GameFacts, game: Game) -> tuple[Move, Mapping[str, Any]]:
        """The move and the body that it gets in the log, if its seat may make one now and has signed it rightly, if it has.

        Raises `InvalidInput`, `NotYourSeat`, `UnknownSeat`, `StaleDecision`, `GameOver`, `NotToMove`, `SignatureInvalid`.
        """
        members = self.reader.read_body(self.body)
        seat = acting_seat(caller, facts, members["seat"], game.seats)
        action = self.reader.read_action(game.ruleset, members["action"])
        require_turn(tools, facts, game, seat, self.decision)
        move, body = Move(seat, action), {"action": encode(action)}
        if members["signed"] is None:
            return move, body
        require_signature(tools, facts, game, move, read_signed(members["signed"]))
        return move, {**body, "signed": members["signed"]}


def submit_move(
    tools: Tools, caller: Caller, game_id: UUID, wanted: WantedMove, request: WriteRequest
) -> tuple[dict[str, Any], bool]:
    """Play a move, and let the house answer chance and end the game; answers what it made, and whether that is a repeat.

    Raises `UnknownGame`, what `WantedMove.read` raises, and `IllegalMove`.
    """
    facts = find_game_to_act_in(tools, caller, game_id)

    def build(pending: Pending) -> None:
        move, body = wanted.read(tools, caller, facts, pending.game)
        pending.add("moved", body, seat=move.seat, client=caller.client, sealed_for=pending.audience(move))
        pending.settle()

    try:
        written = write_events(tools, facts, request, build)
    except (StaleDecision, IllegalMove):  # what the seat has missed, and what it cannot do with its hand
        game = current_game(tools, facts)
        observer = Observer(wanted.seat(caller, facts, game))
        note_look(tools, caller, Asked("moves", request.request_id), facts=facts, game=game, observer=observer)
        raise
    seat = Seat(written.events[0].seat)
    return show_written(written.game, written.events, Observer(seat), tools.signer), written.repeated


def preview_move(tools: Tools, caller: Caller, game_id: UUID, wanted: WantedMove, asked: Asked) -> dict[str, Any]:
    """Whether a move would be accepted now, by what its seat may know: nothing is played and no chance is asked. It tells of the
    seat's hand as its legal moves do, and leaves a look in the trail as they do.

    Raises what `submit_move` raises, except that a move which the rules refuse is answered, not raised.
    """
    facts = find_game_to_act_in(tools, caller, game_id)
    game = current_game(tools, facts)
    note_look(tools, caller, asked, facts=facts, game=game, observer=Observer(wanted.seat(caller, facts, game)))
    move, _ = wanted.read(tools, caller, facts, game)
    answer = {
        "game_id": str(game_id),
        "version": game.version,
        "seat": move.seat,
        "decision": game.decision(move.seat),
    }
    if move.action in game.ruleset.legal(game.state, move.seat):
        return {**answer, "legal": True, "refusal": None}
    return {**answer, "legal": False, "refusal": _refusal(game, move)}


def _refusal(game: Game, move: Move) -> dict[str, Any]:
    try:
        apply_input(game, move, game.version + 1)
    except IllegalMove as wrong:
        return {"code": wrong.code, "detail": wrong.detail}
    raise AssertionError("`legal` and `apply` disagree")


def leave_game(
    tools: Tools, caller: Caller, game_id: UUID, read_seat: Callable[[], int | None], request: WriteRequest
) -> tuple[dict[str, Any], bool]:
    """A seat leaves for good; what that means for those who stay is the ruleset's to say.

    Raises `GameNotStarted`, `GameOver`, `SeatLeft` and what `acting_seat` raises.
    """
    facts = find_game_to_act_in(tools, caller, game_id)

    def build(pending: Pending) -> None:
        game = pending.game
        acts = acting_seat(caller, facts, read_seat(), game.seats)
        require_running(game)
        if acts in game.left:
            raise SeatLeft
        pending.add("left", {"cause": "resigned"}, seat=acts, client=caller.client)
        pending.settle()

    written = write_events(tools, facts, request, build)
    seat = Seat(written.events[0].seat)
    return show_written(written.game, written.events, Observer(seat), tools.signer), written.repeated


def require_turn(tools: Tools, facts: GameFacts, game: Game, seat: Seat, decision: str | None) -> None:
    """Raises `StaleDecision` for a decision that is not the seat's present one, `GameOver`, `NotToMove`."""
    if decision is not None and decision != game.decision(seat):
        raise StaleDecision(
            "The game has gone on since this decision.",
            decision=game.decision(seat),
            version=game.version,
            missed_events=_missed(tools, facts, game, seat, decision),
        )
    require_awaited(game, seat)


def require_awaited(game: Game, seat: Seat) -> None:
    """Raises `GameOver`, `GameNotStarted`, `NotToMove`."""
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
