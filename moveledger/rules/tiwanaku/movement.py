"""Where a pawn can stop (rulings 1 to 4, 8 and 9)."""

from __future__ import annotations

from moveledger.rules.tiwanaku.data import UNKNOWN
from moveledger.rules.tiwanaku.options import columns
from moveledger.rules.tiwanaku.spaces import grid_of
from moveledger.rules.tiwanaku.state import Table


def destinations(table: Table, seat: int, origin: int | None) -> list[int]:
    """The spaces, rising, on which the pawn on `origin` can stop, or, with None, a pawn that enters over the edge.

    A crop may be passed or stopped on, a pawn of one's own must be passed, anything else stops the pawn, and pawns of
    others stop it before. That a pawn may not turn back needs no care: what lies behind it was open to it before.
    """
    grid = grid_of(columns(table.options))
    crops, own = table.land.crops, table.tribes[seat].pawns
    seen = {pawn for other, tribe in enumerate(table.tribes) if other != seat for pawn in tribe.pawns}
    ahead = list(grid.edge if origin is None else grid.beside[origin])
    stops = []
    while ahead:
        space = ahead.pop()
        if space in seen:
            continue
        seen.add(space)
        through = crops[space] != UNKNOWN
        if space != origin:
            if space in own:
                through = True
            else:
                stops.append(space)
        if through:
            ahead += grid.beside[space]
    return sorted(stops)


def free_edge(table: Table) -> list[int]:
    """The spaces of the edge, rising, without any pawn: where `then_move` lets pawns enter."""
    taken = {pawn for tribe in table.tribes for pawn in tribe.pawns}
    return [space for space in grid_of(columns(table.options)).edge if space not in taken]


def entries(table: Table, seat: int) -> list[int]:
    """The spaces, rising, on which a pawn from the seat's supply can come; none without a supply."""
    if not table.tribes[seat].supply:
        return []
    return free_edge(table) if table.options.entry == "then_move" else destinations(table, seat, None)


def hopeful(table: Table, seat: int) -> list[int]:
    """The seat's pawns, rising, on terrain without a crop: those that can divine."""
    land = table.land
    return [at for at in table.tribes[seat].pawns if land.crops[at] == UNKNOWN and land.terrain[at] != UNKNOWN]
