"""What a seat may do on the field: move its caravan, explore, lay a tile."""

from __future__ import annotations

from collections.abc import Iterator

from moveledger.rules.desertsons import data
from moveledger.rules.desertsons.actions import (
    Action,
    DrawTile,
    LayOwn,
    MoveCaravan,
    NoExplore,
    PlaceTile,
    TakeTile,
)
from moveledger.rules.desertsons.field import fits, open_cells, placements, reach
from moveledger.rules.desertsons.refusal import refusal
from moveledger.rules.desertsons.state import State, Trader, stays

# --- moving --------------------------------------------------------------------------------------------


def list_moves(state: State) -> Iterator[Action]:
    """Staying first, then every other cell that may be named, row by row (rulings M1 to M7)."""
    here = state.traders[state.active].caravan
    yield MoveCaravan(here)
    ways = reach(state.board, here, white_ends_move=state.options.white_ends_move)
    has_water = state.traders[state.active].water > 0
    for cell, way in enumerate(ways):
        if cell == here or way == "none" or (way == "far" and not has_water):
            continue
        if _is_offered(state, cell) and not _is_occupied(state, cell):
            yield MoveCaravan(cell)


def check_move(state: State, action: MoveCaravan) -> None:
    """Refuses a move that is not offered; staying is always legal (ruling M3)."""
    trader, cell = state.traders[state.active], action.cell
    if cell == trader.caravan:
        return
    if not 0 <= cell < data.CELLS:
        raise refusal("not_on_field", "There is no such cell.")
    if state.board[cell] == data.EMPTY:
        raise refusal("cell_undiscovered", "A caravan moves over discovered cells only.")
    if not _is_offered(state, cell):
        raise refusal("nothing_to_explore", "No empty cell lies beside that one.")
    if _is_occupied(state, cell):
        raise refusal("cell_occupied", "Another caravan stands there.")
    if is_far(state, cell) and trader.water < 1:
        raise refusal("no_water_to_move", "The way there costs 1 water.")


def is_far(state: State, cell: int) -> bool:
    """Whether the active caravan's move to a discovered cell costs water."""
    here = state.traders[state.active].caravan
    return reach(state.board, here, white_ends_move=state.options.white_ends_move)[cell] == "far"


def _is_offered(state: State, cell: int) -> bool:
    """The first move of a turn leads to where one can explore (ruling M5); the second anywhere."""
    return state.phase == "move_again" or bool(open_cells(state.board, cell))


def _is_occupied(state: State, cell: int) -> bool:
    if not state.options.exclusive_tiles or cell == data.CENTRE:
        return False
    return any(
        trader.caravan == cell and stays(state, seat) and seat != state.active
        for seat, trader in enumerate(state.traders)
    )


# --- exploring -----------------------------------------------------------------------------------------


def list_explorations(state: State) -> Iterator[Action]:
    """Drawing, laying own tiles, laying other seats' tiles, and exploring nothing where nothing forces it."""
    if can_draw(state):
        yield DrawTile()
    yield from _own_tiles(state)
    yield from _others_tiles(state)
    if not must_explore(state):
        yield NoExplore()


def can_draw(state: State) -> bool:
    """A tile is left, the display has room, and the caravan has an empty cell beside it (rulings E5, E12)."""
    trader = state.traders[state.active]
    return bool(state.stack and len(trader.display) < data.DISPLAY_LIMIT and open_cells(state.board, trader.caravan))


def must_explore(state: State) -> bool:
    """Whether drawing or laying an own tile is possible, which makes exploring compulsory (ruling E1)."""
    return can_draw(state) or any(True for _ in _own_tiles(state))


def can_explore(state: State) -> bool:
    """Whether anything can be explored, another seat's tile included."""
    return must_explore(state) or any(True for _ in _others_tiles(state))


def fitting(state: State, tile: int) -> Iterator[tuple[int, int]]:
    """Where the active seat could lay a tile, as (cell, rotation) (ruling E4)."""
    here = state.traders[state.active].caravan
    return placements(state.board, tile, here, desert_border=state.options.desert_border)


