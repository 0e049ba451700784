"""The regions of a land: spaces of one terrain joined by their sides."""

from __future__ import annotations

from moveledger.rules.tiwanaku.spaces import grid_of


def regions_of(terrain: str, columns: int) -> list[frozenset[int]]:
    """The regions, in the order of their first spaces."""
    beside = grid_of(columns).beside
    left, found = set(range(len(terrain))), []
    while left:
        start = min(left)
        region, ahead = {start}, [start]
        while ahead:
            for space in beside[ahead.pop()]:
                if space not in region and terrain[space] == terrain[start]:
                    region.add(space)
                    ahead.append(space)
        left -= region
        found.append(frozenset(region))
    return found
