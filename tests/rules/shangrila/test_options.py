"""The options, one by one and as the preset of the seed reading."""

from __future__ import annotations

from typing import Any

import pytest

from moveledger.errors import MalformedValue
from moveledger.rules.encoding import read_options
from moveledger.rules.shangrila import RULESET
from moveledger.rules.shangrila.opening import open_game
from moveledger.rules.shangrila.options import Options
from tests.rules.playouts import play


@pytest.mark.cites("1", "5", "29", "40", "X2")
def test_the_seed_reading_sets_its_whole_column() -> None:
    assert read_options(RULESET, {"reading": "seed"}) == Options(
        reading="seed",
        setup="free",
        recruit="two",
        own_master_rule="seed_literal",
        setup_caps=False,
        three_seats="full",
        end="no_bridge",
    )


def test_a_single_option_wins_over_the_reading() -> None:
    options = read_options(RULESET, {"reading": "seed", "end": "two_open", "setup_caps": True})
    assert (options.end, options.setup_caps, options.recruit) == ("two_open", True, "two")


def test_the_long_reading_can_be_named() -> None:
    assert read_options(RULESET, {"reading": "dossier"}) == Options()


@pytest.mark.parametrize("given", [{"recruit": "three"}, {"end": 2}, {"setup_caps": "no"}, {"colour": "red"}])
def test_other_values_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(MalformedValue):
        read_options(RULESET, given)


def test_no_option_brings_in_chance() -> None:
    for given in ({}, {"reading": "seed"}, {"setup": "layout"}):
        options = read_options(RULESET, given)
        assert [RULESET.draws(options, seats) for seats in RULESET.seats] == [0, 0]


@pytest.mark.parametrize("seats", [3, 4])
@pytest.mark.parametrize("reading", ["dossier", "seed"])
def test_games_of_both_readings_end(reading: str, seats: int) -> None:
    options = read_options(RULESET, {"reading": reading})
    for seed in range(10):
        last = list(play(RULESET, options=options, seats=seats, seed=seed, bound=600))[-1].after
        assert last.ended in ({"two_open", "deadlock"} if reading == "dossier" else {"no_bridge", "deadlock"})


@pytest.mark.cites("40")
def test_with_four_seats_the_whole_map_is_in_play_whatever_three_would_do() -> None:
    for given in ("reduced", "full"):
        assert len(open_game(read_options(RULESET, {"three_seats": given}), 4).bridges) == 23
