"""Positions to try a rule on: a game just begun, tiles laid by hand, a closed oasis that waits to be scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from moveledger.errors import IllegalMove
from moveledger.rules.desertsons import RULESET, data
from moveledger.rules.desertsons.actions import Action, SkipFigure
from moveledger.rules.desertsons.data import cell_at
from moveledger.rules.desertsons.state import Figure, Phase, State, change_trader, chooser
from moveledger.rules.encoding import read_options
from moveledger.rules.kernel import Chance, Draw, Leave, Move, Seat

ANNA, BEN, CLEO, DORA = range(4)
"""Seats 0 to 3, whose figures are 16 9 8 1, 15 10 7 2, 14 11 6 3 and 13 12 5 4 high."""

NORTH, MIDDLE, SOUTH = cell_at(2, 1), cell_at(2, 2), cell_at(2, 3)
"""Three cells below each other, west of the northern arm and away from it."""


def tile(name: str) -> int:
    """The number of the tile `T01` to `T85`."""
    return data.TILE_NAMES.index(name)


def opened(seats: int = 3, **given: Any) -> State:
    """A game whose first draws were all 0: seat 0 begins, and the displays hold T01, T02, T03 …, all pure desert
    for up to three seats.
    """
    state: State = RULESET.setup(read_options(RULESET, given), seats)
    while isinstance(RULESET.awaiting(state), Chance):
        state = draw(state, 0)
    return state


def draw(state: State, at: int) -> State:
    """The state after chance has answered `at`."""
    after: State = RULESET.apply(state, Draw((at,)))
    return after


def draw_tile(state: State, name: str) -> State:
    """The state after chance has picked that tile out of the stack in use."""
    return draw(state, state.stack.index(tile(name)))


def act(state: State, *actions: Action) -> State:
    """The state after actions of whichever seat is awaited."""
    for action in actions:
        seat = chooser(state)
        assert seat is not None, "a seat is awaited"
        state = RULESET.apply(state, Move(Seat(seat), action))
    return state


def leave(state: State, seat: int) -> State:
    """The state after a seat has resigned."""
    after: State = RULESET.apply(state, Leave(Seat(seat), "resigned"))
    return after


def options_of(state: State) -> list[Action]:
    """What the awaited seat may do."""
    seat = chooser(state)
    assert seat is not None
    return list(RULESET.legal(state, Seat(seat)))


def refused(state: State, action: Any, seat: int | None = None) -> str:
    """The reason with which an action of the awaited seat, or of `seat`, is refused."""
    mover = chooser(state) if seat is None else seat
    with pytest.raises(IllegalMove) as wrong:
        RULESET.apply(state, Move(Seat(mover if mover is not None else 0), action))
    assert wrong.value.code.startswith("desertsons.")
    return wrong.value.code.removeprefix("desertsons.")


def put(state: State, tiles: Mapping[int, tuple[str, int]]) -> State:
    """The state with these tiles laid: (name, quarter turns) by cell. They are taken out of the stack."""
    board, used = list(state.board), {tile(name) for name, _ in tiles.values()}
    for cell, (name, rotation) in tiles.items():
        board[cell] = 4 * tile(name) + rotation
    return replace(state, board=tuple(board), stack=tuple(left for left in state.stack if left not in used))


def stand(state: State, figures: Mapping[int, int]) -> State:
    """The state with figures on the first part of the tile in a cell: cell by height."""
    return replace(state, figures=tuple(Figure(height, cell, 0) for height, cell in figures.items()))


def give(state: State, seat: int, **things: Any) -> State:
    """The state in which a seat has these things; water and camels come from the supply."""
    before = state.traders[seat]
    after = change_trader(state, seat, **things)
    water = after.water + before.water - after.traders[seat].water
    return replace(after, water=water, camels=after.camels + before.camels - after.traders[seat].camels)


def with_display(state: State, seat: int, *names: str) -> State:
    """The state in which a seat's display holds these tiles."""
    return change_trader(state, seat, display=tuple(tile(name) for name in names))


def facing(state: State, phase: Phase, **things: Any) -> State:
    """The state in another phase."""
    return replace(state, phase=phase, **things)


def closed_oasis(figures: Mapping[int, int], *, turban: int = DORA, active: int = ANNA, **given: Any) -> State:
    """Four seats; T04 (water) on NORTH closes an oasis with T46 (gem) in the MIDDLE and T05 (camel) in the SOUTH,
    and the active seat, whose caravan is on T04, is asked for a figure.
    """
    state = put(opened(4, **given), {NORTH: ("T04", 2), MIDDLE: ("T46", 0), SOUTH: ("T05", 0)})
    state = stand(change_trader(state, active, caravan=NORTH), figures)
    return facing(state, "figure", active=active, turban=turban, laid=NORTH, busy=True)


def scored(state: State) -> State:
    """The state once the active seat has left its figures as they are, so that the scoring has begun."""
    return act(state, SkipFigure())


def whats(state: State) -> list[str]:
    """The kinds of the last news, in order."""
    return [news.what for news in state.news]
