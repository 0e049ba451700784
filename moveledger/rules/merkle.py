"""The Merkle tree of RFC 6962: leaves `SHA-256(0x00 ‖ leaf)`, nodes `SHA-256(0x01 ‖ left ‖ right)`.

It stands here because fair draws commit to their secrets with it; the public log uses the same tree.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import pairwise

EMPTY_ROOT = hashlib.sha256(b"").digest()


def leaf_hash(leaf: bytes) -> bytes:
    """The hash of one leaf's content."""
    return hashlib.sha256(b"\x00" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of the node above two hashes."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def tree_levels(hashes: Sequence[bytes]) -> tuple[tuple[bytes, ...], ...]:
    """All levels of the tree over leaf hashes, lowest first; a last odd node rises unchanged.

    Rising unchanged gives the same root as RFC 6962's split at the largest power of two (section 2.1).
    """
    levels = [tuple(hashes)]
    while len(levels[-1]) > 1:
        low = levels[-1]
        level = [node_hash(left, right) for left, right in pairwise_disjoint(low)]
        levels.append(tuple(level + list(low[len(low) & ~1 :])))
    return tuple(levels)


def pairwise_disjoint(items: Sequence[bytes]) -> list[tuple[bytes, bytes]]:
    """Items two by two, a last odd one left out."""
    return [pair for at, pair in enumerate(pairwise(items)) if at % 2 == 0]


def merkle_root(hashes: Sequence[bytes]) -> bytes:
    """The root over leaf hashes; of none, SHA-256 of nothing."""
    return tree_levels(hashes)[-1][0] if hashes else EMPTY_ROOT


def audit_path(levels: Sequence[Sequence[bytes]], index: int) -> list[bytes]:
    """The sibling hashes from leaf `index` up to the root, lowest first (RFC 9162, 2.1.3.1)."""
    path = []
    for level in levels[:-1]:
        sibling = index ^ 1
        if sibling < len(level):
            path.append(level[sibling])
        index >>= 1
    return path


def root_from_path(hashed_leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root that an audit path leads to, or None when the path does not fit the tree (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size:
        return None
    node, at, last, steps = hashed_leaf, index, size - 1, iter(path)
    while last:
        if at & 1 or at < last:
            step = next(steps, None)
            if step is None or len(step) != len(node):
                return None
            node = node_hash(step, node) if at & 1 else node_hash(node, step)
        at >>= 1
        last >>= 1
    return node if next(steps, None) is None else None
