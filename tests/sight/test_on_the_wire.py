"""Two games that differ only in what an observer may not know give it the same answers, byte for byte, wherever it asks.

Every ruleset with hidden information is played in pairs over the API. `SIGHT_PAIRS` says how many pairs of each.
How long an answer takes is not compared: that needs a quiet machine, and is out of the scope of this suite.
"""

from __future__ import annotations

import os

import pytest

from moveledger.rules.registry import load_rulesets
from tests.sight.channels import COVERED, NOTHING_HIDDEN
from tests.sight.comparing import compare_pair
from tests.sight.pairs import RECIPES, make_pair
from tests.sight.tables import Stage

PAIRS = int(os.environ.get("SIGHT_PAIRS", "20"))


@pytest.mark.parametrize("number", range(PAIRS))
@pytest.mark.parametrize("ruleset", RECIPES)
def test_what_an_observer_may_not_know_changes_no_byte_of_what_it_is_answered(
    stage: Stage, ruleset: str, number: int
) -> None:
    report = compare_pair(stage, make_pair(ruleset, number))
    assert not report.differences, "\n".join(map(str, report.differences[:10]))
    assert report.referee_sees_two, "the two games do not differ"
    assert report.sealed, "nothing was sealed"


def test_every_ruleset_with_hidden_information_is_played_in_pairs() -> None:
    hidden = {ruleset.id for ruleset in load_rulesets().values() if ruleset.hidden}
    assert hidden == {recipe.ruleset for recipe in RECIPES.values()}


def test_every_path_under_a_game_is_a_channel_that_is_compared(stage: Stage) -> None:
    """A new way out of a game has to be asked in `channels`, or named there as one before anything is hidden."""
    paths = {path for path in stage.service.contract.document["paths"] if path.startswith("/v1/games")}
    assert paths == COVERED.keys() | NOTHING_HIDDEN
