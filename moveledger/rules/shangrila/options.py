"""What can be chosen when a game is opened; the defaults are the long reading, `reading: "seed"` the short one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from moveledger.rules.kernel import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """The options of a game (rulings 1, 5, 29, 40, X2 to X4).

    `setup_caps` matters only with `setup: free`, `three_seats` only where three sit.
    """

    reading: Literal["dossier", "seed"] = "dossier"
    setup: Literal["free", "layout"] = "free"
    recruit: Literal["one_or_two", "two"] = "one_or_two"
    own_master_rule: Literal["stay", "seed_literal"] = "stay"
    setup_caps: bool = True
    three_seats: Literal["reduced", "full"] = "reduced"
    end: Literal["two_open", "no_bridge"] = "two_open"


PRESETS: Mapping[str, Mapping[str, Json]] = {
    "seed": {
        "recruit": "two",
        "own_master_rule": "seed_literal",
        "setup_caps": False,
        "three_seats": "full",
        "end": "no_bridge",
    }
}
