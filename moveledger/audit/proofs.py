"""Proofs over the public log: that an event is in it, and that a later log has only grown (RFC 6962, 2.1; RFC 9162, 2.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from moveledger.rules.merkle import EMPTY_ROOT, node_hash


class Nodes(Protocol):
    """The complete subtrees of a tree: (height, n) gives the hash over 2^height leaves from n·2^height on."""

    def __call__(self, height: int, n: int, /) -> bytes: ...


def tree_root(nodes: Nodes, size: int) -> bytes:
    """The root of the tree of the first `size` leaves."""
    return _range_hash(nodes, 0, size) if size else EMPTY_ROOT


def inclusion_path(nodes: Nodes, index: int, size: int) -> list[bytes]:
    """The audit path of a leaf, lowest first (RFC 6962, 2.1.1). Raises `LookupError` for a leaf outside of the tree."""
    if not 0 <= index < size:
        raise LookupError(f"a tree of {size} leaves has no leaf {index}")
    first, past, path = 0, size, list[bytes]()
    while past - first > 1:
        middle = first + _split(past - first)
        if index < middle:
            path.append(_range_hash(nodes, middle, past))
            past = middle
        else:
            path.append(_range_hash(nodes, first, middle))
            first = middle
    return path[::-1]


def consistency_path(nodes: Nodes, old: int, new: int) -> list[bytes]:
    """The proof that a tree of `new` leaves begins with the one of `old` (RFC 6962, 2.1.2); empty for 0 and for the same.

    Raises `LookupError` for a tree that is older than itself.
    """
    if not 0 <= old <= new:
        raise LookupError(f"{new} leaves do not begin with {old}")
    if old in (0, new):
        return []
    first, past, path = 0, new, list[bytes]()
    while old != past:
        middle = first + _split(past - first)
        if old <= middle:
            path.append(_range_hash(nodes, middle, past))
            past = middle
        else:
            path.append(_range_hash(nodes, first, middle))
            first = middle
    return path[::-1] if first == 0 else [_range_hash(nodes, first, past), *path[::-1]]


def is_consistent(old_size: int, old_root: bytes, new_size: int, new_root: bytes, path: Sequence[bytes]) -> bool:
    """Whether a consistency proof holds between two heads (RFC 9162, 2.1.4.2). From the empty tree, the proof is empty."""
    if not 0 <= old_size <= new_size or any(len(step) != len(new_root) for step in path):
        return False
    if old_size in (0, new_size):
        return not path and old_root == (new_root if old_size else EMPTY_ROOT)
    steps = list(path) if old_size & (old_size - 1) else [old_root, *path]
    at, last = old_size - 1, new_size - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    if not steps:
        return False
    old = new = steps[0]
    for step in steps[1:]:
        if not last:
            return False
        if at & 1 or at == last:
            old, new = node_hash(step, old), node_hash(step, new)
            while at and not at & 1:
                at, last = at >> 1, last >> 1
        else:
            new = node_hash(new, step)
        at, last = at >> 1, last >> 1
    return last == 0 and old == old_root and new == new_root


def _split(count: int) -> int:
    """The largest power of two below a count of at least two."""
    return 1 << (count - 1).bit_length() - 1


def _range_hash(nodes: Nodes, first: int, past: int) -> bytes:
    """The hash over a range that RFC 6962's splitting leads to: complete subtrees from large to small, hashed from the right."""
    parts = []
    while first < past:
        height = (past - first).bit_length() - 1
        parts.append(nodes(height, first >> height))
        first += 1 << height
    found = parts.pop()
    while parts:
        found = node_hash(parts.pop(), found)
    return found
