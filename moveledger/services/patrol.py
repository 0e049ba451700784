"""Rounds through the public log's full tiles: whether each is still what the leaves under it give."""

from __future__ import annotations

from moveledger.audit.tiles import HEIGHT, LEVELS, split_hashes
from moveledger.rules.merkle import merkle_root
from moveledger.services.growth import Contradiction
from moveledger.store import publication as store
from moveledger.store.database import Connection

STRIDE = 128
"""How many tiles of leaves are looked at in one step: some 32,000 leaves, a tenth of a second."""


class Patrol:
    """One who goes round and round, a stride at each step."""

    def __init__(self) -> None:
        self._next = 0

    def step(self, connection: Connection, size: int) -> bool:
        """Look at the next tiles of a tree of so many leaves; whether that ends a round. Raises `Contradiction`."""
        full = _full_tiles(size, 0)
        past = min(full, self._next + STRIDE)
        _require_true_tiles(connection, 0, first=self._next, past=past)
        self._next = past if past < full else 0
        if past < full:
            return False
        for level in range(1, LEVELS):
            _require_true_tiles(connection, level, first=0, past=_full_tiles(size, level))
        return True


def _full_tiles(size: int, level: int) -> int:
    return size >> HEIGHT * (level + 1)


def _require_true_tiles(connection: Connection, level: int, *, first: int, past: int) -> None:
    found = store.tiles_and_sources(connection, level, first=first, past=past)
    for index, (tile, hashes, root, source) in enumerate(found, first):
        if tile != index or hashes != source or merkle_root(split_hashes(hashes)) != root:
            raise Contradiction(f"tile {index} of level {level} is not what stands below it any more")
    if len(found) != past - first:
        raise Contradiction(f"tile {first + len(found)} of level {level} is missing")
