"""What stays true through every game: nothing is lost, all edges match, nobody carries more than its camels can."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moveledger.rules.desertsons import RULESET, data
from moveledger.rules.desertsons.data import EDGES, EMPTY, NEIGHBOURS, NOWHERE
from moveledger.rules.desertsons.field import find_oasis
from moveledger.rules.desertsons.state import State, figures_at_hand, stays
from moveledger.rules.encoding import encode, read_options
from moveledger.rules.kernel import Observer, Seat
from tests.rules.desertsons.test_conformance import TestDesertSons as Suite
from tests.rules.desertsons.test_conformance import lying
from tests.rules.playouts import play

games = given(
    seats=st.integers(2, 4),
    seed=st.integers(0, 2**20),
    at=st.integers(0, len(Suite.option_sets) - 1),
    leaves=st.booleans(),
)


def states_of(seats: int, seed: int, at: int, leaves: bool) -> list[State]:
    options = read_options(RULESET, Suite.option_sets[at])
    steps = play(RULESET, options=options, seats=seats, seed=seed, leaves=0.01 * leaves)
    return [step.after for step in steps]


def all_there(state: State) -> None:
    traders = state.traders
    camels = data.CAMELS + (0 if state.options.camel_supply == "in_all" else data.START_CAMELS * state.seats)
    assert state.water + sum(trader.water for trader in traders) == data.WATER
    assert state.camels + sum(trader.camels for trader in traders) == camels
    for kind in range(len(data.GOODS)):
        assert state.goods[kind] + sum(trader.goods[kind] for trader in traders) == data.GOODS_OF_A_KIND
    held = () if state.held is None else (state.held,)
    assert sorted((*state.pool, *held, *(rumour.value for rumour in lying(state)))) == list(data.RUMOURS)
    laid = [code // 4 for code in state.board if code != EMPTY and code // 4 < data.TILES]
    shown = [tile for trader in traders for tile in trader.display]
    in_hand = [] if state.tile is None else [state.tile]
    assert Counter([*laid, *shown, *in_hand, *state.stack]) == Counter(range(data.TILES))


def nothing_below_zero(state: State) -> None:
    assert min(state.water, state.camels, *state.goods) >= 0
    for seat, trader in enumerate(state.traders):
        assert trader.water >= 0
        assert trader.space >= 0
        assert len(trader.display) <= data.DISPLAY_LIMIT
        assert state.board[trader.caravan] != EMPTY
        assert len(figures_at_hand(state, seat)) + sum(data.OWNER[f.height] == seat for f in state.figures) == 4


def edges_match(state: State) -> None:
    for cell, code in enumerate(state.board):
        if code == EMPTY:
            continue
        for side, beside in enumerate(NEIGHBOURS[cell]):
            edge = EDGES[code] >> side & 1
            if beside == NOWHERE:
                assert not (edge and state.options.desert_border)
            elif state.board[beside] != EMPTY:
                assert edge == EDGES[state.board[beside]] >> (side ^ 2) & 1


def figures_stand_apart(state: State) -> None:
    spots = [(figure.cell, figure.part) for figure in state.figures]
    assert len(set(spots)) == len(spots)
    for cell, part in spots:
        assert part < len(data.PARTS[state.board[cell]])
    if state.phase in ("move", "explore", "bonus"):
        assert not any(find_oasis(state.board, cell, part).closed for cell, part in spots)


@games
@settings(max_examples=40, deadline=None)
def test_in_every_state_of_random_games_nothing_is_lost_and_all_edges_match(
    seats: int, seed: int, at: int, leaves: bool
) -> None:
    for state in states_of(seats, seed, at, leaves):
        all_there(state)
        nothing_below_zero(state)
        figures_stand_apart(state)
        assert state.stack == tuple(sorted(state.stack))
        assert state.ending or stays(state, state.turban)
    edges_match(state)


@pytest.mark.cites("M4")
def test_with_exclusive_tiles_no_two_caravans_end_a_move_on_one_cell() -> None:
    for seed in range(5):
        options = read_options(RULESET, {"exclusive_tiles": True})
        for step in play(RULESET, options=options, seats=4, seed=seed):
            cells = [trader.caravan for trader in step.after.traders if trader.caravan != data.CENTRE]
            assert len(set(cells)) == len(cells)


def test_the_bot_finishes_games_and_beats_random_seats() -> None:
    wins = 0
    for seed in range(9):
        bot = Seat(seed % 3)

        def choose(state: State, seat: Seat, actions: list[Any], bot: Seat = bot, seed: int = seed) -> Any:
            if seat != bot:
                return actions[hash((seed, len(state.stack), len(actions))) % len(actions)]
            assert RULESET.greedy is not None
            told = [encode(action) for action in actions]
            return actions[RULESET.greedy(RULESET.view(state, Observer(seat)), seat, told, lambda n: seed % n)]

        *_, last = play(RULESET, options=read_options(RULESET, {}), seats=3, seed=seed, choose=choose)
        outcome = RULESET.outcome(last.after)
        assert outcome is not None
        wins += outcome.placings[bot] == 1
    assert wins >= 7
