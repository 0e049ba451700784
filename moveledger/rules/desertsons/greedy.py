"""A bot."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from moveledger.rules.kernel import View


def greedy(view: View, seat: int, actions: Sequence[Mapping[str, Any]], pick: Callable[[int], int]) -> int:
    return pick(len(actions))
