"""Seats that leave: what becomes of their turn, their prediction, their cards and their place."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from moveledger.errors import IllegalMove
from moveledger.rules.encoding import canonical
from moveledger.rules.kernel import REFEREE, Awaiting, Leave, Move, Observer, Over, Seat
from moveledger.rules.santiiba import RULESET
from moveledger.rules.santiiba.actions import Predict, Stop, Take
from moveledger.rules.santiiba.data import KINDS
from moveledger.rules.santiiba.options import Options
from moveledger.rules.santiiba.score import score_all
from moveledger.rules.santiiba.state import State, turn_of
from tests.rules.playouts import play
from tests.rules.santiiba.positions import (
    actions,
    awaited,
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
    refused,
    roll,
    rolled,
    seen,
    stop,
)
from tests.rules.santiiba.test_conformance import redeal


@pytest.mark.cites("R15", "X1")
def test_the_prediction_of_a_seat_that_left_catches_nobody_and_stays_closed() -> None:
    state = leave(foreseen("herbs", "bowls"), 1)
    for observer in (Observer(), Observer(Seat(0)), Observer(Seat(2))):
        assert seen(state, observer)["seats"][1]["prediction"] is None
    after = name(state, "herbs")
    assert after.phase == "take"
    assert (position(after, 1), turn_of(after).hits) == (0, ())


@pytest.mark.cites("X1")
def test_when_the_last_awaited_opponent_leaves_naming_begins() -> None:
    state = leave(predict(rolled(3), {1: "herbs"}), 2)
    assert (state.phase, awaited(state)) == ("name", [0])
    assert awaited(leave(rolled(3), 2)) == [1]
    assert leave(predict(rolled(3), {1: "herbs"}), 1).phase == "predict"


@pytest.mark.cites("X1")
def test_a_bust_needs_only_the_opponents_that_stay() -> None:
    after = name(leave(foreseen("herbs", "bowls"), 2), "herbs")
    assert after.last is not None
    assert after.last.ending == "bust"


@pytest.mark.cites("X2")
@pytest.mark.parametrize("moment", ["predict", "name", "take"])
def test_when_the_active_seat_leaves_its_area_is_lost_and_the_next_seat_rolls(moment: str) -> None:
    state = rolled(3) if moment == "predict" else name(foreseen("bowls", "bowls"), "elixirs", "card")
    state = name(state, "herbs") if moment == "take" else state
    after = leave(state, 0)
    assert (after.phase, turn_of(after).seat, turn_of(after).number) == ("roll", 1, 2)
    assert turn_of(after).predictions == (None, None, None)
    assert (cards(after, 0), pile(after, "elixirs"), pile(after, "bowls")) == ({}, 18, 26)
    assert after.last is not None
    assert after.last.ending == "left"


@pytest.mark.cites("X2")
def test_a_seat_that_left_has_no_turn_and_predicts_no_more() -> None:
    state = roll(leave(rolled(4), 1, 0))
    assert turn_of(state).seat == 2
    assert awaited(state) == [3]
    assert refused(state, 1, Predict("herbs")) == "seat_has_left"


@pytest.mark.cites("X3")
def test_with_no_closed_ball_left_the_turn_goes_on_without_risk() -> None:
    state = leave(name(foreseen("herbs", "bowls"), "herbs"), 2)
    assert (state.phase, awaited(state)) == ("name", [0])
    state = name(state, "bowls")
    assert actions(state) == [Take("die"), Take("card")]
    state = name(leave(name(foreseen("herbs", "bowls"), "herbs"), 2), "bowls", "die")
    assert refused(state, 0, Stop()) == "must_name_again"
    state = name(name(state, "elixirs", "card"), "amulets", "die")
    assert state.last is not None
    assert state.last.ending == "four_named"
    assert (position(state, 0), cards(state, 0)) == (2 + 4 + 5, {"elixirs": 1})


@pytest.mark.cites("X4")
def test_thirty_reached_by_a_seat_that_then_left_still_ends_the_game() -> None:
    state = leave(name(placed(foreseen("herbs", "bowls", "bowls"), 0, 28, 0, 0), "herbs"), 1)
    assert state.phase == "name"
    after = stop(state)
    assert RULESET.awaiting(after) == Over()
    assert placings(after) == [1, 4, 2, 2]


@pytest.mark.cites("X4")
def test_when_the_active_seat_leaves_a_turn_in_which_thirty_was_reached_the_game_ends() -> None:
    state = leave(name(placed(foreseen("herbs", "bowls"), 29, 28, 0), "herbs"), 0)
    assert RULESET.awaiting(state) == Over()
    assert placings(state) == [3, 1, 2]
    assert finals(state) == [29, 30, 0]


@pytest.mark.cites("X5")
def test_a_seat_that_left_is_compared_with_nobody_and_counts_no_cards() -> None:
    state = counted_out(((20, (0, 3, 0, 3, 0)), (29, (1, 1, 2, 1, 0)), (31, (2, 1, 1, 1, 0))))
    assert lost(state) == [("amulets", "elixirs"), (), ()]
    gone = replace(state, seers=(replace(state.seers[0], left=1), *state.seers[1:]))
    gone = replace(gone, scorings=score_all(gone))
    assert lost(gone) == [(), ("amulets",), ("elixirs",)]
    assert finals(gone) == [20, 29 + 2 + 6 + 5, 31 + 4 + 4 + 3]
    assert placings(gone) == [3, 1, 1]


@pytest.mark.cites("X5")
def test_the_board_of_a_seat_that_left_stays_out_of_play() -> None:
    state = stop(name(foreseen("bowls", "bowls"), "elixirs", "card"))
    state = leave(roll(state), 0)
    assert (cards(state, 0), pile(state, "elixirs")) == ({"elixirs": 1}, 17)


@pytest.mark.cites("X6", "R15")
def test_who_leaves_is_placed_last_and_later_departures_before_earlier() -> None:
    state = placed(rolled(4, start=3), 20, 10, 29, 5)
    ended = leave(state, 2, 0, 1)
    assert RULESET.awaiting(ended) == Over()
    assert placings(ended) == [3, 2, 4, 1]
    assert finals(ended) == [20, 10, 29, 5]
    outcome = RULESET.outcome(ended)
    assert outcome is not None
    assert outcome.reason == "last_seat"


@pytest.mark.cites("X6")
def test_the_game_ends_at_once_when_one_seat_is_left_and_its_area_goes_back() -> None:
    state = name(foreseen("herbs"), "elixirs", "card")
    for leaver, order in ((0, [2, 1]), (1, [1, 2])):
        ended = leave(state, leaver)
        assert placings(ended) == order
        assert pile(ended, "elixirs") == 18
        assert ended.scorings is None


@pytest.mark.cites("X10")
def test_a_round_still_ends_before_the_place_of_a_start_seat_that_left() -> None:
    state = leave(placed(rolled(4, start=1, end_trigger="end_of_round"), 0, 0, 28, 0), 1)
    turns = []
    while state.phase != "over":
        state = roll(state)
        active = turn_of(state).seat
        turns.append(active)
        state = predict(state, dict.fromkeys(awaited(state), "bowls"))
        state = stop(name(state, "herbs", "die"))
    assert turns == [2, 3, 0]


@pytest.mark.cites("X14")
def test_a_seat_leaves_once_and_only_while_seats_are_awaited() -> None:
    fresh = RULESET.setup(Options(), 3)
    between = stop(name(foreseen("bowls", "bowls"), "herbs", "die"))
    for state, seat, code in (
        (fresh, 0, "chance_first"),
        (between, 0, "chance_first"),
        (leave(rolled(3), 1), 1, "seat_has_left"),
        (leave(rolled(2), 1), 0, "game_over"),
        (rolled(3), 3, "no_such_seat"),
        (rolled(3), -1, "no_such_seat"),
    ):
        with pytest.raises(IllegalMove) as wrong:
            RULESET.apply(state, Leave(Seat(seat), "timed_out"))
        assert wrong.value.code == f"santiiba.{code}"


@pytest.mark.cites("X1")
def test_a_departure_tells_nothing_about_closed_crystal_balls() -> None:
    """Whatever closed balls show, a departure looks the same to everybody else, at once and afterwards."""
    rng, compared = random.Random(3), 0
    for seed in range(30):
        seats = 3 + seed % 2
        for step in play(RULESET, options=Options(), seats=seats, seed=seed, leaves=0.05):
            for observer in (Observer(), *(Observer(Seat(seat)) for seat in range(seats))):
                twin = redeal(step.before, observer, rng)
                assert sight(twin, observer) == sight(step.before, observer)
                if isinstance(step.input, Leave) and step.after.phase != "over":
                    compared += twin != step.before
                    after = RULESET.apply(twin, step.input)
                    assert sight(after, observer) == sight(step.after, observer)
                    told = RULESET.describe(twin, step.input, after, observer)
                    assert told == RULESET.describe(step.before, step.input, step.after, observer)
    assert compared > 30


def sight(state: State, observer: Observer) -> tuple[Awaiting, bytes]:
    return RULESET.awaiting(state), canonical(RULESET.view(state, observer))


@pytest.mark.cites("X1", "R14")
def test_a_seat_that_left_still_sees_its_own_prediction_and_the_referee_sees_all() -> None:
    state = leave(foreseen("herbs", "bowls"), 1)
    for observer in (Observer(Seat(1)), REFEREE):
        assert seen(state, observer)["seats"][1]["prediction"] == "herbs"
    assert RULESET.audience(rolled(3), Move(Seat(1), Predict(KINDS[0]))) == frozenset({1})
    assert RULESET.audience(state, Leave(Seat(2), "resigned")) is None
