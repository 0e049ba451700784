"""The choices that are fixed when a game is opened."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal, TypeAlias

from moveledger.rules.kernel import Bounds, Json
from moveledger.rules.tiwanaku.data import BOARDS, FIGURES

BoardName: TypeAlias = Literal["5x5", "5x6", "5x7", "5x8", "5x9"]
Start: TypeAlias = Literal["normal", "logic", "hard"]


@dataclass(frozen=True, slots=True)
class Options:
    """How a game is played; the table of options on the rules page explains each."""

    reading: Literal["dossier", "seed"] = "dossier"
    board: BoardName = "5x5"
    start: Start = "normal"
    final_rounds: Literal["loop", "single"] = "loop"
    final_offers: Literal["each", "last"] = "each"
    entry: Literal["as_step", "then_move"] = "as_step"
    offer_after_removal: bool = False
    tile_totals: Literal["public", "hidden"] = "public"
    start_score: Annotated[int, Bounds(0, 50)] = FIGURES.start_score
    stall_rounds: Annotated[int, Bounds(1, 20)] = FIGURES.stall_rounds


PRESETS: Mapping[str, Mapping[str, Json]] = {
    "seed": {
        "final_rounds": "single",
        "entry": "then_move",
        "offer_after_removal": True,
        "tile_totals": "hidden",
        "start_score": 0,
        "stall_rounds": 10,
    }
}
"""The options that a value of `reading` sets unless they are given."""


def columns(options: Options) -> int:
    """How many columns the game's board has."""
    return BOARDS[options.board].columns
