"""Games that begin on a given board, and states that a test lays out by hand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from moveledger.errors import IllegalMove
from moveledger.rules.encoding import read_options
from moveledger.rules.kernel import Draw, Leave, Move, Seat
from moveledger.rules.tiwanaku import RULESET
from moveledger.rules.tiwanaku.actions import Action, Divine, ExploreAdd, ExploreMove, ExploreRemove, Offer
from moveledger.rules.tiwanaku.apply import deal
from moveledger.rules.tiwanaku.board import Layout
from moveledger.rules.tiwanaku.legal import check
from moveledger.rules.tiwanaku.state import Land, State, Tribe
from tests.rules.tiwanaku.validator import BOARDS

Place = tuple[int, int]


def begin(board: str = "5x5-01", *, seats: int = 2, first: int = 0, start: str = "start", **options: Any) -> State:
    """A game on a given board, its starting tiles laid, the first seat to act."""
    given = BOARDS[board]
    state = RULESET.setup(read_options(RULESET, {"board": board[:3], **options}), seats)
    if seats > 1:
        state = RULESET.apply(state, Draw((first,)))
    land = Land("".join(given["terrain"]), "".join(given["crops"]))
    return deal(state, Layout(land, tuple(sorted(row * given["cols"] + column for row, column in given[start]))))


def arrange(
    state: State,
    *,
    crops: Iterable[Place] = (),
    terrain: Iterable[Place] = (),
    pawns: Sequence[Iterable[Place]] = (),
    tribes: Mapping[int, Mapping[str, Any]] | None = None,
    **changes: Any,
) -> State:
    """The state with more of the board open, pawns taken from the supplies, and other fields changed."""
    assert state.board is not None
    table, board = state.table, state.board
    width = len(board.terrain) // 5
    land = table.land
    for row, column in (*crops, *terrain):
        land = land.with_terrain(row * width + column, board.terrain[row * width + column])
    for row, column in crops:
        land = land.with_crop(row * width + column, board.crops[row * width + column])
    placed = list(table.tribes)
    for seat, places in enumerate(pawns):
        spaces = tuple(sorted(row * width + column for row, column in places))
        placed[seat] = replace(placed[seat], pawns=spaces, supply=placed[seat].supply - len(spaces))
    for seat, fields in (tribes or {}).items():
        placed[seat] = replace(placed[seat], **fields)
    return State(replace(table, land=land, tribes=tuple(placed), **changes), board)


def everything(state: State) -> list[Place]:
    """All places of the board."""
    width = len(state.table.land.terrain) // 5
    return [(row, column) for row in range(5) for column in range(width)]


def play(state: State, *actions: Action) -> State:
    """The state after actions, each of the seat whose turn it is."""
    for action in actions:
        state = RULESET.apply(state, Move(Seat(state.table.current), action))
    return state


def leave(state: State, *seats: int) -> State:
    """The state after departures."""
    for seat in seats:
        state = RULESET.apply(state, Leave(Seat(seat), "resigned"))
    return state


def legal(state: State, seat: int | None = None) -> list[Action]:
    """The legal actions of a seat, by default the one whose turn it is."""
    return list(RULESET.legal(state, Seat(state.table.current if seat is None else seat)))


def refused(state: State, action: Any, seat: int | None = None) -> str:
    """The code with which an action is refused, by the check and by `apply` alike."""
    who = Seat(state.table.current if seat is None else seat)
    with pytest.raises(IllegalMove) as checked:
        check(state.table, who, action)
    with pytest.raises(IllegalMove) as applied:
        RULESET.apply(state, Move(who, action))
    assert action not in legal(state, who)
    assert checked.value.code == applied.value.code
    return checked.value.code.removeprefix("tiwanaku.")


def tribe(state: State, seat: int) -> Tribe:
    """What a seat has."""
    return state.table.tribes[seat]


def score(state: State, seat: int) -> int:
    """A seat's score."""
    return state.table.tribes[seat].score


def add(row: int, column: int) -> ExploreAdd:
    return ExploreAdd((row, column))


def move(origin: Place, to: Place) -> ExploreMove:
    return ExploreMove(origin, to)


def remove(row: int, column: int) -> ExploreRemove:
    return ExploreRemove((row, column))


def divine(row: int, column: int, value: int) -> Divine:
    return Divine((row, column), value)


def offer(*kinds: int) -> Offer:
    return Offer(kinds)
