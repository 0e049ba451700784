"""The hidden boards: which terrain and which crop each space has.

Regions are spaces of one terrain joined by their sides, one to five of them; two regions of one terrain do not even
touch at a corner. A region of n spaces grows the crops 1..n, each once, and equal crops are never neighbours, corners
included. The search fills columns from top to bottom and looks at what lies above, left and at the two left corners;
contact of terrains is local to blocks of two by two, because a detour around such a block needs seven spaces.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from moveledger.rules.tiwanaku.data import BOARDS, LETTERS, LIMITS, ROWS, SPARE_BOARDS, TILES, TOKENS
from moveledger.rules.tiwanaku.regions import regions_of
from moveledger.rules.tiwanaku.search import search
from moveledger.rules.tiwanaku.starts import choose_starts
from moveledger.rules.tiwanaku.state import Land
from moveledger.rules.tiwanaku.stream import Stream


@dataclass(frozen=True, slots=True)
class Layout:
    """A board and the spaces whose tiles lie open from the start."""

    land: Land
    starts: tuple[int, ...]


@lru_cache(maxsize=512)
def lay_out(words: tuple[int, ...], board: str, start: str) -> Layout:
    """The board and the starting tiles that a `seed:256` draw stands for; a pure function, kept for its time."""
    stream = Stream(words)
    land = generate(stream, board)
    return Layout(land, choose_starts(stream, land, board, start))


def generate(stream: Stream, board: str) -> Land:
    """A board of that size: an accepted one of a bounded number of attempts, else a spare one."""
    columns = BOARDS[board].columns
    orders = [stream.shuffled([(kind, crop) for kind in range(4) for crop in (1, 2, 4, 8, 16)]) for _ in range(64)]
    for _ in range(LIMITS.attempts):
        chosen = [orders[stream.below(len(orders))] for _ in range(ROWS * columns)]
        found = search(columns, chosen, LIMITS.nodes_per_space * ROWS * columns)
        if found is not None:
            names = stream.shuffled(LETTERS)
            land = Land("".join(names[kind] for kind in found[0]), "".join(str(crop.bit_length()) for crop in found[1]))
            land = _turned(stream, land, columns)
            if _acceptable(land, columns):
                return land
    spares = SPARE_BOARDS[board]
    return _turned(stream, Land(*spares[stream.below(len(spares))]), columns)


def _turned(stream: Stream, land: Land, columns: int) -> Land:
    """The land mirrored at random, so that the order of the search leaves no trace; a square one may be transposed."""
    rows, cols = list(range(ROWS)), list(range(columns))
    rows = rows[::-1] if stream.below(2) else rows
    cols = cols[::-1] if stream.below(2) else cols
    if columns == ROWS and stream.below(2):
        order = [row * columns + col for col in cols for row in rows]
    else:
        order = [row * columns + col for row in rows for col in cols]
    return Land("".join(land.terrain[at] for at in order), "".join(land.crops[at] for at in order))


def _acceptable(land: Land, columns: int) -> bool:
    """Whether the box can lay the board, and whether it has all kinds and regions of several sizes."""
    tiles = [land.terrain.count(letter) for letter in LETTERS]
    crops = [land.crops.count(str(value)) for value in range(1, 6)]
    if not all(tiles) or not all(crops):
        return False
    if any(n > most for n, most in zip(tiles + crops, TILES + TOKENS, strict=True)):
        return False
    sizes = Counter(len(region) for region in regions_of(land.terrain, columns))
    return len(sizes) >= LIMITS.region_sizes
