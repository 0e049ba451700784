"""The components and figures of the game, read once from `tiwanaku.json`; the file says where each comes from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Any

from moveledger.rules.kernel import Json

_RAW: Mapping[str, Any] = json.loads(
    resources.files(__package__).joinpath("tiwanaku.json").read_text(encoding="utf-8"),
)

PROVENANCE: Mapping[str, Json] = _RAW["provenance"]
ROWS: int = _RAW["rows"]
UNKNOWN = "."
"""Stands in a land for a terrain or a crop that has not been shown."""

LETTERS = "".join(kind["letter"] for kind in _RAW["terrains"])
"""The letter of each terrain, in the order of the diversity columns."""
TERRAINS: tuple[str, ...] = tuple(kind["id"] for kind in _RAW["terrains"])
TERRAIN_OF: Mapping[str, str] = dict(zip(LETTERS, TERRAINS, strict=True))
TILES: tuple[int, ...] = tuple(kind["tiles"] for kind in _RAW["terrains"])
"""How many tiles of each terrain the box holds."""

CROPS: tuple[str, ...] = tuple(kind["id"] for kind in _RAW["crops"])
"""The crops' names; a crop's value is its place, counted from 1."""
TOKENS: tuple[int, ...] = tuple(kind["tokens"] for kind in _RAW["crops"])
"""How many tokens of each crop the box holds."""

PAWNS: tuple[int, ...] = tuple(_RAW["pawns"])
"""Pawns of a seat in a game of 1, 2, 3 and 4 seats."""


@dataclass(frozen=True, slots=True)
class BoardSize:
    """A board: its columns, whether the published game has it, and its numbers of starting tiles."""

    columns: int
    published: bool
    normal: int
    hard: int


BOARDS: Mapping[str, BoardSize] = {name: BoardSize(**size) for name, size in _RAW["boards"].items()}


@dataclass(frozen=True, slots=True)
class Figures:
    """The figures that no option sets: points by number of kinds offered, top of the diversity columns (None: there
    is none), least score (None: there is none); and the defaults of two options.
    """

    start_score: int
    stall_rounds: int
    offer_points: tuple[int, ...]
    diversity_top: int | None
    score_floor: int | None


FIGURES = Figures(
    start_score=_RAW["start_score"],
    stall_rounds=_RAW["stall_rounds"],
    offer_points=tuple(_RAW["offer_points"]),
    diversity_top=_RAW["diversity_top"],
    score_floor=_RAW["score_floor"],
)


@dataclass(frozen=True, slots=True)
class GeneratorLimits:
    """Bounds and leanings of the generator.

    `attempts` at a board, and in each `nodes_per_space` visits by space of the board; the least number of different
    `region_sizes`; the chance `edge_percent` that a starting tile seeks the edge; `start_attempts` at a set of
    starting tiles; how many crop `layouts` are compared at a time.
    """

    attempts: int
    nodes_per_space: int
    region_sizes: int
    edge_percent: int
    start_attempts: int
    layouts: int


LIMITS = GeneratorLimits(**_RAW["generator"])

SPARE_BOARDS: Mapping[str, tuple[tuple[str, str], ...]] = {
    name: tuple((board["terrain"], board["crops"]) for board in boards) for name, boards in _RAW["spare_boards"].items()
}
"""Valid boards by size, terrain letters and crop digits row by row, for when all attempts at a new one fail."""
