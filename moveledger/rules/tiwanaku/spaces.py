"""The geometry of a board of five rows: which spaces lie beside which. Spaces are numbered row by row from 0."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from moveledger.rules.tiwanaku.data import ROWS


@dataclass(frozen=True, slots=True)
class Grid:
    """The spaces of a board: those beside each one, those around it (corners too), and those of the edge."""

    columns: int
    beside: tuple[tuple[int, ...], ...]
    around: tuple[tuple[int, ...], ...]
    edge: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many spaces there are."""
        return ROWS * self.columns

    def at(self, space: int) -> tuple[int, int]:
        """Row and column of a space."""
        return divmod(space, self.columns)

    def number(self, row: int, column: int) -> int | None:
        """The space at a row and a column; None off the board."""
        return row * self.columns + column if 0 <= row < ROWS and 0 <= column < self.columns else None


@cache
def grid_of(columns: int) -> Grid:
    """The geometry of the board with that many columns."""
    spaces = [(row, column) for row in range(ROWS) for column in range(columns)]

    def near(row: int, column: int, corners: bool) -> tuple[int, ...]:
        steps = [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r or c) and (corners or not (r and c))]
        found = [(row + r, column + c) for r, c in steps]
        return tuple(r * columns + c for r, c in found if 0 <= r < ROWS and 0 <= c < columns)

    return Grid(
        columns=columns,
        beside=tuple(near(row, column, corners=False) for row, column in spaces),
        around=tuple(near(row, column, corners=True) for row, column in spaces),
        edge=tuple(at for at, (row, column) in enumerate(spaces) if row in (0, ROWS - 1) or column in (0, columns - 1)),
    )
