"""Drawing, laying own tiles and those of others, and the border."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from moveledger.rules.desertsons import RULESET, data
from moveledger.rules.desertsons.actions import (
    BuyBonus,
    DrawTile,
    EndTurn,
    LayOwn,
    MoveCaravan,
    NoExplore,
    PlaceFigure,
    PlaceTile,
    SkipFigure,
    TakeTile,
)
from moveledger.rules.desertsons.data import CENTRE, EDGES, NEIGHBOURS, ROTATIONS, cell_at
from moveledger.rules.desertsons.field import fits
from moveledger.rules.desertsons.state import State, change_trader
from moveledger.rules.kernel import Chance, Pick
from tests.rules.desertsons.scenes import (
    ANNA,
    BEN,
    act,
    draw,
    draw_tile,
    facing,
    give,
    opened,
    options_of,
    put,
    refused,
    stand,
    tile,
    whats,
    with_display,
)

END = cell_at(5, 0)
"""The northern end of the cross, with an empty cell to its west and one to its east."""
WEST, EAST = cell_at(4, 0), cell_at(6, 0)


def exploring(seats: int = 3, **given: Any) -> State:
    """Seat 0 stays at the northern end and is asked how it explores."""
    return act(opened(seats, **given), MoveCaravan(END))


@pytest.mark.cites("X6", "X13")
def test_chance_picks_the_first_seat_then_one_open_tile_for_each_from_the_first_stack() -> None:
    state = RULESET.setup(opened().options, 3)
    assert RULESET.awaiting(state) == Chance(Pick(1, 3))
    state = draw(state, 1)
    asked = []
    while isinstance(awaited := RULESET.awaiting(state), Chance):
        asked.append((state.victim, awaited.request))
        state = draw(state, 0)
    assert asked == [(1, Pick(1, 17)), (2, Pick(1, 16)), (0, Pick(1, 15))]
    assert (state.active, state.first, state.turban) == (1, 1, 1)
    assert [len(trader.display) for trader in state.traders] == [1, 1, 1]


@pytest.mark.cites("X6")
def test_a_stack_is_used_up_before_the_next_one_begins_unless_there_is_one_stack() -> None:
    state = replace(exploring(), stack=(tile("T17"), tile("T18"), tile("T52")))
    assert RULESET.awaiting(act(state, DrawTile())) == Chance(Pick(1, 1))
    one = replace(exploring(stacks="one"), stack=state.stack)
    assert RULESET.awaiting(act(one, DrawTile())) == Chance(Pick(1, 3))


@pytest.mark.cites("E1")
def test_exploring_is_compulsory_while_one_can_draw_or_lay_an_own_tile() -> None:
    state = exploring()
    assert refused(state, NoExplore()) == "must_explore"
    only_own = replace(state, stack=())
    assert refused(only_own, DrawTile()) == "stack_empty"
    assert {type(action) for action in options_of(only_own)} == {LayOwn, TakeTile}
    assert refused(only_own, NoExplore()) == "must_explore"
    only_theirs = with_display(only_own, ANNA, "T17")
    assert {type(action) for action in options_of(only_theirs)} == {TakeTile, NoExplore}
    assert act(only_theirs, NoExplore()).active == BEN


@pytest.mark.cites("E2")
def test_one_may_draw_although_an_own_tile_would_fit() -> None:
    state = exploring()
    assert LayOwn(0, WEST, 0) in options_of(state)
    assert DrawTile() in options_of(state)


@pytest.mark.cites("E3")
def test_a_drawn_tile_that_fits_must_be_laid() -> None:
    state = draw_tile(act(exploring(), DrawTile()), "T04")
    assert {type(action) for action in options_of(state)} == {PlaceTile}
    assert refused(state, NoExplore()) == "wrong_phase"
    laid = act(state, PlaceTile(EAST, 0))
    assert laid.traders[ANNA].caravan == EAST
    assert laid.board[EAST] == 4 * tile("T04")
    assert laid.phase == "figure"


@pytest.mark.cites("E3", "E11")
def test_a_draw_cannot_be_taken_back_and_a_tile_of_a_display_is_laid_in_one_action() -> None:
    state = exploring()
    drawn = draw_tile(act(state, DrawTile()), "T04")
    assert refused(drawn, LayOwn(0, WEST, 0)) == "wrong_phase"
    own = act(state, LayOwn(0, WEST, 0))
    assert own.board[WEST] == 4 * tile("T01")
    assert own.traders[ANNA].display == ()
    assert refused(state, LayOwn(1, WEST, 0)) == "no_such_slot"


@pytest.mark.cites("E4")
def test_a_tile_goes_on_an_empty_cell_beside_the_caravan_and_matches_all_neighbours() -> None:
    state = draw_tile(act(exploring(), DrawTile()), "T04")
    assert [(a.cell, a.rotation) for a in options_of(state) if isinstance(a, PlaceTile)] == [
        (EAST, 0),
        (EAST, 1),
        (EAST, 2),
        (WEST, 0),
        (WEST, 2),
        (WEST, 3),
    ]
    assert refused(state, PlaceTile(cell_at(4, 1), 0)) == "not_beside_caravan"
    assert refused(state, PlaceTile(cell_at(5, 1), 0)) == "cell_taken"
    assert refused(state, PlaceTile(121, 0)) == "not_on_field"
    assert refused(state, PlaceTile(EAST, 3)) == "tile_does_not_fit"
    assert refused(state, PlaceTile(EAST, 4)) == "no_such_rotation"


@pytest.mark.cites("X9")
def test_rotations_that_look_the_same_are_offered_once() -> None:
    assert ROTATIONS[tile("T01")] == (0,)
    assert ROTATIONS[tile("T11")] == (0, 1), "one part from north to south"
    assert ROTATIONS[tile("T13")] == (0, 1, 2, 3), "a rumour in the north, a camel in the south"
    assert refused(exploring(), LayOwn(0, WEST, 1)) == "rotation_repeated"


@pytest.mark.cites("E5", "E7")
def test_with_a_full_display_one_lays_own_or_others_tiles_but_does_not_draw() -> None:
    state = with_display(exploring(), ANNA, "T17", "T18", "T19")
    assert refused(state, DrawTile()) == "display_full"
    assert DrawTile() not in options_of(state)
    assert LayOwn(1, EAST, 0) in options_of(state)
    taken = act(state, TakeTile(BEN, 0, EAST, 0))
    assert len(taken.traders[ANNA].display) == 3
    assert taken.board[EAST] == 4 * tile("T02")


@pytest.mark.cites("E6", "X8")
def test_a_full_display_of_which_nothing_fits_ends_the_turn_without_effect() -> None:
    full = with_display(opened(), ANNA, "T17", "T50", "T85")
    dry = give(full, ANNA, water=0)
    after = act(dry, MoveCaravan(END))
    assert after.active == BEN
    assert after.board == dry.board
    assert after.idle == 1
    assert NoExplore() in options_of(act(full, MoveCaravan(END))), "with water another seat's tile could be taken"


@pytest.mark.cites("E8")
def test_another_seats_tile_that_does_not_fit_cannot_be_taken() -> None:
    state = with_display(exploring(), BEN, "T17")
    assert refused(state, TakeTile(BEN, 0, EAST, 0)) == "tile_does_not_fit"
    assert not any(isinstance(action, TakeTile) and action.seat == BEN for action in options_of(state))


@pytest.mark.cites("E9")
def test_the_robbed_seat_gets_the_next_tile_as_a_public_draw_in_the_same_step() -> None:
    state = exploring()
    taken = act(state, TakeTile(BEN, 0, EAST, 0))
    assert taken.traders[ANNA].water == 1
    assert taken.water == state.water + 1
    assert RULESET.awaiting(taken) == Chance(Pick(1, 14))
    filled = draw_tile(taken, "T09")
    assert filled.traders[BEN].display == (tile("T09"),)
    assert filled.phase == "move_again", "the thief's turn goes on"
    assert whats(filled) == ["replaced"]


@pytest.mark.cites("E9", "Z1")
def test_a_replacement_that_is_the_last_tile_brings_the_last_turns_and_then_there_is_none() -> None:
    state = replace(exploring(2), stack=(tile("T09"),))
    state = with_display(state, BEN, "T18", "T19")
    last = draw(act(state, TakeTile(BEN, 0, EAST, 0)), 0)
    assert last.stack == ()
    ended = act(last, MoveCaravan(EAST), EndTurn())
    assert ended.last_turns == (BEN, ANNA)
    thief = facing(change_trader(ended, BEN, caravan=END), "explore")
    again = act(with_display(thief, ANNA, "T20"), TakeTile(ANNA, 0, WEST, 0))
    assert again.phase == "move_again"
    assert again.traders[ANNA].display == ()


def test_taking_asks_for_water_for_another_seat_and_for_a_tile_that_is_there() -> None:
    state = exploring()
    assert refused(state, TakeTile(ANNA, 0, EAST, 0)) == "own_display"
    assert refused(state, TakeTile(3, 0, EAST, 0)) == "no_such_seat"
    assert refused(state, TakeTile(BEN, 1, EAST, 0)) == "no_such_slot"
    assert refused(give(state, ANNA, water=0), TakeTile(BEN, 0, EAST, 0)) == "no_water_to_take"


@pytest.mark.cites("E10")
def test_the_replacement_can_be_taken_in_a_bonus_turn_only() -> None:
    state = give(exploring(), ANNA, water=4)
    filled = draw_tile(act(state, TakeTile(BEN, 0, EAST, 0)), "T04")
    assert refused(filled, TakeTile(BEN, 0, cell_at(7, 0), 0)) == "wrong_phase"
    bonus = act(filled, MoveCaravan(EAST), BuyBonus(), MoveCaravan(EAST))
    assert act(bonus, TakeTile(BEN, 0, cell_at(7, 0), 0)).traders[ANNA].water == 1


@pytest.mark.cites("E12", "X8")
def test_a_caravan_without_an_empty_cell_beside_it_explores_nothing() -> None:
    state = change_trader(opened(), ANNA, caravan=CENTRE)
    corners = {cell_at(4, 4): "T18", cell_at(6, 4): "T19", cell_at(4, 6): "T20", cell_at(6, 6): "T35"}
    after = act(put(state, {cell: (name, 0) for cell, name in corners.items()}), MoveCaravan(CENTRE))
    assert whats(after) == ["stayed", "explored_nothing", "turn"]
    assert refused(facing(state, "explore"), DrawTile()) == "no_empty_cell"


@pytest.mark.cites("F8")
def test_after_a_miss_or_when_nothing_was_explored_no_figure_can_be_removed() -> None:
    state = stand(exploring(), {16: cell_at(5, 1)})
    missed = draw_tile(act(state, DrawTile()), "T17")
    assert (missed.active, missed.phase, len(missed.figures)) == (BEN, "move", 1)
    idle = act(replace(with_display(state, ANNA, "T17"), stack=()), NoExplore())
    assert (idle.active, idle.phase, len(idle.figures)) == (BEN, "move", 1)


@pytest.mark.cites("E13")
def test_a_drawn_tile_that_does_not_fit_goes_to_the_display_and_the_turn_is_over() -> None:
    state = draw_tile(act(exploring(), DrawTile()), "T17")
    assert state.traders[ANNA].display == (tile("T01"), tile("T17"))
    assert whats(state) == ["drew", "missed", "turn"]
    assert state.active == BEN


@pytest.mark.cites("E13")
def test_with_bonus_after_miss_a_bonus_turn_can_still_be_bought() -> None:
    state = draw_tile(act(exploring(bonus_after_miss=True), DrawTile()), "T17")
    assert options_of(state) == [BuyBonus(), EndTurn()]
    assert act(state, BuyBonus()).active == ANNA


def figure_time(**given: Any) -> State:
    """Seat 0 has laid T04 and is asked for a figure."""
    return act(draw_tile(act(exploring(**given), DrawTile()), "T04"), PlaceTile(EAST, 1))


@pytest.mark.cites("E14")
def test_a_bonus_turn_can_be_bought_whether_or_not_a_figure_was_used() -> None:
    state = figure_time()
    assert options_of(act(state, SkipFigure())) == [BuyBonus(), EndTurn()]
    assert options_of(act(state, PlaceFigure(1, 0))) == [BuyBonus(), EndTurn()]


@pytest.mark.cites("E15", "X8")
def test_there_is_one_bonus_turn_a_turn() -> None:
    bonus = act(figure_time(), SkipFigure(), BuyBonus())
    assert (bonus.phase, bonus.active, bonus.traders[ANNA].water) == ("move", ANNA, 1)
    again = draw_tile(act(bonus, MoveCaravan(END), DrawTile()), "T05")
    after = act(again, PlaceTile(WEST, 0), SkipFigure())
    assert after.active == BEN, "no second bonus turn, although water is left"


@pytest.mark.cites("E16")
def test_a_bonus_turn_that_misses_ends_the_turn() -> None:
    bonus = act(figure_time(bonus_after_miss=True), SkipFigure(), BuyBonus())
    missed = draw_tile(act(bonus, MoveCaravan(END), DrawTile()), "T17")
    assert missed.active == BEN
    assert missed.traders[ANNA].display[-1] == tile("T17")


# --- the border ----------------------------------------------------------------------------------------


@pytest.mark.cites("P1")
def test_oasis_may_face_the_border() -> None:
    state = draw_tile(act(exploring(), DrawTile()), "T04")
    assert PlaceTile(EAST, 0) in options_of(state), "its oasis edge looks north"


@pytest.mark.cites("P2")
def test_with_desert_border_only_desert_may_face_the_border() -> None:
    state = draw_tile(act(exploring(desert_border=True), DrawTile()), "T04")
    assert refused(state, PlaceTile(EAST, 0)) == "oasis_at_border"
    assert PlaceTile(EAST, 0) not in options_of(state)
    assert PlaceTile(EAST, 1) in options_of(state)


@pytest.mark.cites("P2")
def test_a_drawn_tile_that_fits_only_with_oasis_outwards_counts_as_not_fitting() -> None:
    for border, fits_somewhere in ((False, True), (True, False)):
        state = put(exploring(desert_border=border), {WEST: ("T18", 0), cell_at(6, 1): ("T19", 0)})
        missed = draw_tile(act(state, DrawTile()), "T04")
        east_closed = put(state, {cell_at(7, 0): ("T20", 0)})
        drawn = draw_tile(act(east_closed, DrawTile()), "T04")
        assert (drawn.phase == "place") is fits_somewhere
        assert missed.phase == "place", "towards the east there is room for the oasis"


@pytest.mark.cites("P3")
def test_every_corner_can_be_filled_with_desert_on_both_outer_sides() -> None:
    """Whatever a corner's two neighbours show, some tile of every stack but the used-up ones fits."""
    board = list(data.START_BOARD)
    corner, right, below = 0, cell_at(1, 0), cell_at(0, 1)
    for names in (("T01", "T02"), ("T38", "T02"), ("T01", "T39"), ("T38", "T39")):
        for cell, name, towards in ((right, names[0], 3), (below, names[1], 0)):
            board[cell] = 4 * tile(name) + towards
        filling = {
            t for t in range(data.TILES) for r in range(4) if fits(tuple(board), t, corner, r, desert_border=True)
        }
        assert {data.STACK_OF[t] for t in filling} == {1, 2, 3, 4, 5}, names


@pytest.mark.cites("P4")
def test_the_cross_ends_in_desert_and_is_joined_by_brown_lines() -> None:
    for cell in data.CROSS_CELLS:
        for side, beside in enumerate(NEIGHBOURS[cell]):
            if beside == data.NOWHERE or beside in data.CROSS_CELLS:
                assert not EDGES[data.START_BOARD[cell]] >> side & 1, (cell, side)


def test_the_components_are_as_many_as_the_page_says() -> None:
    symbols = Counter(symbol for parts in data.PART_SYMBOLS for part in parts for symbol in part)
    assert data.TILES == 85
    assert Counter(data.STACK_OF) == dict.fromkeys(range(1, 6), 17)
    assert [symbols[symbol] for symbol in data.SYMBOLS] == [11, 11, 11, 11, 13, 18, 11]
    assert {sum(heights) for heights in data.HEIGHTS} == {34}
    assert sorted(height for heights in data.HEIGHTS for height in heights) == list(range(1, 17))
