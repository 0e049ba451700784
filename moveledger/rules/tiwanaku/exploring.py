"""Exploring: pawns move, enter and are taken back, and discover terrain (rulings 5, 6, 10, 11, X1 and X2)."""

from __future__ import annotations

from dataclasses import replace

from moveledger.rules.tiwanaku.data import LETTERS, UNKNOWN
from moveledger.rules.tiwanaku.score import advance, with_points
from moveledger.rules.tiwanaku.state import Discovery, State
from moveledger.rules.tiwanaku.turns import end_action, end_turn, lay, with_tribe


def explore(state: State, origin: int, to: int) -> State:
    """A pawn moves; a pawn that entered before and stays behind discovers first (rulings X1 and X2)."""
    entered = state.table.entered
    if entered is not None and entered != origin:
        state = _discover(state, entered)
    tribe = state.table.tribes[state.table.current]
    state = _with_pawns(state, (*(pawn for pawn in tribe.pawns if pawn != origin), to), tribe.supply)
    return end_action(_discover(state, to))


def enter(state: State, to: int) -> State:
    """A pawn enters and discovers, or, with `then_move`, waits for the move that may follow."""
    tribe = state.table.tribes[state.table.current]
    state = _with_pawns(state, (*tribe.pawns, to), tribe.supply - 1)
    if state.table.options.entry == "then_move":
        return lay(state, phase="entered", entered=to)
    return end_action(_discover(state, to))


def take_back(state: State, origin: int) -> State:
    """A pawn returns to the supply, which ends the turn, with no offering unless the option says so (ruling 5)."""
    tribe = state.table.tribes[state.table.current]
    state = _with_pawns(state, tuple(pawn for pawn in tribe.pawns if pawn != origin), tribe.supply + 1)
    return end_action(state) if state.table.options.offer_after_removal else end_turn(state)


def stay(state: State) -> State:
    """The pawn that entered stays where it is; with none, guessing stops: the action is over."""
    entered = state.table.entered
    return end_action(state if entered is None else _discover(state, entered))


def _discover(state: State, space: int) -> State:
    """The terrain of a space where a pawn stopped, if it was not known, and the points for it (ruling 10)."""
    table = state.table
    if table.land.terrain[space] != UNKNOWN:
        return state
    assert state.board is not None, "pawns move once the board is laid"
    letter, seat = state.board.terrain[space], table.current
    kind = LETTERS.index(letter)
    tribe = table.tribes[seat]
    (earth, sand, grass, rock), points = advance(tribe.levels, kind)
    tribe = replace(with_points(tribe, points), levels=(earth, sand, grass, rock))
    land = table.land.with_terrain(space, letter)
    found = (*table.found, Discovery(seat, space, tribe.levels[kind], points))
    trigger = table.trigger if UNKNOWN in land.terrain else seat
    return with_tribe(state, seat, tribe, land=land, found=found, trigger=trigger, idle=0)


def _with_pawns(state: State, pawns: tuple[int, ...], supply: int) -> State:
    seat = state.table.current
    return with_tribe(state, seat, replace(state.table.tribes[seat], pawns=tuple(sorted(pawns)), supply=supply))
