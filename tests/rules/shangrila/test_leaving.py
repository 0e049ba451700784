"""Leaving: the tiles stay, the turns are skipped, the place is last."""

from __future__ import annotations

import pytest

from moveledger.errors import IllegalMove
from moveledger.rules.kernel import Draw, Leave, Move, Outcome, Over, Seat
from moveledger.rules.shangrila import RULESET
from moveledger.rules.shangrila.actions import Pass
from moveledger.rules.shangrila.apply import apply
from moveledger.rules.shangrila.opening import open_game
from moveledger.rules.shangrila.options import Options
from moveledger.rules.shangrila.score import outcome
from moveledger.rules.shangrila.state import State
from tests.rules.shangrila.positions import (
    BLUE,
    RED,
    VIOLET,
    YELLOW,
    initial,
    journey,
    listed,
    master,
    play,
    position,
    refusal,
    text_of,
)

BOARD = {1: "healer R+, yeti B+", 2: "healer B, yeti Y, dragon V"}


def leave(state: State, *seats: Seat) -> State:
    for seat in seats:
        state = apply(state, Leave(seat, "resigned"))
    return state


@pytest.mark.cites("X1")
def test_a_leavers_tiles_stay_and_its_turns_are_skipped() -> None:
    state = leave(position(BOARD), BLUE)
    assert (state.turn, text_of(state, 2)) == (RED, "dragon V, healer B, yeti Y")
    state = play(state, master(1, "dragon"))
    assert state.turn == YELLOW
    assert refusal(state, Pass(), BLUE) == "not_your_turn"


@pytest.mark.cites("X1")
def test_when_the_awaited_seat_leaves_the_next_one_is_awaited() -> None:
    assert leave(position(BOARD), RED).turn == BLUE
    assert leave(position(BOARD, turn=VIOLET), VIOLET).turn == RED
    assert leave(position(BOARD), BLUE, RED).turn == YELLOW


@pytest.mark.cites("X1")
def test_students_of_a_leaver_still_travel_with_the_others() -> None:
    state = play(leave(position(BOARD), BLUE), journey(1, 2))
    assert text_of(state, 1) == "healer R, yeti B"
    assert state.last_journey is not None
    assert [fate.owner for fate in state.last_journey.fates] == [RED, BLUE]


@pytest.mark.cites("X1")
def test_in_the_first_rounds_the_others_go_on_placing() -> None:
    state = play(open_game(Options(), 3), initial(1, "healer"))
    state = leave(state, BLUE)
    while state.phase == "setup":
        state = play(state, listed(state)[0])
    assert [sum(own) for own in state.supply] == [35, 42, 35]
    assert state.turn == RED


@pytest.mark.cites("X1")
def test_when_the_last_to_place_leaves_the_main_phase_begins() -> None:
    state = open_game(Options(), 3)
    for _ in range(20):
        state = play(state, listed(state)[0])
    assert (state.phase, state.turn) == ("setup", YELLOW)
    state = leave(state, YELLOW)
    assert (state.phase, state.turn) == ("main", RED)


@pytest.mark.cites("X1")
def test_leavers_place_last_the_later_before_the_earlier() -> None:
    board = {3: "healer R+", 10: "yeti V, dragon V, priest V", 5: "healer B, yeti Y, dragon Y"}
    state = leave(position(board, bridges=[(3, 10), (5, 8)]), VIOLET, YELLOW)
    assert outcome(play(state, journey(3, 10))) == Outcome((1, 2, 3, 4), (2, 1, 2, 3), "two_open")


@pytest.mark.cites("X1")
def test_the_last_seat_that_stays_wins_at_once() -> None:
    state = leave(position(BOARD), RED, VIOLET, BLUE)
    assert RULESET.awaiting(state) == Over()
    assert outcome(state) == Outcome((4, 2, 1, 3), (1, 2, 1, 1), "last_seat")


@pytest.mark.cites("X1")
def test_nobody_leaves_twice_or_after_the_end_and_chance_is_never_asked() -> None:
    state = leave(position(BOARD), BLUE)
    refusals = [
        (state, Leave(BLUE, "removed"), "not_in_the_game"),
        (state, Leave(Seat(7), "removed"), "not_in_the_game"),
    ]
    refusals.append((leave(state, YELLOW, VIOLET), Leave(RED, "timed_out"), "game_over"))
    for before, given, code in refusals:
        with pytest.raises(IllegalMove) as refused:
            apply(before, given)
        assert refused.value.code == f"shangrila.{code}"
    with pytest.raises(IllegalMove) as refused:
        apply(state, Draw((1,)))
    assert refused.value.code == "shangrila.no_draw"


@pytest.mark.cites("X8", "24")
def test_a_row_of_passes_is_whole_when_all_who_are_left_have_passed() -> None:
    stuck = position({1: "healer B"}, bridges=[(5, 8), (8, 9), (9, 10)])
    state = play(stuck, Pass(), Pass())
    state = leave(state, RED)
    assert state.phase == "main"
    assert state.passed == (BLUE,)
    assert state.turn == YELLOW
    state = apply(state, Move(YELLOW, Pass()))
    assert state.phase == "main"
    assert leave(state, VIOLET).ended == "deadlock"
    assert play(state, Pass()).ended == "deadlock"
