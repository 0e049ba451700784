"""When the game ends, what cards are worth then, and who wins."""

from __future__ import annotations

from dataclasses import replace

import pytest

from moveledger.rules.kernel import Over
from moveledger.rules.santiiba import RULESET
from moveledger.rules.santiiba.actions import Name, Stop
from moveledger.rules.santiiba.data import COMPONENTS
from moveledger.rules.santiiba.options import Options
from moveledger.rules.santiiba.state import Counts, State, turn_of
from tests.rules.santiiba.positions import (
    actions,
    cards,
    counted_out,
    finals,
    foreseen,
    leave,
    lost,
    name,
    pile,
    placed,
    placings,
    position,
    predict,
    roll,
    rolled,
    stop,
)

Board = tuple[int, Counts]
P1: Board = (31, (2, 4, 3, 2, 1))
P2: Board = (24, (2, 1, 5, 4, 3))
P3: Board = (27, (5, 3, 3, 1, 4))
"""The worked numbers: space, then herbs, amulets, scorpions, elixirs, bowls."""


def quiet_turn(state: State) -> State:
    """The active seat names herbs (stars 2), foreseen by nobody, takes the die and stops."""
    seats = [seat for seat in range(len(state.seers)) if seat != turn_of(state).seat and not state.seers[seat].left]
    return stop(name(predict(state, dict.fromkeys(seats, "bowls")), "herbs", "die"))


# --- the trigger -----------------------------------------------------------------------------------------


@pytest.mark.cites("R7")
def test_a_seer_that_reaches_thirty_by_a_hit_lets_the_turn_be_finished_and_no_other_begin() -> None:
    state = name(placed(foreseen("herbs", "bowls"), 0, 28, 0), "herbs")
    assert (position(state, 1), state.phase) == (30, "name")
    state = name(state, "scorpions", "die")
    after = stop(state)
    assert RULESET.awaiting(after) == Over()
    assert finals(after) == [3, 30, 0]
    assert stop(name(placed(foreseen("herbs", "bowls"), 0, 27, 0), "herbs")).phase == "roll"


@pytest.mark.cites("R7")
def test_a_seer_that_reaches_thirty_by_banking_ends_the_game_with_that_turn() -> None:
    after = quiet_turn(placed(rolled(3), 28, 0, 0))
    assert RULESET.awaiting(after) == Over()
    assert placings(after) == [1, 2, 2]
    assert quiet_turn(placed(rolled(3), 27, 0, 0)).phase == "roll"


@pytest.mark.cites("R7")
def test_with_end_of_round_play_goes_on_until_the_seat_before_the_start_seat_has_finished() -> None:
    state = quiet_turn(placed(rolled(3, start=1, end_trigger="end_of_round"), 0, 28, 0))
    turns = []
    while state.phase != "over":
        turns.append(turn_of(state).seat)
        state = quiet_turn(roll(state))
    assert turns == [2, 0]
    last_of_round = placed(rolled(3, start=1, end_trigger="end_of_round"), 28, 0, 0)
    last_of_round = quiet_turn(roll(quiet_turn(roll(quiet_turn(last_of_round)))))
    assert last_of_round.phase == "over"


@pytest.mark.cites("X9")
def test_with_immediate_a_hit_that_reaches_thirty_ends_the_game_and_the_area_is_lost() -> None:
    start = placed(foreseen("herbs", "bowls", end_trigger="immediate"), 0, 28, 0)
    state = name(name(start, "elixirs", "card"), "amulets", "die")
    after = name(state, "herbs")
    assert RULESET.awaiting(after) == Over()
    assert (position(after, 0), cards(after, 0), pile(after, "elixirs")) == (0, {}, 18)
    assert after.last is not None
    assert after.last.ending == "cut_short"


@pytest.mark.cites("X9")
def test_with_immediate_all_that_foresaw_the_same_colour_are_rewarded_and_no_bowl_is_given() -> None:
    after = name(placed(foreseen("herbs", "herbs", end_trigger="immediate"), 0, 28, 29), "herbs")
    assert [position(after, seat) for seat in range(3)] == [0, 30, 31]
    assert cards(after, 0) == {}
    assert RULESET.awaiting(after) == Over()


@pytest.mark.cites("X9")
def test_with_immediate_banking_to_thirty_ends_the_game_and_the_items_count() -> None:
    state = name(placed(foreseen("bowls", "bowls", end_trigger="immediate"), 28, 0, 0), "elixirs", "card")
    after = stop(name(state, "herbs", "die"))
    assert RULESET.awaiting(after) == Over()
    assert cards(after, 0) == {"elixirs": 1}


