"""The reducer: a state and an input become the next state, or the input is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from moveledger.rules.desertsons import actions as act
from moveledger.rules.desertsons import data, rumours, scoring, turn
from moveledger.rules.desertsons.draws import answer
from moveledger.rules.desertsons.leaving import leave
from moveledger.rules.desertsons.legal import legal
from moveledger.rules.desertsons.options import Options
from moveledger.rules.desertsons.state import (
    Figure,
    State,
    Trader,
    change_trader,
    pay_water,
    picker,
    tell,
)
from moveledger.rules.desertsons.travel import is_far
from moveledger.rules.kernel import Draw, Input, Leave, Move

# --- the start ---------------------------------------------------------------------------


def setup(options: Options, seats: int) -> State:
    """The cross lies, each caravan stands at its end of it, and chance is asked who begins (ruling Z5)."""
    starts = data.STARTS_FOR_TWO if seats == 2 else data.STARTS
    traders = tuple(
        Trader(starts[seat], data.START_WATER, data.START_CAMELS, (0,) * len(data.GOODS), ()) for seat in range(seats)
    )
    given = data.START_CAMELS * seats if options.camel_supply == "in_all" else 0
    return State(
        options=options,
        traders=traders,
        stack=tuple(range(data.TILES)),
        water=data.WATER - data.START_WATER * seats,
        camels=data.CAMELS - given,
    )


# --- apply ---------------------------------------------------------------------------------------------


def apply(state: State, given: Input) -> State:
    """The next state; raises `IllegalMove` with a code of this ruleset."""
    match given:
        case Move(seat, action):
            legal(state, seat).check(action)
            return _act(replace(state, news=()), action)
        case Draw(values):
            return answer(replace(state, news=()), values)
        case Leave(seat, cause):
            return leave(replace(state, news=()), seat, cause)
        case _:
            assert_never(given)


def _act(state: State, action: act.Action) -> State:
    match action:
        case act.MoveCaravan() | act.DrawTile() | act.LayOwn() | act.TakeTile() | act.NoExplore() | act.PlaceTile():
            return _travel(state, action)
        case act.PlaceFigure() | act.RemoveFigure() | act.SkipFigure():
            return turn.score_oases(_use_figure(state, action))
        case act.BuyBonus():
            bought = pay_water(state, state.active)
            return tell(replace(bought, bonus_used=True, phase="move", laid=None), "bonus", state.active)
        case act.EndTurn():
            return turn.end_turn(state)
        case _:
            return turn.go_on(_choose(state, action))


_Travel = act.MoveCaravan | act.DrawTile | act.LayOwn | act.TakeTile | act.NoExplore | act.PlaceTile
_Figures = act.PlaceFigure | act.RemoveFigure | act.SkipFigure
_Picks = (
    act.PickSymbol
    | act.PassPick
    | act.AssignRumour
    | act.ReturnRumour
    | act.PeekRumour
    | act.KeepRumour
    | act.RemoveRumour
)


def _travel(state: State, action: _Travel) -> State:
    seat = state.active
    match action:
        case act.MoveCaravan(cell):
            return _move(state, cell)
        case act.DrawTile():
            return replace(state, phase="draw")
        case act.NoExplore():
            return turn.explore_nothing(state)
        case act.LayOwn(slot, cell, rotation):
            tile = state.traders[seat].display[slot]
            laid = turn.lay(turn.remove_from_display(state, seat, slot), tile, cell, rotation)
            return turn.after_laying(tell(laid, "laid_own", seat, cell=cell, tile=tile))
        case act.PlaceTile(cell, rotation):
            assert state.tile is not None
            laid = turn.lay(state, state.tile, cell, rotation)
            return turn.after_laying(tell(laid, "laid", seat, cell=cell, tile=state.tile))
        case act.TakeTile():
            return _take(state, action)
        case _:
            assert_never(action)


def _move(state: State, cell: int) -> State:
    seat = state.active
    if cell == state.traders[seat].caravan:
        state = tell(state, "stayed", seat, cell=cell)
    elif is_far(state, cell):
        state = tell(pay_water(state, seat), "moved_far", seat, cell=cell)
    else:
        state = tell(state, "moved", seat, cell=cell)
    moved = change_trader(state, seat, caravan=cell)
    return turn.explore(moved) if state.phase == "move" else turn.offer_figure(moved)


def _take(state: State, action: act.TakeTile) -> State:
    """Another seat's tile is laid for 1 water; that seat gets the next tile of the stack (rulings E7 to E9)."""
    seat, tile = state.active, state.traders[action.seat].display[action.slot]
    paid = turn.remove_from_display(pay_water(state, seat), action.seat, action.slot)
    laid = turn.lay(paid, tile, action.cell, action.rotation)
    laid = tell(laid, "took", seat, cell=action.cell, tile=tile, other=action.seat)
    if laid.stack:
        return replace(laid, phase="replace", victim=action.seat)
    return turn.after_laying(laid)


def _use_figure(state: State, action: _Figures) -> State:
    seat = state.active
    match action:
        case act.PlaceFigure(height, part):
            assert state.laid is not None
            standing = replace(state, figures=(*state.figures, Figure(height, state.laid, part)))
            return tell(standing, "figure_placed", seat, figure=height, cell=state.laid)
        case act.RemoveFigure(height):
            rest = tuple(figure for figure in state.figures if figure.height != height)
            return tell(replace(state, figures=rest), "figure_removed", seat, figure=height)
        case act.SkipFigure():
            return tell(state, "figure_skipped", seat)
        case _:
            assert_never(action)


def _choose(state: State, action: _Picks) -> State:
    match action:
        case act.PickSymbol(symbol):
            return scoring.take_symbol(state, symbol)
        case act.PassPick():
            assert state.scoring is not None
            passed = tell(state, "pick_passed", picker(state), figure=state.scoring.queue[0])
            return scoring.after_pick(passed)
        case act.AssignRumour(good):
            return rumours.assign_held(state, good)
        case act.ReturnRumour():
            return rumours.return_held(state)
        case act.PeekRumour(good, slot):
            return rumours.peek_at(state, good, slot)
        case act.KeepRumour():
            return rumours.keep_peeked(state)
        case act.RemoveRumour():
            return rumours.remove_peeked(state)
        case _:
            assert_never(action)
