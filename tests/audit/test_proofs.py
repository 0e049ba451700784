"""Proofs from tiles: every leaf, every pair of sizes, and nothing else."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moveledger.audit.proofs import consistency_path, inclusion_path, is_consistent, tree_root
from moveledger.audit.tiles import TileNodes
from moveledger.rules.merkle import EMPTY_ROOT, audit_path, merkle_root, root_from_path, tree_levels
from tests.audit.test_tiles import SIZES
from tests.audit.trees import LEAVES, Tiles

BIG = 131_500
WHOLE = Tiles(BIG)
ROOTS = {size: merkle_root(LEAVES[:size]) for size in range(71)}
sizes = st.integers(1, BIG) | st.builds(
    lambda base, more: min(BIG, max(1, base + more)),
    st.sampled_from([256, 512, 1024, 65_536, 131_072]),
    st.integers(-3, 3),
)


def nodes_of(size: int) -> TileNodes:
    """The nodes of a smaller tree: its tiles are beginnings of those of the whole one."""
    return TileNodes(size, WHOLE.read)


@pytest.mark.parametrize("size", range(1, 71))
def test_the_path_of_every_leaf_is_that_of_the_whole_tree(size: int) -> None:
    levels = tree_levels(LEAVES[:size])
    for index in range(size):
        assert inclusion_path(nodes_of(size), index, size) == audit_path(levels, index)


@pytest.mark.parametrize("size", SIZES)
def test_paths_across_full_tiles_are_those_of_the_whole_tree(size: int) -> None:
    levels = tree_levels(LEAVES[:size])
    for index in {0, 1, 255, 256, 257, size // 2, 65_535, 65_536, size - 2, size - 1} & set(range(size)):
        assert inclusion_path(nodes_of(size), index, size) == audit_path(levels, index)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_leaf_of_a_tree_of_any_size_is_proved(data: st.DataObject) -> None:
    size = data.draw(sizes)
    index = data.draw(st.integers(0, size - 1))
    path = inclusion_path(nodes_of(size), index, size)
    root = _root(size)
    assert root_from_path(LEAVES[index], index, size, path) == root
    other = data.draw(st.integers(0, size - 1).filter(lambda at: at != index)) if size > 1 else None
    if other is not None:
        assert root_from_path(LEAVES[other], index, size, path) != root
        assert root_from_path(LEAVES[index], other, size, path) != root


@pytest.mark.parametrize("new", range(71))
def test_every_smaller_tree_is_a_beginning(new: int) -> None:
    for old in range(new + 1):
        path = consistency_path(nodes_of(new), old, new)
        assert is_consistent(old, ROOTS[old], new, ROOTS[new], path)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_tree_of_any_size_is_a_beginning_of_any_larger_one(data: st.DataObject) -> None:
    old, new = sorted((data.draw(sizes), data.draw(sizes)))
    path = consistency_path(nodes_of(new), old, new)
    assert len(path) <= 2 * new.bit_length()
    assert is_consistent(old, _root(old), new, _root(new), path)


@given(st.data())
@settings(max_examples=150, deadline=None)
def test_a_proof_of_growth_with_anything_changed_does_not_hold(data: st.DataObject) -> None:
    new = data.draw(st.integers(2, 70))
    old = data.draw(st.integers(1, new - 1))
    path = consistency_path(nodes_of(new), old, new)
    wrong = LEAVES[77]
    assert not is_consistent(old, wrong, new, ROOTS[new], path)
    assert not is_consistent(old, ROOTS[old], new, wrong, path)
    assert not is_consistent(old, ROOTS[old], new, ROOTS[new], [*path, wrong])
    assert not is_consistent(old, ROOTS[old], new, ROOTS[new], path[:-1])
    at = data.draw(st.integers(0, len(path) - 1))
    assert not is_consistent(old, ROOTS[old], new, ROOTS[new], [*path[:at], wrong, *path[at + 1 :]])
    assert not is_consistent(old, ROOTS[old], new, ROOTS[new], [*path[:at], path[at][:-1], *path[at + 1 :]])
    for size in {old - 1, old + 1} - {0, new}:
        assert not is_consistent(size, ROOTS[old], new, ROOTS[new], path)


@pytest.mark.parametrize(("old", "new"), [(2, 1), (-1, 1), (1, 0), (5, 4)])
def test_no_tree_begins_with_a_larger_one(old: int, new: int) -> None:
    assert not is_consistent(old, ROOTS[1], new, ROOTS[1], [])
    with pytest.raises(LookupError):
        consistency_path(nodes_of(70), old, new)


def test_from_nothing_and_from_itself_the_proof_is_empty_and_the_roots_decide() -> None:
    assert is_consistent(0, EMPTY_ROOT, 7, ROOTS[7], [])
    assert is_consistent(0, EMPTY_ROOT, 0, EMPTY_ROOT, [])
    assert is_consistent(7, ROOTS[7], 7, ROOTS[7], [])
    assert not is_consistent(0, ROOTS[7], 7, ROOTS[7], [])
    assert not is_consistent(7, ROOTS[6], 7, ROOTS[7], [])
    assert not is_consistent(0, EMPTY_ROOT, 7, ROOTS[7], [ROOTS[7]])
    assert not is_consistent(7, ROOTS[7], 7, ROOTS[7], [ROOTS[7]])


@pytest.mark.parametrize(("index", "size"), [(0, 0), (1, 1), (-1, 1), (70, 70)])
def test_a_leaf_outside_of_the_tree_has_no_path(index: int, size: int) -> None:
    with pytest.raises(LookupError):
        inclusion_path(nodes_of(70), index, size)


def test_a_proof_of_growth_is_found_for_every_neighbour_of_a_tile_boundary() -> None:
    near = [1, *(at + more for at in (256, 512, 65_536, 131_072) for more in (-1, 0, 1)), BIG]
    for old, new in [*pairwise(near), *((1, size) for size in near), *((size, BIG) for size in near)]:
        assert is_consistent(old, _root(old), new, _root(new), consistency_path(nodes_of(new), old, new))


def _root(size: int) -> bytes:
    """From tiles, which is quicker; `test_tiles.py` holds it against the whole tree."""
    return tree_root(nodes_of(size), size)
