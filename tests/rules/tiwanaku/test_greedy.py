"""The bot finishes every game and beats seats that move at random."""

from __future__ import annotations

import ast
import json
import random
from pathlib import Path
from typing import Any

import pytest

import moveledger.rules.tiwanaku as package
from moveledger.rules.encoding import canonical, encode, read_options
from moveledger.rules.kernel import Observer, Seat
from moveledger.rules.tiwanaku import RULESET
from tests.rules import playouts
from tests.rules.playouts import Choose


def table_of(bots: set[int], seed: int) -> Choose:
    """A choice for each seat: the bot for those in `bots`, chance for the others."""
    rng = random.Random(seed)

    def choose(state: Any, seat: Seat, actions: list[Any]) -> Any:
        if seat not in bots:
            return rng.choice(actions)
        assert RULESET.greedy is not None
        view = json.loads(canonical(RULESET.view(state, Observer(seat))))
        return actions[RULESET.greedy(view, seat, [encode(action) for action in actions], rng.randrange)]

    return choose


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize("given", [{}, {"reading": "seed"}])
def test_the_bot_beats_seats_that_move_at_random(seats: int, given: dict[str, str]) -> None:
    won = 0
    for seed in range(10):
        bot = seed % seats
        options = read_options(RULESET, given)
        *_, last = playouts.play(RULESET, options=options, seats=seats, seed=seed, choose=table_of({bot}, seed))
        outcome = RULESET.outcome(last.after)
        assert outcome is not None
        won += outcome.placings[bot] == 1
    assert won >= 9


@pytest.mark.parametrize("seats", [1, 2, 3, 4])
@pytest.mark.parametrize("given", [{"board": "5x9", "start": "hard"}, {"reading": "seed", "board": "5x7"}])
def test_bots_among_themselves_finish_their_games(seats: int, given: dict[str, str]) -> None:
    options = read_options(RULESET, given)
    *_, last = playouts.play(
        RULESET, options=options, seats=seats, seed=2, choose=table_of(set(range(seats)), 2), bound=600
    )  # fmt: skip
    assert RULESET.outcome(last.after) is not None


def test_the_bot_imports_no_state() -> None:
    tree = ast.parse(Path(package.__file__).with_name("greedy.py").read_text(encoding="utf-8"))
    modules = [node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert not any(name and name.endswith((".state", ".apply", ".board")) for name in modules)
