"""The component data: guilds, villages, bridges, set-up caps and the start layouts, read once from `shangrila.json`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Annotated, Any, Literal, TypeAlias, get_args

from moveledger.rules.kernel import Bounds, Json

Guild: TypeAlias = Literal[
    "astrologer", "dragon_breeder", "firekeeper", "healer", "prayer_miller", "rainmaker", "yeti_whisperer"
]
VillageNumber: TypeAlias = Annotated[int, Bounds(1, 13)]


@dataclass(frozen=True, slots=True)
class Site:
    """A village on the map: its number and its centre on a canvas of 1000 by 1000."""

    id: int
    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Bridge:
    """A bridge between the villages `a` and `b`; `gap` is the point of the map where it lies."""

    id: int
    a: int
    b: int
    gap: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Caps:
    """How many masters a village may hold while the first masters are placed: of all seats and of one seat."""

    total: int
    own: int


_read: dict[str, Any] = json.loads(
    resources.files(__package__ or __name__).joinpath("shangrila.json").read_text(encoding="utf-8")
)

PROVENANCE: Mapping[str, Json] = _read["provenance"]
GUILDS: tuple[Guild, ...] = get_args(Guild)
GUILD_INDEX: Mapping[str, int] = {guild: at for at, guild in enumerate(GUILDS)}
CANVAS: Mapping[str, int] = _read["canvas"]
GUILD_GRID: tuple[tuple[str, ...], ...] = tuple(tuple(row) for row in _read["guild_grid"])
TILES_PER_GUILD: int = _read["tiles_per_guild"]
SITES: tuple[Site, ...] = tuple(Site(**entry) for entry in _read["villages"])
VILLAGES: range = range(1, len(SITES) + 1)
BRIDGES: tuple[Bridge, ...] = tuple(
    Bridge(entry["id"], entry["a"], entry["b"], (entry["gap"][0], entry["gap"][1])) for entry in _read["bridges"]
)
BRIDGE_BETWEEN: Mapping[tuple[int, int], int] = {
    ends: bridge.id for bridge in BRIDGES for ends in ((bridge.a, bridge.b), (bridge.b, bridge.a))
}
NEIGHBOURS: Mapping[int, tuple[int, ...]] = {
    village: tuple(sorted(to for start, to in BRIDGE_BETWEEN if start == village)) for village in VILLAGES
}
BRIDGES_OF: Mapping[int, tuple[int, ...]] = {
    village: tuple(BRIDGE_BETWEEN[village, to] for to in NEIGHBOURS[village]) for village in VILLAGES
}
OUT_WITH_THREE: int = _read["out_with_three_seats"]
CAPS: Mapping[int, Caps] = {int(seats): Caps(**caps) for seats, caps in _read["setup_caps"].items()}
START_LAYOUTS: Mapping[int, tuple[tuple[int, Guild, int], ...]] = {
    int(seats): tuple((entry["village"], entry["guild"], entry["seat"]) for entry in entries)
    for seats, entries in _read["start_layouts"].items()
}
