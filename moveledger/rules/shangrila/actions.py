"""What a seat can do: the actions as they go over the wire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from moveledger.rules.shangrila.data import GUILD_INDEX, Guild, VillageNumber


@dataclass(frozen=True, slots=True)
class PlaceInitial:
    """Set-up: one of the seat's first seven masters, one of each guild (rulings 27 to 32)."""

    type: ClassVar[str] = "place_initial"
    village: VillageNumber
    guild: Guild


@dataclass(frozen=True, slots=True)
class PlaceMaster:
    """A new master on an empty space of its guild, where the seat already has a master (rulings 15, 31 and 36)."""

    type: ClassVar[str] = "place_master"
    village: VillageNumber
    guild: Guild


@dataclass(frozen=True, slots=True)
class Target:
    """The space of a guild in a village."""

    village: VillageNumber
    guild: Guild


@dataclass(frozen=True, slots=True)
class Recruit:
    """One or two students, each on an own master that has none (rulings 5 to 8); the order says nothing."""

    type: ClassVar[str] = "recruit"
    targets: tuple[Target, ...]


@dataclass(frozen=True, slots=True)
class Journey:
    """All students of one village cross a bridge to the next (rulings 9 to 14)."""

    type: ClassVar[str] = "journey"
    from_: VillageNumber
    to: VillageNumber


@dataclass(frozen=True, slots=True)
class Pass:
    """Nothing: legal only when nothing else is (rulings 22 and 23)."""

    type: ClassVar[str] = "pass"


Action: TypeAlias = PlaceInitial | PlaceMaster | Recruit | Journey | Pass
ACTIONS: tuple[type[Action], ...] = (PlaceInitial, PlaceMaster, Recruit, Journey, Pass)


def in_order(targets: tuple[Target, ...]) -> tuple[Target, ...]:
    """Targets by village and guild: the one order in which a pair is listed."""
    return tuple(sorted(targets, key=lambda target: (target.village, GUILD_INDEX[target.guild])))
