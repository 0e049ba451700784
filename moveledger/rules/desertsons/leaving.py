"""What becomes of a game when a seat leaves it for good."""

from __future__ import annotations

from dataclasses import replace

from moveledger.rules.desertsons import rumours, scoring, turn
from moveledger.rules.desertsons.refusal import refusal
from moveledger.rules.desertsons.state import State, change_trader, chooser, stays, tell


def leave(state: State, seat: int, cause: str) -> State:
    """The seat takes no more turns and makes no more choices; its tiles and figures stay (rulings Z6, X1 to X5)."""
    waited_for = chooser(state)
    if waited_for is None:
        raise refusal("cannot_leave_now", "Seats leave while a seat is awaited.")
    if not 0 <= seat < state.seats:
        raise refusal("no_such_seat", "No such seat plays.")
    if not stays(state, seat):
        raise refusal("already_left", "This seat has left already.")
    gone = _mark_left(tell(state, "left", seat, thing=cause), seat)
    if gone.held is not None and waited_for == seat:
        gone = rumours.put_back(gone)
    if sum(1 for trader in gone.traders if not trader.left) == 1:
        return turn.finish(gone, "last_seat")
    if gone.turban == seat:
        gone = scoring.pass_turban(gone)
    gone = scoring.drop_figures(gone, seat)
    return _settle(gone) if waited_for == seat else gone


def _mark_left(state: State, seat: int) -> State:
    order = 1 + max(trader.left for trader in state.traders)
    waiting = None if state.last_turns is None else tuple(other for other in state.last_turns if other != seat)
    return replace(change_trader(state, seat, left=order), last_turns=waiting)


def _settle(state: State) -> State:
    """The choice that the leaver owed is made as if it had declined (ruling X2)."""
    match state.phase:
        case "pick" | "assign" | "peek" | "decide":
            return turn.go_on(scoring.resume_scoring(state))
        case "move_again" | "figure":
            return turn.score_oases(state)
        case "place":
            assert state.tile is not None
            return turn.end_turn(turn.add_to_display(replace(state, tile=None), state.active, state.tile))
        case _:
            return turn.end_turn(state)
