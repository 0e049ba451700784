"""Which spaces show their terrain and their crop from the start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice

from moveledger.rules.tiwanaku.data import BOARDS, LIMITS
from moveledger.rules.tiwanaku.regions import regions_of
from moveledger.rules.tiwanaku.solver import crop_layouts
from moveledger.rules.tiwanaku.spaces import Grid, grid_of
from moveledger.rules.tiwanaku.state import Land
from moveledger.rules.tiwanaku.stream import Stream


def choose_starts(stream: Stream, land: Land, board: str, start: str) -> tuple[int, ...]:
    """The starting spaces, rising.

    `normal` and `hard` ask for a number of them that do not touch, one to a region while that can be, most at the
    edge. `logic` adds to the normal ones until crops could grow in one way only if all terrain were known.
    """
    size = BOARDS[board]
    grid = grid_of(size.columns)
    region_of = {space: region for region in regions_of(land.terrain, size.columns) for space in region}
    wanted = size.hard if start == "hard" else size.normal
    chosen = _spread(stream, grid, wanted, region_of)
    if start == "logic":
        chosen = _until_one_layout(stream, land, grid, chosen)
    return tuple(sorted(chosen))


def _spread(stream: Stream, grid: Grid, wanted: int, region_of: Mapping[int, frozenset[int]]) -> list[int]:
    """`wanted` spaces that do not touch; early ones may leave no room for the last, so several orders are tried."""
    for _ in range(LIMITS.start_attempts):
        chosen = _apart(grid, _preferred(stream, grid), wanted, region_of)
        if len(chosen) == wanted:
            return chosen
    return _apart(grid, stream.shuffled(_lattice(grid)), wanted, region_of)


def _preferred(stream: Stream, grid: Grid) -> list[int]:
    """All spaces in random order, each next one from the edge with the chance that the data name."""
    edge = stream.shuffled(grid.edge)
    inner = stream.shuffled([space for space in range(grid.size) if space not in grid.edge])
    order = []
    while edge and inner:
        order.append((edge if stream.below(100) < LIMITS.edge_percent else inner).pop())
    return order + edge + inner


def _lattice(grid: Grid) -> list[int]:
    """The spaces of every other row and column: more than enough that never touch."""
    return [space for space in range(grid.size) if not any(place % 2 for place in grid.at(space))]


def _apart(grid: Grid, order: Sequence[int], wanted: int, region_of: Mapping[int, frozenset[int]]) -> list[int]:
    """Up to `wanted` spaces that do not touch: each time the first in `order` that can be, new regions before old."""
    chosen: list[int] = []
    free = list(order)
    while free and len(chosen) < wanted:
        used = {region_of[space] for space in chosen}
        space = next((one for one in free if region_of[one] not in used), free[0])
        chosen.append(space)
        free = [one for one in free if one != space and one not in grid.around[space]]
    return chosen


def _until_one_layout(stream: Stream, land: Land, grid: Grid, chosen: Sequence[int]) -> list[int]:
    """`chosen` and, one by one, the space that rules out most other layouts of crops, until one layout is left."""
    order, starts = stream.shuffled(range(grid.size)), list(chosen)
    while True:
        known = {space: int(land.crops[space]) for space in starts}
        layouts = list(islice(crop_layouts(land.terrain, grid.columns, known), LIMITS.layouts))
        if len(layouts) == 1:
            return starts
        left = [space for space in order if space not in known]
        starts.append(min(left, key=lambda at: sum(layout[at] == int(land.crops[at]) for layout in layouts)))
