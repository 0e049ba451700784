"""Pairs of games that differ only in what an observer may not know, by the tables of `docs/rules/*.md`.

The first game is made at random; the second repeats everything in it that the observer may know, and has other values
for what it may not: predictions, cards, numbers, rumours, the land that nobody has seen.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from moveledger.rules.kernel import Draw, Move
from tests.sight.scripts import Script, write_script
from tests.sight.twins import closed_hands, desertsons, santiiba, tiwanaku

Observer = int | None
"""A seat, or None: nobody in particular."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two games which are one to `seat`, and to everybody without a seat; with `alike` to all seats.

    With `rewinds` a referee rewinds both before the last look.
    """

    name: str
    rewinds: bool
    seat: Observer
    alike: bool
    one: Script
    two: Script

    @property
    def first_difference(self) -> int:
        """How many moves are made before the two differ."""
        made = 0
        for one, two in zip(self.one.steps, self.two.steps, strict=True):
            made += not isinstance(one.input, Draw)
            if one.after != two.after:
                break
        return made

    @property
    def sealed(self) -> int:
        """How many of the first game's events are sealed."""
        return sum(self.one.ruleset.audience(step.before, step.input) is not None for step in self.one.steps)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How pairs of one ruleset are made; every tenth one has `long` moves, where that is given."""

    ruleset: str
    option_sets: tuple[Mapping[str, Any], ...]
    seats: range
    moves: range
    write: Callable[..., Script] = write_script
    twin: Callable[[Script, Observer, random.Random], Script | None] = lambda script, *_: script
    alike: bool = False
    long: int | None = None
    leaves: float = 0.02


RECIPES = {
    recipe.ruleset.partition("@")[0]: recipe
    for recipe in (
        Recipe(
            "santiiba@1",
            ({}, {"reading": "seed"}, {"end_trigger": "end_of_round", "guards": "ring"}),
            range(2, 5),
            range(18, 40),
            twin=santiiba.twin,
        ),
        Recipe(
            "tiwanaku@1",
            ({}, {"reading": "seed"}, {"board": "5x9", "tile_totals": "hidden"}, {"board": "5x7", "start": "hard"}),
            range(1, 5),
            range(14, 36),
            write=tiwanaku.write,
            twin=tiwanaku.twin,
            alike=True,
        ),
        Recipe(
            "desertsons@1",
            (
                {"stacks": "one"},
                {"stacks": "one", "rumour_placement": "may"},
                {"stacks": "one", "desert_border": True, "pure_desert": "move_and_explore"},
            ),
            range(2, 5),
            range(26, 56),
            write=desertsons.write,
            twin=desertsons.twin,
            leaves=0.004,
            long=110,
        ),
        Recipe("closed_hands@1", ({"rounds": 3}, {"rounds": 5}), range(2, 5), range(5, 12), twin=closed_hands.twin),
    )
}


@cache
def make_pair(key: str, number: int) -> Pair:
    """The pair of that number: seats, options and observer go round, what is played comes from the number."""
    recipe, rng = RECIPES[key], random.Random(f"{key} {number}")
    seats = recipe.seats[number % len(recipe.seats)]
    observer = (None, *range(seats))[number // len(recipe.seats) % (seats + 1)]
    options = recipe.option_sets[rng.randrange(len(recipe.option_sets))]
    for _ in range(200):
        one = recipe.write(
            recipe.ruleset,
            seats=seats,
            options=options,
            moves=recipe.long if recipe.long and number % 10 == 4 else rng.choice(recipe.moves),
            rng=rng,
            leaves=recipe.leaves * (number % 2),
        )
        two = recipe.twin(one, observer, rng)
        if two is not None and any(a.after != b.after for a, b in zip(one.steps, two.steps, strict=True)):
            pair = Pair(f"{key} {number}", number % 3 == 2, observer, recipe.alike, one, two)
            _require_public_moves_alike(pair)
            return pair
    raise AssertionError(f"no second game to pair {key} {number}")


def _require_public_moves_alike(pair: Pair) -> None:
    """What the two may differ in is sealed: everything public is the same, and everything that is the seat's."""
    for one, two in zip(pair.one.steps, pair.two.steps, strict=True):
        audience = pair.one.ruleset.audience(one.before, one.input)
        assert audience == pair.two.ruleset.audience(two.before, two.input)
        if audience is None or (isinstance(one.input, Move) and one.input.seat == pair.seat):
            assert one.input == two.input
        assert pair.one.ruleset.awaiting(one.after) == pair.two.ruleset.awaiting(two.after)