@pytest.mark.cites("R7a", "X13")
def test_steps_beyond_thirty_are_kept_unless_capped() -> None:
    for cap, space in ((False, 33), (True, 30)):
        state = placed(foreseen("bowls", "bowls", cap_at_trigger=cap, end_trigger="end_of_round"), 27, 0, 0)
        assert position(stop(name(name(state, "elixirs", "die"), "amulets", "card")), 0) == space
        hit = placed(foreseen("herbs", "bowls", cap_at_trigger=cap, end_trigger="end_of_round"), 0, 29, 0)
        assert position(name(hit, "herbs"), 1) == (30 if cap else 31)


@pytest.mark.cites("X13")
def test_the_cap_holds_dice_and_not_the_points_of_cards() -> None:
    state = placed(foreseen("bowls", "bowls", cap_at_trigger=True), 29, 0, 0)
    after = name(name(name(state, "amulets", "die"), "elixirs", "die"), "scorpions", "card")
    after = name(after, "herbs", "card")
    assert position(after, 0) == 30
    assert finals(after)[0] == 30 + 3 + 2


@pytest.mark.cites("R7b")
def test_dice_never_carry_a_seer_beyond_the_castle() -> None:
    most = placed(foreseen("bowls", dice=(6, 6, 6, 6, 6)), 29, 0)
    for kind in ("herbs", "amulets", "scorpions", "elixirs"):
        most = name(most, kind, "die")
    assert position(most, 0) == 53
    beyond = name(placed(foreseen("herbs", "bowls", end_trigger="end_of_round"), 0, 74, 0), "herbs")
    assert position(beyond, 1) == 75


@pytest.mark.cites("R7c")
def test_two_seers_that_pass_thirty_in_one_turn_have_no_bonus_and_no_order() -> None:
    after = stop(name(placed(foreseen("herbs", "bowls"), 29, 29, 0), "herbs"))
    assert finals(after) == [31, 31, 0]
    assert placings(after) == [1, 1, 3]


@pytest.mark.cites("X7")
def test_the_turn_limit_ends_a_game_that_nobody_ends() -> None:
    limit = COMPONENTS.turn_limit
    for number, phase in ((limit - 1, "roll"), (limit, "over")):
        state = rolled(3)
        state = quiet_turn(replace(state, turn=replace(turn_of(state), number=number)))
        assert state.phase == phase
    assert RULESET.draws(Options(), 3) == 2 * (limit + 1)
    outcome = RULESET.outcome(state)
    assert outcome is not None
    assert outcome.reason == "furthest"


# --- the final scoring: worked numbers -------------------------------------------------------------------


@pytest.mark.cites("S1", "R8", "R9")
def test_the_worked_numbers() -> None:
    state = counted_out((P1, P2, P3))
    assert lost(state) == [("amulets", "elixirs"), (), ()]
    assert finals(state) == [45, 70, 67]
    assert placings(state) == [3, 1, 2]


@pytest.mark.cites("S2", "R8")
def test_with_bowls_level_too_both_lose() -> None:
    state = counted_out((P1, P2, (27, (5, 3, 3, 1, 1))))
    assert lost(state) == [("amulets", "elixirs"), (), ("elixirs",)]
    assert finals(state) == [45, 70, 59]


@pytest.mark.cites("S3", "R11")
def test_all_in_the_castle_win_together_whatever_their_sums() -> None:
    state = counted_out((P1, (24, (2, 1, 5, 6, 3)), (27, (5, 3, 3, 3, 4))))
    assert state.scorings is not None
    assert [scoring.total for scoring in state.scorings] == [45, 80, 77]
    assert finals(state) == [45, 75, 75]
    assert placings(state) == [3, 1, 1]
    outcome = RULESET.outcome(state)
    assert outcome is not None
    assert outcome.reason == "castle"


THREE_TIED: tuple[Board, ...] = ((30, (1, 3, 2, 2, 0)), (20, (1, 3, 4, 2, 2)), (22, (1, 3, 5, 2, 5)))


@pytest.mark.cites("S4", "R8a")
def test_of_three_tied_only_the_one_with_the_fewest_bowls_loses() -> None:
    state = counted_out(THREE_TIED)
    assert lost(state) == [("amulets", "elixirs"), (), ()]
    assert finals(state) == [38, 58, 66]


@pytest.mark.cites("S5", "R8b")
def test_two_seats_without_guards_both_lose_what_they_guard() -> None:
    state = counted_out(((30, (0, 2, 0, 1, 1)), (28, (0, 3, 0, 0, 1))))
    assert lost(state) == [("amulets", "elixirs")] * 2
    assert finals(state) == [31, 29]


@pytest.mark.cites("R8b")
def test_none_of_a_guard_is_the_fewest() -> None:
    assert lost(counted_out(((30, (0, 2, 1, 0, 9)), (20, (1, 2, 2, 0, 0))))) == [("amulets", "elixirs"), ()]
    assert lost(counted_out(((30, (0, 2, 1, 0, 9)), (20, (0, 2, 2, 0, 0))))) == [("elixirs",), ("amulets",)]


