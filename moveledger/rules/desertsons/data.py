"""The components as numbers: what each tile shows in each rotation, and the tables that make questions about the
field quick. The figures come from `desertsons.json`, which says what is sourced and what is reconstructed.

A cell is `11 * y + x`, A1 in the north-west. A laid tile is one number, its `code`: 4 * tile + quarter turns clockwise.
Sides are numbered north 0, east 1, south 2, west 3, and a set of sides is a mask of four bits.
"""

from __future__ import annotations

import json
from importlib import resources
from typing import Any, Final, Literal, TypeAlias

from moveledger.rules.kernel import Json

Good: TypeAlias = Literal["incense", "myrrh", "salt", "gem"]
Symbol: TypeAlias = Literal["incense", "myrrh", "salt", "gem", "camel", "water", "rumour"]

_SOURCE: Final[dict[str, Any]] = json.loads(
    resources.files(__package__).joinpath("desertsons.json").read_text(encoding="utf-8")
)

PROVENANCE: Final[dict[str, Json]] = _SOURCE["provenance"]
GOODS: Final[tuple[Good, ...]] = ("incense", "myrrh", "salt", "gem")
SYMBOLS: Final[tuple[Symbol, ...]] = (*GOODS, "camel", "water", "rumour")
SIDES: Final = "NESW"

WIDTH: Final[int] = _SOURCE["width"]
CELLS: Final = WIDTH * WIDTH
CENTRE: Final = CELLS // 2
EMPTY: Final = -1
NOWHERE: Final = -1

GOODS_OF_A_KIND: Final[int] = _SOURCE["goods_of_a_kind"]
WATER: Final[int] = _SOURCE["water"]
CAMELS: Final[int] = _SOURCE["camels"]
START_WATER: Final[int] = _SOURCE["start_water"]
START_CAMELS: Final[int] = _SOURCE["start_camels"]
GOODS_PER_CAMEL: Final[int] = _SOURCE["goods_per_camel"]
DISPLAY_LIMIT: Final[int] = _SOURCE["display_limit"]
BASE_PRICE: Final[int] = _SOURCE["base_price"]
RUMOURS: Final[tuple[int, ...]] = tuple(_SOURCE["rumours"])
RUMOUR_SLOTS: Final[int] = _SOURCE["rumour_slots"]
HEIGHTS: Final[tuple[tuple[int, ...], ...]] = tuple(tuple(heights) for heights in _SOURCE["heights"])
"""The heights of each seat's four figures, tallest first."""
OWNER: Final[dict[int, int]] = {height: seat for seat, heights in enumerate(HEIGHTS) for height in heights}


# --- the field -----------------------------------------------------------------------------------------


def cell_at(x: int, y: int) -> int:
    """The cell in column `x` from the west and row `y` from the north, both from 0."""
    return WIDTH * y + x


def cell_name(cell: int) -> str:
    """A cell as people say it: A1 in the north-west, F6 in the middle."""
    return f"{'ABCDEFGHIJK'[cell % WIDTH]}{cell // WIDTH + 1}"


def _beside(cell: int) -> tuple[int, int, int, int]:
    x, y = cell % WIDTH, cell // WIDTH
    return (
        cell - WIDTH if y > 0 else NOWHERE,
        cell + 1 if x < WIDTH - 1 else NOWHERE,
        cell + WIDTH if y < WIDTH - 1 else NOWHERE,
        cell - 1 if x > 0 else NOWHERE,
    )


NEIGHBOURS: Final = tuple(_beside(cell) for cell in range(CELLS))
"""For each cell the cells to its north, east, south and west; `NOWHERE` beyond the border."""
STARTS: Final[tuple[int, ...]] = tuple(cell_at(x, y) for x, y in _SOURCE["starts"])
STARTS_FOR_TWO: Final[tuple[int, ...]] = tuple(cell_at(x, y) for x, y in _SOURCE["starts_for_two"])


# --- the tiles -----------------------------------------------------------------------------------------


def _mask(sides: str) -> int:
    return sum(1 << SIDES.index(side) for side in sides)


def turned(mask: int, rotation: int) -> int:
    """The sides of `mask` after `rotation` quarter turns clockwise."""
    return (mask << rotation | mask >> (4 - rotation)) & 15


_TILES: Final = _SOURCE["tiles"]
_CROSS: Final = _SOURCE["cross"]
TILES: Final = len(_TILES)
TILE_NAMES: Final[tuple[str, ...]] = (*(tile["id"] for tile in _TILES), *("cross" for _ in _CROSS))
STACK_OF: Final[tuple[int, ...]] = tuple(tile["stack"] for tile in _TILES)
STACKS: Final = max(STACK_OF)

_PLAIN: Final[tuple[tuple[int, ...], ...]] = (
    *(tuple(_mask(part["edges"]) for part in tile["parts"]) for tile in _TILES),
    *(tuple(_mask(part) for part in cell["parts"]) for cell in _CROSS),
)
PART_SYMBOLS: Final[tuple[tuple[tuple[Symbol, ...], ...], ...]] = (
    *(tuple(tuple(part["symbols"]) for part in tile["parts"]) for tile in _TILES),
    *(tuple(() for _ in cell["parts"]) for cell in _CROSS),
)
"""For each tile, then each cell of the cross, the symbols of each of its oasis parts."""
PARTS: Final = tuple(tuple(turned(mask, code % 4) for mask in _PLAIN[code // 4]) for code in range(4 * len(_PLAIN)))
"""For each code the sides that each oasis part touches."""
EDGES: Final = tuple(sum(parts) for parts in PARTS)
"""For each code the sides that show oasis; the others show desert."""
PART_AT: Final = tuple(
    tuple(next((at for at, mask in enumerate(parts) if mask >> side & 1), NOWHERE) for side in range(4))
    for parts in PARTS
)
"""For each code and side the part that touches it, or `NOWHERE` for desert."""


def _rotations(tile: int) -> tuple[int, ...]:
    seen, found = [], []
    for rotation in range(4):
        look = sorted(zip(PARTS[4 * tile + rotation], PART_SYMBOLS[tile], strict=True))
        if look not in seen:
            seen.append(look)
            found.append(rotation)
    return tuple(found)


ROTATIONS: Final = tuple(_rotations(tile) for tile in range(TILES))
"""For each tile the rotations that look different, ascending."""


def _start_board() -> tuple[int, ...]:
    board = [EMPTY] * CELLS
    for at, cell in enumerate(_CROSS):
        board[cell_at(cell["x"], cell["y"])] = 4 * (TILES + at)
    return tuple(board)


START_BOARD: Final = _start_board()
CROSS_CELLS: Final = tuple(cell for cell in range(CELLS) if START_BOARD[cell] != EMPTY)
