"""Trees for tests: every hash in memory, and the tiles that a log of so many leaves would serve."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from moveledger.audit.tiles import LEVELS, WIDTH, Tile, TileNodes, tile_in
from moveledger.rules.merkle import leaf_hash, merkle_root

ENTRIES = [hashlib.sha256(number.to_bytes(4, "big")).digest() for number in range(140_000)]
LEAVES = [leaf_hash(entry) for entry in ENTRIES]


class Tiles:
    """All tiles of the tree of the first `size` leaves, made from the definition: each hash over complete subtrees."""

    def __init__(self, size: int, leaves: Sequence[bytes] = LEAVES) -> None:
        self.size = size
        self.levels = [list(leaves[:size])]
        for _ in range(1, LEVELS):
            low = self.levels[-1]
            full = len(low) // WIDTH
            self.levels.append([merkle_root(low[at * WIDTH : (at + 1) * WIDTH]) for at in range(full)])

    def read(self, tile: Tile) -> bytes:
        """A tile's hashes, also of a smaller tree."""
        assert tile_in(self.size, tile.level, tile.index).width >= tile.width
        first = tile.index * WIDTH
        return b"".join(self.levels[tile.level][first : first + tile.width])

    def nodes(self) -> TileNodes:
        """The nodes, read from these tiles."""
        return TileNodes(self.size, self.read)
