"""The reducer: one input, one new state, or a refusal."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from moveledger.rules.kernel import Draw, Input, Leave, Move, Seat
from moveledger.rules.shangrila.actions import Action, Journey, Pass, PlaceInitial, PlaceMaster, Recruit, Target
from moveledger.rules.shangrila.checks import check_action, refuse
from moveledger.rules.shangrila.journey import travel
from moveledger.rules.shangrila.opening import guilds_to_place, put_master
from moveledger.rules.shangrila.state import (
    EndReason,
    State,
    Tile,
    open_villages,
    seats_in,
    with_supply,
    with_tile,
)


def apply(state: State, given: Input) -> State:
    """The state after an input; raises `IllegalMove` with a code `shangrila.…` and changes nothing then."""
    match given:
        case Move(seat, action):
            check_action(state, seat, action)
            return _settle(_act(state, seat, action), state)
        case Leave(seat):
            return _leave(state, seat)
        case Draw():
            return refuse("no_draw", "This game asks nothing of chance.")
        case _:
            assert_never(given)


def _act(state: State, seat: Seat, action: Action) -> State:
    """The board and the supplies after a checked action."""
    match action:
        case PlaceInitial(village, guild) | PlaceMaster(village, guild):
            return replace(put_master(state, village=village, guild=guild, seat=seat), passed=())
        case Recruit(targets):
            for target in targets:
                state = _add_student(state, seat, target)
            return replace(state, passed=())
        case Journey():
            return replace(travel(state, seat, action), passed=())
        case Pass():
            return replace(state, passed=(*state.passed, seat))
        case _:
            assert_never(action)


def _add_student(state: State, seat: Seat, target: Target) -> State:
    student = with_tile(state, target.village, target.guild, Tile(seat, student=True))
    return with_supply(student, seat, target.guild, -1)


def _leave(state: State, seat: Seat) -> State:
    """The seat is out for good: its tiles stay, its turns are skipped (ruling X1)."""
    if state.phase == "over":
        refuse("game_over", "The game has ended.")
    if seat not in seats_in(state):
        refuse("not_in_the_game", "This seat has left already, or never was.")
    gone = replace(state, left=(*state.left, seat), passed=tuple(one for one in state.passed if one != seat))
    return _settle(gone, state)


# --- what follows an input -----------------------------------------------------------------------------


def _settle(state: State, before: State) -> State:
    """The state with its end, or with the phase and the turn that come next."""
    ended = _end(state)
    if ended is not None:
        return replace(state, phase="over", ended=ended)
    if state.left == before.left or state.turn in state.left:
        state = replace(state, turn=_next_seat(state))
    if state.phase == "setup" and not any(guilds_to_place(state, seat) for seat in seats_in(state)):
        return replace(state, phase="main")
    return state


def _end(state: State) -> EndReason | None:
    """Why the game is over, if it is (rulings 18 to 20, 24, X1 and X2)."""
    here = seats_in(state)
    if len(here) == 1:
        return "last_seat"
    if state.options.end == "two_open" and len(open_villages(state)) <= 2:
        return "two_open"
    if not state.bridges:
        return "no_bridge"
    return "deadlock" if all(seat in state.passed for seat in here) else None


def _next_seat(state: State) -> Seat:
    """The next seat clockwise that is still in (rulings 32 and 42)."""
    here = seats_in(state)
    return next((seat for seat in here if seat > state.turn), here[0])
