"""The tree of RFC 6962: its vectors, and every path of every leaf for all small sizes."""

from __future__ import annotations

import hashlib

import pytest

from moveledger.rules.merkle import (
    EMPTY_ROOT,
    audit_path,
    leaf_hash,
    merkle_root,
    node_hash,
    root_from_path,
    tree_levels,
)

SIZES = range(1, 71)
LEAVES = [leaf_hash(bytes([n])) for n in range(max(SIZES))]

RFC_LEAVES = [bytes.fromhex(text) for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657")]
RFC_LEAVES += [bytes.fromhex("606162636465666768696a6b6c6d6e6f")]
RFC_ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""The test leaves and roots of Certificate Transparency's reference implementation."""


def recursive_root(leaves: list[bytes]) -> bytes:
    """RFC 6962, 2.1, as it is written there."""
    if len(leaves) == 1:
        return leaves[0]
    split = 1 << (len(leaves) - 1).bit_length() - 1
    return node_hash(recursive_root(leaves[:split]), recursive_root(leaves[split:]))


def test_the_root_of_nothing_is_the_hash_of_nothing() -> None:
    assert merkle_root([]) == EMPTY_ROOT == hashlib.sha256(b"").digest()


@pytest.mark.parametrize("size", range(1, 9))
def test_the_roots_are_those_of_the_reference(size: int) -> None:
    assert merkle_root([leaf_hash(leaf) for leaf in RFC_LEAVES[:size]]).hex() == RFC_ROOTS[size - 1]


@pytest.mark.parametrize("size", SIZES)
def test_the_root_is_that_of_the_recursive_definition(size: int) -> None:
    assert merkle_root(LEAVES[:size]) == recursive_root(LEAVES[:size])


@pytest.mark.parametrize("size", SIZES)
def test_the_path_of_every_leaf_leads_to_the_root(size: int) -> None:
    levels = tree_levels(LEAVES[:size])
    for index in range(size):
        assert root_from_path(LEAVES[index], index, size, audit_path(levels, index)) == levels[-1][0]


@pytest.mark.parametrize("size", SIZES)
def test_another_leaf_index_size_or_path_does_not_lead_to_the_root(size: int) -> None:
    levels = tree_levels(LEAVES[:size])
    root = levels[-1][0]
    for index in range(size):
        path = audit_path(levels, index)
        assert root_from_path(leaf_hash(b"another"), index, size, path) != root
        for other in {index - 1, index + 1, 0, size - 1, size, -1} - {index}:
            assert root_from_path(LEAVES[index], other, size, path) != root
        assert root_from_path(LEAVES[index], index, size, [*path, root]) is None
        if path:
            assert root_from_path(LEAVES[index], index, size, path[:-1]) is None
            assert root_from_path(LEAVES[index], index, size, path[1:]) is None
            for at in range(len(path)):
                assert root_from_path(LEAVES[index], index, size, [*path[:at], root, *path[at + 1 :]]) != root


@pytest.mark.parametrize("size", [3, 8, 21, 64])
def test_a_path_does_not_lead_to_the_root_of_a_tree_that_is_said_to_be_twice_as_large(size: int) -> None:
    levels = tree_levels(LEAVES[:size])
    for index in range(size):
        assert root_from_path(LEAVES[index], index, 2 * size + 1, audit_path(levels, index)) != levels[-1][0]


@pytest.mark.parametrize(("index", "size"), [(0, 0), (1, 1), (-1, 1), (5, 5), (0, -1)])
def test_an_index_outside_the_tree_has_no_root(index: int, size: int) -> None:
    assert root_from_path(LEAVES[0], index, size, []) is None


@pytest.mark.parametrize("step", [b"", b"\x00", bytes(31), bytes(33)])
def test_a_step_that_is_no_hash_is_refused(step: bytes) -> None:
    assert root_from_path(LEAVES[0], 0, 2, [step]) is None


def test_leaves_and_nodes_are_never_the_same() -> None:
    assert leaf_hash(LEAVES[0] + LEAVES[1]) != node_hash(LEAVES[0], LEAVES[1])