def _own_tiles(state: State) -> Iterator[LayOwn]:
    for slot, tile in enumerate(state.traders[state.active].display):
        for cell, rotation in fitting(state, tile):
            yield LayOwn(slot, cell, rotation)


def _others_tiles(state: State) -> Iterator[TakeTile]:
    if state.traders[state.active].water < 1:
        return
    for seat, trader in enumerate(state.traders):
        for slot, tile in enumerate(trader.display if seat != state.active else ()):
            for cell, rotation in fitting(state, tile):
                yield TakeTile(seat, slot, cell, rotation)


def check_draw(state: State, _: DrawTile) -> None:
    """Refuses to draw from an empty stack, into a full display, or with nothing to explore."""
    trader = state.traders[state.active]
    if not state.stack:
        raise refusal("stack_empty", "All tiles have been drawn.")
    if len(trader.display) >= data.DISPLAY_LIMIT:
        raise refusal("display_full", "The display holds three tiles already.")
    if not can_draw(state):
        raise refusal("no_empty_cell", "No empty cell lies beside the caravan.")


def check_own(state: State, action: LayOwn) -> None:
    """Refuses a tile that is not there, or a place where it cannot lie."""
    check_placement(state, _tile_in(state.traders[state.active], action.slot), action.cell, action.rotation)


def check_take(state: State, action: TakeTile) -> None:
    """Refuses to take without water, from oneself, or what cannot be laid (rulings E7, E8)."""
    if not 0 <= action.seat < state.seats:
        raise refusal("no_such_seat", "No such seat plays.")
    if action.seat == state.active:
        raise refusal("own_display", "Tiles of one's own display are not taken but laid.")
    tile = _tile_in(state.traders[action.seat], action.slot)
    if state.traders[state.active].water < 1:
        raise refusal("no_water_to_take", "Another seat's tile costs 1 water.")
    check_placement(state, tile, action.cell, action.rotation)


def check_no_explore(state: State, _: NoExplore) -> None:
    """Refuses idleness while a tile can be drawn or an own one laid (ruling E1)."""
    if must_explore(state):
        raise refusal("must_explore", "A tile can be drawn or one of your own laid, so one must be.")


def _tile_in(trader: Trader, slot: int) -> int:
    if not 0 <= slot < len(trader.display):
        raise refusal("no_such_slot", "No tile lies in that slot of the display.")
    return trader.display[slot]


# --- laying --------------------------------------------------------------------------------------------


def list_placements(state: State) -> Iterator[Action]:
    """Every place for the tile that was drawn (ruling E3: it must be laid)."""
    assert state.tile is not None
    for cell, rotation in fitting(state, state.tile):
        yield PlaceTile(cell, rotation)


def check_place(state: State, action: PlaceTile) -> None:
    """Refuses a place where the drawn tile cannot lie."""
    assert state.tile is not None
    check_placement(state, state.tile, action.cell, action.rotation)


def check_placement(state: State, tile: int, cell: int, rotation: int) -> None:
    """Refuses a cell that is not empty and beside the caravan, a look told twice, and sides that do not match."""
    if not 0 <= cell < data.CELLS:
        raise refusal("not_on_field", "There is no such cell.")
    if state.board[cell] != data.EMPTY:
        raise refusal("cell_taken", "A tile lies there already.")
    if cell not in data.NEIGHBOURS[state.traders[state.active].caravan]:
        raise refusal("not_beside_caravan", "Tiles are laid beside the caravan.")
    if not 0 <= rotation < 4:
        raise refusal("no_such_rotation", "A tile is turned by 0 to 3 quarters.")
    if rotation not in data.ROTATIONS[tile]:
        raise refusal("rotation_repeated", "A smaller rotation of this tile looks the same: name that one.")
    if not fits(state.board, tile, cell, rotation, desert_border=False):
        raise refusal("tile_does_not_fit", "A side of the tile does not match its neighbour.")
    if not fits(state.board, tile, cell, rotation, desert_border=state.options.desert_border):
        raise refusal("oasis_at_border", "Only desert may touch the border.")
