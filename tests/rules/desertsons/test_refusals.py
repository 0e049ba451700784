"""Refusals: who may act, what fits no phase, and the page's list of rule codes."""

from __future__ import annotations

import dataclasses
import random
import re
from pathlib import Path
from typing import Any

import pytest

from moveledger.rules.desertsons import RULESET, data
from moveledger.rules.desertsons import actions as act
from moveledger.rules.desertsons.state import State, chooser
from moveledger.rules.desertsons.turn import finish
from moveledger.rules.encoding import read_options
from moveledger.rules.kernel import Move, Seat
from tests.rules.desertsons.scenes import BEN, opened, refused
from tests.rules.playouts import play

ROOT = Path(__file__).parents[3]


def test_only_the_seat_whose_choice_it_is_acts() -> None:
    state = opened()
    assert refused(state, act.MoveCaravan(0), BEN) == "not_your_turn"
    assert refused(state, act.MoveCaravan(0), 7) == "not_your_turn"
    assert refused(state, act.EndTurn()) == "wrong_phase"
    assert refused(finish(state, "idle"), act.EndTurn(), 0) == "game_over"
    assert refused(RULESET.setup(state.options, 2), act.EndTurn(), 0) == "not_your_turn"


def wild(rng: random.Random) -> act.Action:
    """Any action that can be decoded, and some that cannot."""
    cell, rotation, slot = rng.randrange(-3, 130), rng.randrange(-1, 6), rng.randrange(-1, 5)
    bare: list[type[Any]] = [kind for kind in act.ACTIONS if not dataclasses.fields(kind)]
    choices: tuple[act.Action, ...] = (
        act.MoveCaravan(cell),
        act.LayOwn(slot, cell, rotation),
        act.TakeTile(rng.randrange(-1, 5), slot, cell, rotation),
        act.PlaceTile(cell, rotation),
        act.PlaceFigure(rng.randrange(-1, 20), slot),
        act.RemoveFigure(rng.randrange(-1, 20)),
        act.PickSymbol(rng.choice(data.SYMBOLS)),
        act.AssignRumour(rng.choice(data.GOODS)),
        act.PeekRumour(rng.choice(data.GOODS), slot),
        *(kind() for kind in bare),
    )
    return rng.choice(choices)


def test_whatever_is_tried_is_listed_or_refused_with_a_rule_code() -> None:
    rng = random.Random(3)
    states: list[State] = [
        step.before
        for seats in RULESET.seats
        for step in play(RULESET, options=read_options(RULESET, {"rumour_placement": "may"}), seats=seats, seed=4)
    ]
    for state in states:
        seat = chooser(state)
        if seat is None:
            continue
        listed = set(RULESET.legal(state, Seat(seat)))
        for action in (wild(rng) for _ in range(20)):
            if action in listed:
                RULESET.apply(state, Move(Seat(seat), action))
            else:
                assert refused(state, action)


@pytest.mark.parametrize("place", ["docs", "tests"])
def test_every_rule_code_is_on_the_page_and_met_by_a_test(place: str) -> None:
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "moveledger/rules/desertsons").glob("*.py"))
    raised = set(re.findall(r'refusal\(\s*"(\w+)"', sources))
    raised |= set(re.findall(r'\(?"(\w+_(?:empty|left|good))", f?"', sources))
    if place == "docs":
        page = (ROOT / "docs/rules/desertsons.md").read_text(encoding="utf-8")
        assert set(re.findall(r"`desertsons\.(\w+)`", page)) == raised
    else:
        tests = "".join(path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("test_*.py"))
        assert {code for code in raised if f'"{code}"' not in tests} == set()
