"""Predicting, naming and taking: the course of a turn."""

from __future__ import annotations

import re
from itertools import permutations
from pathlib import Path

import pytest

from moveledger.errors import IllegalMove
from moveledger.rules.kernel import Chance, Move, Pick, Roll, Seat
from moveledger.rules.santiiba import RULESET
from moveledger.rules.santiiba.actions import Kind, Name, Predict, Stop, Take
from moveledger.rules.santiiba.data import KINDS
from moveledger.rules.santiiba.options import Options
from moveledger.rules.santiiba.state import turn_of
from tests.rules.santiiba.positions import (
    actions,
    awaited,
    cards,
    foreseen,
    leave,
    name,
    pile,
    position,
    predict,
    refused,
    roll,
    rolled,
    stop,
)


@pytest.mark.cites("R12")
def test_the_start_seat_is_drawn_and_anyone_can_be_it() -> None:
    fresh = RULESET.setup(Options(), 4)
    assert RULESET.awaiting(fresh) == Chance(Pick(count=1, out_of=4))
    assert [turn_of(rolled(4, start=seat)).seat for seat in range(4)] == [0, 1, 2, 3]


@pytest.mark.cites("R12", "R13")
def test_each_turn_begins_with_a_roll_of_five_dice_in_the_order_of_the_kinds() -> None:
    state = rolled(3, start=2)
    assert turn_of(state).dice == (2, 5, 1, 6, 4)
    after = stop(name(predict(state, {0: "herbs", 1: "herbs"}), "scorpions", "die"))
    assert RULESET.awaiting(after) == Chance(Roll(count=5, sides=6))
    assert turn_of(after).seat == 0


@pytest.mark.cites("R13")
def test_turns_go_clockwise_in_seat_order() -> None:
    state, seats = rolled(3, start=1), []
    for _ in range(4):
        active = turn_of(state).seat
        seats.append(active)
        state = predict(state, {seat: "herbs" for seat in range(3) if seat != active})
        state = roll(stop(name(state, "bowls", "card")))
    assert seats == [1, 2, 0, 1]


@pytest.mark.cites("R5j", "R5k")
def test_all_opponents_predict_at_once_in_any_order_and_the_active_seat_does_not() -> None:
    made: dict[int, Kind] = {0: "bowls", 1: "herbs", 3: "bowls"}
    state = rolled(4, start=2)
    assert awaited(state) == [0, 1, 3]
    assert actions(state, 0) == [Predict(kind) for kind in KINDS]
    assert refused(state, 2, Predict("herbs")) == "active_does_not_predict"
    ends = {predict(state, {seat: made[seat] for seat in order}) for order in permutations(made)}
    assert len(ends) == 1
    assert awaited(ends.pop()) == [2]


@pytest.mark.cites("R5j")
def test_a_prediction_is_final_and_naming_waits_for_the_last_one() -> None:
    state = predict(rolled(3), {1: "herbs"})
    assert awaited(state) == [2]
    assert refused(state, 1, Predict("bowls")) == "already_predicted"
    assert refused(state, 0, Name("herbs")) == "not_your_turn"
    assert refused(predict(state, {2: "herbs"}), 1, Predict("bowls")) == "already_predicted"


@pytest.mark.cites("R1")
def test_at_least_one_colour_is_named_before_a_turn_can_end() -> None:
    state = foreseen("bowls", "bowls")
    assert actions(state) == [Name(kind) for kind in KINDS]
    assert refused(state, 0, Stop()) == "name_first"
    assert Stop() in actions(name(state, "herbs", "die"))


@pytest.mark.cites("R2")
def test_a_colour_is_named_once_a_turn() -> None:
    state = name(foreseen("bowls", "bowls"), "herbs", "die")
    assert refused(state, 0, Name("herbs")) == "already_named"
    assert [action for action in actions(state) if isinstance(action, Name)] == [Name(kind) for kind in KINDS[1:]]


