"""A seat leaves for good (rulings R15, X1 to X6). What follows depends on public facts alone."""

from __future__ import annotations

from dataclasses import replace

from moveledger.rules.kernel import Seat
from moveledger.rules.santiiba.legal import refuse
from moveledger.rules.santiiba.state import State, staying, turn_of, unpredicting, with_seer
from moveledger.rules.santiiba.turn import clear_area, forfeit


def leave(state: State, seat: Seat) -> State:
    """The state without `seat`: its prediction no longer counts, and its turn, if it has one, is over.

    With one seat left the game is over at once. Whether predictions are complete, and who is hit, everybody
    sees; a closed crystal ball changes nothing here, so that a departure tells nothing about it (ruling X1).
    """
    _check_leave(state, seat)
    order = 1 + max(seer.left for seer in state.seers)
    state = with_seer(state, seat, replace(state.seers[seat], left=order))
    if len(staying(state)) == 1:
        return replace(clear_area(state), phase="over")
    if seat == turn_of(state).seat:
        return forfeit(state)
    if state.phase == "predict" and not unpredicting(state):
        return replace(state, phase="name")
    return state


def _check_leave(state: State, seat: Seat) -> None:
    if not 0 <= seat < len(state.seers):
        refuse("no_such_seat", "There is no such seat in this game.")
    if state.phase == "over":
        refuse("game_over", "The game has ended.")
    if state.seers[seat].left:
        refuse("seat_has_left", "This seat has left the game.")
    if state.phase in ("start", "roll"):
        refuse("chance_first", "A draw is awaited; a seat can leave after it.")
