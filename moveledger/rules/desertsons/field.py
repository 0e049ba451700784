"""The field: where a tile fits, how far a caravan comes, and when an oasis is closed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from moveledger.rules.desertsons import data
from moveledger.rules.desertsons.data import EDGES, EMPTY, NEIGHBOURS, NOWHERE

Board = tuple[int, ...]
Reach = Literal["free", "far", "none"]


# --- laying --------------------------------------------------------------------------------------------


def demands(board: Board, cell: int, *, desert_border: bool) -> tuple[int, int]:
    """Which sides of a tile in `cell` are bound, and which of those must show oasis, as masks (rulings P1, P2)."""
    bound = oasis = 0
    for side, beside in enumerate(NEIGHBOURS[cell]):
        if beside == NOWHERE:
            bound |= desert_border << side
        elif board[beside] != EMPTY:
            bound |= 1 << side
            oasis |= (EDGES[board[beside]] >> (side ^ 2) & 1) << side
    return bound, oasis


def fits(board: Board, tile: int, cell: int, rotation: int, *, desert_border: bool) -> bool:
    """Whether every bound side of the tile shows what its neighbour shows."""
    bound, oasis = demands(board, cell, desert_border=desert_border)
    return EDGES[4 * tile + rotation] & bound == oasis


def open_cells(board: Board, cell: int) -> list[int]:
    """The empty cells beside `cell`, where a caravan in it may explore (ruling E4)."""
    return [beside for beside in NEIGHBOURS[cell] if beside != NOWHERE and board[beside] == EMPTY]


def placements(board: Board, tile: int, caravan: int, *, desert_border: bool) -> Iterator[tuple[int, int]]:
    """Each cell beside the caravan and rotation in which the tile fits, looks that repeat left out."""
    for cell in open_cells(board, caravan):
        bound, oasis = demands(board, cell, desert_border=desert_border)
        for rotation in data.ROTATIONS[tile]:
            if EDGES[4 * tile + rotation] & bound == oasis:
                yield cell, rotation


# --- moving --------------------------------------------------------------------------------------------


@lru_cache(maxsize=256)
def reach(board: Board, start: int, *, white_ends_move: bool) -> tuple[Reach, ...]:
    """For each cell whether a caravan at `start` comes there free, for water, or not at all (rulings M1, M2).

    A line joins two laid neighbours, white where their common edge is oasis; up to one white line is free.
    """
    whites = _white_lines(board, start)
    found: list[Reach] = ["none" if lines is None else "free" if lines <= 1 else "far" for lines in whites]
    if white_ends_move:
        for cell, lines in enumerate(whites):
            if lines == 1 and not _ends_white(board, cell, whites):
                found[cell] = "far"
    return tuple(found)


def _white_lines(board: Board, start: int) -> list[int | None]:
    """For each cell the least number of white lines on a way there: a breadth-first search with weights 0 and 1."""
    least: list[int | None] = [None] * len(board)
    todo = deque([(start, 0)])
    while todo:
        cell, lines = todo.popleft()
        if least[cell] is not None:
            continue
        least[cell] = lines
        edges = EDGES[board[cell]]
        for side, beside in enumerate(NEIGHBOURS[cell]):
            if beside == NOWHERE or board[beside] == EMPTY or least[beside] is not None:
                continue
            if edges >> side & 1:
                todo.append((beside, lines + 1))
            else:
                todo.appendleft((beside, lines))
    return least


def _ends_white(board: Board, cell: int, whites: list[int | None]) -> bool:
    """Whether a white line leads into the cell from one that is reached over brown lines alone."""
    edges = EDGES[board[cell]]
    return any(
        edges >> side & 1 and beside != NOWHERE and whites[beside] == 0 for side, beside in enumerate(NEIGHBOURS[cell])
    )


# --- oases ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Oasis:
    """Connected parts as (cell, part), ascending, and whether nothing is left to discover beside them."""

    parts: tuple[tuple[int, int], ...]
    closed: bool


def find_oasis(board: Board, cell: int, part: int) -> Oasis:
    """The oasis that a part belongs to; the border closes it, an empty cell does not."""
    seen, todo, closed = {(cell, part)}, [(cell, part)], True
    while todo:
        at, which = todo.pop()
        mask = data.PARTS[board[at]][which]
        for side, beside in enumerate(NEIGHBOURS[at]):
            if not mask >> side & 1 or beside == NOWHERE:
                continue
            if board[beside] == EMPTY:
                closed = False
                continue
            joined = (beside, data.PART_AT[board[beside]][side ^ 2])
            if joined not in seen:
                seen.add(joined)
                todo.append(joined)
    return Oasis(tuple(sorted(seen)), closed)


def closed_parts(board: Board, cell: int) -> tuple[int, ...]:
    """One part of the tile in `cell` for each oasis that it closes, by the first side that the part touches."""
    found: list[int] = []
    done: set[tuple[int, int]] = set()
    masks = data.PARTS[board[cell]]
    for part in sorted(range(len(masks)), key=lambda at: masks[at] & -masks[at]):
        if (cell, part) in done:
            continue
        oasis = find_oasis(board, cell, part)
        done.update(oasis.parts)
        if oasis.closed:
            found.append(part)
    return tuple(found)
