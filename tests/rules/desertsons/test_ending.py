"""The end of the game: last turns, idleness, gold and water."""

from __future__ import annotations

from dataclasses import replace

import pytest

from moveledger.rules.desertsons import RULESET
from moveledger.rules.desertsons.actions import (
    BuyBonus,
    DrawTile,
    EndTurn,
    LayOwn,
    MoveCaravan,
    NoExplore,
    PlaceTile,
    SkipFigure,
)
from moveledger.rules.desertsons.data import STARTS, cell_at
from moveledger.rules.desertsons.score import gold, prices
from moveledger.rules.desertsons.scoring import pass_turban
from moveledger.rules.desertsons.state import Rumour, State, Trader, change_trader
from moveledger.rules.desertsons.turn import finish
from moveledger.rules.kernel import Over
from tests.rules.desertsons.scenes import (
    ANNA,
    BEN,
    CLEO,
    act,
    draw,
    draw_tile,
    opened,
    refused,
    tile,
    whats,
    with_display,
)

END = cell_at(5, 0)
WEST, EAST = cell_at(4, 0), cell_at(6, 0)


def dry(state: State) -> State:
    """The same with no water at any seat, so that turns end by themselves, and no tiles in displays."""
    for seat in range(state.seats):
        state = change_trader(state, seat, water=0, display=())
    return state


def stay(state: State) -> State:
    """The active seat stays where it is; with nothing to explore with that is its turn."""
    return act(state, MoveCaravan(state.traders[state.active].caravan))


@pytest.mark.cites("Z1", "Z2")
def test_after_the_last_tile_every_seat_has_one_more_turn_and_who_took_it_is_the_last() -> None:
    state = replace(dry(opened()), stack=(tile("T17"),))
    missed = draw(act(stay(state), DrawTile()), 0)
    assert missed.last_turns == (BEN, CLEO, ANNA)
    assert "last_turns" in whats(missed)
    ben, cleo = stay(missed), stay(stay(missed))
    assert (ben.active, ben.last_turns, cleo.active, cleo.last_turns) == (CLEO, (CLEO, ANNA), ANNA, (ANNA,))
    own = act(with_display(cleo, ANNA, "T18"), MoveCaravan(END), LayOwn(0, WEST, 0), MoveCaravan(END))
    assert RULESET.awaiting(own) == Over()
    assert own.ending == "stack_empty"


@pytest.mark.cites("Z1")
def test_the_last_tile_may_be_drawn_in_a_bonus_turn_and_that_turn_is_finished_first() -> None:
    state = replace(opened(), stack=(tile("T04"), tile("T05")))
    first = act(draw(act(stay(state), DrawTile()), 0), PlaceTile(WEST, 0), SkipFigure(), BuyBonus(), MoveCaravan(END))
    placing = draw(act(first, DrawTile()), 0)
    assert placing.last_turns is None
    assert (placing.phase, placing.active) == ("place", ANNA)
    assert act(placing, PlaceTile(EAST, 0), SkipFigure()).last_turns == (BEN, CLEO, ANNA)


@pytest.mark.cites("Z3")
def test_in_the_last_turns_one_lays_tiles_of_displays_and_draws_no_more() -> None:
    state = replace(opened(), stack=(), last_turns=(ANNA, BEN))
    exploring = act(state, MoveCaravan(END))
    assert refused(exploring, DrawTile()) == "stack_empty"
    laid = act(exploring, LayOwn(0, WEST, 0), MoveCaravan(WEST))
    assert laid.phase == "bonus", "bonus turns are still for sale"
    assert act(laid, EndTurn()).last_turns == (BEN,)


@pytest.mark.cites("X7")
def test_rounds_in_which_nobody_draws_or_lays_end_the_game() -> None:
    state = replace(dry(opened(2, idle_rounds=2)), traders=tuple(_stuck(seat) for seat in range(2)))
    for idle in range(1, 4):
        state = stay(state)
        assert (state.idle, state.ending) == (idle, None)
    assert stay(state).ending == "idle"
    busy = draw_tile(act(stay(change_trader(state, state.active, display=())), DrawTile()), "T17")
    assert busy.idle == 0


def _stuck(seat: int) -> Trader:
    return Trader(STARTS[2 * seat], 0, 2, (0, 0, 0, 0), (tile("T50"), tile("T51"), tile("T85")))


def test_a_turn_in_which_another_seats_tile_could_be_taken_may_still_be_idle() -> None:
    state = with_display(replace(opened(2), stack=tuple(range(40, 85))), ANNA, "T17", "T50", "T85")
    assert act(state, MoveCaravan(END), NoExplore()).idle == 1


@pytest.mark.cites("W8", "Z4")
def test_gold_decides_then_water_among_the_tied_then_it_is_shared() -> None:
    rumours = (Rumour(2, ()), Rumour(-1, ()), Rumour(-2, ()), None, None, None, Rumour(1, ()), Rumour(1, ()))
    state = replace(opened(), rumours=rumours, pool=(-1,))
    state = change_trader(state, ANNA, goods=(3, 0, 2, 1), water=1)
    state = change_trader(state, BEN, goods=(1, 0, 0, 4), water=0)
    state = finish(change_trader(state, CLEO, goods=(0, 2, 6, 0), water=3), "stack_empty")
    assert prices(state) == (5, 2, 4, 6)
    assert gold(state) == (29, 29, 28)
    outcome = RULESET.outcome(state)
    assert outcome is not None
    assert (outcome.placings, outcome.scores, outcome.reason) == ((1, 2, 3), (29, 29, 28), "stack_empty")
    shared = RULESET.outcome(change_trader(state, BEN, water=1))
    assert shared is not None
    assert shared.placings == (1, 1, 3)


def test_only_goods_are_worth_gold() -> None:
    rich = change_trader(opened(), ANNA, water=9, camels=8, display=(1, 2, 3))
    assert gold(rich) == (0, 0, 0)


@pytest.mark.cites("Z5")
def test_two_seats_start_in_the_north_and_the_south_and_hand_the_turban_to_and_fro() -> None:
    state = opened(2)
    assert (state.turban, pass_turban(state).turban, pass_turban(pass_turban(state)).turban) == (ANNA, BEN, ANNA)
    assert [trader.caravan for trader in state.traders] == [cell_at(5, 0), cell_at(5, 10)]
    assert [trader.caravan for trader in opened(4).traders] == list(STARTS)
    assert (set(RULESET.unofficial_seats), list(RULESET.seats)) == ({2}, [2, 3, 4])


def test_a_rumour_in_hand_at_the_end_is_back_in_the_pool() -> None:
    assert finish(replace(opened(), held=2, pool=(-1, 1)), "last_seat").pool == (-1, 1, 2)
