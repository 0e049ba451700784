"""What every ruleset must hold, held for this one."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from typing import Any, ClassVar

import pytest

from moveledger.rules.encoding import read_options
from moveledger.rules.shangrila import RULESET
from moveledger.rules.shangrila.actions import Journey, Pass, PlaceInitial, PlaceMaster, Recruit, Target
from moveledger.rules.shangrila.data import GUILDS, VILLAGES
from tests.rules.conformance import Conformance
from tests.rules.playouts import perft, play


class TestShangrila(Conformance):
    ruleset: ClassVar = RULESET
    bound = 600
    perft: ClassVar = {(3, 1): 84, (4, 1): 91, (3, 2): 6972, (4, 2): 8190}
    option_sets: ClassVar = (
        {},
        {"reading": "seed"},
        {"setup": "layout"},
        {"setup": "layout", "end": "no_bridge"},
        {"recruit": "two", "own_master_rule": "seed_literal"},
        {"setup_caps": False, "three_seats": "full"},
        {"three_seats": "full", "end": "no_bridge"},
    )


@pytest.mark.parametrize(
    ("reading", "seats", "depth", "expected"),
    [
        ("dossier", 3, 1, 64),
        ("dossier", 3, 2, 4081),
        ("dossier", 4, 1, 61),
        ("dossier", 4, 2, 3708),
        ("seed", 3, 1, 57),
        ("seed", 3, 2, 3234),
        ("seed", 4, 1, 54),
        ("seed", 4, 2, 2903),
    ],
)
def test_perft_counts_of_the_main_phase_are_as_recorded(reading: str, seats: int, depth: int, expected: int) -> None:
    options = read_options(RULESET, {"reading": reading, "setup": "layout"})
    assert perft(RULESET, options=options, seats=seats, depth=depth) == expected


def every_action() -> Iterator[Any]:
    """Every action that can be written down, pairs in the order in which they are listed."""
    targets = [Target(village, guild) for village, guild in product(VILLAGES, GUILDS)]
    yield from (PlaceInitial(target.village, target.guild) for target in targets)
    yield from (PlaceMaster(target.village, target.guild) for target in targets)
    yield from (Recruit((target,)) for target in targets)
    yield from (Recruit(pair) for pair in combinations(targets, 2))
    yield from (Journey(start, to) for start, to in product(VILLAGES, VILLAGES))
    yield Pass()


@pytest.mark.parametrize("reading", ["dossier", "seed"])
@pytest.mark.parametrize("seats", [3, 4])
def test_the_list_holds_exactly_what_the_check_lets_pass(reading: str, seats: int) -> None:
    options = read_options(RULESET, {"reading": reading})
    everything = list(every_action())
    steps = list(play(RULESET, options=options, seats=seats, seed=seats, bound=600))
    for step in [*steps[::9], *steps[-3:]]:
        state = step.before
        legal = RULESET.legal(state, state.turn)
        assert list(legal) == [action for action in everything if action in legal]
