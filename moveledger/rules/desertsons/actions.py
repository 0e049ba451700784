"""What a seat may do. A cell is a number 0..120, row by row from the north-west; a slot counts from 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, TypeAlias

from moveledger.rules.desertsons.data import Good, Symbol
from moveledger.rules.kernel import Bounds

Cell: TypeAlias = Annotated[int, Bounds(0, 120)]
Rotation: TypeAlias = Annotated[int, Bounds(0, 3)]
DisplaySlot: TypeAlias = Annotated[int, Bounds(0, 2)]
Part: TypeAlias = Annotated[int, Bounds(0, 1)]
Height: TypeAlias = Annotated[int, Bounds(1, 16)]
RumourSlot: TypeAlias = Annotated[int, Bounds(0, 1)]


@dataclass(frozen=True, slots=True)
class MoveCaravan:
    """Move the caravan to `cell`, or stay by naming its own cell."""

    type: ClassVar[str] = "move"
    cell: Cell


@dataclass(frozen=True, slots=True)
class DrawTile:
    """Explore with the top tile of the stack."""

    type: ClassVar[str] = "draw"


@dataclass(frozen=True, slots=True)
class LayOwn:
    """Explore with the tile in a slot of one's own display, laid at once."""

    type: ClassVar[str] = "own"
    slot: DisplaySlot
    cell: Cell
    rotation: Rotation


@dataclass(frozen=True, slots=True)
class TakeTile:
    """Explore, for 1 water, with a tile of another seat's display, laid at once."""

    type: ClassVar[str] = "take"
    seat: Annotated[int, Bounds(0, 3)]
    slot: DisplaySlot
    cell: Cell
    rotation: Rotation


@dataclass(frozen=True, slots=True)
class NoExplore:
    """Explore nothing, which ends the turn."""

    type: ClassVar[str] = "no_explore"


@dataclass(frozen=True, slots=True)
class PlaceTile:
    """Lay the tile that was drawn, turned clockwise by `rotation` quarter turns."""

    type: ClassVar[str] = "place"
    cell: Cell
    rotation: Rotation


@dataclass(frozen=True, slots=True)
class PlaceFigure:
    """Put the figure of this height on a part of the tile just laid."""

    type: ClassVar[str] = "place_figure"
    figure: Height
    part: Part


@dataclass(frozen=True, slots=True)
class RemoveFigure:
    """Take the figure of this height back from the field."""

    type: ClassVar[str] = "remove_figure"
    figure: Height


@dataclass(frozen=True, slots=True)
class SkipFigure:
    """Neither place nor remove a figure."""

    type: ClassVar[str] = "skip"


@dataclass(frozen=True, slots=True)
class PickSymbol:
    """Choose one symbol of the oasis that is scored."""

    type: ClassVar[str] = "pick"
    symbol: Symbol


@dataclass(frozen=True, slots=True)
class PassPick:
    """Choose no symbol with this figure."""

    type: ClassVar[str] = "pass_pick"


@dataclass(frozen=True, slots=True)
class AssignRumour:
    """Put the rumour just drawn face down on a good, in its first free slot."""

    type: ClassVar[str] = "assign"
    good: Good


@dataclass(frozen=True, slots=True)
class ReturnRumour:
    """Put the rumour just drawn back into the pool."""

    type: ClassVar[str] = "return_rumour"


@dataclass(frozen=True, slots=True)
class PeekRumour:
    """Look at the rumour in a slot of a good."""

    type: ClassVar[str] = "peek"
    good: Good
    slot: RumourSlot


@dataclass(frozen=True, slots=True)
class KeepRumour:
    """Leave the rumour just looked at where it lies."""

    type: ClassVar[str] = "keep"


@dataclass(frozen=True, slots=True)
class RemoveRumour:
    """Take the rumour just looked at out of the game."""

    type: ClassVar[str] = "remove"


@dataclass(frozen=True, slots=True)
class BuyBonus:
    """Buy a bonus turn for 1 water."""

    type: ClassVar[str] = "buy_bonus"


@dataclass(frozen=True, slots=True)
class EndTurn:
    """End the turn without a bonus turn."""

    type: ClassVar[str] = "end_turn"


Action: TypeAlias = (
    MoveCaravan
    | DrawTile
    | LayOwn
    | TakeTile
    | NoExplore
    | PlaceTile
    | PlaceFigure
    | RemoveFigure
    | SkipFigure
    | PickSymbol
    | PassPick
    | AssignRumour
    | ReturnRumour
    | PeekRumour
    | KeepRumour
    | RemoveRumour
    | BuyBonus
    | EndTurn
)

ACTIONS: tuple[type[Action], ...] = (
    MoveCaravan,
    DrawTile,
    LayOwn,
    TakeTile,
    NoExplore,
    PlaceTile,
    PlaceFigure,
    RemoveFigure,
    SkipFigure,
    PickSymbol,
    PassPick,
    AssignRumour,
    ReturnRumour,
    PeekRumour,
    KeepRumour,
    RemoveRumour,
    BuyBonus,
    EndTurn,
)
