"""Every answer of chance is as likely as every other, by Pearson's chi-squared test on fixed secrets.

The secrets are fixed, so a test never fails by bad luck; the bound is passed by a fair source but once in a million.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable
from itertools import permutations

import pytest

from moveledger.rules import chance
from moveledger.rules.kernel import Pick, Request, Roll, Seed

ONCE_IN_A_MILLION = 4.7534
"""Standard deviations of a normal variable, one-sided."""


def answers(request: Request, count: int) -> list[tuple[int, ...]]:
    """Draws 0..count-1 of one game."""
    mixed = hashlib.sha256(repr(request).encode()).digest()
    return [chance.draw(chance.draw_secret(bytes(32), index), mixed, index, request) for index in range(count)]


def chi_squared(found: Iterable[Hashable], possible: Iterable[Hashable]) -> float:
    """Pearson's statistic of how far the counts are from equal."""
    counts, cells = Counter(found), list(possible)
    assert set(counts) <= set(cells)
    expected = counts.total() / len(cells)
    assert expected >= 5, "too few draws to say anything"
    return sum((counts[cell] - expected) ** 2 / expected for cell in cells)


def bound(freedom: int) -> float:
    """The statistic that a fair source exceeds once in a million (Wilson and Hilferty, PNAS 17, 1931)."""
    spread = 2 / (9 * freedom)
    return float(freedom * (1 - spread + ONCE_IN_A_MILLION * spread**0.5) ** 3)


@pytest.mark.parametrize("sides", [2, 3, 6, 10, 20, 72])
def test_every_face_of_a_die_is_as_likely(sides: int) -> None:
    faces = [value for values in answers(Roll(5, sides), 2000) for value in values]
    assert chi_squared(faces, range(1, sides + 1)) < bound(sides - 1)


def test_pairs_of_dice_are_independent() -> None:
    pairs = answers(Roll(2, 6), 6000)
    assert chi_squared(pairs, [(one, two) for one in range(1, 7) for two in range(1, 7)]) < bound(35)


def test_every_order_of_a_shuffle_is_as_likely() -> None:
    assert chi_squared(answers(Pick(4, 4), 6000), permutations(range(4))) < bound(23)


@pytest.mark.parametrize("place", range(3))
def test_every_card_is_as_likely_at_every_place_of_a_deal(place: int) -> None:
    assert chi_squared([values[place] for values in answers(Pick(3, 40), 6000)], range(40)) < bound(39)


def test_every_pair_of_cards_is_as_likely() -> None:
    assert chi_squared(answers(Pick(2, 9), 6000), permutations(range(9), 2)) < bound(71)


def test_every_byte_of_a_seed_is_as_likely() -> None:
    found = [
        value >> shift & 255 for values in answers(Seed(256), 1000) for value in values for shift in (0, 8, 16, 24)
    ]
    assert chi_squared(found, range(256)) < bound(255)


def test_one_draw_says_nothing_of_the_next() -> None:
    faces = [values[0] for values in answers(Roll(1, 6), 12000)]
    pairs = list(zip(faces[::2], faces[1::2], strict=True))
    assert chi_squared(pairs, [(one, two) for one in range(1, 7) for two in range(1, 7)]) < bound(35)
