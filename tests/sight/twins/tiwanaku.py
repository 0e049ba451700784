"""Tiwanaku: another land where nobody has been.

Nobody may know the draw of the board, so all observers see two such games as one. What the first game brings to light is
the same in the second; where tile totals are public they stay, the crops are any.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from moveledger.rules.kernel import Draw, Input, Seed
from moveledger.rules.tiwanaku.actions import Divine, ExploreAdd, ExploreRemove
from moveledger.rules.tiwanaku.board import Layout, lay_out
from moveledger.rules.tiwanaku.data import LETTERS, UNKNOWN
from moveledger.rules.tiwanaku.state import Land, State
from tests.sight.scripts import Script, answer_at_random, write_script

Seat = Any


def write(ruleset: str, *, options: Mapping[str, Any], rng: random.Random, **how: Any) -> Script:
    """A game in which the seats explore more than they take back, and guess now and then."""
    return write_script(ruleset, options=options, rng=rng, choose=choose, **how)


def choose(_: Any, __: Seat, actions: list[Any], rng: random.Random) -> Any:
    """Mostly onwards."""
    lively = [action for action in actions if not isinstance(action, ExploreRemove)]
    guesses = [action for action in lively if isinstance(action, Divine)]
    entries = [action for action in lively if isinstance(action, ExploreAdd)]
    few = rng.random()
    return rng.choice((guesses if few < 0.3 else entries if few < 0.6 else lively) or lively or actions)


def twin(script: Script, _: int | None, rng: random.Random) -> Script | None:
    """The same game on another board."""
    inputs: list[Input] = [step.input for step in script.steps]
    at = next(at for at, step in enumerate(script.steps) if step.before.table.phase == "board")
    laid = script.steps[at].after
    words = answer_at_random(None, Seed(256), rng)
    inputs[at] = Draw(words)
    return script.with_inputs(inputs, {words: _another(script, laid, script.steps[-1].after, rng)})


def _another(script: Script, laid: State, last: State, rng: random.Random) -> Layout:
    """A layout that agrees with the first game's on all that was brought to light in it."""
    first, seen, options = laid.board, last.table.land, last.table.options
    draw = next(step.input for step in script.steps if step.before.table.phase == "board")
    assert first is not None
    assert isinstance(draw, Draw)
    starts = lay_out(draw.values, options.board, options.start).starts
    bare = [at for at, letter in enumerate(seen.terrain) if letter == UNKNOWN]
    hidden = [first.terrain[at] for at in bare]
    if last.table.totals is None:
        hidden = rng.choices(LETTERS, k=len(bare))
    rng.shuffle(hidden)
    terrain = list(first.terrain)
    for at, letter in zip(bare, hidden, strict=True):
        terrain[at] = letter
    crops = "".join(one if one != UNKNOWN else rng.choice("12345") for one in seen.crops)
    return Layout(Land("".join(terrain), crops), starts)
