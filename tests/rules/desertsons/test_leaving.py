"""What becomes of a game that a seat leaves."""

from __future__ import annotations

from dataclasses import replace

import pytest

from moveledger.errors import IllegalMove
from moveledger.rules.desertsons import RULESET
from moveledger.rules.desertsons.actions import (
    AssignRumour,
    DrawTile,
    LayOwn,
    MoveCaravan,
    PeekRumour,
    PickSymbol,
    SkipFigure,
    TakeTile,
)
from moveledger.rules.desertsons.data import RUMOURS, cell_at
from moveledger.rules.desertsons.state import State, change_trader, chooser
from moveledger.rules.kernel import Draw, Leave, Observer, Over, Seat
from tests.rules.desertsons.scenes import (
    ANNA,
    BEN,
    CLEO,
    DORA,
    MIDDLE,
    NORTH,
    SOUTH,
    act,
    closed_oasis,
    draw,
    draw_tile,
    facing,
    give,
    leave,
    opened,
    options_of,
    scored,
    tile,
)
from tests.rules.desertsons.test_rumours import all_on_goods, rumour_time, sees

END = cell_at(5, 0)
WEST, EAST = cell_at(4, 0), cell_at(6, 0)


def placings(state: State) -> tuple[int, ...]:
    outcome = RULESET.outcome(state)
    assert outcome is not None
    return outcome.placings


@pytest.mark.cites("X1")
def test_the_last_seat_wins_at_once_and_later_leavers_place_before_earlier_ones() -> None:
    state = leave(leave(change_trader(opened(4), DORA, goods=(4, 0, 0, 0)), DORA), ANNA)
    assert RULESET.outcome(state) is None
    over = leave(state, BEN)
    assert RULESET.awaiting(over) == Over()
    assert (placings(over), over.ending) == ((3, 2, 1, 4), "last_seat")


@pytest.mark.cites("X1")
def test_who_left_comes_behind_all_who_stayed_however_rich() -> None:
    state = replace(opened(3), stack=(), last_turns=(BEN,), active=BEN)
    rich = change_trader(leave(state, CLEO), CLEO, goods=(4, 0, 0, 0))
    over = act(change_trader(rich, BEN, display=(), water=0), MoveCaravan(rich.traders[BEN].caravan))
    assert placings(over) == (1, 2, 3), "Anna has more water than Ben"


@pytest.mark.cites("Z6")
def test_turns_of_who_left_are_skipped_and_its_figures_stay() -> None:
    state = leave(closed_oasis({15: MIDDLE}, active=ANNA), BEN)
    assert [figure.height for figure in state.figures] == [15]
    done = act(state, SkipFigure())
    assert done.phase == "bonus", "nobody chooses for Ben"
    assert done.figures == ()
    assert leave(opened(), ANNA).active == BEN
    assert leave(leave(opened(4), BEN), ANNA).active == CLEO


@pytest.mark.cites("X3")
def test_figures_of_who_left_count_for_height_and_water_and_choose_nothing() -> None:
    state = leave(closed_oasis({16: MIDDLE, 7: SOUTH}, active=CLEO), ANNA)
    taxed = scored(state)
    assert taxed.traders[ANNA].water == 1
    assert chooser(taxed) == BEN
    assert act(taxed, PickSymbol("gem")).scoring is None


@pytest.mark.cites("X5")
def test_the_display_of_who_left_can_still_be_taken_and_is_filled_up() -> None:
    state = act(leave(opened(), BEN), MoveCaravan(END), TakeTile(BEN, 0, EAST, 0))
    assert draw_tile(state, "T09").traders[BEN].display == (tile("T09"),)


@pytest.mark.cites("X4")
def test_the_turban_of_who_left_goes_on_at_once() -> None:
    assert leave(opened(), ANNA).turban == BEN
    assert leave(leave(opened(4), BEN), ANNA).turban == CLEO


@pytest.mark.cites("X4")
def test_a_turban_that_went_on_because_its_holder_left_does_not_go_on_twice() -> None:
    state = scored(closed_oasis({16: MIDDLE, 15: SOUTH, 14: NORTH}, turban=ANNA, active=DORA))
    gone = leave(state, ANNA)
    assert (gone.turban, chooser(gone)) == (BEN, BEN)
    done = act(gone, PickSymbol("gem"), PickSymbol("camel"))
    assert (done.turban, done.figures, done.scoring) == (BEN, (), None)


