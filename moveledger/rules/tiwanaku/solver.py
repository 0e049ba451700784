"""All ways to grow crops on a known terrain, for starting tiles that leave one way only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from moveledger.rules.tiwanaku.regions import regions_of
from moveledger.rules.tiwanaku.spaces import grid_of


def crop_layouts(terrain: str, columns: int, known: Mapping[int, int]) -> Iterator[tuple[int, ...]]:
    """The crops by space that fit the terrain and the known crops, in a fixed order; lazily."""
    around = grid_of(columns).around
    open_crops, rivals = [0] * len(terrain), [frozenset[int]()] * len(terrain)
    for region in regions_of(terrain, columns):
        for space in region:
            open_crops[space] = (1 << len(region)) - 1
            rivals[space] = (region | frozenset(around[space])) - {space}
    for space, crop in known.items():
        if not _grow(open_crops, rivals, space, 1 << (crop - 1)):
            return
    yield from _grown(open_crops, rivals, frozenset(range(len(terrain))) - known.keys())


def _grown(open_crops: list[int], rivals: list[frozenset[int]], left: frozenset[int]) -> Iterator[tuple[int, ...]]:
    """The layouts that go on from the crops still open, the space with the fewest first."""
    if not left:
        yield tuple(crops.bit_length() for crops in open_crops)
        return
    space = min(left, key=lambda at: (open_crops[at].bit_count(), at))
    crops = open_crops[space]
    while crops:
        crop = crops & -crops
        crops -= crop
        grown = open_crops.copy()
        if _grow(grown, rivals, space, crop):
            yield from _grown(grown, rivals, left - {space})


def _grow(open_crops: list[int], rivals: list[frozenset[int]], space: int, crop: int) -> bool:
    """Grow `crop` (a bit) on a space and take it from its rivals; whether each of these still has one."""
    if not open_crops[space] & crop:
        return False
    open_crops[space] = crop
    for rival in rivals[space]:
        open_crops[rival] &= ~crop
        if not open_crops[rival]:
            return False
    return True
