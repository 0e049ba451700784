"""The options of a game: where sources are silent or differ, each reading is a value (section "Options")."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from moveledger.rules.kernel import Json


@dataclass(frozen=True, slots=True)
class Options:
    """`reading` chooses a column of defaults; every other option may still be given beside it.

    `guards`: which kinds guard which (ruling R8d). `end_trigger`: when a seer on the trigger space ends the game
    (ruling R7). `unresolved_minimum`: who loses when bowls do not part those with the fewest (ruling R8).
    `final_tie`: what parts equal seers at the end (ruling R10). `cap_at_trigger`: whether dice carry a seer no
    farther than the trigger space (ruling R7a).
    """

    reading: Literal["dossier", "seed"] = "dossier"
    guards: Literal["pairs", "ring"] = "pairs"
    end_trigger: Literal["end_of_turn", "end_of_round", "immediate"] = "end_of_turn"
    unresolved_minimum: Literal["all", "none"] = "all"
    final_tie: Literal["shared", "bowls"] = "shared"
    cap_at_trigger: bool = False


PRESETS: Mapping[str, Mapping[str, Json]] = {
    "seed": {
        "guards": "ring",
        "end_trigger": "immediate",
        "unresolved_minimum": "none",
        "final_tie": "bowls",
        "cap_at_trigger": False,
    }
}
