"""What a seat may do in Die Seher von Santiiba: predict, name a colour, take an item, stop (section "The turn")."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

Kind: TypeAlias = Literal["herbs", "amulets", "scorpions", "elixirs", "bowls"]
Item: TypeAlias = Literal["die", "card"]


@dataclass(frozen=True, slots=True)
class Predict:
    """An opponent sets its crystal ball, unseen, to the kind that it expects or wants (ruling R5j)."""

    type: ClassVar[str] = "predict"
    kind: Kind


@dataclass(frozen=True, slots=True)
class Name:
    """The active seat names a kind that it has not named in this turn (ruling R2)."""

    type: ClassVar[str] = "name"
    kind: Kind


@dataclass(frozen=True, slots=True)
class Take:
    """The active seat, predicted by nobody, takes the die or a card of the kind just named."""

    type: ClassVar[str] = "take"
    item: Item


@dataclass(frozen=True, slots=True)
class Stop:
    """The active seat ends its turn and keeps what lies in its area (ruling R1)."""

    type: ClassVar[str] = "stop"


Action: TypeAlias = Predict | Name | Take | Stop
ACTIONS: tuple[type[Action], ...] = (Predict, Name, Take, Stop)
