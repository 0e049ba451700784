"""Whose turn comes, and how the game draws to its end (rulings 5, 11, 17, 19, 28, 30 to 34, 36 and 41)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from moveledger.rules.tiwanaku.movement import hopeful
from moveledger.rules.tiwanaku.state import State, Tribe


def lay(state: State, **changes: Any) -> State:
    """The state with fields of its table changed."""
    return replace(state, table=replace(state.table, **changes))


def with_tribe(state: State, seat: int, tribe: Tribe, **changes: Any) -> State:
    """The state with what one seat has changed, and other fields of the table."""
    tribes = state.table.tribes
    return lay(state, tribes=(*tribes[:seat], tribe, *tribes[seat + 1 :]), **changes)


def staying(state: State) -> int:
    """How many seats have not left."""
    return len(state.table.tribes) - len(state.table.left)


# --- in the game ---------------------------------------------------------------------------------------


def end_action(state: State) -> State:
    """The action of the current seat is over: it may offer if it holds anything, then others come."""
    if state.table.tribes[state.table.current].offerings:
        return lay(state, phase="offer", entered=None)
    return end_turn(state)


def end_turn(state: State) -> State:
    """The current seat's turn is over: the next one comes, or the final rounds begin or go on."""
    table = state.table
    if table.phase == "final_offer":
        return ask_last_offer(state, table.current + 1)
    if table.final:
        return ask_final(state, table.current + 1)
    if table.trigger is not None:
        return begin_final(state, table.trigger)
    following = _next_seat(state)
    if table.idle >= table.options.stall_rounds * staying(state):
        return begin_final(state, following)
    return begin_turn(state, following)


def begin_turn(state: State, seat: int) -> State:
    """A seat's turn begins."""
    return lay(state, phase="action", current=seat, entered=None, idle=state.table.idle + 1)


def _next_seat(state: State) -> int:
    table = state.table
    seats = len(table.tribes)
    order = [(table.current + step) % seats for step in range(1, seats + 1)]
    return next(seat for seat in order if seat not in table.left)


# --- the final rounds ----------------------------------------------------------------------------------


def begin_final(state: State, seat: int) -> State:
    """The final rounds begin with a seat."""
    return ask_final(lay(state, final=True, trigger=seat, entered=None), seat)


def ask_final(state: State, start: int) -> State:
    """From seat `start` on clockwise, the next one that is in the final rounds guesses or passes; those that no pawn
    can guess for are out. When all are out, the last offering begins.
    """
    seats = len(state.table.tribes)
    for seat in ((start + step) % seats for step in range(seats)):
        tribe = state.table.tribes[seat]
        if tribe.out:
            continue
        if hopeful(state.table, seat):
            return lay(state, phase="final", current=seat)
        state = with_tribe(state, seat, replace(tribe, out=True))
    first = state.table.trigger
    assert first is not None, "the final rounds have a first seat"
    return ask_last_offer(state, first)


def ask_last_offer(state: State, start: int) -> State:
    """From seat `start` on, the next that holds offerings may hand them in a last time; the round ends before the
    seat that began the final rounds, and the game with it.
    """
    table = state.table
    seats, first = len(table.tribes), table.trigger
    assert first is not None, "the final rounds have a first seat"
    done = seats if table.phase == "final_offer" and start % seats == first else (start - first) % seats
    for seat in ((first + step) % seats for step in range(done, seats)):
        if seat not in table.left and table.tribes[seat].offerings:
            return lay(state, phase="final_offer", current=seat)
    return lay(state, phase="over")


# --- leaving -------------------------------------------------------------------------------------------


def leave(state: State, seat: int) -> State:
    """A seat leaves: its pawns leave the board, and what it was asked falls away (ruling 41)."""
    table = state.table
    tribe = table.tribes[seat]
    gone = replace(tribe, pawns=(), supply=tribe.supply + len(tribe.pawns), out=True)
    state = with_tribe(state, seat, gone, left=(*table.left, seat), found=())
    if staying(state) == 0 or staying(state) == 1 < len(table.tribes):
        return lay(state, phase="over", entered=None)
    if seat != table.current:
        return state
    return end_turn(state)
