"""Figures on the field, and the turban."""

from __future__ import annotations

from dataclasses import replace

import pytest

from moveledger.rules.desertsons import data
from moveledger.rules.desertsons.actions import (
    PassPick,
    PickSymbol,
    PlaceFigure,
    RemoveFigure,
    SkipFigure,
)
from moveledger.rules.desertsons.data import cell_at
from moveledger.rules.desertsons.state import Figure, crowned_figure
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
    whats,
)


@pytest.mark.cites("F1")
def test_a_figure_goes_on_a_part_of_the_tile_just_laid() -> None:
    state = facing(put(opened(), {MIDDLE: ("T13", 0), SOUTH: ("T05", 0)}), "figure", laid=MIDDLE)
    assert {(a.figure, a.part) for a in options_of(state) if isinstance(a, PlaceFigure)} == {
        (height, part) for height in (16, 9, 8, 1) for part in (0, 1)
    }
    assert act(state, PlaceFigure(9, 1)).figures == (Figure(9, MIDDLE, 1),)
    assert refused(state, PlaceFigure(9, 2)) == "no_such_part"
    assert refused(state, PlaceFigure(15, 0)) == "figure_not_at_hand"
    on_field = stand(state, {9: SOUTH})
    assert refused(on_field, PlaceFigure(9, 0)) == "figure_not_at_hand"


@pytest.mark.cites("F1", "F6", "F7")
def test_after_pure_desert_there_is_no_part_to_stand_on() -> None:
    state = stand(facing(put(opened(), {MIDDLE: ("T18", 0)}), "figure", laid=MIDDLE), {9: cell_at(5, 1)})
    assert refused(state, PlaceFigure(16, 0)) == "no_such_part"
    assert options_of(state) == [RemoveFigure(9), SkipFigure()]


@pytest.mark.cites("F2", "F3")
def test_one_may_join_an_oasis_where_own_figures_and_those_of_others_stand() -> None:
    state = closed_oasis({9: MIDDLE, 15: SOUTH})
    joined = act(state, PlaceFigure(8, 0))
    assert joined.scoring is not None
    assert joined.scoring.figures == (15, 9, 8)


@pytest.mark.cites("F4")
def test_a_figure_on_the_part_that_completes_an_oasis_is_scored_at_once() -> None:
    state = act(closed_oasis({}), PlaceFigure(1, 0))
    assert (state.phase, state.scoring is not None) == ("pick", True)
    assert 1 not in {f.height for f in act(state, PickSymbol("gem")).figures}


@pytest.mark.cites("F5")
def test_a_figure_may_leave_the_oasis_that_was_just_closed_and_so_save_its_tax() -> None:
    state = closed_oasis({16: MIDDLE, 7: SOUTH})
    kept, removed = scored(state), act(state, RemoveFigure(16))
    assert kept.traders[ANNA].water == 1
    assert removed.traders[ANNA].water == 2
    assert removed.scoring is not None
    assert removed.scoring.figures == (7,)
    assert removed.traders[BEN].water == 2, "one figure owes nothing"


@pytest.mark.cites("F6")
def test_one_either_places_or_removes() -> None:
    state = stand(facing(put(opened(), {MIDDLE: ("T13", 0)}), "figure", laid=MIDDLE), {9: cell_at(5, 1)})
    assert act(state, PlaceFigure(16, 0)).phase == "bonus"
    assert act(state, RemoveFigure(9)).phase == "bonus"
    assert refused(act(state, RemoveFigure(9)), PlaceFigure(9, 0)) == "wrong_phase"
    assert refused(state, RemoveFigure(16)) == "figure_not_on_field"
    assert refused(stand(state, {15: cell_at(5, 1)}), RemoveFigure(15)) == "figure_not_on_field"


@pytest.mark.cites("F9")
def test_removing_the_figure_with_the_turban_leaves_the_turban_with_its_owner() -> None:
    state = closed_oasis({16: cell_at(5, 1)}, turban=ANNA)
    assert act(state, RemoveFigure(16)).turban == ANNA


# --- the turban ----------------------------------------------------------------------------------------


@pytest.mark.cites("T1")
def test_the_holders_tallest_figure_wears_the_turban_wherever_it_is() -> None:
    state = closed_oasis({16: SOUTH, 13: MIDDLE, 12: NORTH}, turban=DORA)
    assert crowned_figure(state) == 13
    scoring = scored(state).scoring
    assert scoring is not None
    assert scoring.figures == (13, 16, 12), "only the tallest of its holder's four is raised"
    at_hand = scored(replace(state, figures=state.figures[::2])).scoring
    assert at_hand is not None
    assert at_hand.figures == (16, 12), "the 13 at hand does not raise the 12"


@pytest.mark.cites("T2", "T6")
def test_a_turban_that_arrives_between_two_oases_counts_in_the_second() -> None:
    """T34 closes an oasis in its north-east and one in its south-west; the first passes the turban to Ben."""
    here = cell_at(2, 2)
    around = {
        here: ("T34", 0),
        cell_at(2, 1): ("T38", 2),
        cell_at(3, 2): ("T39", 3),
        cell_at(2, 3): ("T40", 0),
        cell_at(1, 2): ("T55", 1),
    }
    state = stand(put(opened(4), around), {16: cell_at(3, 2), 15: cell_at(2, 3), 14: cell_at(1, 2)})
    state = facing(state, "figure", turban=ANNA, active=ANNA, laid=here)
    first = scored(state)
    assert first.scoring is not None
    assert first.scoring.figures == (16,)
    second = act(first, PickSymbol("gem"))
    assert second.turban == BEN
    assert second.scoring is not None
    assert second.scoring.figures == (15, 14)
    assert second.traders[BEN].water == 1, "Ben's 15 is the tallest and pays"
    done = act(second, PickSymbol("camel"), PickSymbol("salt"))
    assert done.turban == CLEO
    assert done.figures == ()


@pytest.mark.cites("T3")
def test_a_barred_figure_passes_the_turban_all_the_same() -> None:
    state = give(closed_oasis({16: MIDDLE, 7: SOUTH}, turban=ANNA, active=CLEO), ANNA, water=0)
    scored_state = act(state, SkipFigure())
    assert "tax_unpaid" in whats(scored_state)
    assert act(scored_state, PassPick()).turban == BEN


@pytest.mark.cites("T4")
def test_a_figure_with_the_turban_passes_it_even_when_it_was_alone() -> None:
    state = act(scored(closed_oasis({16: MIDDLE}, turban=ANNA)), PickSymbol("gem"))
    assert state.turban == BEN


@pytest.mark.cites("T5", "S4")
def test_a_turban_passes_in_an_oasis_without_symbols_too() -> None:
    """T74 and T09 show no symbol: their figures go home untaxed."""
    state = put(opened(4), {MIDDLE: ("T74", 0), NORTH: ("T09", 2), cell_at(1, 1): ("T29", 1)})
    state = put(state, {cell_at(0, 1): ("T63", 1)})
    state = facing(stand(state, {16: MIDDLE, 15: NORTH}), "figure", turban=ANNA, laid=MIDDLE)
    after = scored(state)
    assert after.turban == BEN
    assert after.figures == ()
    assert [trader.water for trader in after.traders] == [2, 2, 2, 2]
    assert data.HEIGHTS[BEN][0] == crowned_figure(after)


@pytest.mark.cites("T3", "T4", "T5")
def test_the_turban_stays_where_another_figure_of_its_holder_was_scored() -> None:
    state = act(scored(closed_oasis({9: MIDDLE}, turban=ANNA)), PickSymbol("gem"))
    assert state.turban == ANNA
