"""After a turn: whether the game is over, and whose turn is next (rulings R7, X4, X7)."""

from __future__ import annotations

from dataclasses import replace

from moveledger.rules.kernel import Seat
from moveledger.rules.santiiba.data import COMPONENTS, TRIGGER
from moveledger.rules.santiiba.score import score_all
from moveledger.rules.santiiba.state import State, clockwise, fresh_turn, turn_of


def trigger_reached(state: State) -> bool:
    """Whether a seer stands on the trigger space or beyond; that its seat has left undoes nothing (ruling X4)."""
    return any(seer.position >= TRIGGER for seer in state.seers)


def end_turn(state: State) -> State:
    """The next turn, or the final scoring after the last one."""
    turn = turn_of(state)
    following = next(clockwise(state, turn.seat))
    if _was_last_turn(state, following):
        return replace(state, phase="over", scorings=score_all(state))
    return replace(state, phase="roll", turn=fresh_turn(state, following, turn.number + 1))


def _was_last_turn(state: State, following: Seat) -> bool:
    turn = turn_of(state)
    if turn.number >= COMPONENTS.turn_limit:
        return True
    if not trigger_reached(state):
        return False
    if state.options.end_trigger != "end_of_round":
        return True
    return _place_in_round(state, following) < _place_in_round(state, turn.seat)


def _place_in_round(state: State, seat: Seat) -> int:
    """0 for the start seat, 1 for its left neighbour, and so on."""
    assert state.start is not None
    return (seat - state.start) % len(state.seers)
