"""What a seat can do. A space is a pair of row and column, both counted from 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, TypeAlias

from moveledger.rules.kernel import Bounds

Space: TypeAlias = tuple[Annotated[int, Bounds(0, 4)], Annotated[int, Bounds(0, 8)]]
CropValue: TypeAlias = Annotated[int, Bounds(1, 5)]


@dataclass(frozen=True, slots=True)
class ExploreMove:
    """Move the pawn on `from_` until it stops on `to`."""

    type: ClassVar[str] = "explore_move"
    from_: Space
    to: Space


@dataclass(frozen=True, slots=True)
class ExploreAdd:
    """Bring a pawn from the supply over the edge onto `to`."""

    type: ClassVar[str] = "explore_add"
    to: Space


@dataclass(frozen=True, slots=True)
class ExploreRemove:
    """Take the pawn on `from_` back into the supply."""

    type: ClassVar[str] = "explore_remove"
    from_: Space


@dataclass(frozen=True, slots=True)
class Divine:
    """Say which crop grows under the pawn on `at`."""

    type: ClassVar[str] = "divine"
    at: Space
    value: CropValue


@dataclass(frozen=True, slots=True)
class Stop:
    """Go no further: guess no more, or leave the pawn that has just entered where it is."""

    type: ClassVar[str] = "stop"


@dataclass(frozen=True, slots=True)
class Offer:
    """Hand in offerings of these kinds, named in rising order."""

    type: ClassVar[str] = "offer"
    kinds: Annotated[tuple[CropValue, ...], Bounds(1, 5)]


@dataclass(frozen=True, slots=True)
class Skip:
    """Hand in nothing."""

    type: ClassVar[str] = "skip"


@dataclass(frozen=True, slots=True)
class Pass:
    """Do nothing in this turn; in the final rounds, withdraw from them."""

    type: ClassVar[str] = "pass"


Action: TypeAlias = ExploreMove | ExploreAdd | ExploreRemove | Divine | Stop | Offer | Skip | Pass
ACTIONS: tuple[type[Action], ...] = (ExploreMove, ExploreAdd, ExploreRemove, Divine, Stop, Offer, Skip, Pass)
