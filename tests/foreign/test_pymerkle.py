"""Roots and paths against pymerkle, an implementation of RFC 9162's tree that is not ours."""

from __future__ import annotations

import pytest
from pymerkle import ConsistencyProof, InclusionProof, InmemoryTree, verify_consistency, verify_inclusion

from moveledger.audit.proofs import is_consistent
from moveledger.rules.merkle import leaf_hash, root_from_path
from tests.foreign.copies import SIZES, Published

LEAF_INDEXES = [0, 1, 13, 39, 254, 255, 256, 257, 511, 512, 32_767, 65_535, 65_536, 65_999]


@pytest.fixture(scope="module")
def foreign(published: Published) -> InmemoryTree:
    """Its tree over the same entries."""
    tree = InmemoryTree(algorithm="sha256")
    for entry in published.entries:
        tree.append_entry(entry)
    return tree


@pytest.mark.parametrize("size", SIZES)
def test_the_signed_roots_are_pymerkles(published: Published, foreign: InmemoryTree, size: int) -> None:
    assert published.head(size).root == foreign.get_root(size)


def test_the_paths_of_events_are_pymerkles(published: Published, foreign: InmemoryTree) -> None:
    size = SIZES[-1]
    for proof in [*published.event_proofs(), *(published.leaf_proof(index, size) for index in LEAF_INDEXES)]:
        leaf = leaf_hash(bytes.fromhex(proof["entry"]))
        theirs = foreign.prove_inclusion(proof["leaf_index"] + 1, size)
        assert [leaf.hex(), *proof["path"]] == [step.hex() for step in theirs.path]
        verify_inclusion(leaf, published.head(size).root, theirs, index=proof["leaf_index"] + 1, size=size)
        ours = InclusionProof.deserialize({**theirs.serialize(), "path": [leaf.hex(), *proof["path"]]})
        verify_inclusion(leaf, published.head(size).root, ours, index=proof["leaf_index"] + 1, size=size)
        steps = theirs.path[1:]
        assert root_from_path(leaf, proof["leaf_index"], size, steps) == published.head(size).root


def test_growth_is_proved_by_both_to_each_other(published: Published, foreign: InmemoryTree) -> None:
    for old in SIZES:
        for new in SIZES:
            if old > new:
                continue
            before, after = foreign.get_root(old), foreign.get_root(new)
            path = [bytes.fromhex(step) for step in published.growth(old, new)["path"]]
            assert is_consistent(old, before, new, after, path)
            theirs = foreign.prove_consistency(old, new)
            assert isinstance(theirs, ConsistencyProof)
            old_root, new_root = published.head(old).root, published.head(new).root
            verify_consistency(old_root, new_root, theirs, prior_size=old, later_size=new)
