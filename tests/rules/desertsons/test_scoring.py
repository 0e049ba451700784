"""The scoring of oases, with the worked examples of the page."""

from __future__ import annotations

from dataclasses import replace

import pytest

from moveledger.rules.desertsons import RULESET, data
from moveledger.rules.desertsons.actions import PassPick, PickSymbol, PlaceFigure, PlaceTile, SkipFigure
from moveledger.rules.desertsons.data import cell_at
from moveledger.rules.desertsons.field import find_oasis
from moveledger.rules.desertsons.state import State, change_trader, chooser
from moveledger.rules.encoding import read_options
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
    facing,
    give,
    opened,
    options_of,
    put,
    refused,
    scored,
    stand,
    tile,
    whats,
)


def symbols_offered(state: State) -> list[str]:
    return [action.symbol for action in options_of(state) if isinstance(action, PickSymbol)]


# --- worked examples -----------------------------------------------------------------------------------


@pytest.mark.cites("W1")
def test_the_turban_goes_first_and_pays() -> None:
    state = give(closed_oasis({16: SOUTH, 15: MIDDLE, 11: NORTH}, turban=BEN), BEN, water=1)
    state = scored(state)
    assert state.traders[BEN].water == 0
    assert [chooser(state)] == [BEN]
    state = act(state, PickSymbol("camel"))
    assert (state.traders[BEN].camels, chooser(state)) == (3, ANNA)
    state = act(state, PickSymbol("gem"))
    assert (state.traders[ANNA].goods, chooser(state)) == ((0, 0, 0, 1), CLEO)
    state = act(state, PickSymbol("water"))
    assert state.traders[CLEO].water == 3
    assert (state.turban, state.figures, state.scoring) == (CLEO, (), None)


@pytest.mark.cites("W2", "S3")
def test_who_cannot_pay_gets_nothing_and_nobody_else_is_taxed() -> None:
    state = give(closed_oasis({16: SOUTH, 15: MIDDLE, 11: NORTH}, turban=BEN), BEN, water=0)
    state = scored(state)
    assert chooser(state) == ANNA
    state = act(state, PickSymbol("camel"), PickSymbol("gem"))
    assert [trader.water for trader in state.traders] == [2, 0, 2, 2]
    assert (state.turban, state.figures) == (CLEO, ())
    assert state.traders[BEN].goods == (0, 0, 0, 0)


@pytest.mark.cites("W3", "S1")
def test_two_figures_of_one_seat_owe_the_water_too() -> None:
    """The oasis of T46 and T05, closed in the north by a tile without symbols, shows camel and gem."""
    state = put(opened(4), {NORTH: ("T74", 2), MIDDLE: ("T46", 0), SOUTH: ("T05", 0)})
    state = facing(stand(state, {9: MIDDLE, 1: SOUTH}), "figure", turban=CLEO, laid=NORTH)
    paid = scored(state)
    assert paid.traders[ANNA].water == 1
    both = act(paid, PickSymbol("camel"), PickSymbol("gem"))
    assert (both.traders[ANNA].camels, both.traders[ANNA].goods, both.turban) == (3, (0, 0, 0, 1), CLEO)
    barred = scored(give(state, ANNA, water=0))
    assert barred.scoring is not None
    assert barred.scoring.queue == (1,)
    assert act(barred, PickSymbol("gem")).traders[ANNA].camels == 2


@pytest.mark.cites("W4", "S5")
def test_a_lone_figure_pays_nothing_takes_one_symbol_and_the_rest_lapses() -> None:
    state = scored(closed_oasis({16: SOUTH}, turban=ANNA))
    assert state.traders[ANNA].water == 2
    assert symbols_offered(state) == ["gem", "camel", "water"]
    after = act(state, PickSymbol("camel"))
    assert (after.scoring, after.turban, after.traders[ANNA].goods) == (None, BEN, (0, 0, 0, 0))


