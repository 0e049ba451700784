"""Stored games under another version of their rules: which would differ, and from which event on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NoReturn
from uuid import uuid4

import pytest

from moveledger.errors import InvalidInput, UnknownRuleset
from moveledger.rules.registry import load_rulesets
from moveledger.services.releases import (
    RulesDifference,
    check_against,
    find_difference,
    games_under,
    require_comparable,
)
from moveledger.services.rulings import Abort, Adjudicate, Annul, RemoveSeat, Rewind
from moveledger.store.trails import count_rule_checks, forget_rule_checks, rule_differences
from tests.house import House
from tests.playing import CLOSED_HANDS, SHANGRILA
from tests.services.refereed import RefereedTable, refereed

SAME, OTHER, BROKEN = "closed_hands@2", "closed_hands@3", "closed_hands@4"
NEXT = Path(__file__).parents[1] / "next_version"


@pytest.fixture
def next_versions(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Later versions of closed hands, installed."""
    monkeypatch.syspath_prepend(str(NEXT))
    load_rulesets.cache_clear()
    yield
    load_rulesets.cache_clear()


pytestmark = pytest.mark.usefixtures("next_versions")


def first_choice_of_round(table: RefereedTable, number: int) -> int:
    """The first event after which a seat chooses in a round."""
    return next(game.version for game in table.standings() if game.awaited and game.state.round == number)


def test_versions_of_one_game_are_compared_and_of_different_games_not() -> None:
    require_comparable(CLOSED_HANDS, SAME)
    with pytest.raises(InvalidInput):
        require_comparable(CLOSED_HANDS, SHANGRILA)
    with pytest.raises(UnknownRuleset):
        require_comparable(CLOSED_HANDS, "closed_hands@9")


def all_kinds(house: House) -> list[RefereedTable]:
    """Games that ended in every way there is, and running ones, with all that can happen to one."""
    opened = refereed(house, CLOSED_HANDS, 2, named=False)
    running, finished, left, aborted, adjudicated, annulled, rewound = (
        refereed(house, CLOSED_HANDS, 3, seed=seed, options={"rounds": 3}) for seed in range(7)
    )
    running.act(4)
    finished.act(99)
    left.act(2).resign(1)
    left.act(1).rule(RemoveSeat(0))
    aborted.act(3).rule(Abort())
    adjudicated.act(4).rule(Adjudicate((2, 1, 3), (1, 2, 0)))
    annulled.act(99).rule(Annul())
    rewound.act(5).rule(Rewind(rewound.choices()[1], redraw=True))
    rewound.act(2).rule(Rewind(rewound.choices()[-1], redraw=True))
    forks = [finished.fork(finished.choices()[0]).act(99), aborted.fork(aborted.choices()[1]).act(1)]
    forks.append(forks[0].fork(forks[0].choices()[-1]).act(2))
    return [opened, running, finished, left, aborted, adjudicated, annulled, rewound.act(99), *forks]


def test_no_game_differs_under_a_version_that_plays_alike(house: House) -> None:
    for table in all_kinds(house):
        assert find_difference(table.tools, table.game_id, SAME) is None


def test_a_game_differs_from_the_first_event_after_which_the_other_rule_holds(house: House) -> None:
    table = refereed(house, CLOSED_HANDS, 3, options={"rounds": 3}).act(99)
    found = find_difference(table.tools, table.game_id, OTHER)
    assert found == RulesDifference(first_choice_of_round(table, 2), "seat 0 has other legal moves")


def test_games_that_never_come_to_the_other_rule_do_not_differ(house: House) -> None:
    short = refereed(house, CLOSED_HANDS, 3, options={"rounds": 1}).act(99)
    young = refereed(house, CLOSED_HANDS, 3, options={"rounds": 3}).act(1)
    for table in (short, young):
        assert find_difference(table.tools, table.game_id, OTHER) is None


def test_a_fork_differs_when_its_parent_would_have_at_that_point(house: House) -> None:
    table = refereed(house, CLOSED_HANDS, 2, options={"rounds": 3}).act(99)
    before, after = first_choice_of_round(table, 1), first_choice_of_round(table, 2)
    assert find_difference(table.tools, table.fork(before).game_id, OTHER) is None
    found = find_difference(table.tools, table.fork(after).game_id, OTHER)
    assert found is not None
    assert "legal moves" in found.detail


def test_rules_that_break_are_a_difference_where_they_break(house: House) -> None:
    table = refereed(house, CLOSED_HANDS, 2, options={"rounds": 2}).act(99)
    found = find_difference(table.tools, table.game_id, BROKEN)
    assert found is not None
    assert "AssertionError" in found.detail
    starts = next(game.version for game in table.standings() if game.status == "running" and game.state.round == 2)
    assert found.seq == starts + 1


def test_a_view_that_breaks_is_a_difference_too(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> NoReturn:
        raise KeyError("hand")

    rulesets = dict(load_rulesets())
    rulesets[SAME] = replace(rulesets[SAME], view=broken)
    monkeypatch.setattr("moveledger.rules.registry.load_rulesets", lambda: rulesets)
    table = refereed(house, CLOSED_HANDS, 2)
    assert find_difference(table.tools, table.game_id, SAME) == RulesDifference(
        1, "cannot be compared: KeyError: 'hand'"
    )


def test_rewinds_of_rewinds_cost_no_more_than_the_events_there_are(house: House) -> None:
    table = refereed(house, CLOSED_HANDS, 2, options={"rounds": 5})
    for _ in range(25):
        to = table.game.version
        table.act(1).rule(Rewind(to, redraw=True))
    assert find_difference(table.tools, table.game_id, SAME) is None


def test_the_games_of_a_ruleset_are_found_and_no_others(house: House) -> None:
    mine, other = refereed(house, CLOSED_HANDS, 2).game_id, refereed(house, SHANGRILA, 3).game_id
    found = games_under(house.tools, CLOSED_HANDS)
    assert mine in found
    assert other not in found
    assert games_under(house.tools, CLOSED_HANDS, [mine]) == [mine]
    with pytest.raises(InvalidInput, match=str(other)):
        games_under(house.tools, CLOSED_HANDS, [mine, other])


def test_a_job_keeps_what_it_found_for_each_game_and_twice_does_no_harm(house: House, worker: House) -> None:
    run_id = uuid4()
    long = refereed(house, CLOSED_HANDS, 2, options={"rounds": 2}).act(99)
    short = refereed(house, CLOSED_HANDS, 2, options={"rounds": 1}).act(99)
    for _ in range(2):
        check_against(worker.tools, run_id, [long.game_id, short.game_id], OTHER)
    with worker.tools.database.connection() as connection:
        assert count_rule_checks(connection, run_id) == 2
        assert [found[:2] for found in rule_differences(connection, run_id)] == [
            (long.game_id, first_choice_of_round(long, 2))
        ]
        forget_rule_checks(connection, run_id)
        assert count_rule_checks(connection, run_id) == 0
