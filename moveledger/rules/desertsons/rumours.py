"""What becomes of a rumour: drawn from the pool, placed on a good, put back, looked at, removed.

Its value is known to those who have looked at it and to nobody else before the end (ruling R5).
"""

from __future__ import annotations

from dataclasses import replace

from moveledger.rules.desertsons.choices import free_slot
from moveledger.rules.desertsons.data import GOODS, Good
from moveledger.rules.desertsons.scoring import after_pick
from moveledger.rules.desertsons.state import Rumour, State, picker, slots_of, tell


def hold_drawn(state: State, at: int) -> State:
    """The picker has the rumour at `at` of the pool in hand (ruling R1)."""
    pool = (*state.pool[:at], *state.pool[at + 1 :])
    return tell(replace(state, pool=pool, held=state.pool[at], phase="assign"), "rumour_drawn", picker(state))


def assign_held(state: State, good: Good) -> State:
    """The rumour in hand lies face down on the good, in its first free slot (rulings R2, R6)."""
    slot, seat = free_slot(state, good), picker(state)
    assert slot is not None
    assert state.held is not None
    lying = _with_slot(state, slot, Rumour(state.held, (seat,)))
    return after_pick(tell(replace(lying, held=None), "rumour_assigned", seat, thing=good))


def return_held(state: State) -> State:
    """The rumour in hand goes back into the pool, which the others have not seen it leave by value."""
    return after_pick(tell(put_back(state), "rumour_returned", picker(state)))


def put_back(state: State) -> State:
    """The pool has the rumour in hand again; the pool keeps no order."""
    assert state.held is not None
    return replace(state, pool=tuple(sorted((*state.pool, state.held))), held=None)


def peek_at(state: State, good: Good, at: int) -> State:
    """The picker knows from now on what lies in that slot (ruling R3)."""
    slot, seat = slots_of(GOODS.index(good))[at], picker(state)
    rumour = state.rumours[slot]
    assert rumour is not None
    seen = Rumour(rumour.value, tuple(sorted({*rumour.seen_by, seat})))
    looked = replace(_with_slot(state, slot, seen), peeked=slot, phase="decide")
    return tell(looked, "rumour_peeked", seat, thing=good, slot=at)


def keep_peeked(state: State) -> State:
    """The rumour stays where it lies."""
    return after_pick(tell(state, "rumour_kept", picker(state)))


def remove_peeked(state: State) -> State:
    """The rumour leaves the game, still face down for those who have not looked at it."""
    assert state.peeked is not None
    rumour = state.rumours[state.peeked]
    assert rumour is not None
    gone = replace(_with_slot(state, state.peeked, None), removed=(*state.removed, rumour))
    return after_pick(tell(gone, "rumour_removed", picker(state)))


def _with_slot(state: State, slot: int, rumour: Rumour | None) -> State:
    return replace(state, rumours=(*state.rumours[:slot], rumour, *state.rumours[slot + 1 :]))
