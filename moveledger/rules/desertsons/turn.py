"""The course of a turn, step by step, and from one seat's turn to the next."""

from __future__ import annotations

from dataclasses import replace

from moveledger.rules.desertsons.choices import laid_parts
from moveledger.rules.desertsons.scoring import begin_scoring
from moveledger.rules.desertsons.state import (
    Ending,
    State,
    change_trader,
    figures_at_hand,
    figures_on_field,
    staying_after,
    stays,
    tell,
)
from moveledger.rules.desertsons.travel import can_explore, fitting

# --- exploring -----------------------------------------------------------------------------------------


def explore(state: State) -> State:
    """After the first move: the seat explores, unless nothing can be explored (rulings E6, E12)."""
    if can_explore(state):
        return replace(state, phase="explore")
    return explore_nothing(state)


def explore_nothing(state: State) -> State:
    """A turn that neither draws nor lays a tile ends without a bonus turn."""
    return end_turn(tell(state, "explored_nothing", state.active))


def take_from_stack(state: State, at: int) -> tuple[State, int]:
    """The state without the tile at `at` of the stack in use, and that tile."""
    tile = state.stack[at]
    return replace(state, stack=(*state.stack[:at], *state.stack[at + 1 :]), busy=True), tile


def show_drawn(state: State, at: int) -> State:
    """A drawn tile that fits must be laid; one that does not goes to the display (rulings E3, P2)."""
    drawn, tile = take_from_stack(state, at)
    drawn = tell(drawn, "drew", drawn.active, tile=tile)
    if any(True for _ in fitting(drawn, tile)):
        return replace(drawn, tile=tile, phase="place")
    return _miss(drawn, tile)


def _miss(state: State, tile: int) -> State:
    missed = tell(add_to_display(state, state.active, tile), "missed", state.active, tile=tile)
    return offer_bonus(missed) if state.options.bonus_after_miss else end_turn(missed)


def add_to_display(state: State, seat: int, tile: int) -> State:
    """The tile lies open in the seat's display, last."""
    return change_trader(state, seat, display=(*state.traders[seat].display, tile))


def remove_from_display(state: State, seat: int, slot: int) -> State:
    """The tile in that slot is gone, those after it move up."""
    display = state.traders[seat].display
    return change_trader(state, seat, display=(*display[:slot], *display[slot + 1 :]))


def lay(state: State, tile: int, cell: int, rotation: int) -> State:
    """The tile lies in the cell, and the caravan stands on it."""
    board = (*state.board[:cell], 4 * tile + rotation, *state.board[cell + 1 :])
    moved = change_trader(state, state.active, caravan=cell)
    return replace(moved, board=board, laid=cell, tile=None, busy=True)


def after_laying(state: State) -> State:
    """Pure desert lets the caravan move again (rulings M6, M7); an oasis invites a figure."""
    if laid_parts(state):
        return offer_figure(state)
    if state.options.pure_desert == "move":
        return replace(state, phase="move_again")
    return replace(state, phase="move", laid=None)


# --- figures, oases, bonus turn ------------------------------------------------------------------------


def offer_figure(state: State) -> State:
    """The seat may place or remove a figure, where it can do either."""
    can_place = laid_parts(state) and figures_at_hand(state, state.active)
    if can_place or figures_on_field(state, state.active):
        return replace(state, phase="figure")
    return score_oases(state)


def score_oases(state: State) -> State:
    """The oases that the tile closed are scored, then the turn goes on (ruling F4: the figure comes first)."""
    return go_on(begin_scoring(state))


def go_on(state: State) -> State:
    """After a step of a scoring: the next choice in it, or the bonus turn once all is scored."""
    return state if state.scoring else offer_bonus(state)


def offer_bonus(state: State) -> State:
    """Once a turn a bonus turn can be bought; where it cannot, the turn is over (rulings E14, E15, E16)."""
    if stays(state, state.active) and not state.bonus_used and state.traders[state.active].water > 0:
        return replace(state, phase="bonus", laid=None)
    return end_turn(state)


# --- the next turn -------------------------------------------------------------------------------------


def end_turn(state: State) -> State:
    """The next seat's turn, or the end: after the last turns, or when all have been idle (rulings Z1, Z2)."""
    idle = 0 if state.busy else state.idle + 1
    waiting = _last_turns_after(state)
    here = sum(1 for seat in range(state.seats) if stays(state, seat))
    if waiting == ():
        return finish(state, "stack_empty")
    if idle >= state.options.idle_rounds * here:
        return finish(state, "idle")
    if waiting and state.last_turns is None:
        state = tell(state, "last_turns")
    return begin_turn(
        replace(state, idle=idle, last_turns=waiting),
        waiting[0] if waiting else next(staying_after(state, state.active)),
    )


def _last_turns_after(state: State) -> tuple[int, ...] | None:
    """The seats that have a last turn once the active one has ended its turn; None while tiles are left."""
    if state.last_turns is not None:
        return tuple(seat for seat in state.last_turns if seat != state.active)
    return None if state.stack else tuple(staying_after(state, state.active))


def begin_turn(state: State, seat: int) -> State:
    """A fresh turn of the seat."""
    fresh = replace(state, active=seat, phase="move", tile=None, laid=None, victim=None, bonus_used=False, busy=False)
    return tell(fresh, "turn", seat)


def finish(state: State, ending: Ending) -> State:
    """Nobody is awaited any more. A rumour in hand goes back to the pool, a tile in hand to its seat's display."""
    if state.tile is not None:
        state = add_to_display(state, state.active, state.tile)
    pool = state.pool if state.held is None else tuple(sorted((*state.pool, state.held)))
    over = replace(state, phase="over", ending=ending, pool=pool, held=None, peeked=None, tile=None, laid=None)
    return tell(replace(over, scoring=None, last_turns=None), "over", thing=ending)


# --- set-up --------------------------------------------------------------------------------------------


def deal_next(state: State) -> State:
    """One open tile to each display, from the first seat on; then the first turn begins."""
    waits = [seat for seat in staying_after(state, state.first - 1) if not state.traders[seat].display]
    return replace(state, phase="deal", victim=waits[0]) if waits else begin_turn(state, state.first)
