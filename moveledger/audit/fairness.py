"""What the opening of a game commits to, so that its draws can be checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from moveledger.audit.event import hex_bytes
from moveledger.errors import MalformedValue
from moveledger.rules import chance

FIXED = "fixed"
"""The scheme of test games, whose client gives the draws."""
MAX_DRAWS = 1 << 20
"""More secrets than this are never committed to: a verifier has to make them all again."""


@dataclass(frozen=True, slots=True)
class Fairness:
    """What `opened` commits to: `draws` secrets under `root`, and the seed behind them.

    A `FIXED` game commits to nothing: both are empty, and `draws` is no bound that matters.
    """

    scheme: str
    seed_commitment: bytes
    root: bytes
    draws: int


def read_fairness(opened: Mapping[str, Any]) -> Fairness:
    """What the body of `opened` commits to. Raises `MalformedValue`, `KeyError` or `TypeError` when it cannot be read."""
    fair = opened["fairness"]
    match fair["scheme"]:
        case chance.SCHEME:
            draws = fair["draws"]
            if type(draws) is not int or not 1 <= draws <= MAX_DRAWS:
                raise MalformedValue("Expected the number of draws.", "/fairness/draws")
            return Fairness(chance.SCHEME, hex_bytes(fair, "seed_commitment"), hex_bytes(fair, "draws_root"), draws)
        case "fixed":
            return Fairness(FIXED, b"", b"", MAX_DRAWS)
        case scheme:
            raise MalformedValue(f"There is no scheme {scheme!r}.", "/fairness/scheme")
