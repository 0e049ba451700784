"""Divining a crop, and offering (rulings 12 to 20, 31, 32 and 47)."""

from __future__ import annotations

from dataclasses import replace

from moveledger.rules.tiwanaku.movement import hopeful
from moveledger.rules.tiwanaku.score import offer_points, with_points
from moveledger.rules.tiwanaku.state import Guess, State
from moveledger.rules.tiwanaku.turns import end_action, end_turn, lay, with_tribe


def divine(state: State, at: int, value: int) -> State:
    """One guess: the true crop is placed, and its value won or lost (rulings 12 to 17)."""
    table = state.table
    assert state.board is not None, "pawns divine once the board is laid"
    truth, seat = int(state.board.crops[at]), table.current
    right = value == truth
    tribe = with_points(table.tribes[seat], truth if right else -truth)
    gains = right and truth not in tribe.offerings
    if right:
        offerings = tuple(sorted((*tribe.offerings, truth))) if gains else tribe.offerings
        tribe = replace(tribe, right=tribe.right + 1, offerings=offerings)
    else:
        tribe = replace(tribe, wrong=tribe.wrong + 1)
    found = (Guess(seat, at, value, truth if right else -truth, gains),)
    land = table.land.with_crop(at, str(truth))
    state = with_tribe(state, seat, tribe, land=land, found=found, idle=0)
    return _guessed_finally(state, right=right) if table.final else _guessed(state, right=right)


def _guessed(state: State, *, right: bool) -> State:
    if right and hopeful(state.table, state.table.current):
        return lay(state, phase="divining")
    return end_action(state)


def _guessed_finally(state: State, *, right: bool) -> State:
    """After the one guess of a final round: out when it was wrong or there is one round only (ruling 31)."""
    options = state.table.options
    if not right or options.final_rounds == "single":
        state = withdraw(state)
    return end_action(state) if options.final_offers == "each" else end_turn(state)


def withdraw(state: State) -> State:
    """The current seat takes no more part in the final rounds."""
    seat = state.table.current
    return with_tribe(state, seat, replace(state.table.tribes[seat], out=True))


def offer(state: State, kinds: tuple[int, ...]) -> State:
    """The current seat hands in offerings of these kinds."""
    seat = state.table.current
    tribe = with_points(state.table.tribes[seat], offer_points(len(kinds)))
    return with_tribe(
        state, seat, replace(tribe, offerings=tuple(kind for kind in tribe.offerings if kind not in kinds))
    )