@pytest.mark.cites("W5", "P1")
def test_one_oasis_edge_against_the_border_is_a_complete_oasis() -> None:
    east = cell_at(6, 0)
    state = facing(change_trader(opened(), ANNA, caravan=cell_at(5, 0)), "place", tile=tile("T05"))
    closed = act(state, PlaceTile(east, 0), PlaceFigure(1, 0))
    assert symbols_offered(closed) == ["camel"]
    assert find_oasis(closed.board, east, 0).parts == ((east, 0),)
    assert act(closed, PickSymbol("camel")).traders[ANNA].camels == 3


@pytest.mark.cites("W6", "S8", "S11")
def test_a_full_caravan_is_offered_no_goods_until_a_camel_makes_room() -> None:
    laden = change_trader(closed_oasis({16: SOUTH, 9: MIDDLE}), ANNA, goods=(0, 0, 4, 0))
    state = scored(laden)
    assert symbols_offered(state) == ["camel", "water"]
    assert refused(state, PickSymbol("gem")) == "no_place_for_good"
    roomy = act(state, PickSymbol("camel"))
    assert (chooser(roomy), symbols_offered(roomy)) == (ANNA, ["gem", "water"])
    assert act(roomy, PickSymbol("gem")).traders[ANNA].goods == (0, 0, 4, 1)


# --- rulings -------------------------------------------------------------------------------------------


@pytest.mark.cites("S2")
def test_the_water_is_taken_without_asking() -> None:
    state = closed_oasis({16: SOUTH, 7: MIDDLE})
    after = scored(state)
    assert after.traders[ANNA].water == 1
    assert after.water == state.water + 1
    assert whats(after) == ["figure_skipped", "oasis", "tax_paid"]


@pytest.mark.cites("S4")
def test_without_symbols_the_water_is_due_only_in_the_reading_that_says_so() -> None:
    for due, water in ((False, 2), (True, 1)):
        state = put(
            opened(4, tax_without_symbols=due), {MIDDLE: ("T74", 0), NORTH: ("T29", 0), cell_at(2, 0): ("T63", 0)}
        )
        state = facing(stand(state, {16: MIDDLE, 15: NORTH}), "figure", laid=MIDDLE, turban=DORA)
        after = scored(state)
        assert (after.traders[ANNA].water, after.traders[BEN].water) == (water, 2)
        assert after.figures == ()


@pytest.mark.cites("S4b")
def test_the_water_is_due_although_its_payer_can_use_nothing() -> None:
    state = put(opened(4), {MIDDLE: ("T39", 0), NORTH: ("T74", 2)})
    state = facing(stand(state, {16: MIDDLE, 7: NORTH}), "figure", laid=MIDDLE, turban=DORA)
    full = scored(change_trader(state, ANNA, goods=(4, 0, 0, 0)))
    assert full.traders[ANNA].water == 1
    assert chooser(full) == BEN, "Anna's figure is passed over"
    assert "no_pick" in whats(full)
    assert symbols_offered(full) == ["gem"]


@pytest.mark.cites("S5", "S7")
def test_each_figure_takes_one_symbol_or_none() -> None:
    state = scored(closed_oasis({16: SOUTH, 7: MIDDLE}))
    assert options_of(state)[-1] == PassPick()
    passed = act(state, PassPick())
    assert chooser(passed) == BEN
    assert symbols_offered(passed) == ["gem", "camel", "water"]
    assert act(passed, PassPick()).scoring is None


@pytest.mark.cites("S6", "S3")
def test_late_figures_get_nothing_and_the_tallest_has_paid() -> None:
    state = closed_oasis({16: SOUTH, 15: MIDDLE, 9: NORTH})
    four = replace(state, figures=(*state.figures, replace(state.figures[0], height=1, cell=MIDDLE)))
    state = act(scored(four), PickSymbol("gem"), PickSymbol("camel"), PickSymbol("water"))
    assert state.scoring is None, "the 1 was last and found nothing"
    assert (state.traders[ANNA].water, state.traders[BEN].water) == (2, 2), "1 paid, 1 chosen"
    assert "no_pick" in whats(state)


