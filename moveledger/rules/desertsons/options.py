"""What is fixed when a game is opened. The defaults are the long reading of the rules; see the page's options table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from moveledger.rules.kernel import Bounds, Json


@dataclass(frozen=True, slots=True)
class Options:
    """The variants and readings of one game.

    `desert_border`: only desert may touch the border (rulings P1, P2). `white_ends_move`: a free move may use its
    white line only as its last step (M1). `exclusive_tiles`: no two caravans end on one cell but the centre (M4).
    `pure_desert`: what a tile without oasis grants (M6). `bonus_after_miss`: a missed draw still allows the bonus turn
    (E13). `camel_supply`: whether the seats' first camels come out of the ten (S14). `rumour_placement`: whether a
    rumour once drawn must be placed (R2). `tax_without_symbols`: the tallest pays even where no symbol lies (S4).
    `stacks`: five, used up one after the other, or one (X6). `idle_rounds`: rounds without a draw or a tile that end
    the game (X7).
    """

    reading: Literal["dossier", "seed"] = "dossier"
    desert_border: bool = False
    white_ends_move: bool = False
    exclusive_tiles: bool = False
    pure_desert: Literal["move", "move_and_explore"] = "move"
    bonus_after_miss: bool = False
    camel_supply: Literal["beside_start", "in_all"] = "beside_start"
    rumour_placement: Literal["must", "may"] = "must"
    tax_without_symbols: bool = False
    stacks: Literal["five", "one"] = "five"
    idle_rounds: Annotated[int, Bounds(1, 20)] = 3


PRESETS: dict[str, dict[str, Json]] = {
    "seed": {
        "camel_supply": "in_all",
        "rumour_placement": "may",
        "tax_without_symbols": True,
        "stacks": "one",
        "idle_rounds": 10,
        "desert_border": False,
    }
}
