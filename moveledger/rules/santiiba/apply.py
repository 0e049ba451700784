"""The reducer: state and input to state. Moves are checked by `legal`, then played by `turn`; departures by `leave`."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from moveledger.rules.kernel import Draw, Input, Leave, Move, Seat
from moveledger.rules.santiiba.actions import Action, Name, Predict, Stop, Take
from moveledger.rules.santiiba.data import COMPONENTS, KINDS
from moveledger.rules.santiiba.leave import leave
from moveledger.rules.santiiba.legal import check, refuse
from moveledger.rules.santiiba.options import Options
from moveledger.rules.santiiba.state import State, fresh_turn, turn_of, unpredicting
from moveledger.rules.santiiba.turn import bank, name_kind, take_item


def apply(state: State, given: Input) -> State:
    """The state after an input; raises `IllegalMove` with a rule code."""
    match given:
        case Draw(values):
            return _answer(state, values)
        case Leave(seat, _):
            return leave(state, seat)
        case Move(seat, action):
            check(state, seat, action)
            return _act(state, seat, action)
        case _:
            assert_never(given)


def draws(_options: Options, _seats: int) -> int:
    """One draw for the start seat and one a turn (ruling X7 bounds the turns), twice over for rewinds."""
    return 2 * (1 + COMPONENTS.turn_limit)


def _act(state: State, seat: Seat, action: Action) -> State:
    match action:
        case Predict(kind):
            turn = turn_of(state)
            chosen = (*turn.predictions[:seat], kind, *turn.predictions[seat + 1 :])
            state = replace(state, turn=replace(turn, predictions=chosen))
            return state if unpredicting(state) else replace(state, phase="name")
        case Name(kind):
            return name_kind(state, kind)
        case Take(item):
            return take_item(state, item)
        case Stop():
            return bank(state, "stopped")
        case _:
            assert_never(action)


def _answer(state: State, values: tuple[int, ...]) -> State:
    match state.phase:
        case "start":
            return _begin(state, values)
        case "roll":
            return _roll(state, values)
        case _:
            return refuse("no_draw_awaited", "No draw is awaited.")


def _begin(state: State, values: tuple[int, ...]) -> State:
    if len(values) != 1 or not 0 <= values[0] < len(state.seers):
        refuse("wrong_draw", "The draw of the start seat answers one seat.")
    start = Seat(values[0])
    return replace(state, phase="roll", start=start, turn=fresh_turn(state, start, 1))


def _roll(state: State, values: tuple[int, ...]) -> State:
    if len(values) != len(KINDS) or not all(1 <= value <= 6 for value in values):
        refuse("wrong_draw", "The roll answers five faces from 1 to 6.")
    return replace(state, phase="predict", turn=replace(turn_of(state), dice=values))
