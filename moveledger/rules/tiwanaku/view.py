"""What an observer sees: everybody the table, the referee the whole board too, and all the board at the end."""

from __future__ import annotations

from typing import assert_never

from moveledger.rules.encoding import encode
from moveledger.rules.kernel import Json, Observer, View
from moveledger.rules.tiwanaku.data import BOARDS, LETTERS, ROWS, TERRAIN_OF, TERRAINS, UNKNOWN
from moveledger.rules.tiwanaku.options import columns
from moveledger.rules.tiwanaku.score import outcome_of, standings
from moveledger.rules.tiwanaku.spaces import Grid, grid_of
from moveledger.rules.tiwanaku.state import Discovery, Found, Guess, Land, State, Table, Tribe

CHOOSING = ("action", "entered", "divining", "offer", "final", "final_offer")


def view(state: State, observer: Observer) -> View:
    """The game as JSON. Spaces are `[row, column]` from 0, terrains stand by their `letters`."""
    seen = dict(_table(state.table))
    opened = state.board if observer.referee or state.table.phase == "over" else None
    seen["layout"] = None if opened is None else _land(opened, columns(state.table.options))
    if opened is not None:
        seen["tiles_total"] = {kind: opened.terrain.count(letter) for letter, kind in TERRAIN_OF.items()}
    return seen


def _table(table: Table) -> dict[str, Json]:
    options, land = table.options, table.land
    grid = grid_of(columns(options))
    outcome = outcome_of(table)
    return {
        "options": encode(options),
        "board": {"rows": ROWS, "columns": grid.columns, "published": BOARDS[options.board].published},
        "letters": dict(TERRAIN_OF),
        "phase": table.phase,
        "awaited": table.current if table.phase in CHOOSING else None,
        "first": None if table.phase == "first_seat" else table.first,
        "trigger": table.trigger,
        "final_rounds": table.final,
        "idle_turns": table.idle,
        **_land(land, grid.columns),
        "entered": None if table.entered is None else list(grid.at(table.entered)),
        **_counts(table),
        "crops_placed": [land.crops.count(str(value)) for value in range(1, 6)],
        "seats": [_tribe(tribe, grid, seat in table.left) for seat, tribe in enumerate(table.tribes)],
        "left": list(table.left),
        "found": [_found(found, land, grid) for found in table.found],
        "outcome": None if outcome is None else encode(outcome),
        "standings": None if outcome is None else list(standings(table)),
    }


def _land(land: Land, width: int) -> dict[str, Json]:
    """Terrains by letter and crops by digit, a text for each row; a dot is a space without."""
    starts = range(0, len(land.terrain), width)
    return {
        "terrain": [land.terrain[start : start + width] for start in starts],
        "crops": [land.crops[start : start + width] for start in starts],
    }


def _counts(table: Table) -> dict[str, Json]:
    """Tiles by terrain: placed, in all and still to come; the last two only where the totals are public."""
    placed = [table.land.terrain.count(letter) for letter in LETTERS]
    totals = table.totals
    return {
        "tiles_placed": dict(zip(TERRAINS, placed, strict=True)),
        "tiles_total": None if totals is None else dict(zip(TERRAINS, totals, strict=True)),
        "tiles_left": None
        if totals is None
        else {kind: total - laid for kind, total, laid in zip(TERRAINS, totals, placed, strict=True)},
        "spaces_left": table.land.terrain.count(UNKNOWN),
    }


def _tribe(tribe: Tribe, grid: Grid, has_left: bool) -> dict[str, Json]:
    return {
        "score": tribe.score,
        "supply": tribe.supply,
        "pawns": [list(grid.at(pawn)) for pawn in tribe.pawns],
        "diversity": dict(zip(TERRAINS, tribe.levels, strict=True)),
        "offerings": list(tribe.offerings),
        "right_guesses": tribe.right,
        "wrong_guesses": tribe.wrong,
        "out": tribe.out,
        "left": has_left,
    }


def _found(found: Found, land: Land, grid: Grid) -> dict[str, Json]:
    at: list[Json] = list(grid.at(found.space))
    match found:
        case Discovery(seat, space, level, points):
            terrain = TERRAIN_OF[land.terrain[space]]
            return {
                "type": found.type, "seat": seat, "at": at, "terrain": terrain, "level": level, "points": points,
            }  # fmt: skip
        case Guess(seat, space, value, points, offering):
            return {
                "type": found.type, "seat": seat, "at": at, "said": value, "truth": int(land.crops[space]),
                "points": points, "offering": offering,
            }  # fmt: skip
        case _:
            assert_never(found)
