"""New masters and students: where they may be laid, and how many tiles it takes."""

from __future__ import annotations

import pytest

from moveledger.rules.kernel import Move
from moveledger.rules.shangrila import RULESET
from moveledger.rules.shangrila.actions import Pass, Recruit
from moveledger.rules.shangrila.apply import apply
from tests.rules.shangrila.positions import (
    BLUE,
    RED,
    VIOLET,
    YELLOW,
    allowed,
    journey,
    listed,
    master,
    play,
    position,
    recruit,
    refusal,
    supply,
    text_of,
)


def test_a_new_master_needs_company_of_its_own_and_an_empty_space() -> None:
    state = position({1: "healer R, yeti B", 2: "healer B"})
    assert refusal(state, master(2, "yeti")) == "no_own_master"
    assert refusal(state, master(4, "yeti")) == "no_own_master"
    assert refusal(state, master(1, "yeti")) == "slot_taken"
    after = play(state, master(1, "dragon"))
    assert text_of(after, 1) == "dragon R, healer R, yeti B"
    assert supply(after, RED, "dragon") == 5


@pytest.mark.cites("5")
def test_one_student_or_two_may_be_taken_on_but_not_none_and_not_three() -> None:
    state = position({1: "healer R, yeti R, dragon R"})
    assert text_of(play(state, recruit((1, "yeti"))), 1) == "dragon R, healer R, yeti R+"
    assert text_of(play(state, recruit((1, "yeti"), (1, "dragon"))), 1) == "dragon R+, healer R, yeti R+"
    assert refusal(state, Recruit(())) == "no_targets"
    assert refusal(state, recruit((1, "healer"), (1, "yeti"), (1, "dragon"))) == "too_many_targets"


@pytest.mark.cites("5")
def test_read_literally_one_student_is_too_few_where_two_are_possible() -> None:
    state = position({1: "healer R, yeti R"}, recruit="two")
    assert refusal(state, recruit((1, "healer"))) == "two_students_required"
    assert allowed(state, recruit((1, "healer"), (1, "yeti")))
    assert [len(action.targets) for action in listed(state) if isinstance(action, Recruit)] == [2]
    single = position({1: "healer R, yeti R+, dragon B"}, recruit="two")
    assert allowed(single, recruit((1, "healer")))


@pytest.mark.cites("5", "6")
def test_two_are_not_possible_where_the_supply_has_one_tile_for_both() -> None:
    one_left = position({7: "healer R", 12: "healer R+", 13: "healer R", 2: "healer R"}, recruit="two")
    assert supply(one_left, RED, "healer") == 1
    assert allowed(one_left, recruit((7, "healer")))
    assert refusal(one_left, recruit((7, "healer"), (13, "healer"))) == "supply_empty"


@pytest.mark.cites("6")
def test_two_students_may_be_in_one_village_or_two_and_of_one_guild_if_there_are_two_tiles() -> None:
    state = position({1: "healer R, yeti R", 2: "healer R"})
    assert allowed(state, recruit((1, "healer"), (1, "yeti")))
    assert allowed(state, recruit((1, "yeti"), (2, "healer")))
    after = play(state, recruit((1, "healer"), (2, "healer")))
    assert supply(after, RED, "healer") == 2
    scarce = position({1: "healer R", 2: "healer R", 4: "healer R+", 5: "healer R"})
    assert supply(scarce, RED, "healer") == 1
    assert refusal(scarce, recruit((1, "healer"), (2, "healer"))) == "supply_empty"
    assert allowed(scarce, recruit((1, "healer")))


@pytest.mark.cites("7")
def test_a_student_needs_a_master_of_its_own_colour() -> None:
    state = position({1: "healer R, yeti B"})
    assert refusal(state, recruit((1, "yeti"))) == "not_your_master"
    assert refusal(state, recruit((1, "healer"), (1, "yeti"))) == "not_your_master"
    assert refusal(state, recruit((1, "dragon"))) == "no_master_there"


@pytest.mark.cites("8")
def test_a_master_has_one_student_at_most() -> None:
    state = position({1: "healer R+, yeti R"})
    assert refusal(state, recruit((1, "healer"))) == "already_has_student"
    assert refusal(state, recruit((1, "yeti"), (1, "healer"))) == "already_has_student"
    assert refusal(state, recruit((1, "yeti"), (1, "yeti"))) == "duplicate_target"


@pytest.mark.cites("X7")
def test_a_pair_is_listed_once_and_taken_in_either_order() -> None:
    state = position({1: "healer R, yeti R", 2: "astrologer R"})
    one, other = recruit((1, "healer"), (2, "astrologer")), recruit((2, "astrologer"), (1, "healer"))
    assert one in listed(state)
    assert other not in listed(state)
    assert other in RULESET.legal(state, RED)
    assert apply(state, Move(RED, one)) == apply(state, Move(RED, other))


@pytest.mark.cites("17")
def test_no_action_takes_tiles_back() -> None:
    assert [action.type for action in RULESET.actions] == [
        "place_initial",
        "place_master",
        "recruit",
        "journey",
        "pass",
    ]
    state = position({1: "healer R, yeti R+", 2: "healer R, yeti R+"})
    for action in listed(state):
        after = play(state, action)
        if action.type != "journey":
            assert sum(map(sum, after.supply)) < sum(map(sum, state.supply))


@pytest.mark.cites("36")
def test_a_seat_has_six_tiles_of_a_guild_students_among_them() -> None:
    state = position({1: "healer R+", 2: "healer R+", 4: "healer R, yeti R", 5: "yeti R"})
    assert supply(state, RED, "healer") == 1
    after = play(state, master(5, "healer"))
    assert supply(after, RED, "healer") == 0
    again = apply(apply(apply(after, Move(BLUE, Pass())), Move(YELLOW, Pass())), Move(VIOLET, Pass()))
    assert refusal(again, recruit((4, "healer"))) == "supply_empty"
    assert refusal(again, recruit((4, "yeti"), (4, "healer"))) == "supply_empty"
    assert refusal(position({1: "healer R+", 2: "healer R+", 4: "healer R+", 5: "yeti R"}), master(5, "healer")) == (
        "supply_empty"
    )


@pytest.mark.cites("42")
def test_a_turn_is_one_action_and_nobody_acts_out_of_turn() -> None:
    state = position({1: "healer R+, yeti R", 2: "healer B, yeti B"})
    assert refusal(state, master(2, "dragon"), BLUE) == "not_your_turn"
    after = play(state, master(1, "dragon"))
    assert after.turn == BLUE
    assert refusal(after, journey(1, 2), RED) == "not_your_turn"
    assert listed(after, RED) == []


def test_what_is_no_action_is_refused() -> None:
    state = position({1: "healer R"})
    assert refusal(state, "anything") == "unknown_action"


def test_a_number_beyond_the_map_is_refused_as_any_other() -> None:
    state = position({1: "healer R+"})
    assert refusal(state, master(99, "healer")) == "village_not_in_play"
    assert refusal(state, recruit((0, "healer"))) == "village_not_in_play"
    assert refusal(state, journey(1, 99)) == "no_bridge"
    assert refusal(state, journey(-1, 1)) == "no_bridge"