@pytest.mark.cites("R8")
def test_with_none_a_tie_that_bowls_do_not_break_costs_nobody() -> None:
    tied: tuple[Board, ...] = (P1, P2, (27, (5, 3, 3, 1, 1)))
    state = counted_out(tied, unresolved_minimum="none")
    assert lost(state) == [("amulets",), (), ()]
    assert finals(state) == [55, 70, 64]
    assert lost(counted_out(THREE_TIED, unresolved_minimum="none"))[0] == ("amulets", "elixirs")


@pytest.mark.cites("R8c")
def test_losing_a_kind_that_one_has_none_of_is_recorded_all_the_same() -> None:
    state = counted_out(((31, (0, 0, 5, 0, 0)), (10, (1, 1, 1, 1, 0))))
    assert lost(state) == [("amulets",), ("elixirs",)]
    assert finals(state) == [31 + 15, 10 + 2 + 4 + 3]


@pytest.mark.cites("R8d", "X11")
def test_pairs_judge_herbs_and_scorpions_and_a_ring_judges_four_kinds_and_never_bowls() -> None:
    boards: tuple[Board, ...] = ((31, (3, 1, 3, 1, 0)), (20, (2, 2, 2, 2, 1)))
    assert lost(counted_out(boards)) == [(), ("amulets", "elixirs")]
    assert lost(counted_out(boards, guards="ring")) == [("scorpions", "herbs"), ("amulets", "elixirs")]
    assert finals(counted_out(boards, guards="ring")) == [31 + 4 + 5, 20 + 4 + 6 + 1]


@pytest.mark.cites("R8e", "X11")
def test_a_lost_kind_still_counts_as_a_guard_and_nothing_cascades() -> None:
    boards: tuple[Board, ...] = ((31, (0, 9, 3, 3, 0)), (20, (1, 1, 2, 1, 0)))
    assert lost(counted_out(boards)) == [("amulets",), ("elixirs",)]
    assert lost(counted_out(boards, guards="ring")) == [("amulets",), ("scorpions", "elixirs", "herbs")]


@pytest.mark.cites("R9")
def test_bowls_score_their_value() -> None:
    assert finals(counted_out(((31, (1, 0, 1, 0, 7)), (10, (2, 0, 2, 0, 0))))) == [31 + 2 + 3 + 7, 10 + 4 + 6]


@pytest.mark.cites("R10", "X12")
def test_equal_seers_share_a_place_or_are_parted_by_bowls() -> None:
    boards: tuple[Board, ...] = ((31, (1, 0, 1, 0, 1)), (31, (2, 0, 0, 0, 2)), (20, (1, 0, 1, 0, 0)))
    assert finals(counted_out(boards)) == [37, 37, 25]
    assert placings(counted_out(boards)) == [1, 1, 3]
    assert placings(counted_out(boards, final_tie="bowls")) == [2, 1, 3]
    level: tuple[Board, ...] = ((31, (1, 0, 1, 0, 1)), (31, (1, 0, 1, 0, 1)))
    assert placings(counted_out(level, final_tie="bowls")) == [1, 1]


@pytest.mark.cites("R11", "X12")
def test_bowls_part_nobody_in_the_castle_but_lower_places_too() -> None:
    castle: tuple[Board, ...] = ((74, (1, 0, 1, 0, 1)), (74, (2, 0, 2, 0, 3)))
    assert placings(counted_out(castle, final_tie="bowls")) == [1, 1]
    lower: tuple[Board, ...] = ((60, (9, 0, 9, 0, 0)), (31, (1, 0, 1, 0, 1)), (31, (2, 0, 0, 0, 2)))
    assert placings(counted_out(lower, final_tie="bowls")) == [1, 3, 2]


# --- the seed reading --------------------------------------------------------------------------------------


def test_the_seed_reading_sets_its_column_and_single_options_still_win() -> None:
    state = rolled(3, reading="seed", final_tie="shared")
    assert state.options == Options(
        reading="seed",
        guards="ring",
        end_trigger="immediate",
        unresolved_minimum="none",
        final_tie="shared",
        cap_at_trigger=False,
    )
    after = name(placed(foreseen("herbs", "bowls", reading="seed"), 0, 28, 0), "herbs")
    assert RULESET.awaiting(after) == Over()


def test_a_turn_whose_end_is_certain_still_offers_its_choices() -> None:
    state = name(placed(foreseen("herbs", "bowls"), 0, 28, 0), "herbs")
    assert actions(state) == [Name("amulets"), Name("scorpions"), Name("elixirs"), Name("bowls"), Stop()]
    assert leave(state, 1).phase == "name"