@pytest.mark.cites("X2")
def test_a_drawn_tile_of_who_leaves_goes_to_its_display() -> None:
    state = draw_tile(act(opened(), MoveCaravan(END), DrawTile()), "T04")
    gone = leave(state, ANNA)
    assert gone.traders[ANNA].display == (tile("T01"), tile("T04"))
    assert (gone.active, gone.tile) == (BEN, None)


@pytest.mark.cites("X2")
def test_oases_that_a_leaver_has_closed_are_scored() -> None:
    gone = leave(closed_oasis({15: MIDDLE}), ANNA)
    assert (gone.phase, chooser(gone)) == ("pick", BEN)
    assert act(gone, PickSymbol("gem")).active == BEN, "no bonus turn for who has left: the next seat's turn"


@pytest.mark.cites("X2")
def test_a_leavers_pick_is_passed_and_the_next_figure_chooses() -> None:
    state = scored(closed_oasis({16: MIDDLE, 15: SOUTH, 9: NORTH}, active=CLEO))
    gone = leave(state, ANNA)
    assert gone.scoring is not None
    assert gone.scoring.queue == (15,)
    assert chooser(gone) == BEN


@pytest.mark.cites("X2")
def test_a_rumour_in_a_leavers_hand_goes_back_to_the_pool() -> None:
    held = draw(act(rumour_time(), PickSymbol("rumour")), 5)
    gone = leave(held, ANNA)
    assert (gone.pool, gone.held, chooser(gone)) == (RUMOURS, None, BEN)
    other = leave(held, BEN)
    assert (other.held, chooser(other)) == (2, ANNA)
    assert chooser(act(other, AssignRumour("gem"))) == CLEO, "Ben's figure is passed over"


@pytest.mark.cites("X2")
def test_a_rumour_that_a_leaver_looks_at_stays_where_it_lies() -> None:
    looked = act(all_on_goods(rumour_time()), PickSymbol("rumour"), PeekRumour("incense", 0))
    gone = leave(looked, ANNA)
    assert gone.rumours == looked.rumours
    assert (gone.peeked, chooser(gone)) == (None, BEN)
    assert sees(gone, Observer(Seat(ANNA)))[0] == -2


@pytest.mark.cites("X2", "X5")
def test_a_leaver_loses_its_last_turn() -> None:
    state = replace(opened(4), stack=(), last_turns=(ANNA, BEN, CLEO))
    assert leave(state, CLEO).last_turns == (ANNA, BEN)
    assert leave(state, ANNA).last_turns == (BEN, CLEO)
    last = replace(state, last_turns=(ANNA,))
    assert leave(last, ANNA).ending == "stack_empty"


def test_after_pure_desert_a_leaver_moves_no_more() -> None:
    state = act(opened(2), MoveCaravan(END), LayOwn(0, WEST, 0))
    assert state.phase == "move_again"
    three = act(opened(3), MoveCaravan(END), LayOwn(0, WEST, 0))
    assert leave(three, ANNA).active == BEN


def test_who_is_not_in_the_game_cannot_leave_it_and_nobody_leaves_while_chance_is_asked() -> None:
    for state, seat, reason in (
        (leave(opened(), BEN), BEN, "already_left"),
        (opened(), 3, "no_such_seat"),
        (facing(opened(), "draw"), ANNA, "cannot_leave_now"),
    ):
        with pytest.raises(IllegalMove) as wrong:
            RULESET.apply(state, Leave(Seat(seat), "resigned"))
        assert wrong.value.code == f"desertsons.{reason}"


def test_draws_are_refused_unless_asked_for_and_in_range() -> None:
    for state, values, reason in (
        (opened(), (0,), "no_draw_awaited"),
        (facing(opened(), "draw"), (14,), "draw_out_of_range"),
        (facing(opened(), "draw"), (-1,), "draw_out_of_range"),
        (facing(opened(), "draw"), (0, 1), "draw_out_of_range"),
    ):
        with pytest.raises(IllegalMove) as wrong:
            RULESET.apply(state, Draw(values))
        assert wrong.value.code == f"desertsons.{reason}"


def test_who_has_left_is_asked_nothing_more() -> None:
    state = give(leave(opened(4), BEN), CLEO, water=0)
    assert list(RULESET.legal(state, Seat(BEN))) == []
    assert options_of(state)