@pytest.mark.cites("S9")
def test_a_symbol_whose_supply_is_used_up_cannot_be_chosen() -> None:
    state = scored(closed_oasis({16: SOUTH}))
    bare = replace(state, camels=0, water=0, goods=(10, 10, 10, 0))
    assert symbols_offered(bare) == []
    for symbol in ("camel", "water", "gem"):
        assert refused(bare, PickSymbol(symbol)) == "supply_empty"
    assert refused(bare, PickSymbol("rumour")) == "symbol_not_there"
    assert symbols_offered(replace(state, goods=(0, 0, 0, 1))) == ["gem", "camel", "water"]


@pytest.mark.cites("S10")
def test_water_chosen_here_comes_too_late_for_the_tax() -> None:
    state = scored(give(closed_oasis({16: SOUTH, 9: MIDDLE}), ANNA, water=0))
    after = act(state, PickSymbol("water"))
    assert after.traders[ANNA].water == 1
    assert after.scoring is None, "the barred 16 does not come back"


@pytest.mark.cites("S12")
def test_an_oasis_without_figures_closes_and_nobody_can_claim_it() -> None:
    state = scored(closed_oasis({}))
    assert whats(state) == ["figure_skipped", "oasis_lapsed"]
    assert state.phase == "bonus"
    assert find_oasis(state.board, NORTH, 0).closed


@pytest.mark.cites("S13", "F5")
def test_a_figure_in_an_oasis_that_is_never_closed_stays_until_removed() -> None:
    state = put(opened(), {MIDDLE: ("T46", 0), cell_at(7, 7): ("T05", 0), cell_at(7, 6): ("T04", 2)})
    state = facing(stand(state, {16: MIDDLE}), "figure", laid=cell_at(7, 6))
    after = scored(state)
    assert [figure.height for figure in after.figures] == [16]
    assert not find_oasis(after.board, MIDDLE, 0).closed


@pytest.mark.cites("S14")
def test_ten_camels_lie_beside_those_of_the_start_or_include_them() -> None:
    for seats in (2, 3, 4):
        assert RULESET.setup(read_options(RULESET, {}), seats).camels == 10
        assert RULESET.setup(read_options(RULESET, {"camel_supply": "in_all"}), seats).camels == 10 - 2 * seats
        assert RULESET.setup(read_options(RULESET, {}), seats).water == 20 - 2 * seats


@pytest.mark.cites("T6")
def test_two_oases_of_one_tile_are_scored_from_the_north_clockwise() -> None:
    """T61 turned by three quarters: its first part, a rumour, looks west, its second, water, north."""
    here = cell_at(2, 2)
    tiles = {here: ("T61", 3), cell_at(2, 1): ("T38", 2), cell_at(1, 2): ("T39", 1)}
    state = facing(stand(put(opened(), tiles), {16: cell_at(1, 2), 9: cell_at(2, 1)}), "figure", laid=here)
    assert data.PARTS[state.board[here]] == (0b1000, 0b0001)
    first = act(state, SkipFigure())
    assert first.scoring is not None
    assert (first.scoring.figures, first.scoring.next_parts) == ((9,), (0,))


def test_two_parts_of_one_tile_that_meet_elsewhere_are_one_oasis_scored_once() -> None:
    """T62 with two parts, joined by a ring of three tiles."""
    here = cell_at(1, 2)
    ring = {here: ("T62", 0), cell_at(1, 1): ("T58", 1), cell_at(2, 1): ("T59", 2), cell_at(2, 2): ("T60", 3)}
    state = facing(stand(put(opened(), ring), {16: cell_at(2, 1)}), "figure", laid=here)
    once = scored(state)
    assert once.scoring is not None
    assert sorted(once.scoring.symbols) == ["gem", "incense", "myrrh", "water"]
    assert once.scoring.next_parts == ()
