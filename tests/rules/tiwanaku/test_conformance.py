"""The laws of every ruleset, for Tiwanaku."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar

from moveledger.rules.kernel import AnyRuleset, Observer
from moveledger.rules.tiwanaku import RULESET
from moveledger.rules.tiwanaku.data import LETTERS, UNKNOWN
from moveledger.rules.tiwanaku.state import Land, State
from tests.rules.conformance import Conformance


class TestTiwanaku(Conformance):
    """The suite with this game's figures."""

    ruleset: ClassVar[AnyRuleset] = RULESET
    bound: ClassVar[int] = 1_500
    perft: ClassVar[Mapping[tuple[int, int], int]] = {(1, 2): 536, (2, 3): 8836, (3, 2): 339, (4, 3): 5661}
    option_sets: ClassVar[tuple[Mapping[str, Any], ...]] = (
        {},
        {"reading": "seed"},
        {"board": "5x9", "start": "logic"},
        {"board": "5x7", "start": "hard", "tile_totals": "hidden", "final_offers": "last"},
        {"board": "5x6", "entry": "then_move", "offer_after_removal": True, "stall_rounds": 1},
        {"board": "5x8", "final_rounds": "single", "start_score": 0, "stall_rounds": 2},
        {"reading": "seed", "board": "5x9", "final_rounds": "loop", "final_offers": "last", "stall_rounds": 2},
    )
    games: ClassVar[int] = 3

    def redeal(self, state: Any, observer: Observer, rng: random.Random) -> State:
        """Terrain and crops that nobody knows, anew; where the tile totals are public these stay."""
        assert isinstance(state, State)
        table, board = state.table, state.board
        if observer.referee or board is None or table.phase == "over":
            return state
        bare = [at for at, one in enumerate(table.land.terrain) if one == UNKNOWN]
        hidden = [board.terrain[at] for at in bare]
        rng.shuffle(hidden)
        if table.totals is None:
            hidden = rng.choices(LETTERS, k=len(bare))
        terrain = list(board.terrain)
        for at, letter in zip(bare, hidden, strict=True):
            terrain[at] = letter
        crops = "".join(one if one != UNKNOWN else rng.choice("12345") for one in table.land.crops)
        return replace(state, board=Land("".join(terrain), crops))
