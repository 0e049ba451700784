"""The final rounds, the last offering, standing still, and who wins."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from moveledger.rules.kernel import SPECTATOR, Over, Seats
from moveledger.rules.tiwanaku import RULESET
from moveledger.rules.tiwanaku.actions import Divine, Pass, Skip
from moveledger.rules.tiwanaku.score import standings
from moveledger.rules.tiwanaku.state import State
from tests.rules.tiwanaku.tables import (
    Place,
    add,
    arrange,
    begin,
    divine,
    everything,
    leave,
    legal,
    move,
    offer,
    play,
    refused,
    remove,
    score,
    tribe,
)

Tribes = Mapping[int, Mapping[str, Any]]

LAST: Place = (0, 0)
"""The one space without terrain in `nearly_done`; it grows 3."""


def nearly_done(
    *pawns: list[Place], seats: int = 3, first: int = 0, tribes: Tribes | None = None, **options: Any
) -> State:
    """All terrain is known but for one corner, which the first seat can enter."""
    state = begin(seats=seats, first=first, **options)
    known = [place for place in everything(state) if place != LAST]
    return arrange(state, terrain=known, pawns=pawns, tribes=tribes)


def final(*pawns: list[Place], **how: Any) -> State:
    """The final rounds have begun with the first seat."""
    return play(nearly_done(*pawns, **how), add(*LAST))


def turn(state: State) -> tuple[str, int]:
    return state.table.phase, state.table.current


# --- how they begin ------------------------------------------------------------------------------------


@pytest.mark.cites("30")
def test_who_places_the_last_terrain_scores_and_offers_and_then_begins_the_final_rounds() -> None:
    state = play(nearly_done([], [], [], first=2, tribes={2: {"offerings": (1, 2)}}), add(*LAST))
    assert score(state, 2) == 11
    assert state.table.trigger == 2
    assert turn(state) == ("offer", 2)
    assert not state.table.final
    state = play(state, offer(1, 2))
    assert score(state, 2) == 12
    assert turn(state) == ("final", 2)
    assert state.table.final


@pytest.mark.cites("E1")
def test_final_rounds_go_round_until_all_are_out_and_end_with_a_last_offering() -> None:
    """C begins; C is right, A passes, B is wrong, C is right, C has no pawn left; then C, A and B may offer."""
    pawns: list[list[Place]] = [[(1, 0)], [(0, 1)], [(1, 1)]]
    state = nearly_done(*pawns, first=2, tribes={0: {"offerings": (1, 2)}})
    state = play(state, add(*LAST))
    assert turn(state) == ("final", 2)
    state = play(state, divine(*LAST, 3))
    assert score(state, 2) == 11 + 3
    assert turn(state) == ("offer", 2)
    state = play(state, Skip(), Pass())
    assert turn(state) == ("final", 1)
    state = play(state, divine(0, 1, 1))
    assert score(state, 1) == 8
    assert [one.out for one in state.table.tribes] == [True, True, False]
    state = play(state, divine(1, 1, 4), offer(3))
    assert score(state, 2) == 18
    assert [one.out for one in state.table.tribes] == [True, True, True]
    assert turn(state) == ("final_offer", 2)
    state = play(state, offer(4))
    assert turn(state) == ("final_offer", 0)
    state = play(state, offer(1, 2))
    assert RULESET.awaiting(state) == Over()
    outcome = RULESET.outcome(state)
    assert outcome is not None
    assert outcome.scores == (11, 8, 18)
    assert outcome.placings == (2, 3, 1)
    assert outcome.reason == "explored"


# --- a final round -------------------------------------------------------------------------------------


@pytest.mark.cites("34")
def test_in_the_final_rounds_a_seat_guesses_once_or_passes_and_moves_nothing() -> None:
    state = final([(1, 0)], [(0, 1)], [(1, 1)])
    assert set(legal(state)) == {Pass(), *(divine(*at, value) for at in (LAST, (1, 0)) for value in range(1, 6))}
    assert refused(state, move((1, 0), (2, 0))) == "no_exploring_now"
    assert refused(state, add(4, 4)) == "no_entering_now"
    assert refused(state, remove(1, 0)) == "no_removing_now"
    assert turn(play(state, divine(1, 0, 5), Skip())) == ("final", 1)


@pytest.mark.cites("31", "X12")
def test_a_guess_of_the_final_rounds_is_followed_by_an_offering_unless_the_option_says_last() -> None:
    pawns: list[list[Place]] = [[(1, 0)], [(0, 1)]]
    each = play(final(*pawns, seats=2), divine(1, 0, 5))
    assert turn(each) == ("offer", 0)
    last = play(final(*pawns, seats=2, final_offers="last"), divine(1, 0, 5))
    assert turn(last) == ("final", 1)
    assert turn(play(last, Pass(), Pass())) == ("final_offer", 0)


@pytest.mark.cites("31")
def test_a_wrong_guess_of_the_final_rounds_is_followed_by_an_offering_too() -> None:
    state = final([(1, 0)], [(0, 1)], seats=2, tribes={0: {"offerings": (1, 2)}})
    state = play(state, Skip(), divine(1, 0, 1))
    assert tribe(state, 0).out
    assert turn(state) == ("offer", 0)


@pytest.mark.cites("32")
def test_who_passed_comes_back_no_more() -> None:
    state = final([(1, 0)], [(0, 1), (1, 1)], seats=2)
    state = play(state, Pass())
    assert tribe(state, 0).out
    state = play(state, divine(0, 1, 2), Skip())
    assert turn(state) == ("final", 1)


@pytest.mark.cites("33")
def test_a_seat_without_a_pawn_that_can_guess_is_out_of_itself() -> None:
    state = final([(1, 0)], [(2, 1)], [(1, 1)])
    state = play(state, Pass())
    assert turn(state) == ("final", 2)
    assert tribe(state, 1).out


@pytest.mark.cites("X5")
def test_with_single_final_rounds_everybody_has_one_guess() -> None:
    state = final([(1, 0)], [(0, 1), (1, 1)], seats=2, final_rounds="single", final_offers="last")
    state = play(state, divine(1, 0, 5))
    assert tribe(state, 0).out
    state = play(state, divine(0, 1, 2))
    assert turn(state) == ("final_offer", 0)
    over = play(state, Skip(), Skip())
    assert RULESET.awaiting(over) == Over()
    assert over.table.land.crops[0] == over.table.land.crops[6] == "."


@pytest.mark.cites("X8")
def test_without_offerings_the_game_ends_with_the_last_to_be_out() -> None:
    state = play(final([(1, 0)], [(0, 1)], seats=2), Pass(), Pass())
    assert RULESET.awaiting(state) == Over()


@pytest.mark.cites("35")
def test_crops_that_nobody_divined_score_nothing_and_are_shown_after_the_game() -> None:
    state = final([(1, 0)], [(0, 1)], seats=2)
    assert RULESET.view(state, SPECTATOR)["layout"] is None
    over = play(state, Pass(), Pass())
    seen = RULESET.view(over, SPECTATOR)
    assert seen["crops"] == ["..1.2", ".....", ".2.2.", ".....", "..2.."]
    assert seen["layout"] == {
        "terrain": ["RGGGR", "RRGGR", "RREER", "EEESG", "SSSSG"],
        "crops": ["32132", "54541", "12123", "43541", "51232"],
    }
    assert (score(over, 0), score(over, 1)) == (11, 10)


# --- standing still ------------------------------------------------------------------------------------


def back_and_forth(state: State, times: int) -> State:
    """Turns in which every seat but the first moves between two crops, and the first between two others."""
    for _ in range(times):
        pawns = [one.pawns[0] for one in state.table.tribes]
        seat = state.table.current
        here, there = {0: (2, 12), 1: (22, 11)}[seat]
        origin = pawns[seat]
        to = there if origin == here else here
        state = play(state, move(divmod(origin, 5), divmod(to, 5)))
    return state


@pytest.mark.cites("36")
@pytest.mark.parametrize("rounds", [1, 3])
def test_rounds_without_discovery_or_guess_bring_the_final_rounds(rounds: int) -> None:
    every = [(row, column) for row in range(1, 4) for column in range(1, 4)]
    state = arrange(begin(stall_rounds=rounds), crops=every, pawns=[[(0, 2)], [(4, 2)]])
    almost = back_and_forth(state, 2 * rounds - 1)
    assert turn(almost) == ("action", 1)
    done = back_and_forth(almost, 1)
    assert done.table.final
    assert done.table.trigger == 0, "the next seat begins them"
    outcome = RULESET.outcome(done)
    assert outcome is not None
    assert outcome.reason == "stalled"


@pytest.mark.cites("36")
def test_a_discovery_or_a_guess_starts_the_count_anew() -> None:
    every = [(row, column) for row in range(1, 4) for column in range(1, 4)]
    state = arrange(begin(stall_rounds=1), crops=every, pawns=[[(0, 2)], [(4, 2)]])
    state = back_and_forth(state, 1)
    state = play(state, add(4, 4))
    state = back_and_forth(state, 1)
    assert turn(state) == ("action", 1)
    guess = arrange(state, terrain=[(0, 0)], tribes={1: {"pawns": (0, 24)}})
    assert play(guess, divine(4, 4, 1)).table.final is False


# --- who wins ------------------------------------------------------------------------------------------


@pytest.mark.cites("29")
def test_equal_scores_share_a_place_and_are_listed_by_right_guesses_then_by_seat() -> None:
    tribes: Tribes = {
        0: {"score": 19, "right": 1},
        1: {"score": 20, "right": 1},
        2: {"score": 20, "right": 4},
        3: {"score": 20, "right": 1},
    }
    state = final([], [], [], [], seats=4, tribes=tribes)
    over = play(state, Pass())
    outcome = RULESET.outcome(over)
    assert outcome is not None
    assert outcome.scores == (20, 20, 20, 20)
    assert outcome.placings == (1, 1, 1, 1)
    assert standings(over.table) == [2, 0, 1, 3]
    assert RULESET.view(over, SPECTATOR)["standings"] == [2, 0, 1, 3]


@pytest.mark.cites("23")
def test_scores_begin_at_ten_unless_the_option_says_otherwise() -> None:
    assert [score(begin(), seat) for seat in range(2)] == [10, 10]
    assert score(begin(start_score=0), 0) == 0


@pytest.mark.cites("45", "X11")
def test_one_seat_plays_alone_with_five_pawns_and_its_score_is_reported() -> None:
    assert RULESET.unofficial_seats == {1}
    state = nearly_done([(1, 0)], seats=1)
    assert tribe(state, 0).supply + len(tribe(state, 0).pawns) == 5
    over = play(state, add(*LAST), divine(1, 0, 5), Skip(), Pass(), Skip())
    outcome = RULESET.outcome(over)
    assert outcome is not None
    assert (outcome.placings, outcome.scores, outcome.reason) == ((1,), (16,), "explored")


# --- leaving -------------------------------------------------------------------------------------------


@pytest.mark.cites("41")
def test_the_pawns_of_a_seat_that_leaves_are_taken_off_the_board() -> None:
    state = arrange(begin(seats=3), pawns=[[(2, 3)], [(0, 2)], [(4, 2)]])
    after = leave(state, 1)
    assert tribe(after, 1).pawns == ()
    assert tribe(after, 1).supply == 4
    assert turn(after) == ("action", 0)
    assert add(0, 2) in legal(after)
    assert add(0, 2) not in legal(state)


@pytest.mark.cites("X6")
def test_what_a_seat_was_asked_falls_away_when_it_leaves() -> None:
    exploring = begin(seats=3)
    assert turn(leave(exploring, 0)) == ("action", 1)
    entering = play(begin(seats=3, entry="then_move"), add(0, 0))
    gone = leave(entering, 0)
    assert turn(gone) == ("action", 1)
    assert (gone.table.entered, gone.table.land.terrain[0]) == (None, ".")
    bare: list[Place] = [(2, 2), (3, 3)]
    guessing = play(arrange(begin(seats=3), terrain=bare, pawns=[bare]), divine(2, 2, 1))
    assert turn(leave(guessing, 0)) == ("action", 1)
    offering = play(arrange(begin(seats=3), tribes={0: {"offerings": (1, 2)}}), add(0, 0))
    assert turn(leave(offering, 0)) == ("action", 1)
    assert score(leave(offering, 0), 0) == 11


@pytest.mark.cites("X6")
def test_final_rounds_go_on_when_a_seat_leaves_even_the_one_that_began_them() -> None:
    pawns: list[list[Place]] = [[(1, 0)], [(0, 1)], [(1, 1)]]
    state = play(nearly_done(*pawns, tribes={0: {"offerings": (1,)}}), add(*LAST))
    assert turn(state) == ("offer", 0)
    state = leave(state, 0)
    assert turn(state) == ("final", 1)
    assert tribe(state, 0).out
    state = play(state, divine(0, 1, 2))
    assert turn(state) == ("offer", 1)
    state = play(state, Skip(), divine(1, 1, 4), Skip())
    assert turn(state) == ("final_offer", 1)
    assert RULESET.awaiting(play(state, offer(2), offer(4))) == Over()
    assert RULESET.awaiting(leave(state, 1)) == Over()


@pytest.mark.cites("X4", "X10")
def test_the_seat_that_stays_wins_and_those_who_left_first_are_last() -> None:
    state = arrange(begin(seats=4), tribes={3: {"score": -8}})
    state = leave(state, 1, 0)
    assert RULESET.outcome(state) is None
    assert RULESET.awaiting(state) == Seats(frozenset({2}))  # type: ignore[arg-type]  # seat 2
    over = leave(state, 2)
    outcome = RULESET.outcome(over)
    assert outcome is not None
    assert (outcome.placings, outcome.reason) == ((3, 4, 2, 1), "last_seat")


@pytest.mark.cites("X4")
def test_a_seat_that_left_is_behind_all_who_stayed_whatever_its_score() -> None:
    state = final([(1, 0)], [], [(1, 1)], tribes={1: {"score": 50}})
    over = play(leave(state, 1), Pass(), Pass())
    outcome = RULESET.outcome(over)
    assert outcome is not None
    assert outcome.placings == (1, 3, 2)


@pytest.mark.cites("X10", "X11")
def test_a_game_of_one_seat_ends_when_it_leaves() -> None:
    outcome = RULESET.outcome(leave(begin(seats=1), 0))
    assert outcome is not None
    assert (outcome.placings, outcome.reason) == ((1,), "everybody_left")


def test_in_a_final_round_every_listed_guess_is_for_a_bare_space() -> None:
    for action in legal(final([(1, 0)], [(0, 1)], seats=2)):
        assert isinstance(action, Pass) or (isinstance(action, Divine) and action.at in (LAST, (1, 0)))
