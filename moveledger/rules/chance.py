"""Fair draws, scheme `ml-fair-1`: from committed secrets and the seats' entropy to dice, deals and seeds.

The operator commits to 32 secret bytes S before the first move, and to one secret per draw by a Merkle root.
Draw i is then a function of its secret, the mix of everybody's entropy, its index and what is asked, so that it can be
checked when it is made and recomputed when S is opened. `docs/formats.md` gives the bytes and test vectors.
All integers are big-endian.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from functools import lru_cache

from moveledger.errors import MalformedValue
from moveledger.rules.kernel import Pick, Request, Roll, Seat, Seed
from moveledger.rules.merkle import audit_path, leaf_hash, root_from_path, tree_levels

SCHEME = "ml-fair-1"
DRAWS = 1024
"""How many draws are committed to unless a ruleset needs more."""

_REQUEST = re.compile(
    r"(roll):([1-9]\d{0,3})x([1-9]\d{0,8})|(pick):([1-9]\d{0,3})/([1-9]\d{0,5})|(seed):([1-9]\d{0,4})",
    re.ASCII,
)


# --- what is asked, as text ----------------------------------------------------------------------------


def request_text(request: Request) -> str:
    """`roll:5x6`, `pick:3/72` or `seed:256`."""
    match request:
        case Roll(count, sides):
            return f"roll:{count}x{sides}"
        case Pick(count, out_of):
            return f"pick:{count}/{out_of}"
        case Seed(bits):
            return f"seed:{bits}"


def read_request(text: str) -> Request:
    """The request that `text` says; raises `MalformedValue`."""
    found = _REQUEST.fullmatch(text)
    if found is None:
        raise MalformedValue(f"{text!r} is no draw request.")
    roll, dice, sides, pick, count, out_of, _, bits = found.groups()
    if roll:
        return Roll(int(dice), int(sides))
    if pick:
        if int(count) > int(out_of):
            raise MalformedValue(f"{text!r} picks more than there are.")
        return Pick(int(count), int(out_of))
    if int(bits) % 32:
        raise MalformedValue(f"{text!r} is not a multiple of 32 bits.")
    return Seed(int(bits))


# --- commitments ---------------------------------------------------------------------------------------


def seed_commitment(game: bytes, ruleset: str, secret: bytes) -> bytes:
    """What `opened` publishes of S; `game` is the 16 bytes of the game's id, `ruleset` as `santiiba@1`."""
    return hashlib.sha256(b"ml/fair1/commit" + game + _prefixed(ruleset.encode()) + secret).digest()


def draw_secret(secret: bytes, index: int) -> bytes:
    """s_i, the secret of draw `index`: one block of HKDF-Expand (RFC 5869, 2.3)."""
    return _mac(secret, b"ml/fair1/draw" + index.to_bytes(8, "big", signed=True) + b"\x01")


def draws_root(secret: bytes, draws: int) -> bytes:
    """The Merkle root over the secrets of draws 0..draws-1."""
    return _secrets_tree(secret, draws)[-1][0]


def draw_path(secret: bytes, draws: int, index: int) -> list[bytes]:
    """The audit path of draw `index`'s secret under `draws_root`."""
    return audit_path(_secrets_tree(secret, draws), index)


def is_committed(secret_i: bytes, *, index: int, draws: int, path: list[bytes], root: bytes) -> bool:
    """Whether `secret_i` is the secret of draw `index` under the published root."""
    return root_from_path(leaf_hash(secret_i), index, draws, path) == root


@lru_cache(maxsize=128)
def _secrets_tree(secret: bytes, draws: int) -> tuple[tuple[bytes, ...], ...]:
    return tree_levels([leaf_hash(draw_secret(secret, i)) for i in range(draws)])


def entropy_commitment(game: bytes, seat: int, entropy: bytes) -> bytes:
    """What a seat publishes before it opens its 32 bytes of entropy."""
    return hashlib.sha256(b"ml/fair1/entropy" + game + seat.to_bytes(2, "big", signed=True) + entropy).digest()


def mix(game: bytes, commitment: bytes, root: bytes, entropies: Mapping[Seat, bytes]) -> bytes:
    """M, published by `started`: the commitments and the opened entropies, in order of seats."""
    opened = b"".join(seat.to_bytes(2, "big", signed=True) + entropies[seat] for seat in sorted(entropies))
    count = len(entropies).to_bytes(4, "big")
    return hashlib.sha256(b"ml/fair1/mix" + game + commitment + root + count + opened).digest()


# --- draws ---------------------------------------------------------------------------------------------


class _Words:
    """The endless stream of unsigned 64-bit words of one draw."""

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._block = 0
        self._words: list[int] = []

    def take(self) -> int:
        if not self._words:
            data = _mac(self._key, self._block.to_bytes(4, "big"))
            self._block += 1
            self._words = [int.from_bytes(data[at : at + 8], "big") for at in (24, 16, 8, 0)]
        return self._words.pop()

    def below(self, n: int) -> int:
        """A number 0..n-1, every one as likely: words from the last, incomplete run of n are thrown away."""
        if n == 1:
            return 0
        limit = 2**64 - 2**64 % n
        while (word := self.take()) >= limit:
            pass
        return word % n


def draw(secret_i: bytes, mixed: bytes, index: int, request: Request) -> tuple[int, ...]:
    """What chance answers to `request` as draw `index`."""
    asked = _prefixed(request_text(request).encode())
    words = _Words(_mac(secret_i, b"ml/fair1/k" + mixed + index.to_bytes(8, "big", signed=True) + asked))
    match request:
        case Roll(count, sides):
            return tuple(1 + words.below(sides) for _ in range(count))
        case Pick(count, out_of):
            return _pick(words, count, out_of)
        case Seed(bits):
            return tuple(words.take() >> 32 for _ in range(bits // 32))


def fits_request(values: tuple[int, ...], request: Request) -> bool:
    """Whether `values` is an answer that `request` can have."""
    match request:
        case Roll(count, sides):
            return len(values) == count and all(1 <= value <= sides for value in values)
        case Pick(count, out_of):
            return len(values) == len(set(values)) == count and all(0 <= value < out_of for value in values)
        case Seed(bits):
            return len(values) == bits // 32 and all(0 <= value < 2**32 for value in values)


def _pick(words: _Words, count: int, out_of: int) -> tuple[int, ...]:
    """Durstenfeld's shuffle from the top, stopped after `count` (CACM 7, 1964, algorithm 235)."""
    items = list(range(out_of))
    for top in range(out_of - 1, out_of - 1 - count, -1):
        other = words.below(top + 1)
        items[top], items[other] = items[other], items[top]
    return tuple(reversed(items[out_of - count :]))


def _mac(key: bytes, data: bytes) -> bytes:
    return hmac.digest(key, data, "sha256")


def _prefixed(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data
