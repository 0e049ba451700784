"""Tiles: how they are named, what stands in them, and how the right edge grows."""

from __future__ import annotations

from itertools import pairwise

import pytest

from moveledger.audit.proofs import tree_root
from moveledger.audit.tiles import (
    LEVELS,
    WIDTH,
    Edge,
    FullTile,
    Tile,
    edge_tiles,
    entry_bundle,
    read_tile,
    split_hashes,
    tile_in,
)
from moveledger.errors import MalformedValue
from moveledger.rules.merkle import EMPTY_ROOT, merkle_root
from tests.audit.trees import ENTRIES, LEAVES, Tiles

SIZES = [
    1,
    2,
    3,
    7,
    8,
    100,
    255,
    256,
    257,
    300,
    511,
    512,
    513,
    767,
    768,
    5_000,
    65_535,
    65_536,
    65_537,
    66_000,
    131_072,
    131_329,
]
"""On both sides of full tiles of the first three levels."""


@pytest.mark.parametrize(
    ("tile", "path"),
    [
        (Tile(0, 0), "tile/0/000"),
        (Tile(0, 5, 1), "tile/0/005.p/1"),
        (Tile(1, 999), "tile/1/999"),
        (Tile(2, 1000, 255), "tile/2/x001/000.p/255"),
        (Tile(0, 1234067), "tile/0/x001/x234/067"),
        (Tile(7, 1234067, 8), "tile/7/x001/x234/067.p/8"),
        (Tile(3, 12345678901, 17), "tile/3/x012/x345/x678/901.p/17"),
    ],
)
def test_a_tile_is_named_as_tlog_tiles_has_it(tile: Tile, path: str) -> None:
    assert tile.path == path
    assert read_tile(tile.level, path.split("/", 2)[2]) == tile


@pytest.mark.parametrize(
    "name",
    [
        *(
            "",
            "0",
            "00",
            "0000",
            "1234",
            "x001",
            "x001/",
            "x000/001",
            "x000/x000/001",
            "001/002",
            "x01/001",
            "X001/001",
        ),
        *(
            "000.p/0",
            "000.p/256",
            "000.p/01",
            "000.p/-1",
            "000.p/999",
            "000.p",
            "000.p/",
            "000.p/1/",
            "000.p/1x",
            "000/p/1",
        ),
        *("-01", "+01", " 001", "001 ", "٠٠١", "../001", "x999/" * 40 + "001", "x999/x999/x999/x999/x999/x999/999"),
    ],
)
def test_another_spelling_names_no_tile(name: str) -> None:
    with pytest.raises(MalformedValue):
        read_tile(0, name)


@pytest.mark.parametrize("level", [-1, 8, 63, 64])
def test_there_are_eight_levels(level: int) -> None:
    with pytest.raises(MalformedValue):
        read_tile(level, "000")


def test_the_tiles_of_a_tree_are_those_of_the_specification() -> None:
    """c2sp.org/tlog-tiles: 70,000 entries are 273 full tiles and one of 112; one full and one of 17 above; one of 1."""
    assert tile_in(70_000, 0, 272).is_full
    assert list(edge_tiles(70_000)) == [Tile(0, 273, 112), Tile(1, 1, 17), Tile(2, 0, 1)]
    assert list(edge_tiles(256)) == [Tile(1, 0, 1)]
    assert list(edge_tiles(0)) == []
    with pytest.raises(LookupError):
        tile_in(70_000, 0, 274)
    with pytest.raises(LookupError):
        tile_in(70_000, 3, 0)


def test_entries_stand_each_after_its_length() -> None:
    assert entry_bundle([b"abc", b"", b"\xff" * 32]) == b"\x00\x03abc\x00\x00\x00\x20" + b"\xff" * 32


@pytest.mark.parametrize("size", SIZES)
def test_the_root_from_tiles_and_from_the_edge_is_that_of_the_whole_tree(size: int) -> None:
    expected = merkle_root(LEAVES[:size])
    edge = Edge()
    assert edge.root() == EMPTY_ROOT
    list(edge.grow(LEAVES[:size]))
    assert edge.size == size
    assert edge.root() == expected
    assert tree_root(Tiles(size).nodes(), size) == expected


@pytest.mark.parametrize(
    "sizes", [[66_500], [1, 255, 256, 257, 511, 514, 66_500], [100, 65_535, 65_536, 65_537, 66_500]]
)
def test_an_edge_that_was_read_from_tiles_grows_as_one_that_was_never_put_down(sizes: list[int]) -> None:
    closed = list[FullTile]()
    for size, following in pairwise([0, *sizes]):
        tiles = Tiles(size)
        levels: list[list[bytes]] = [[] for _ in range(LEVELS)]
        for tile in edge_tiles(size):
            levels[tile.level] = split_hashes(tiles.read(tile))
        edge = Edge(size, levels)
        closed += edge.grow(LEAVES[size:following])
        assert edge.size == following
        assert edge.root() == merkle_root(LEAVES[:following])
    whole = Tiles(sizes[-1])
    assert [full.tile for full in closed if full.tile.level == 0] == [Tile(0, at) for at in range(66_500 // WIDTH)]
    assert [full.tile for full in closed if full.tile.level > 0] == [Tile(1, 0)]
    for full in closed:
        assert full.hashes == whole.read(full.tile)
        assert full.root == merkle_root(split_hashes(full.hashes))


def test_the_entries_are_what_the_leaves_are_made_of() -> None:
    assert len(set(ENTRIES)) == len(ENTRIES) == len(LEAVES)