@pytest.mark.cites("R3")
def test_a_fifth_colour_is_never_named() -> None:
    state = foreseen("bowls", "bowls")
    for kind in ("herbs", "amulets", "scorpions"):
        state = name(state, kind, "die")
        assert state.phase == "name"
    after = name(state, "elixirs", "die")
    assert after.phase == "roll"
    assert after.last is not None
    assert after.last.ending == "four_named"
    assert position(after, 0) == 2 + 5 + 1 + 6


@pytest.mark.cites("R4")
def test_a_colour_that_caught_one_opponent_counts_toward_the_four() -> None:
    state = name(foreseen("herbs", "bowls"), "herbs")
    for kind in ("amulets", "scorpions", "elixirs"):
        state = name(state, kind, "die")
    assert state.last is not None
    assert (state.last.ending, state.last.named) == ("four_named", ("herbs", "amulets", "scorpions", "elixirs"))
    assert position(state, 0) == 2 + 5 + 1 + 6


# --- the truth table of a naming -------------------------------------------------------------------------


@pytest.mark.cites("T1")
def test_unforeseen_stars_taken_as_die_leave_the_choice_to_stop() -> None:
    state = name(foreseen("bowls", "bowls"), "herbs")
    assert actions(state) == [Take("die"), Take("card")]
    state = name(foreseen("bowls", "bowls"), "herbs", "die")
    assert turn_of(state).area_dice == ("herbs",)
    assert Stop() in actions(state)
    assert any(isinstance(action, Name) for action in actions(state))


@pytest.mark.cites("T2")
def test_unforeseen_stars_taken_as_card_bind_to_go_on() -> None:
    state = name(foreseen("bowls", "bowls"), "herbs", "card")
    assert turn_of(state).area_cards == ("herbs",)
    assert pile(state, "herbs") == 23
    assert refused(state, 0, Stop()) == "must_name_again"


@pytest.mark.cites("T3")
def test_an_unforeseen_number_taken_as_card_leaves_the_choice_to_stop() -> None:
    state = name(foreseen("bowls", "bowls"), "amulets", "card")
    assert turn_of(state).area_cards == ("amulets",)
    assert Stop() in actions(state)


@pytest.mark.cites("T4")
def test_an_unforeseen_number_taken_as_die_binds_to_go_on_and_is_worth_its_number() -> None:
    state = name(foreseen("bowls", "bowls"), "elixirs", "die")
    assert refused(state, 0, Stop()) == "must_name_again"
    assert position(stop(name(state, "herbs", "die")), 0) == 6 + 2


@pytest.mark.cites("T5")
def test_caught_on_stars_by_some_the_die_is_forced_and_stopping_is_free() -> None:
    state = name(foreseen("herbs", "bowls"), "herbs")
    assert turn_of(state).area_dice == ("herbs",)
    assert refused(state, 0, Take("card")) == "nothing_to_take"
    assert position(stop(state), 0) == 2


@pytest.mark.cites("T6")
def test_caught_on_a_number_by_some_the_card_is_forced_and_stopping_is_free() -> None:
    state = name(foreseen("amulets", "bowls"), "amulets")
    assert turn_of(state).area_cards == ("amulets",)
    assert refused(state, 0, Take("die")) == "nothing_to_take"
    assert cards(stop(state), 0) == {"amulets": 1}


@pytest.mark.cites("T7")
def test_the_last_closed_ball_opened_ends_the_turn_with_a_bowl_and_nothing_else() -> None:
    state = name(foreseen("herbs", "bowls"), "elixirs", "card")
    state = name(name(state, "herbs"), "bowls")
    assert state.phase == "roll"
    assert (position(state, 0), cards(state, 0)) == (0, {"bowls": 1})
    assert pile(state, "elixirs") == 18


@pytest.mark.cites("T8", "R5b")
def test_on_the_fourth_colour_a_reverse_take_is_free_of_the_duty_to_go_on() -> None:
    state = foreseen("bowls", "bowls")
    for kind in ("herbs", "scorpions", "amulets"):
        state = name(state, kind, "card")
    after = name(state, "elixirs", "die")
    assert after.last is not None
    assert after.last.ending == "four_named"
    assert (position(after, 0), cards(after, 0)) == (6, {"herbs": 1, "amulets": 1, "scorpions": 1})


