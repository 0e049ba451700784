"""The tree of the public log in tiles of 256 hashes (c2sp.org/tlog-tiles), and the right edge where it grows.

Tile `index` of level L holds the hashes of consecutive complete subtrees of 256^L leaves. A partial tile, at the right
edge, is the beginning of the full one that it will be.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from moveledger.errors import MalformedValue
from moveledger.rules.merkle import EMPTY_ROOT, merkle_root

HEIGHT = 8
WIDTH = 1 << HEIGHT
LEVELS = 8
"""Eight levels of tiles hold 2^64 leaves, which is more than are counted here."""
HASH = 32

_NAME = re.compile(r"(?P<index>(x[0-9]{3}/)*[0-9]{3})(\.p/(?P<width>[1-9][0-9]{0,2}))?")


@dataclass(frozen=True, slots=True)
class Tile:
    """Where a tile stands, and how many hashes it has."""

    level: int
    index: int
    width: int = WIDTH

    @property
    def is_full(self) -> bool:
        """Whether it will never change any more."""
        return self.width == WIDTH

    @property
    def name(self) -> str:
        """Index and width as in a path: `x001/x234/067.p/8`."""
        digits = f"{self.index:03}"
        digits = digits.zfill(-(-len(digits) // 3) * 3)
        *first, last = (digits[at : at + 3] for at in range(0, len(digits), 3))
        path = "".join(f"x{part}/" for part in first) + last
        return path if self.is_full else f"{path}.p/{self.width}"

    @property
    def path(self) -> str:
        """Its path below the log's prefix."""
        return f"tile/{self.level}/{self.name}"


def read_tile(level: int, name: str) -> Tile:
    """The tile of a level that a path names. Raises `MalformedValue` for any spelling but the one of its name."""
    found = _NAME.fullmatch(name)
    if found is None or len(name) > 40:
        raise MalformedValue("A tile's name is like x001/234 or x001/234.p/8.")
    index = int(found["index"].replace("/", "").replace("x", ""))
    tile = Tile(level, index, int(found["width"] or WIDTH))
    if tile.name != name or tile.width > WIDTH or not 0 <= level < LEVELS or index >= 1 << 55:
        raise MalformedValue("There is no tile of this name.")
    return tile


def tile_in(size: int, level: int, index: int) -> Tile:
    """A tile as it stands in a tree of so many leaves. Raises `LookupError` when the tree has no part of it."""
    width = min(WIDTH, (size >> HEIGHT * level) - index * WIDTH)
    if width < 1:
        raise LookupError(f"a tree of {size} leaves has no tile {index} at level {level}")
    return Tile(level, index, width)


def edge_tiles(size: int) -> Iterator[Tile]:
    """The partial tiles of a tree, lowest first."""
    for level in range(LEVELS):
        count = size >> HEIGHT * level
        if count % WIDTH:
            yield Tile(level, count // WIDTH, count % WIDTH)


def split_hashes(tile: bytes) -> list[bytes]:
    """The hashes of a tile's bytes."""
    return [tile[at : at + HASH] for at in range(0, len(tile), HASH)]


def entry_bundle(entries: Iterable[bytes]) -> bytes:
    """Entries one after the other, each with its length before it in two bytes."""
    return b"".join(len(entry).to_bytes(2, "big") + entry for entry in entries)


# --- nodes ---------------------------------------------------------------------------------------------


class TileNodes:
    """The nodes of a tree, read from tiles, each of which is asked for once.

    Called with (height, n) it gives the hash over the leaves from n·2^height on, 2^height of them.
    """

    def __init__(self, size: int, read: Callable[[Tile], bytes]) -> None:
        self._size, self._read = size, read
        self._seen: dict[Tile, bytes] = {}

    def __call__(self, height: int, n: int, /) -> bytes:
        level, above = divmod(height, HEIGHT)
        first = n << above
        hashes = self._tile(tile_in(self._size, level, first // WIDTH))
        at = first % WIDTH * HASH
        return merkle_root(split_hashes(hashes[at : at + (HASH << above)]))

    def _tile(self, tile: Tile) -> bytes:
        if tile not in self._seen:
            self._seen[tile] = self._read(tile)
        return self._seen[tile]


# --- growing -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FullTile:
    """A tile that has become full: its 256 hashes as bytes, and the root over them."""

    tile: Tile
    hashes: bytes
    root: bytes


class Edge:
    """The right edge of a tree: the hashes of the partial tile of each level. It is all that growing needs."""

    def __init__(self, size: int = 0, hashes: Sequence[Sequence[bytes]] = ()) -> None:
        self.size = size
        self._levels = [list(level) for level in hashes] + [[] for _ in range(LEVELS - len(hashes))]

    def grow(self, leaves: Iterable[bytes]) -> Iterator[FullTile]:
        """Add leaf hashes, and give the tiles that become full by it, lower ones first."""
        for leaf in leaves:
            self._levels[0].append(leaf)
            self.size += 1
            if self.size % WIDTH == 0:
                yield from self._close_tiles()

    def _close_tiles(self) -> Iterator[FullTile]:
        count = self.size
        for level in range(LEVELS):
            hashes, self._levels[level] = self._levels[level], []
            count >>= HEIGHT
            root = merkle_root(hashes)
            yield FullTile(Tile(level, count - 1), b"".join(hashes), root)
            self._levels[level + 1].append(root)
            if count % WIDTH:
                return

    def root(self) -> bytes:
        """The root of the tree: what is left at each level is the last item of the level above."""
        rest: list[bytes] = []
        for hashes in self._levels:
            items = hashes + rest
            rest = [merkle_root(items)] if items else []
        return rest[0] if rest else EMPTY_ROOT
