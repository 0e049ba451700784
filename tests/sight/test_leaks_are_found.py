"""The comparison finds what it is there for: each leak of `leaks` is planted, and found in the channel that it is in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.sight import leaks
from tests.sight.channels import COVERED, OF_SEATS
from tests.sight.comparing import compare_pair
from tests.sight.leaks import LEAKS, Leak
from tests.sight.pairs import RECIPES, Pair, make_pair
from tests.sight.tables import Stage

NOTHING_OF_A_STATE = {"rulings"}
"""The channel through which nothing is told to who may not rule."""

TRIES = 20
"""So many pairs may be played before one has what the leak tells."""


@pytest.mark.parametrize("leak", [pytest.param(leak, id=f"{leak.name} ({leak.where})") for leak in LEAKS])
def test_a_planted_leak_is_found(stage: Stage, monkeypatch: pytest.MonkeyPatch, leak: Leak) -> None:
    found: set[str] = set()
    for pair in pairs_for(leak):
        with monkeypatch.context() as patch:
            leak.plant(patch)
            found |= compare_pair(stage, pair, looks=1, until=leak.found_by).channels
        if leak.found_by in found:
            return
    pytest.fail(f"not found by {leak.found_by}, only by {found or 'nothing'}")


def pairs_for(leak: Leak) -> Iterator[Pair]:
    """Pairs of the leak's ruleset, those of a seat first where only a seat asks."""
    pairs = [make_pair(leak.ruleset, number) for number in range(TRIES)]
    yield from sorted(pairs, key=lambda pair: leak.found_by in OF_SEATS and pair.seat is None and not pair.alike)


@pytest.mark.parametrize("ruleset", RECIPES)
def test_where_no_leak_is_planted_none_is_found(stage: Stage, ruleset: str) -> None:
    report = compare_pair(stage, make_pair(ruleset, 0), looks=1)
    assert not report.differences


def test_the_table_in_the_docstring_has_every_leak() -> None:
    rows = [f"| {leak.name} | {leak.where} | {leak.found_by} |" for leak in LEAKS]
    assert leaks.__doc__
    assert leaks.__doc__.splitlines()[-len(rows) :] == rows


def test_the_page_on_trust_says_how_many_leaks_there_are() -> None:
    assert f"{len(LEAKS)} leaks" in (Path(__file__).parents[2] / "docs" / "trust.md").read_text(encoding="utf-8")


def test_every_ruleset_and_every_channel_has_a_leak() -> None:
    assert {leak.ruleset for leak in LEAKS} == set(RECIPES)
    told = {leak.found_by.partition(" ")[0] for leak in LEAKS}
    assert told >= {name.partition(" ")[0] for name in COVERED.values()} - NOTHING_OF_A_STATE