@pytest.mark.cites("T8")
def test_a_fourth_colour_caught_by_some_is_banked_with_its_forced_item() -> None:
    state = foreseen("elixirs", "bowls")
    for kind in ("herbs", "scorpions", "amulets"):
        state = name(state, kind, "die")
    after = name(state, "elixirs")
    assert (position(after, 0), cards(after, 0)) == (2 + 1 + 5, {"elixirs": 1})
    assert cards(after, 1) == {"elixirs": 1}


# --- hits and busts --------------------------------------------------------------------------------------


@pytest.mark.cites("R5")
def test_a_fourth_colour_that_opens_the_last_ball_is_a_bust_and_not_a_bank() -> None:
    state = foreseen("bowls", "herbs")
    state = name(state, "herbs")
    for kind in ("scorpions", "amulets"):
        state = name(state, kind, "die")
    after = name(state, "bowls")
    assert after.last is not None
    assert after.last.ending == "bust"
    assert (position(after, 0), cards(after, 0)) == (0, {"bowls": 1})


@pytest.mark.cites("R5a", "R5m")
def test_all_opponents_on_the_first_named_colour_are_all_rewarded_and_the_turn_is_a_bust() -> None:
    state = name(foreseen("elixirs", "elixirs", "elixirs"), "elixirs")
    assert [cards(state, seat) for seat in range(4)] == [{"bowls": 1}, *[{"elixirs": 1}] * 3]
    assert pile(state, "elixirs") == 15
    assert turn_of(state).seat == 1


@pytest.mark.cites("R5c")
def test_the_duty_to_go_on_is_met_by_a_naming_that_is_partly_caught() -> None:
    state = name(foreseen("herbs", "bowls"), "elixirs", "die")
    assert Stop() in actions(name(state, "herbs"))


@pytest.mark.cites("R5d")
def test_an_opponent_that_was_hit_is_out_of_play_for_the_turn() -> None:
    state = name(foreseen("herbs", "bowls"), "herbs")
    assert awaited(state) == [0]
    assert refused(state, 1, Predict("amulets")) == "already_predicted"
    state = name(state, "scorpions", "die")
    assert [hit.seat for hit in turn_of(state).hits] == [1]
    assert position(state, 1) == 2


@pytest.mark.cites("R5e", "R5m")
def test_stars_move_every_seer_that_foresaw_them_and_still_lie_in_the_area() -> None:
    state = name(foreseen("herbs", "herbs", "bowls"), "herbs")
    assert [position(state, seat) for seat in range(4)] == [0, 2, 2, 0]
    assert turn_of(state).area_dice == ("herbs",)
    assert position(stop(state), 0) == 2


@pytest.mark.cites("R5f")
def test_a_hit_opponent_gets_the_normal_reward_and_has_no_choice() -> None:
    on_stars = name(foreseen("scorpions", "bowls"), "scorpions")
    assert (position(on_stars, 1), cards(on_stars, 1)) == (1, {})
    on_number = name(foreseen("bowls", "herbs"), "bowls")
    assert (position(on_number, 1), cards(on_number, 1)) == (0, {"bowls": 1})
    assert actions(on_number, 1) == []


@pytest.mark.cites("R5g", "R5h", "R5i")
def test_a_bust_takes_nothing_from_opponents_puts_a_bowl_on_the_board_and_cards_back_on_their_piles() -> None:
    state = name(foreseen("herbs", "elixirs"), "herbs")
    state = name(name(state, "amulets", "card"), "scorpions", "card")
    assert (pile(state, "amulets"), pile(state, "scorpions")) == (17, 23)
    state = name(state, "elixirs")
    assert (pile(state, "amulets"), pile(state, "scorpions"), pile(state, "bowls")) == (18, 24, 25)
    assert (position(state, 1), cards(state, 2), cards(state, 0)) == (2, {"elixirs": 1}, {"bowls": 1})
    assert turn_of(state).area_cards == ()


