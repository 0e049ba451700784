"""The tree of the public log as the relay extends it: read at its right edge, held against what was signed, grown by new leaves."""

from __future__ import annotations

from moveledger.audit.checkpoint import Checkpoint, read_signed_checkpoint
from moveledger.audit.proofs import tree_root
from moveledger.audit.tiles import LEVELS, Edge, FullTile, TileNodes, edge_tiles, split_hashes
from moveledger.errors import MalformedValue
from moveledger.store import publication as store
from moveledger.store.database import Connection


class Contradiction(Exception):
    """The tree is not an extension of what was signed."""


class GrowingTree:
    """The tree of the last checkpoint and, after `grow`, of more leaves; `full` are the tiles that became full by that."""

    def __init__(self, connection: Connection, last: store.SignedHead | None) -> None:
        """Raises `Contradiction` when the tree of the last checkpoint has another root by now."""
        self._connection = connection
        self._stored = last.size if last else 0
        self._edge = _read_edge(connection, self._stored)
        self.full: list[FullTile] = []
        if last is not None and self._edge.root() != last.root:
            raise Contradiction(f"the tree of the last checkpoint, {last.size} leaves, has another root now")

    @property
    def size(self) -> int:
        """How many leaves it has."""
        return self._edge.size

    def head(self, origin: str) -> Checkpoint:
        """The checkpoint of the tree as it is now."""
        return Checkpoint(origin, self.size, self._edge.root())

    def grow(self, most: int) -> None:
        """Add up to so many of the leaves that are waiting. Raises `Contradiction` for a gap between them."""
        found = store.leaf_hashes(self._connection, self.size, most=most)
        for expected, (index, _) in enumerate(found, self.size):
            if index != expected:
                raise Contradiction(f"leaf {expected} is missing: the next one is {index}")
        self.full += self._edge.grow(leaf for _, leaf in found)

    def require_promise(self, promise: Checkpoint) -> None:
        """Grow at least to a head that was signed. Raises `Contradiction` when the tree does not extend it."""
        if promise.size > self.size:
            self.grow(promise.size - self.size)
        if promise.size > self.size:
            raise Contradiction(
                f"{promise.size} leaves were signed and the database has {self.size}: it was set back to an earlier time"
            )
        if self._root_at(promise.size) != promise.root:
            raise Contradiction(f"the tree of {promise.size} leaves has another root than the one that was signed")

    def _root_at(self, size: int) -> bytes:
        if size == self.size:
            return self._edge.root()
        nodes = TileNodes(self._stored, lambda tile: store.read_tile_hashes(self._connection, tile))
        return tree_root(nodes, size)


def _read_edge(connection: Connection, size: int) -> Edge:
    levels: list[list[bytes]] = [[] for _ in range(LEVELS)]
    for tile in edge_tiles(size):
        levels[tile.level] = split_hashes(store.read_tile_hashes(connection, tile))
        if len(levels[tile.level]) != tile.width:
            raise Contradiction(f"tile {tile.name} of level {tile.level} is not whole any more")
    return Edge(size, levels)


def read_promise(note: str | None) -> Checkpoint | None:
    """The checkpoint of the last note that was kept. Raises `Contradiction` for one that cannot be read."""
    try:
        return None if note is None else read_signed_checkpoint(note)[0]
    except MalformedValue as wrong:
        raise Contradiction(f"the last note that was kept cannot be read: {wrong.detail}") from wrong
