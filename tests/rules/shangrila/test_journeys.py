"""Journeys: who is stronger, what becomes of each traveller, and what the bridge leaves behind."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from moveledger.rules.kernel import Move
from moveledger.rules.shangrila.apply import apply
from moveledger.rules.shangrila.state import JourneyReport, State, Strength, open_villages, score_of, strength
from tests.rules.shangrila.positions import (
    BLUE,
    RED,
    allowed,
    journey,
    listed,
    master,
    play,
    position,
    recruit,
    refusal,
    returned,
    supply,
    text_of,
)


class Example(NamedTuple):
    """A journey from village 1 to village 2 with all bridges standing, and what it leaves."""

    source: str
    destination: str
    stronger: bool
    source_after: str
    destination_after: str
    returned: dict[str, int]


SOURCE_B = "astrologer R+, dragon B+, firekeeper R+, healer Y+, rainmaker B+"
DESTINATION_B = "astrologer B+, dragon B, firekeeper Y, healer Y+, yeti R"

EXAMPLES = {
    "A": Example(
        source="astrologer R+, healer B+, rainmaker R+",
        destination="astrologer B+, firekeeper Y+, healer R, yeti B+",
        stronger=False,
        source_after="astrologer R, healer B, rainmaker R",
        destination_after="astrologer B+, firekeeper Y+, healer R, rainmaker R, yeti B+",
        returned={"astrologer R": 1, "healer B": 1},
    ),
    "B": Example(
        source=SOURCE_B,
        destination=DESTINATION_B,
        stronger=True,
        source_after="astrologer R, dragon B, firekeeper R, healer Y, rainmaker B",
        destination_after="astrologer R, dragon B+, firekeeper R, healer Y+, rainmaker B, yeti R",
        returned={"astrologer B": 2, "firekeeper Y": 1, "healer Y": 1},
    ),
    "C1": Example(
        source="healer R+, yeti B",
        destination="healer B+, priest Y",
        stronger=False,
        source_after="healer R, yeti B",
        destination_after="healer B+, priest Y",
        returned={"healer R": 1},
    ),
    "C2": Example(
        source="healer R+, priest B, rainmaker R, yeti B",
        destination="astrologer Y+, firekeeper B, healer B+",
        stronger=True,
        source_after="healer R, priest B, rainmaker R, yeti B",
        destination_after="astrologer Y+, firekeeper B, healer R",
        returned={"healer B": 2},
    ),
    "C3": Example(
        source="astrologer Y+, healer R+",
        destination="dragon Y, firekeeper B, healer B, rainmaker R",
        stronger=False,
        source_after="astrologer Y, healer R",
        destination_after="astrologer Y, dragon Y, firekeeper B, healer B, rainmaker R",
        returned={"healer R": 1},
    ),
}


def report_of(state: State) -> JourneyReport:
    assert state.last_journey is not None
    return state.last_journey


def after_journey(source: str, destination: str, **options: Any) -> tuple[State, State]:
    before = position({1: source, 2: destination}, **options)
    return before, play(before, journey(1, 2))


def check(example: Example) -> State:
    before, after = after_journey(example.source, example.destination)
    assert report_of(after).source_is_stronger is example.stronger
    assert text_of(after, 1) == example.source_after
    assert text_of(after, 2) == example.destination_after
    assert returned(before, after) == example.returned
    assert refusal(after, journey(1, 2), after.turn) == "no_bridge"
    return after


@pytest.mark.cites("A")
def test_a_stronger_destination_takes_in_only_those_who_find_an_empty_space() -> None:
    after = check(EXAMPLES["A"])
    assert report_of(after).source == Strength(6, 3)
    assert report_of(after).destination == Strength(7, 4)
    assert strength(after, 1) == Strength(3, 3)
    assert strength(after, 2) == Strength(8, 5)


@pytest.mark.cites("B")
def test_from_a_stronger_source_travellers_oust_others_and_join_their_own() -> None:
    after = check(EXAMPLES["B"])
    assert report_of(after).source == Strength(10, 5)
    assert report_of(after).destination == Strength(7, 5)
    assert strength(after, 1) == Strength(5, 5)
    assert strength(after, 2) == Strength(8, 6)


@pytest.mark.cites("B2", "1")
def test_read_literally_travellers_oust_their_own_masters_too() -> None:
    before, after = after_journey(SOURCE_B, DESTINATION_B, own_master_rule="seed_literal")
    assert text_of(after, 2) == "astrologer R, dragon B, firekeeper R, healer Y, rainmaker B, yeti R"
    assert strength(after, 2) == Strength(6, 6)
    assert returned(before, after) == {"astrologer B": 2, "dragon B": 1, "firekeeper Y": 1, "healer Y": 2}


@pytest.mark.cites("C1")
def test_with_equal_strength_the_destination_counts_as_stronger() -> None:
    after = check(EXAMPLES["C1"])
    assert report_of(after).source == report_of(after).destination == Strength(3, 2)
    assert (strength(after, 1), strength(after, 2)) == (Strength(2, 2), Strength(3, 2))


@pytest.mark.cites("C2")
def test_with_equal_tiles_the_source_is_stronger_by_more_masters() -> None:
    after = check(EXAMPLES["C2"])
    assert (report_of(after).source, report_of(after).destination) == (Strength(5, 4), Strength(5, 3))
    assert strength(after, 2) == Strength(4, 3)


@pytest.mark.cites("C3")
def test_with_equal_tiles_the_destination_is_stronger_by_more_masters() -> None:
    after = check(EXAMPLES["C3"])
    assert (report_of(after).source, report_of(after).destination) == (Strength(4, 2), Strength(4, 4))
    assert strength(after, 2) == Strength(5, 5)


@pytest.mark.cites("1")
def test_an_own_master_stays_and_takes_the_traveller_as_its_student() -> None:
    before, after = after_journey("healer R+, yeti R", "healer R")
    assert text_of(after, 2) == "healer R+"
    assert returned(before, after) == {}
    assert report_of(after).fates[0].kind == "joined"


@pytest.mark.cites("1", "37")
def test_an_own_master_with_a_student_stays_and_one_tile_returns_to_its_owner() -> None:
    before, after = after_journey("healer R+, yeti R", "healer R+")
    assert text_of(after, 2) == "healer R+"
    assert returned(before, after) == {"healer R": 1}
    assert report_of(after).fates[0].kind == "slot_full"


@pytest.mark.cites("2")
def test_in_a_stronger_destination_a_traveller_does_not_join_its_own_master() -> None:
    before, after = after_journey("healer R+", "healer R, yeti B, dragon B")
    assert text_of(after, 2) == "dragon B, healer R, yeti B"
    assert returned(before, after) == {"healer R": 1}
    assert report_of(after).fates[0].kind == "turned_away"


@pytest.mark.cites("3")
def test_strengths_are_taken_before_anyone_moves_and_not_again() -> None:
    before, after = after_journey("healer R+, yeti R+", "healer B, yeti Y, dragon B")
    assert report_of(after).source == Strength(4, 2)
    assert text_of(after, 2) == "dragon B, healer R, yeti R"
    assert returned(before, after) == {"healer B": 1, "yeti Y": 1}


@pytest.mark.cites("4")
def test_travelling_students_count_for_the_source() -> None:
    before, after = after_journey("healer R+", "healer B")
    assert report_of(after).source == Strength(2, 1)
    assert returned(before, after) == {"healer B": 1}


@pytest.mark.cites("9")
def test_a_journey_needs_a_student_of_ones_own_in_the_source() -> None:
    state = position({1: "healer B+, yeti R", 2: "yeti R+"})
    assert refusal(state, journey(1, 2)) == "no_own_student"
    assert allowed(state, journey(2, 1))
    assert refusal(position({1: "yeti R"}), journey(1, 2)) == "no_own_student"


@pytest.mark.cites("10")
def test_all_students_of_all_seats_go_and_none_stays_behind() -> None:
    _, after = after_journey("healer R+, yeti B+, dragon Y+, priest V, firekeeper V+", "")
    assert text_of(after, 1) == "dragon Y, firekeeper V, healer R, priest V, yeti B"
    assert text_of(after, 2) == "dragon Y, firekeeper V, healer R, yeti B"


@pytest.mark.cites("11")
def test_a_journey_may_go_to_an_empty_village_where_all_settle() -> None:
    before, after = after_journey("healer R+, yeti B+", "")
    assert report_of(after).source_is_stronger
    assert [fate.kind for fate in report_of(after).fates] == ["settled", "settled"]
    assert text_of(after, 2) == "healer R, yeti B"
    assert returned(before, after) == {}


@pytest.mark.cites("12")
def test_a_journey_may_do_nothing_but_harm_its_caller() -> None:
    state = position({1: "healer R+", 2: "healer B+, yeti B"})
    assert allowed(state, journey(1, 2))
    after = play(state, journey(1, 2))
    assert text_of(after, 2) == text_of(state, 2)
    assert returned(state, after) == {"healer R": 1}
    assert refusal(after, journey(2, 1)) == "no_bridge"


@pytest.mark.cites("13")
def test_seven_travellers_go_to_seven_spaces_one_each() -> None:
    everyone = "astrologer R+, dragon B+, firekeeper Y+, healer V+, priest R+, rainmaker B+, yeti Y+"
    _, after = after_journey(everyone, "healer R")
    assert len({fate.guild for fate in report_of(after).fates}) == 7
    assert text_of(after, 2) == everyone.replace("+", "")


@pytest.mark.cites("14", "X6")
def test_a_journey_needs_a_bridge_that_stands() -> None:
    state = position({1: "healer R+", 2: "healer R+"}, bridges=[(1, 4), (4, 5), (4, 11), (5, 8)])
    assert refusal(state, journey(1, 2)) == "no_bridge"
    assert refusal(state, journey(2, 1)) == "no_bridge"
    assert refusal(state, journey(1, 1)) == "no_bridge"
    assert refusal(state, journey(1, 13)) == "no_bridge"
    assert refusal(state, journey(4, 2)) == "no_bridge"
    assert allowed(state, journey(1, 4))


@pytest.mark.cites("X6")
def test_of_two_broken_rules_the_missing_bridge_is_named() -> None:
    assert refusal(position({1: "healer R"}), journey(1, 13)) == "no_bridge"


@pytest.mark.cites("38")
def test_ousting_touches_one_space_only() -> None:
    before, after = after_journey("healer R+, yeti R+, dragon Y+, priest Y", "healer B+, priest B+, astrologer B")
    assert text_of(after, 2) == "astrologer B, dragon Y, healer R, priest B+, yeti R"
    assert returned(before, after) == {"healer B": 2}


@pytest.mark.cites("39")
def test_a_traveller_that_settled_is_a_full_master_in_its_owners_next_turn() -> None:
    before = position({1: "healer R+, yeti B+, dragon B"}, turn=RED)
    after = play(before, journey(1, 2))
    assert after.turn == BLUE
    assert allowed(after, recruit((2, "yeti")))
    assert allowed(after, master(2, "dragon"))
    assert refusal(before, master(2, "dragon")) == "no_own_master"


@pytest.mark.cites("36")
def test_returned_tiles_are_at_hand_in_their_owners_next_turn() -> None:
    healers = {7: "healer B+", 12: "healer B+", 13: "healer B"}
    state = position({**healers, 1: "healer R+, yeti R", 2: "healer B", 4: "yeti B"})
    assert supply(state, BLUE, "healer") == 0
    assert refusal(apply(state, Move(RED, recruit((1, "yeti")))), master(4, "healer")) == "supply_empty"
    assert allowed(play(state, journey(1, 2)), master(4, "healer"))


# --- bridges and stones --------------------------------------------------------------------------------


@pytest.mark.cites("D")
def test_the_last_bridge_of_one_village_closes_it() -> None:
    state = position({12: "healer R+"}, bridges=[(11, 12), (8, 11), (5, 8), (8, 9)])
    assert open_villages(state) == [5, 8, 9, 11, 12]
    after = play(state, journey(12, 11))
    assert text_of(after, 11) == "healer R"
    assert report_of(after).closed == (12,)
    assert open_villages(after) == [5, 8, 9, 11]
    assert text_of(after, 12) == "healer R"
    assert score_of(after, RED) == 2
    assert after.phase == "main"


@pytest.mark.cites("E", "18")
def test_the_last_bridge_of_both_villages_closes_both_and_play_goes_on() -> None:
    state = position({3: "healer R+", 10: "healer B"}, bridges=[(3, 10), (5, 8), (8, 9)])
    after = play(state, journey(3, 10))
    assert returned(state, after) == {"healer B": 1}
    assert text_of(after, 10) == "healer R"
    assert report_of(after).closed == (3, 10)
    assert open_villages(after) == [5, 8, 9]
    assert after.phase == "main"


@pytest.mark.cites("F", "18", "20")
def test_two_villages_closed_at_once_can_end_the_game_with_the_last_bridge_unused() -> None:
    state = position({3: "healer R+", 10: "healer B", 5: "yeti B+"}, bridges=[(3, 10), (5, 8)])
    after = play(state, journey(3, 10))
    assert report_of(after).closed == (3, 10)
    assert open_villages(after) == [5, 8]
    assert after.phase == "over"
    assert after.ended == "two_open"
    assert listed(after, BLUE) == []
    assert refusal(after, journey(5, 8), BLUE) == "game_over"


@pytest.mark.cites("15")
def test_a_closed_village_allows_nothing() -> None:
    state = position({12: "healer R, yeti R", 8: "healer R"}, bridges=[(8, 11), (5, 8), (8, 9)])
    assert refusal(state, master(12, "dragon")) == "village_closed"
    assert refusal(state, recruit((12, "yeti"))) == "village_closed"
    assert refusal(state, recruit((8, "healer"), (12, "yeti"))) == "village_closed"
    assert allowed(state, recruit((8, "healer")))


@pytest.mark.cites("16")
def test_tiles_in_a_closed_village_stay_and_their_masters_score() -> None:
    state = position({12: "healer R+, yeti R", 11: "yeti R"}, bridges=[(11, 12), (8, 11), (5, 8), (8, 9)])
    after = play(state, journey(12, 11))
    assert report_of(after).closed == (12,)
    assert text_of(after, 12) == "healer R, yeti R"
    assert returned(state, after) == {}
    assert score_of(after, RED) == 4
    locked = position({8: "healer R+, yeti R", 12: "healer B+"}, bridges=[(8, 11), (5, 8), (8, 9)])
    moved = play(locked, journey(8, 11))
    assert text_of(moved, 12) == "healer B+"
    assert supply(moved, BLUE, "healer") == 4
