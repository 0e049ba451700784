"""Refusals: whatever can be decoded is refused with a code of this game, and each code is on the rules page."""

from __future__ import annotations

import ast
import itertools
import random
from pathlib import Path

import pytest

import moveledger.rules.tiwanaku as package
from moveledger.errors import IllegalMove, MalformedValue
from moveledger.rules.encoding import decode_action, encode, read_options
from moveledger.rules.kernel import Move, Seat
from moveledger.rules.tiwanaku import RULESET
from moveledger.rules.tiwanaku.actions import Divine, ExploreAdd, ExploreMove, ExploreRemove, Offer, Pass, Skip, Stop
from tests.rules import playouts
from tests.rules.tiwanaku.tables import begin, legal, refused

PAGE = Path(__file__).parents[3] / "docs" / "rules" / "tiwanaku.md"


def any_action(rng: random.Random) -> object:
    """An action of any kind, on the board or off it."""
    one, two = ((rng.randrange(5), rng.randrange(9)) for _ in range(2))
    kinds = tuple(rng.randrange(1, 6) for _ in range(rng.randrange(1, 6)))
    at_one = [ExploreAdd(one), ExploreRemove(one), Divine(one, rng.randrange(1, 6))]
    return rng.choice([ExploreMove(one, two), *at_one, Offer(kinds), Stop(), Skip(), Pass()])


@pytest.mark.parametrize("reading", ["dossier", "seed"])
def test_every_action_is_taken_exactly_when_it_is_listed(reading: str) -> None:
    rng = random.Random(8)
    tried = 0
    for seed, board in itertools.product(range(2), ("5x5", "5x9")):
        options = read_options(RULESET, {"reading": reading, "board": board, "stall_rounds": 2})
        for step in itertools.islice(playouts.play(RULESET, options=options, seats=3, seed=seed), 2, None, 3):
            listed = set(legal(step.before))
            seat = Seat(step.before.table.current)
            for action in [any_action(rng) for _ in range(40)]:
                tried += 1
                assert (action in RULESET.legal(step.before, seat)) == (action in listed)
                if action not in listed:
                    assert refused(step.before, action)
    assert tried > 2_000


def test_coordinates_off_every_board_and_unknown_kinds_never_leave_the_wire() -> None:
    for wrong in (
        {"type": "explore_add", "to": [5, 0]},
        {"type": "explore_add", "to": [0, 9]},
        {"type": "explore_add", "to": [-1, 0]},
        {"type": "explore_add", "to": [0]},
        {"type": "divine", "at": [0, 0], "value": 6},
        {"type": "offer", "kinds": []},
        {"type": "offer", "kinds": [0]},
        {"type": "offer", "kinds": [1, 2, 3, 4, 5, 1]},
        {"type": "harvest"},
    ):
        with pytest.raises(MalformedValue):
            decode_action(RULESET, wrong)


def test_actions_look_on_the_wire_as_the_page_says() -> None:
    actions = [
        ExploreMove((0, 2), (1, 2)), ExploreAdd((0, 0)), ExploreRemove((4, 4)), Divine((2, 2), 1), Stop(),
        Offer((1, 4)), Skip(), Pass(),
    ]  # fmt: skip
    assert [encode(action) for action in actions] == [
        {"type": "explore_move", "from": [0, 2], "to": [1, 2]},
        {"type": "explore_add", "to": [0, 0]},
        {"type": "explore_remove", "from": [4, 4]},
        {"type": "divine", "at": [2, 2], "value": 1},
        {"type": "stop"},
        {"type": "offer", "kinds": [1, 4]},
        {"type": "skip"},
        {"type": "pass"},
    ]


def test_what_is_no_action_is_refused_too() -> None:
    assert refused(begin(), "dance") == "unknown_action"
    assert refused(begin(), ExploreAdd((7, 2))) == "off_the_board"
    assert refused(begin(), ExploreRemove((0, -1))) == "off_the_board"
    with pytest.raises(IllegalMove):
        RULESET.apply(begin(), Move(Seat(9), Pass()))


def test_every_code_of_the_sources_is_on_the_rules_page_and_the_other_way_round() -> None:
    used = set()
    for path in Path(package.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                used |= codes_in(node)
    page = PAGE.read_text(encoding="utf-8")
    told = {line.split("`")[1] for line in page.splitlines() if line.startswith("| `tiwanaku.")}
    assert {f"tiwanaku.{code}" for code in used} == told


def codes_in(call: ast.Call) -> set[str]:
    name = call.func.id if isinstance(call.func, ast.Name) else ""
    texts = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    if name in ("_refuse", "IllegalMove"):
        return {texts[0].removeprefix("tiwanaku.")} if texts else set()
    return {texts[0]} if name == "_check_phase" else set()
