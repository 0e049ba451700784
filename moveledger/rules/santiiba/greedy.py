"""A bot that weighs each step by what it may gain and lose. It reads its seat's view only.

It takes every closed crystal ball to be set to a kind with a chance that grows with the kind's normal reward, and
goes on while the next naming is worth more than the risk to its area.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from moveledger.rules.kernel import View


def greedy(view: View, seat: int, actions: Sequence[Mapping[str, Any]], pick: Callable[[int], int], /) -> int:
    """The index of the action that promises most; ties go to `pick`."""
    table = Table(view, seat)
    worths = [table.worth(action, pick) for action in actions]
    best = max(worths)
    ties = [at for at, worth in enumerate(worths) if worth > best - 1e-9]
    return ties[pick(len(ties))]


class Table:
    """What a seat sees, in the form in which the bot weighs it."""

    def __init__(self, view: View, seat: int) -> None:
        seen: Any = view
        self.seat, self.turn = seat, seen["turn"]
        self.seats = seen["seats"]
        self.kinds = {kind["id"]: kind for kind in seen["kinds"]}
        self.guards = seen["guards"]
        self.rivals = [other for other in self.seats if other["left"] is None and other["seat"] != seat]
        self.closed = [other for other in self.rivals if other["hit"] is None]
        lying = sum(self.kinds[kind]["value"] for kind in self.turn["area"]["cards"])
        self.area: float = self.turn["area"]["steps"] + lying

    # --- what things are worth ---

    def face(self, kind: str) -> int:
        """What the die of `kind` shows."""
        shown: int = self.turn["dice"][kind]
        return shown

    def card(self, kind: str) -> float:
        """A card's points, less for a kind that may be lost, more for a guard that saves others."""
        if not self.kinds[kind]["pile"]:
            return 0.0
        worth = float(self.kinds[kind]["value"])
        for guard in self.guards:
            if guard["guarded"] == kind and self._is_short_of(guard["guard"]):
                worth *= 0.6
            if guard["guard"] == kind:
                worth += 0.25 * self._at_stake(guard["guarded"]) * self._is_short_of(kind)
        return worth

    def _is_short_of(self, kind: str) -> bool:
        mine = self.seats[self.seat]["cards"][kind]
        return all(mine <= rival["cards"][kind] for rival in self.rivals)

    def _at_stake(self, kind: str) -> float:
        return float(self.seats[self.seat]["cards"][kind] * self.kinds[kind]["value"])

    def normal(self, kind: str) -> float:
        """The normal reward of a kind's die."""
        face = self.face(kind)
        return float(face) if face <= 3 else self.card(kind)

    def item(self, kind: str, item: str) -> float:
        """The worth of one of the two items of a kind."""
        return float(self.face(kind)) if item == "die" else self.card(kind)

    # --- what the others may have set ---

    def chances(self, named: Sequence[str]) -> Mapping[str, float]:
        """How likely a closed crystal ball shows each kind not yet named; flat, for many seats bluff."""
        weights = {kind: 4.0 + self.normal(kind) for kind in self.kinds if kind not in named}
        whole = sum(weights.values())
        return {kind: weight / whole for kind, weight in weights.items()}

    def next_naming(self, kind: str, named: Sequence[str], area: float) -> float:
        """What naming `kind` is expected to bring, with `area` at risk; a loss weighs more than a gain."""
        each = self.chances(named)[kind]
        closed = len(self.closed)
        bust = math.pow(each, closed) if closed else 0.0
        nobody = math.pow(1 - each, closed)
        free = max(self.item(kind, "die"), self.item(kind, "card")) - self.dread([*named, kind])
        gain = nobody * max(free, self.normal(kind)) + max(0.0, 1 - nobody - bust) * self.normal(kind)
        given = each * self.normal(kind) * closed / max(1, len(self.rivals))
        return gain - given - bust * (1.3 * area - 1.0)

    def dread(self, named: Sequence[str]) -> float:
        """What the duty to go on after a reverse take costs; nothing after the last naming."""
        if len(named) >= self.turn["max_named"]:
            return 0.0
        risk = math.pow(min(self.chances(named).values()), max(1, len(self.closed)))
        return 0.5 * (4.0 + self.area) * risk

    # --- each kind of action ---

    def worth(self, action: Mapping[str, Any], pick: Callable[[int], int]) -> float:
        """The worth of an action beside the others of its phase."""
        named = self.turn["named"]
        match action["type"]:
            case "predict":
                return self.normal(action["kind"]) + pick(100) / 100
            case "name":
                return self.next_naming(action["kind"], named, self.area) + pick(100) / 200
            case "take":
                return self.taking(action["item"])
            case _:
                return 0.5

    def taking(self, item: str) -> float:
        """The item's own worth, and what the best next naming is worth: freely chosen or by duty."""
        kind, named = self.turn["pending"], self.turn["named"]
        own = self.item(kind, item)
        if len(named) >= self.turn["max_named"]:
            return own
        rest = [other for other in self.kinds if other not in named]
        onward = max(self.next_naming(other, named, self.area + own) for other in rest)
        is_reverse = (item == "card") == (self.face(kind) <= 3)
        return own + (onward if is_reverse else max(0.0, onward))
