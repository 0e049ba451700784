"""A bot that plays from what its seat sees: it counts which crops a space can grow and weighs points won and lost."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from moveledger.rules.kernel import View
from moveledger.rules.tiwanaku.data import FIGURES, TERRAINS
from moveledger.rules.tiwanaku.spaces import grid_of

Points = Fraction
Chances = Mapping[int, Points]
"""Chances by crop value; they add up to 1."""

FUTURE = Points(4, 5)
"""What a pawn on terrain that it may divine later is worth, beside the points of the discovery."""
NEW_KIND = Points(3, 2)
"""What an offering of a new kind is worth when it is gained."""
PATIENCE = Points(1, 2)
"""How much better exploring must be than divining to come first."""
LEAST_HOPE = Points(3, 2)
"""The least that a guess promises before the land is known."""


def greedy(view: View, seat: int, actions: Sequence[Mapping[str, Any]], pick: Callable[[int], int]) -> int:
    """The index of the action worth most; ties are drawn."""
    sight = _Sight(view, seat)
    worths = [sight.worth(action) for action in actions]
    best = max(worths)
    choices = [at for at, worth in enumerate(worths) if worth == best]
    return choices[pick(len(choices))]


class _Sight:
    """What a seat makes of its view. Spaces are numbered row by row."""

    def __init__(self, view: Any, seat: int) -> None:
        self.view = view
        self.me = view["seats"][seat]
        self.grid = grid_of(view["board"]["columns"])
        self.terrain = [view["letters"].get(letter) for letter in "".join(view["terrain"])]
        self.crops = [int(crop) if crop.isdigit() else None for crop in "".join(view["crops"])]
        self.chances: dict[int, Chances] = {}

    # --- actions ---

    def worth(self, action: Mapping[str, Any]) -> Points:
        """What an action promises."""
        match action["type"]:
            case "divine":
                return self.guess(self.space(action["at"]), action["value"]) + self.eagerness
            case "explore_move":
                origin = self.space(action["from"])
                return self.stop_on(self.space(action["to"])) - self.hope(origin) * PATIENCE + self.entering(origin)
            case "explore_add":
                return self.stop_on(self.space(action["to"])) + Points(1, 4)
            case "explore_remove":
                return Points(-1) - self.hope(self.space(action["from"]))
            case "offer":
                return self.offering(action["kinds"])
            case "stop" if self.view["phase"] == "entered":
                return self.stop_on(self.space(self.view["entered"]))
            case _:
                return Points(0)

    @property
    def eagerness(self) -> Points:
        """In a turn that could explore, a guess must promise enough to be worth the turn."""
        return Points(0) if self.view["phase"] != "action" else PATIENCE - LEAST_HOPE + self.more_guesses

    @cached_property
    def more_guesses(self) -> Points:
        """What the guesses after the first promise."""
        pawns = [self.space(at) for at in self.me["pawns"]]
        return sum(sorted((self.hope(pawn) for pawn in pawns), reverse=True)[1:], Points(0))

    def entering(self, origin: int) -> Points:
        """What the pawn that entered finds where it is, if another one moves."""
        entered = self.view["entered"]
        return Points(0) if entered is None or self.space(entered) == origin else self.stop_on(self.space(entered))

    def offering(self, kinds: Sequence[int]) -> Points:
        """Offerings wait until they are complete, or until the end."""
        points = Points(FIGURES.offer_points[len(kinds)])
        return points if len(kinds) == 5 or self.view["phase"] == "final_offer" else Points(-1)

    # --- spaces ---

    def space(self, at: Sequence[int]) -> int:
        """The number of a space."""
        return at[0] * self.grid.columns + at[1]

    def stop_on(self, space: int) -> Points:
        """What it promises to stop on a space."""
        if self.terrain[space] is None:
            return self.discovery(space) + FUTURE
        return self.hope(space) * PATIENCE

    def discovery(self, space: int) -> Points:
        """The points to expect from a discovery."""
        shares = {kind: self.share(kind, space) for kind in TERRAINS}
        total = sum(shares.values()) or 1
        levels = list(self.me["diversity"].values())
        return sum(
            (
                Points(shares[kind], total) * (1 + levels.count(self.me["diversity"][kind] + 1))
                for kind in TERRAINS
                if shares[kind]
            ),
            Points(0),
        )

    def share(self, kind: str, space: int) -> int:
        """How likely a terrain is on a space: by tiles left, and by the regions beside that want to grow."""
        left = self.view["tiles_left"]
        tiles: int = 1 if left is None else left[kind]
        region = {one for near in self.grid.beside[space] if self.terrain[near] == kind for one in self.region(near)}
        if len(region) >= 5:
            return 0
        return tiles * (3 if region else 1)

    # --- crops ---

    def hope(self, space: int) -> Points:
        """The best that a guess on a space promises, at least 0."""
        if self.terrain[space] is None or self.crops[space] is not None:
            return Points(0)
        return max(Points(0), *(self.guess(space, value) for value in range(1, 6)))

    def guess(self, space: int, value: int) -> Points:
        """What it promises to say a value for a space."""
        chances = self.chances_on(space)
        chance = chances.get(value, Points(0))
        gain = value + (NEW_KIND if value not in self.me["offerings"] else 0)
        return chance * gain - sum((p * crop for crop, p in chances.items() if crop != value), Points(0))

    def chances_on(self, space: int) -> Chances:
        """The share of each crop on a space among all ways to grow its region as far as it is known."""
        if space not in self.chances:
            counts: dict[int, int] = {}
            for grown in self.ways(space):
                counts[grown[space]] = counts.get(grown[space], 0) + 1
            total = sum(counts.values())
            self.chances[space] = {crop: Points(count, total) for crop, count in counts.items()}
        return self.chances[space]

    def ways(self, space: int) -> Iterator[dict[int, int]]:
        """The crops that the bare spaces of a region can grow together."""
        region = self.region(space)
        used = {self.crops[one] for one in region}
        bare = [one for one in sorted(region) if self.crops[one] is None]
        most = len(region) if self.is_closed(region) else 5
        options = {
            one: [
                crop
                for crop in range(1, most + 1)
                if crop not in used and all(self.crops[near] != crop for near in self.grid.around[one])
            ]
            for one in bare
        }
        yield from _distinct(bare, options, {})

    def region(self, space: int) -> frozenset[int]:
        """The spaces known to be in the region of a space."""
        region, ahead = {space}, [space]
        while ahead:
            for near in self.grid.beside[ahead.pop()]:
                if near not in region and self.terrain[near] == self.terrain[space]:
                    region.add(near)
                    ahead.append(near)
        return frozenset(region)

    def is_closed(self, region: frozenset[int]) -> bool:
        """Whether a region can grow no more."""
        return len(region) == 5 or all(
            self.terrain[near] is not None for one in region for near in self.grid.beside[one]
        )


def _distinct(
    left: Sequence[int], options: Mapping[int, Sequence[int]], grown: Mapping[int, int]
) -> Iterator[dict[int, int]]:
    """All ways to give each space one of its options, each option once."""
    if not left:
        yield dict(grown)
        return
    for crop in options[left[0]]:
        if crop not in grown.values():
            yield from _distinct(left[1:], options, {**grown, left[0]: crop})
