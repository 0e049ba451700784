"""The caravan's way."""

from __future__ import annotations

from typing import Any

import pytest

from moveledger.rules.desertsons.actions import DrawTile, MoveCaravan, PlaceTile, RemoveFigure, SkipFigure
from moveledger.rules.desertsons.data import CENTRE, CROSS_CELLS, cell_at
from moveledger.rules.desertsons.state import State, change_trader
from tests.rules.desertsons.scenes import (
    ANNA,
    BEN,
    act,
    draw_tile,
    facing,
    give,
    leave,
    opened,
    options_of,
    put,
    refused,
    stand,
)

ROW = [cell_at(x, 2) for x in range(5)]


def row_of_five(**given: Any) -> State:
    """Five tiles from the western border to the northern arm, joined by brown, white, brown and white lines."""
    laid = put(
        opened(**given),
        {ROW[0]: ("T18", 0), ROW[1]: ("T21", 1), ROW[2]: ("T22", 3), ROW[3]: ("T38", 1), ROW[4]: ("T39", 3)},
    )
    return change_trader(laid, ANNA, caravan=ROW[0])


def water_after(state: State, cell: int) -> int:
    return act(state, MoveCaravan(cell)).traders[ANNA].water


@pytest.mark.cites("M1", "W7")
def test_one_white_line_is_free_wherever_it_lies_on_the_way() -> None:
    state = row_of_five()
    assert [water_after(state, cell) for cell in ROW] == [2, 2, 2, 2, 1]


@pytest.mark.cites("M1", "W7")
def test_with_white_ends_move_the_white_line_must_come_last() -> None:
    state = row_of_five(white_ends_move=True)
    assert [water_after(state, cell) for cell in ROW] == [2, 2, 2, 1, 1]


@pytest.mark.cites("M2")
def test_one_water_buys_any_number_of_white_lines() -> None:
    longer = put(row_of_five(), {cell_at(4, 1): ("T40", 1), cell_at(6, 2): ("T55", 3)})
    far = cell_at(6, 2)
    assert water_after(longer, far) == 1, "three white lines from the western border"


@pytest.mark.cites("M2")
def test_water_paid_goes_back_to_the_supply_and_without_water_far_cells_are_closed() -> None:
    state = row_of_five()
    assert act(state, MoveCaravan(ROW[4])).water == state.water + 1
    dry = give(state, ANNA, water=0)
    assert refused(dry, MoveCaravan(ROW[4])) == "no_water_to_move"
    assert MoveCaravan(ROW[4]) not in options_of(dry)
    assert MoveCaravan(ROW[3]) in options_of(dry)


@pytest.mark.cites("M3", "X11")
def test_staying_is_always_legal_and_free_even_where_nothing_can_be_explored() -> None:
    state = change_trader(opened(), ANNA, caravan=CENTRE)
    inside = put(
        state,
        {
            cell_at(4, 4): ("T18", 0),
            cell_at(6, 4): ("T19", 0),
            cell_at(4, 6): ("T20", 0),
            cell_at(6, 6): ("T35", 0),
        },
    )
    assert options_of(inside)[0] == MoveCaravan(CENTRE)
    stayed = act(inside, MoveCaravan(CENTRE))
    assert stayed.traders[ANNA].water == 2
    assert stayed.active == BEN, "the centre has no empty neighbour"


@pytest.mark.cites("M4")
def test_caravans_may_share_a_cell() -> None:
    state = opened()
    assert act(state, MoveCaravan(state.traders[BEN].caravan)).phase == "explore"


@pytest.mark.cites("M4", "X5")
def test_with_exclusive_tiles_a_caravan_may_pass_but_not_end_on_another() -> None:
    state = opened(exclusive_tiles=True)
    ben = cell_at(5, 2)
    met = change_trader(state, BEN, caravan=ben)
    assert refused(met, MoveCaravan(ben)) == "cell_occupied"
    assert MoveCaravan(ben) not in options_of(met)
    assert MoveCaravan(cell_at(5, 3)) in options_of(met), "beyond it"
    assert MoveCaravan(ben) in options_of(leave(met, BEN)), "who has left blocks nobody"


@pytest.mark.cites("M4")
def test_with_exclusive_tiles_the_centre_is_open_to_all() -> None:
    state = change_trader(opened(exclusive_tiles=True), BEN, caravan=CENTRE)
    again = facing(state, "move_again", laid=cell_at(5, 0))
    assert MoveCaravan(CENTRE) in options_of(again)


@pytest.mark.cites("M5")
def test_the_first_move_leads_to_where_an_empty_cell_lies_beside() -> None:
    state = opened()
    offered = {action.cell for action in options_of(state) if isinstance(action, MoveCaravan)}
    assert offered == set(CROSS_CELLS) - {CENTRE}
    assert refused(state, MoveCaravan(CENTRE)) == "nothing_to_explore"
    assert refused(state, MoveCaravan(0)) == "cell_undiscovered"
    assert refused(state, MoveCaravan(121)) == "not_on_field"
    assert refused(state, MoveCaravan(-1)) == "not_on_field"


def lay_desert(**given: Any) -> State:
    """Seat 0 of two has drawn T03, pure desert, and laid it beside the northern end of the cross."""
    state = opened(2, **given)
    state = draw_tile(act(state, MoveCaravan(cell_at(5, 0)), DrawTile()), "T03")
    return act(state, PlaceTile(cell_at(4, 0), 0))


@pytest.mark.cites("M6")
def test_pure_desert_lets_the_caravan_move_once_more_anywhere_and_not_explore() -> None:
    state = lay_desert()
    assert state.phase == "move_again"
    assert MoveCaravan(CENTRE) in options_of(state)
    assert act(state, MoveCaravan(CENTRE)).phase == "bonus", "no figure to place or remove"


@pytest.mark.cites("M6", "F7")
def test_after_the_second_move_a_figure_may_be_removed() -> None:
    state = stand(lay_desert(), {16: cell_at(5, 1)})
    moved = act(state, MoveCaravan(cell_at(5, 0)))
    assert options_of(moved) == [RemoveFigure(16), SkipFigure()]
    assert act(moved, RemoveFigure(16)).figures == ()


@pytest.mark.cites("M6", "X10")
def test_with_move_and_explore_the_turn_starts_over_after_pure_desert() -> None:
    state = lay_desert(pure_desert="move_and_explore")
    assert state.phase == "move"
    assert state.active == ANNA
    assert MoveCaravan(CENTRE) not in options_of(state), "a first move again"
    assert act(state, MoveCaravan(cell_at(5, 1))).phase == "explore"


@pytest.mark.cites("M3", "M7", "X11")
def test_the_second_move_has_a_price_of_its_own_and_may_be_none() -> None:
    state = facing(row_of_five(), "move_again", laid=ROW[0])
    assert options_of(state)[0] == MoveCaravan(ROW[0])
    assert act(state, MoveCaravan(ROW[0])).traders[ANNA].water == 2
    assert act(state, MoveCaravan(ROW[3])).traders[ANNA].water == 2
    assert act(state, MoveCaravan(ROW[4])).traders[ANNA].water == 1
    dry = give(state, ANNA, water=0)
    assert refused(dry, MoveCaravan(ROW[4])) == "no_water_to_move"
