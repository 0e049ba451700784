"""A judge of boards, written from the text of the rules alone: it shares no code with the generator."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

BOARDS: Mapping[str, Mapping[str, Any]] = {
    board["id"]: board for board in json.loads(Path(__file__).with_name("boards.json").read_text(encoding="utf-8"))
}
"""Boards by id: `terrain` and `crops` as texts by row, `start` and `start_logic` as spaces, `tiles` by terrain."""

Place = tuple[int, int]


def faults(terrain: Sequence[str], crops: Sequence[str]) -> list[str]:
    """What is wrong with a board, in words; nothing when it is a good one."""
    region_at = regions(terrain)
    found = []
    for region in {id(one): one for one in region_at.values()}.values():
        here = sorted(int(crops[row][column]) for row, column in region)
        if not 1 <= len(region) <= 5:
            found.append(f"a region of {len(region)}")
        if here != list(range(1, len(region) + 1)):
            found.append(f"a region grows {here}")
    for place, region in region_at.items():
        for near in around(place):
            if near not in region_at:
                continue
            if crops[near[0]][near[1]] == crops[place[0]][place[1]]:
                found.append(f"equal crops at {place} and {near}")
            if terrain[near[0]][near[1]] == terrain[place[0]][place[1]] and region_at[near] is not region:
                found.append(f"regions of one terrain touch at {place} and {near}")
    return found


def regions(terrain: Sequence[str]) -> dict[Place, set[Place]]:
    """The region of each place: one set shared by all its places."""
    region_at: dict[Place, set[Place]] = {}
    for row, line in enumerate(terrain):
        for column in range(len(line)):
            if (row, column) not in region_at:
                region = flood(terrain, (row, column))
                region_at |= dict.fromkeys(region, region)
    return region_at


def flood(terrain: Sequence[str], start: Place) -> set[Place]:
    """The places that one reaches over sides without leaving the terrain."""
    kind, reached, ahead = terrain[start[0]][start[1]], {start}, [start]
    while ahead:
        row, column = ahead.pop()
        for r, c in ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)):
            on_board = 0 <= r < len(terrain) and 0 <= c < len(terrain[0])
            if on_board and (r, c) not in reached and terrain[r][c] == kind:
                reached.add((r, c))
                ahead.append((r, c))
    return reached


def around(place: Place) -> list[Place]:
    """The eight places around, on the board or not."""
    return [(place[0] + r, place[1] + c) for r in (-1, 0, 1) for c in (-1, 0, 1) if r or c]


def rows_of(text: str, columns: int) -> list[str]:
    """A land's text cut into rows."""
    return [text[at : at + columns] for at in range(0, len(text), columns)]