@pytest.mark.cites("R5l")
def test_with_two_seats_any_hit_is_a_bust() -> None:
    for kind in KINDS:
        state = name(foreseen(kind), kind)
        assert state.last is not None
        assert state.last.ending == "bust"
        missed = name(foreseen(kind), next(other for other in KINDS if other != kind))
        assert missed.phase == "take"


@pytest.mark.cites("W1")
def test_the_worked_turn_banks_an_elixir_and_six_spaces() -> None:
    state = name(foreseen("elixirs", "amulets"), "elixirs")
    assert cards(state, 1) == {"elixirs": 1}
    assert Stop() in actions(state)
    state = name(state, "bowls", "die")
    assert refused(state, 0, Stop()) == "must_name_again"
    state = stop(name(state, "herbs", "die"))
    assert (position(state, 0), cards(state, 0)) == (6, {"elixirs": 1})


@pytest.mark.cites("W2")
def test_the_worked_turn_fails_when_amulets_are_named_third() -> None:
    state = name(foreseen("elixirs", "amulets"), "elixirs")
    state = name(name(state, "bowls", "die"), "amulets")
    assert cards(state, 2) == {"amulets": 1}
    assert (position(state, 0), cards(state, 0)) == (0, {"bowls": 1})
    assert pile(state, "elixirs") == 17


# --- refusals that no ruling numbers -----------------------------------------------------------------------


def test_every_phase_refuses_what_belongs_to_another() -> None:
    predicting, naming = rolled(3), foreseen("bowls", "bowls")
    taking = name(naming, "herbs")
    assert refused(predicting, 1, Name("herbs")) == "predict_first"
    assert refused(predicting, 1, Take("die")) == "predict_first"
    assert refused(predicting, 1, Stop()) == "predict_first"
    assert refused(predicting, 0, Stop()) == "not_your_turn"
    assert refused(naming, 0, Predict("herbs")) == "active_does_not_predict"
    assert refused(naming, 0, Take("die")) == "nothing_to_take"
    assert refused(naming, 1, Name("herbs")) == "not_your_turn"
    assert refused(taking, 0, Predict("herbs")) == "active_does_not_predict"
    assert refused(taking, 0, Name("bowls")) == "take_first"
    assert refused(taking, 0, Stop()) == "take_first"


def test_nobody_moves_while_a_draw_is_awaited_or_when_the_game_is_over_or_from_nowhere() -> None:
    fresh = RULESET.setup(Options(), 3)
    between = stop(name(foreseen("bowls", "bowls"), "herbs", "die"))
    assert refused(fresh, 0, Predict("herbs")) == "not_your_turn"
    assert refused(between, 0, Predict("herbs")) == "not_your_turn"
    assert refused(between, 1, Predict("herbs")) == "active_does_not_predict"
    assert refused(leave(rolled(2), 0), 1, Stop()) == "game_over"
    assert refused(rolled(3), 7, Stop()) == "no_such_seat"
    assert refused(leave(rolled(3), 1), 1, Predict("herbs")) == "seat_has_left"


def test_the_page_lists_every_rule_code() -> None:
    root = Path(__file__).parents[3]
    page = (root / "docs" / "rules" / "santiiba.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^\| `santiiba\.([a-z_]+)`", page, re.MULTILINE))
    sources = (root / "moveledger" / "rules" / "santiiba").glob("*.py")
    raised = {code for source in sources for code in re.findall(r'refuse\("([a-z_]+)"', source.read_text("utf-8"))}
    assert listed == raised


def test_an_action_of_no_kind_is_refused_like_any_other() -> None:
    with pytest.raises(IllegalMove) as wrong:
        RULESET.apply(rolled(3), Move(Seat(1), "herbs"))
    assert wrong.value.code == "santiiba.unknown_action"
