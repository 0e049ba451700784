"""Moving, entering and taking back pawns, and what they discover."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from moveledger.rules.encoding import read_options
from moveledger.rules.kernel import Over
from moveledger.rules.tiwanaku import RULESET
from moveledger.rules.tiwanaku import data as game_data
from moveledger.rules.tiwanaku.actions import Divine, ExploreAdd, ExploreMove, Pass, Skip, Stop
from moveledger.rules.tiwanaku.movement import destinations
from moveledger.rules.tiwanaku.score import advance
from moveledger.rules.tiwanaku.state import State
from tests.rules import playouts
from tests.rules.tiwanaku.tables import (
    Place,
    add,
    arrange,
    begin,
    divine,
    everything,
    legal,
    move,
    play,
    refused,
    remove,
    score,
    tribe,
)

EARTH, SAND, GRASS, ROCK = range(4)


def middle_game() -> State:
    """The position of the worked examples M1 and M2: A on (2,2), B on (3,2) and (1,4)."""
    return arrange(
        begin(), crops=[(2, 2), (3, 2)], terrain=[(1, 2), (1, 4)], pawns=[[(2, 2)], [(3, 2), (1, 4)]]
    )  # fmt: skip


def moves_from(state: State, origin: Place) -> set[Place]:
    return {action.to for action in legal(state) if isinstance(action, ExploreMove) and action.from_ == origin}


def entries(state: State) -> set[Place]:
    return {action.to for action in legal(state) if isinstance(action, ExploreAdd)}


def edge(state: State) -> set[Place]:
    last = len(state.table.land.terrain) // 5 - 1
    return {(row, column) for row, column in everything(state) if row in (0, 4) or column in (0, last)}


# --- where a pawn can go -------------------------------------------------------------------------------


@pytest.mark.cites("M1")
def test_nine_spaces_are_open_to_the_pawn_of_the_example() -> None:
    assert moves_from(middle_game(), (2, 2)) == {
        (1, 2), (2, 1), (2, 3), (1, 1), (2, 0), (3, 1), (1, 3), (2, 4), (3, 3),
    }  # fmt: skip
    assert refused(middle_game(), move((2, 2), (3, 2))) == "other_pawn_there"


@pytest.mark.cites("M2", "9")
def test_sixteen_spaces_are_open_to_a_pawn_that_enters_in_the_example() -> None:
    state = middle_game()
    assert entries(state) == edge(state) - {(1, 4)} | {(1, 2)}
    assert len(entries(state)) == 16
    assert refused(state, add(1, 4)) == "other_pawn_there"


@pytest.mark.cites("M3")
def test_eighteen_spaces_are_open_at_the_start_of_the_example() -> None:
    state = begin()
    assert entries(state) == edge(state) | {(1, 2), (3, 2)}
    assert len(legal(state)) == 18


@pytest.mark.cites("1", "2")
def test_a_pawn_may_stop_on_a_crop_and_gains_nothing_there() -> None:
    before = middle_game()
    after = play(before, move((2, 2), (2, 3)))
    assert tribe(after, 0) == replace(tribe(before, 0), pawns=(13,))
    assert after.table.land == before.table.land
    assert after.table.found == ()
    assert after.table.current == 1


@pytest.mark.cites("3")
def test_a_flood_finds_what_paths_without_a_turn_back_find() -> None:
    positions = 0
    for seed in range(6):
        options = read_options(RULESET, {"board": ("5x5", "5x7", "5x9")[seed % 3]})
        for step in playouts.play(RULESET, options=options, seats=2 + seed % 3, seed=seed):
            state = step.after
            if state.table.phase != "action":
                continue
            seat = state.table.current
            for origin in (None, *tribe(state, seat).pawns):
                positions += 1
                assert destinations(state.table, seat, origin) == sorted(stops_by_paths(state, seat, origin))
    assert positions > 500


def stops_by_paths(state: State, seat: int, origin: int | None) -> set[int]:
    """Every space on which a path may stop that turns by 90° or not at all: a search over space and direction."""
    width = len(state.table.land.terrain) // 5
    own = {pawn for pawn in tribe(state, seat).pawns if pawn != origin}
    others = {pawn for who, one in enumerate(state.table.tribes) if who != seat for pawn in one.pawns}
    stops, seen, ahead = set(), set(), list(first_steps(width, origin))
    while ahead:
        space, (down, right) = ahead.pop()
        if (space, (down, right)) in seen or space in others:
            continue
        seen.add((space, (down, right)))
        if space not in own and space != origin:
            stops.add(space)
        if space in own or state.table.land.crops[space] != ".":
            for turn in ((down, right), (right, down), (-right, -down)):
                ahead += step_to(width, space, turn)
    return stops


def first_steps(width: int, origin: int | None) -> Iterator[tuple[int, tuple[int, int]]]:
    if origin is not None:
        for way in ((1, 0), (-1, 0), (0, 1), (0, -1)):
            yield from step_to(width, origin, way)
        return
    for row in range(5):
        yield row * width, (0, 1)
        yield row * width + width - 1, (0, -1)
    for column in range(width):
        yield column, (1, 0)
        yield 4 * width + column, (-1, 0)


def step_to(width: int, space: int, way: tuple[int, int]) -> Iterator[tuple[int, tuple[int, int]]]:
    row, column = space // width + way[0], space % width + way[1]
    if 0 <= row < 5 and 0 <= column < width:
        yield row * width + column, way


@pytest.mark.cites("4")
def test_a_pawn_cannot_end_where_it_began_even_in_a_loop_of_crops() -> None:
    state = arrange(begin(), crops=[(2, 2), (3, 2), (3, 1)], pawns=[[(2, 2)]])
    assert (2, 2) not in moves_from(state, (2, 2))
    assert refused(state, move((2, 2), (2, 2))) == "back_to_start"


def test_a_pawn_that_has_left_bare_terrain_cannot_pass_it() -> None:
    state = arrange(begin(), terrain=[(1, 0)], crops=[(0, 0), (0, 1), (1, 1)], pawns=[[(1, 0)]])
    assert (2, 0) in moves_from(state, (1, 0))
    assert refused(state, move((1, 0), (1, 0))) == "back_to_start"


@pytest.mark.cites("8")
def test_a_pawn_that_enters_may_stop_on_a_crop_or_go_on_but_must_go_on_from_an_own_pawn() -> None:
    state = begin()
    assert {(0, 2), (1, 2)} <= entries(state)
    own = arrange(state, pawns=[[(0, 2)]])
    assert (1, 2) in entries(own)
    assert refused(own, add(0, 2)) == "own_pawn_there"
    on_bare = arrange(state, terrain=[(2, 0), (3, 1)], pawns=[[(2, 0), (2, 1)]])
    assert {(1, 1), (2, 2), (3, 1)} <= entries(on_bare)


@pytest.mark.cites("9")
def test_an_edge_space_of_an_opponent_is_closed_and_one_of_an_own_pawn_is_passed() -> None:
    state = arrange(begin(), pawns=[[], [(0, 2)]])
    assert (0, 2) not in entries(state)
    assert (1, 2) not in entries(state)
    assert (1, 2) in entries(arrange(begin(), pawns=[[(0, 2)]]))


def test_nothing_is_reached_behind_a_pawn_of_an_opponent() -> None:
    state = arrange(begin(), crops=[(2, 2)], pawns=[[(2, 1)], [(2, 2)]])
    assert refused(state, move((2, 1), (2, 3))) == "out_of_reach"


def test_an_own_pawn_is_passed_whatever_lies_under_it() -> None:
    state = arrange(begin(), terrain=[(2, 0), (1, 0)], pawns=[[(2, 0), (1, 0)]])
    assert (0, 0) in moves_from(state, (2, 0))
    assert refused(state, move((2, 0), (1, 0))) == "own_pawn_there"


def test_a_pawn_ringed_in_can_only_be_taken_back() -> None:
    ring: list[Place] = [(0, 1), (1, 0)]
    state = arrange(begin(), terrain=[(0, 0), *ring], pawns=[[(0, 0)], ring])
    assert moves_from(state, (0, 0)) == set()
    assert remove(0, 0) in legal(state)


def test_a_pawn_enters_only_from_a_supply() -> None:
    state = arrange(begin(), tribes={0: {"supply": 0, "pawns": (2,)}})
    assert entries(state) == set()
    assert refused(state, add(0, 0)) == "no_pawn_left"


# --- taking back ---------------------------------------------------------------------------------------


@pytest.mark.cites("5", "7")
def test_taking_a_pawn_back_ends_the_turn_at_once() -> None:
    state = arrange(begin(), pawns=[[(0, 2)]], tribes={0: {"offerings": (1, 2)}})
    assert tribe(state, 0).supply == 4
    after = play(state, remove(0, 2))
    assert (tribe(after, 0).pawns, tribe(after, 0).supply) == ((), 5)
    assert (after.table.phase, after.table.current) == ("action", 1)
    assert refused(after, add(0, 0), seat=0) == "not_your_turn"


@pytest.mark.cites("5", "X3")
def test_taking_a_pawn_back_is_followed_by_an_offering_where_the_option_says_so() -> None:
    state = arrange(begin(offer_after_removal=True), pawns=[[(0, 2)]])
    assert play(state, remove(0, 2)).table.current == 1
    holding = play(arrange(state, tribes={0: {"offerings": (1, 2)}}), remove(0, 2))
    assert (holding.table.phase, holding.table.current) == ("offer", 0)


@pytest.mark.cites("6")
def test_a_pawn_that_was_taken_back_can_enter_in_a_later_turn() -> None:
    state = arrange(begin(), tribes={0: {"supply": 1, "pawns": (2,)}, 1: {"supply": 5}})
    state = play(state, remove(0, 2), add(0, 2), add(0, 0), move((0, 2), (1, 2)), add(4, 4))
    assert (tribe(state, 0).pawns, tribe(state, 0).supply) == ((0, 24), 0)


# --- discovering ---------------------------------------------------------------------------------------


def test_a_pawn_that_stops_on_an_unknown_space_discovers_its_terrain() -> None:
    state = play(begin(), add(0, 0))
    assert state.table.land.terrain[0] == "R"
    assert state.table.land.crops[0] == "."
    assert tribe(state, 0).levels == (0, 0, 0, 1)
    assert score(state, 0) == 11


@pytest.mark.cites("10", "11")
def test_stopping_on_bare_terrain_brings_nothing_and_ends_the_turn() -> None:
    before = arrange(begin(), terrain=[(1, 2)])
    after = play(before, add(1, 2))
    assert (score(after, 0), tribe(after, 0).levels) == (10, (0, 0, 0, 0))
    assert (after.table.phase, after.table.current) == ("action", 1)
    assert refused(after, divine(1, 2, 5), seat=0) == "not_your_turn"


@pytest.mark.cites("11")
def test_a_discovery_cannot_be_followed_by_divining_in_the_same_turn() -> None:
    after = play(arrange(begin(), tribes={0: {"offerings": (1,)}}), add(0, 0))
    assert (after.table.phase, after.table.current) == ("offer", 0)
    assert refused(after, divine(0, 0, 3)) == "no_divining_now"
    after = play(after, Skip(), add(4, 4))
    assert Divine((0, 0), 3) in legal(after)


@pytest.mark.cites("D1", "D2")
def test_a_discovery_scores_the_stones_on_the_new_level() -> None:
    levels = {0: {"levels": (0, 2, 2, 1)}}
    assert score(play(arrange(begin(), tribes=levels), add(0, 0)), 0) == 13
    sand = play(arrange(begin(), tribes=levels), add(4, 0))
    assert score(sand, 0) == 11
    assert tribe(sand, 0).levels == (0, 3, 2, 1)


@pytest.mark.cites("D3")
def test_even_stones_score_more_than_one_that_runs_ahead() -> None:
    levels: tuple[int, ...] = (4, 4, 4, 4)
    even = []
    for kind in (EARTH, SAND, GRASS, ROCK):
        levels, points = advance(levels, kind)
        even.append(points)
    assert even == [1, 2, 3, 4]
    levels, uneven = (4, 4, 4, 4), 0
    for _ in range(4):
        levels, points = advance(levels, SAND)
        uneven += points
    assert uneven == 4


@pytest.mark.cites("25", "D4")
def test_at_the_top_a_stone_stays_and_a_discovery_is_worth_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game_data, "FIGURES", replace(game_data.FIGURES, diversity_top=6))
    state = arrange(begin(), tribes={0: {"levels": (1, 6, 6, 6)}})
    after = play(state, add(4, 0))
    assert tribe(after, 0).levels == (1, 6, 6, 6)
    assert score(after, 0) == 11
    assert score(play(arrange(begin(), tribes={0: {"levels": (1, 5, 6, 6)}}), add(4, 0)), 0) == 13


@pytest.mark.cites("25")
def test_as_the_data_stand_the_columns_have_no_top() -> None:
    assert game_data.FIGURES.diversity_top is None
    assert advance((40, 40, 40, 40), GRASS) == ((40, 40, 41, 40), 1)


# --- passing -------------------------------------------------------------------------------------------


@pytest.mark.cites("28")
def test_a_seat_passes_only_when_it_can_do_nothing() -> None:
    assert refused(begin(), Pass()) == "must_act"
    stuck = arrange(begin(), tribes={0: {"supply": 0}})
    assert legal(stuck) == [Pass()]
    after = play(stuck, Pass())
    assert (after.table.phase, after.table.current) == ("action", 1)


@pytest.mark.cites("28")
def test_a_supply_is_of_no_use_while_opponents_hold_the_whole_edge() -> None:
    state = begin()
    everywhere = edge(state)
    blocked = arrange(state, terrain=everywhere, pawns=[[], everywhere])
    assert legal(blocked) == [Pass()]
    assert refused(blocked, add(0, 0)) == "other_pawn_there"


# --- the other way to enter ----------------------------------------------------------------------------


def placed(to: Place, **more: Any) -> State:
    return play(arrange(begin(entry="then_move"), **more), add(*to))


@pytest.mark.cites("X1")
def test_with_then_move_a_pawn_enters_on_any_free_space_of_the_edge_and_only_there() -> None:
    state = begin(entry="then_move")
    assert entries(state) == edge(state)
    assert refused(state, add(1, 2)) == "not_at_the_edge"
    held = arrange(state, pawns=[[(0, 2)], [(0, 4)]])
    assert entries(held) == edge(state) - {(0, 2), (0, 4)}
    assert refused(held, add(0, 2)) == "own_pawn_there"
    assert refused(held, add(0, 4)) == "other_pawn_there"


@pytest.mark.cites("X1")
def test_with_then_move_the_new_pawn_may_go_on_and_discovers_only_where_it_stops() -> None:
    state = placed((0, 0))
    assert (state.table.phase, state.table.current) == ("entered", 0)
    assert state.table.land.terrain[0] == "."
    after = play(state, move((0, 0), (1, 0)))
    assert after.table.land.terrain[0] == "."
    assert after.table.land.terrain[5] == "R"
    assert tribe(after, 0).pawns == (5,)
    assert (after.table.phase, after.table.current) == ("action", 1)


@pytest.mark.cites("X1")
def test_with_then_move_the_new_pawn_may_stay_and_discovers_there() -> None:
    after = play(placed((0, 0)), Stop())
    assert after.table.land.terrain[0] == "R"
    assert (score(after, 0), after.table.current, after.table.entered) == (11, 1, None)


@pytest.mark.cites("X2")
def test_with_then_move_another_pawn_may_move_and_both_discover_the_new_one_first() -> None:
    state = placed((0, 0), terrain=[(4, 4)], pawns=[[(4, 4)]])
    after = play(state, move((4, 4), (3, 4)))
    assert [found.space for found in after.table.found] == [0, 19]
    assert (after.table.land.terrain[0], after.table.land.terrain[19]) == ("R", "G")
    assert tribe(after, 0).levels == (0, 0, 1, 1)
    assert score(after, 0) == 10 + 1 + 2


@pytest.mark.cites("X2")
def test_with_then_move_a_pawn_passes_the_new_one_and_nothing_else_can_be_done() -> None:
    state = placed((4, 3), terrain=[(4, 4)], pawns=[[(4, 4)]])
    assert (3, 3) in moves_from(state, (4, 4))
    assert refused(state, move((4, 4), (4, 3))) == "own_pawn_there"
    assert refused(state, add(0, 0)) == "no_entering_now"
    assert refused(state, remove(4, 4)) == "no_removing_now"
    assert refused(state, divine(4, 4, 2)) == "no_divining_now"
    assert refused(state, Pass()) == "no_passing_now"


def test_random_games_end_with_either_way_to_enter() -> None:
    for entry in ("as_step", "then_move"):
        options = read_options(RULESET, {"entry": entry})
        *_, last = playouts.play(RULESET, options=options, seats=3, seed=4)
        assert RULESET.awaiting(last.after) == Over()
