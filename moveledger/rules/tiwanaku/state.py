"""The state of a game: what lies open, and beside it the hidden board.

Rules of legality and views for the table read `Table` alone, which holds nothing hidden: that they cannot tell a secret
is a matter of types.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from moveledger.rules.tiwanaku.data import UNKNOWN
from moveledger.rules.tiwanaku.options import Options

Phase: TypeAlias = Literal[
    "first_seat", "board", "action", "entered", "divining", "offer", "final", "final_offer", "over"
]


@dataclass(frozen=True, slots=True)
class Land:
    """Terrain letters and crop digits, one for each space, row by row; a dot for what is not shown."""

    terrain: str
    crops: str

    def shown(self, spaces: frozenset[int]) -> Land:
        """What of this land lies open when these spaces do."""

        def some(of: str) -> str:
            return "".join(one if at in spaces else UNKNOWN for at, one in enumerate(of))

        return Land(some(self.terrain), some(self.crops))

    def with_terrain(self, space: int, letter: str) -> Land:
        """The land with a terrain tile placed."""
        return Land(self.terrain[:space] + letter + self.terrain[space + 1 :], self.crops)

    def with_crop(self, space: int, digit: str) -> Land:
        """The land with a crop token placed."""
        return Land(self.terrain, self.crops[:space] + digit + self.crops[space + 1 :])


@dataclass(frozen=True, slots=True)
class Discovery:
    """A seat found the terrain of a space."""

    type: ClassVar[str] = "discovery"
    seat: int
    space: int
    level: int
    points: int


@dataclass(frozen=True, slots=True)
class Guess:
    """A seat said a crop's value for a space; which one grows there the land shows."""

    type: ClassVar[str] = "guess"
    seat: int
    space: int
    value: int
    points: int
    offering: bool


Found: TypeAlias = Discovery | Guess


@dataclass(frozen=True, slots=True)
class Tribe:
    """What one seat has. `pawns` are spaces, rising; `levels` are the diversity stones in the order of the terrains;
    `offerings` are the kinds held, rising; `out` says that the seat takes no more part in the final rounds.
    """

    score: int
    supply: int
    pawns: tuple[int, ...]
    levels: tuple[int, int, int, int]
    offerings: tuple[int, ...]
    right: int
    wrong: int
    out: bool


@dataclass(frozen=True, slots=True)
class Table:
    """All that lies open. `totals` are the tiles of each terrain on the board where they are public; `entered` is the
    space of a pawn whose exploring is not finished; `trigger` is the seat that begins the final rounds; `final` says
    that they have begun; `idle` counts the turns begun since the last discovery or guess; `left` lists those who have
    left, in order; `found` is what the last input brought to light.
    """

    options: Options
    phase: Phase
    first: int
    current: int
    land: Land
    totals: tuple[int, int, int, int] | None
    tribes: tuple[Tribe, ...]
    entered: int | None
    trigger: int | None
    final: bool
    idle: int
    left: tuple[int, ...]
    found: tuple[Found, ...]


@dataclass(frozen=True, slots=True)
class State:
    """The table and, once it is drawn, the hidden board."""

    table: Table
    board: Land | None
