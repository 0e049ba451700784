"""An endless stream of random numbers from a seed draw: SHA-256 in counter mode, the same on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Stream:
    """Unbiased choices from the eight words of a `seed:256` draw."""

    def __init__(self, words: tuple[int, ...]) -> None:
        self._key = hashlib.sha256(b"tiwanaku/board" + b"".join(word.to_bytes(4, "big") for word in words))
        self._block = 0
        self._words: list[int] = []

    def take(self) -> int:
        """The next word of 32 bits: eight to a block, a block is the digest of key and counter."""
        if not self._words:
            block = self._key.copy()
            block.update(self._block.to_bytes(8, "big"))
            self._block += 1
            data = block.digest()
            self._words = [int.from_bytes(data[at : at + 4], "big") for at in range(28, -1, -4)]
        return self._words.pop()

    def below(self, n: int) -> int:
        """A number 0..n-1, each as likely: words from the last, incomplete run of n are thrown away."""
        limit = 2**32 - 2**32 % n
        while (word := self.take()) >= limit:
            pass
        return word % n

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """The items in a random order: Durstenfeld's shuffle from the top."""
        order = list(items)
        for top in range(len(order) - 1, 0, -1):
            other = self.below(top + 1)
            order[top], order[other] = order[other], order[top]
        return order
