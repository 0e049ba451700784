"""Passing, the end of the game, scores and placings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import pytest

from moveledger.rules.encoding import read_options
from moveledger.rules.kernel import Move, Outcome, Over, Seat, Seats
from moveledger.rules.shangrila import RULESET
from moveledger.rules.shangrila.actions import Journey, Pass
from moveledger.rules.shangrila.data import GUILDS, VILLAGES
from moveledger.rules.shangrila.score import outcome
from moveledger.rules.shangrila.state import EndReason, State, Tile, is_open, open_villages, score_of, villages_of
from tests.rules.playouts import Step
from tests.rules.playouts import play as playout
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
    text_of,
)

ALL_BLUE = "astrologer B, dragon B, firekeeper B, priest B, rainmaker B, yeti B"


def random_game(seats: int, seed: int, **options: object) -> list[Step]:
    return list(playout(RULESET, options=read_options(RULESET, options), seats=seats, seed=seed, bound=600))


def kind_of(step: Step) -> str:
    assert isinstance(step.input, Move)
    kind: str = step.input.action.type
    return kind


def ended(board: Mapping[int, str], seats: int = 4, reason: EndReason = "two_open") -> State:
    return replace(position(board, seats=seats), phase="over", ended=reason)


def result(state: State) -> Outcome:
    found = outcome(state)
    assert found is not None
    return found


# --- passing -------------------------------------------------------------------------------------------


@pytest.mark.cites("22")
def test_a_seat_that_can_act_may_not_pass() -> None:
    for board in ({1: "healer R"}, {1: "healer R+"}):
        assert refusal(position(board), Pass()) == "pass_not_allowed"
    only_journey = {**_stuck_red(), 8: "healer R+, " + ALL_BLUE.replace("yeti B", "yeti Y")}
    only_journey[12] = "healer R"
    state = position(only_journey, bridges=OPEN)
    assert {type(action) for action in listed(state)} == {Journey}
    assert refusal(state, Pass()) == "pass_not_allowed"


OPEN = [(5, 8), (8, 9), (9, 10)]


def _stuck_red() -> dict[int, str]:
    """Red in full villages only, all six of its healers on the board: nothing to lay, nobody to send."""
    return {
        5: f"healer R, {ALL_BLUE}",
        8: "astrologer Y, dragon Y, firekeeper Y, healer R, priest Y, rainmaker Y, yeti Y",
        12: "healer R+",
        13: "healer R+",
        9: "healer B+, yeti B+, dragon B+, priest B+, firekeeper B",
    }


@pytest.mark.cites("23")
def test_a_seat_with_nothing_to_do_passes_and_rejoins_when_something_becomes_possible() -> None:
    state = position(_stuck_red(), bridges=OPEN)
    assert listed(state) == [Pass()]
    after = play(state, Pass())
    assert after.turn == BLUE
    assert after.passed == (RED,)
    after = play(after, journey(9, 8))
    assert after.passed == ()
    assert text_of(after, 8).count("healer B") == 1
    assert allowed(replace(after, turn=RED), recruit((5, "healer")))
    assert refusal(replace(after, turn=RED), Pass()) == "pass_not_allowed"


@pytest.mark.cites("24")
def test_when_all_pass_in_a_row_the_game_ends_and_is_scored() -> None:
    state = position({1: "healer B", 2: "yeti R, dragon R"}, bridges=[(5, 8), (8, 9), (9, 10)])
    state = play(state, Pass(), Pass(), Pass())
    assert state.phase == "main"
    state = play(state, Pass())
    assert RULESET.awaiting(state) == Over()
    assert result(state) == Outcome((1, 2, 3, 3), (2, 1, 0, 0), "deadlock")


@pytest.mark.cites("24")
def test_any_other_action_breaks_a_row_of_passes() -> None:
    board = {5: "healer V, yeti V", 2: "yeti R"}
    state = position(board, bridges=[(5, 8), (8, 9), (9, 10)])
    state = play(state, Pass(), Pass(), Pass(), master(5, "dragon"))
    assert state.passed == ()
    assert play(state, Pass(), Pass(), Pass(), recruit((5, "yeti"))).passed == ()
    state = play(state, Pass(), Pass(), Pass())
    assert state.phase == "main"
    assert state.passed == (RED, BLUE, YELLOW)
    assert state.turn == VIOLET


@pytest.mark.cites("25")
def test_a_seat_without_masters_in_open_villages_passes_and_still_scores() -> None:
    board = {1: "healer R+, yeti R", 5: "healer B", 8: "yeti B+"}
    state = position(board, bridges=[(5, 8), (8, 9), (9, 10)])
    assert listed(state) == [Pass()]
    assert score_of(state, RED) == 2


@pytest.mark.cites("26")
def test_a_seat_without_any_master_passes_and_scores_nothing() -> None:
    state = position({5: "healer B+"}, turn=YELLOW)
    assert listed(state) == [Pass()]
    state = play(position({3: "healer B+", 10: "healer V"}, turn=BLUE, bridges=[(3, 10), (5, 8)]), journey(3, 10))
    assert result(state).scores == (0, 2, 0, 0)
    assert result(state).placings == (2, 1, 2, 2)


# --- the end -------------------------------------------------------------------------------------------


@pytest.mark.cites("19", "20", "J")
@pytest.mark.parametrize(("seats", "journeys"), [(3, 19), (4, 22)])
def test_the_game_ends_at_eleven_stones_with_one_bridge_unused(seats: int, journeys: int) -> None:
    for seed in range(12):
        steps = random_game(seats, seed)
        last = steps[-1].after
        assert last.ended == "two_open"
        assert sum(not is_open(last, village) for village in VILLAGES) == 11
        assert len(last.bridges) == 1
        assert sum(kind_of(step) == "journey" for step in steps) == journeys
        assert all(len(open_villages(step.before)) > 2 for step in steps)


@pytest.mark.cites("19")
def test_the_game_ends_in_the_middle_of_a_round() -> None:
    state = position({1: "healer B", 3: "healer R+", 10: "healer B"}, bridges=[(3, 10), (5, 8)])
    after = play(state, journey(3, 10))
    assert RULESET.awaiting(after) == Over()
    assert RULESET.awaiting(state) == Seats(frozenset({RED}))


@pytest.mark.cites("21")
def test_masters_in_the_two_open_villages_score_too() -> None:
    board = {3: "healer R+", 5: "healer B, yeti B", 8: "dragon B", 1: "yeti R"}
    after = play(position(board, bridges=[(3, 10), (5, 8)]), journey(3, 10))
    assert open_villages(after) == [5, 8]
    assert result(after).scores == (3, 3, 0, 0)


@pytest.mark.cites("X2")
def test_played_to_the_last_bridge_two_open_villages_go_on() -> None:
    board = {3: "healer R+", 5: "healer B+, yeti B"}
    after = play(position(board, end="no_bridge", bridges=[(3, 10), (5, 8)]), journey(3, 10))
    assert after.phase == "main"
    after = play(after, journey(5, 8))
    assert after.phase == "over"
    assert open_villages(after) == []
    assert result(after) == Outcome((2, 1, 3, 3), (2, 3, 0, 0), "no_bridge")


@pytest.mark.cites("X2")
@pytest.mark.parametrize("seats", [3, 4])
def test_played_to_the_last_bridge_every_game_ends(seats: int) -> None:
    for seed in range(12):
        last = random_game(seats, seed, end="no_bridge")[-1].after
        assert last.ended == ("no_bridge" if not last.bridges else "deadlock")


@pytest.mark.cites("43")
@pytest.mark.parametrize("seats", [3, 4])
def test_every_action_but_a_pass_lays_a_tile_or_takes_a_bridge_and_so_no_game_is_endless(seats: int) -> None:
    for end, seed in product(("two_open", "no_bridge"), range(4)):
        for step in random_game(seats, seed, end=end):
            before, after, kind = step.before, step.after, kind_of(step)
            if kind == "journey":
                assert len(after.bridges) == len(before.bridges) - 1
            elif kind == "pass":
                assert (after.board, after.bridges) == (before.board, before.bridges)
                assert len(after.passed) == len(before.passed) + 1
            else:
                assert sum(map(sum, after.supply)) < sum(map(sum, before.supply))


# --- scores --------------------------------------------------------------------------------------------

MASTERS = {
    RED: (2, 3, 1, 4, 2, 1, 3, 0, 2, 3, 0, 2),
    BLUE: (3, 1, 2, 2, 0, 4, 3, 2, 1, 2, 1, 2),
    YELLOW: (1, 2, 3, 1, 3, 2, 1, 3, 0, 2, 2, 1),
}


def three_seats_at_the_end(students_of: Seat | None = None, move_one_red: bool = False) -> State:
    """The board of the scoring example; with `move_one_red` one of Red's masters stands in village 9 instead of 5."""
    counts = {seat: list(row) for seat, row in MASTERS.items()}
    if move_one_red:
        counts[RED][3] -= 1
        counts[RED][7] += 1
    board = []
    for column in range(12):
        owners = [seat for seat in counts for _ in range(counts[seat][column])]
        tiles = [Tile(owner, student=owner == students_of) for owner in owners]
        board.append((*tiles, *[None] * (len(GUILDS) - len(tiles))))
    board.insert(2, (None,) * len(GUILDS))
    return replace(ended({}, seats=3), board=tuple(board))


