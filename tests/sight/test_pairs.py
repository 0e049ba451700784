"""The pairs themselves: what is played in them, and that they differ where they should and nowhere else."""

from __future__ import annotations

import pytest

from moveledger.rules.kernel import Leave, Move
from tests.sight.pairs import RECIPES, Pair, make_pair
from tests.sight.twins.desertsons import LONG

NUMBERS = range(20)
"""As many as are played by default."""


@pytest.fixture(params=RECIPES, scope="module")
def pairs(request: pytest.FixtureRequest) -> list[Pair]:
    """The pairs of one ruleset."""
    return [make_pair(request.param, number) for number in NUMBERS]


def test_the_two_games_differ_in_sealed_events_and_in_what_is_made_of_them(pairs: list[Pair]) -> None:
    for pair in pairs:
        differing = [
            (one, two) for one, two in zip(pair.one.steps, pair.two.steps, strict=True) if one.input != two.input
        ]
        assert differing
        for one, two in differing:
            for step in (one, two):
                audience = pair.one.ruleset.audience(step.before, step.input)
                assert audience is not None
                assert pair.seat not in audience


def test_every_observer_of_every_number_of_seats_has_a_pair(pairs: list[Pair]) -> None:
    looked = {(pair.one.seats, pair.seat) for pair in pairs}
    counts = {pair.one.seats for pair in pairs}
    assert counts == set(pairs[0].one.ruleset.seats)
    assert {(seats, seat) for seats in counts for seat in (None, *range(seats))} == looked


def test_seats_leave_in_some_of_them(pairs: list[Pair]) -> None:
    assert any(isinstance(move, Leave) for pair in pairs for move in pair.one.moves)


def test_every_kind_of_sealed_event_occurs(pairs: list[Pair]) -> None:
    ruleset = pairs[0].one.ruleset
    sealed = {
        step.input.action.type if isinstance(step.input, Move) else "draw"
        for pair in pairs
        for step in pair.one.steps
        if ruleset.audience(step.before, step.input) is not None
    }
    expected = {"santiiba": {"predict"}, "tiwanaku": {"draw"}, "desertsons": {"draw"}, "closed_hands": {"bid", "draw"}}
    assert sealed == expected[ruleset.key]


def test_rumours_that_lie_are_looked_at_in_long_games() -> None:
    long = [pair for pair in (make_pair("desertsons", number) for number in NUMBERS) if len(pair.one.moves) >= LONG]
    assert long
    assert all(any(step.after.phase == "decide" for step in pair.one.steps) for pair in long)