@pytest.mark.cites("S", "34")
def test_a_tie_on_masters_goes_to_the_seat_in_more_villages() -> None:
    state = three_seats_at_the_end()
    assert [villages_of(state, seat) for seat in (RED, BLUE, YELLOW)] == [10, 11, 11]
    assert result(state) == Outcome((2, 1, 3), (23, 23, 21), "two_open")


@pytest.mark.cites("S", "34")
def test_students_change_neither_score_nor_tie_break() -> None:
    state = three_seats_at_the_end(students_of=RED)
    assert result(state) == Outcome((2, 1, 3), (23, 23, 21), "two_open")


@pytest.mark.cites("S", "35")
def test_seats_equal_in_masters_and_villages_share_the_win() -> None:
    assert result(three_seats_at_the_end(move_one_red=True)).placings == (1, 1, 3)


@pytest.mark.cites("35")
def test_three_or_four_can_share_a_place() -> None:
    assert result(ended({1: "healer R, yeti B, dragon Y, priest V"})).placings == (1, 1, 1, 1)
    assert result(ended({1: "healer R, yeti B, dragon Y"})).placings == (1, 1, 1, 4)
    assert result(ended({1: "healer R, yeti R, dragon B, priest Y, rainmaker V"})).placings == (1, 2, 2, 2)


def test_no_outcome_before_the_end() -> None:
    assert outcome(position({1: "healer R"})) is None
