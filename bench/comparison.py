"""What a measurement is: two rates taken in turn, round by round, and the ratio of each round."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, assert_never

Rate = Callable[[], float]
"""Does some work for a while; answers how much of it was done in a second."""


@dataclass(frozen=True, slots=True)
class Bar:
    """What a figure must reach; `aim` is what we would like it to be."""

    sense: Literal["≥", "≤", "="]
    value: float
    aim: float | None = None

    def holds(self, figure: float) -> bool:
        """Whether a figure is on the right side."""
        match self.sense:
            case "≥":
                return figure >= self.value
            case "≤":
                return figure <= self.value
            case "=":
                return figure == self.value
            case _:
                assert_never(self.sense)

    def __str__(self) -> str:
        return f"{self.sense} {self.value:,g}" + (f" (aim {self.aim:,g})" if self.aim is not None else "")


@dataclass(frozen=True, slots=True)
class Result:
    """One row: the figures of its rounds, the bar if it has one, and how it came about."""

    title: str
    figures: Sequence[float]
    bar: Bar | None = None
    detail: str = ""
    unit: str = "×"

    @property
    def median(self) -> float:
        """The figure that counts."""
        return statistics.median(self.figures)

    @property
    def verdict(self) -> str:
        """`holds`, `falls short`, or nothing where there is no bar."""
        if self.bar is None:
            return ""
        return "holds" if self.bar.holds(self.median) else "falls short"


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two things compared."""

    name: str
    rate: Rate


def compare(title: str, ours: Side, theirs: Side, *, rounds: int, bar: Bar | None = None) -> Result:
    """Ours against theirs, `rounds` times in turn, so that whatever else the machine does meets both alike."""
    pairs = [_pair(ours, theirs, number) for number in range(rounds)]
    detail = f"{ours.name} {_spread([a for a, _ in pairs])}/s, {theirs.name} {_spread([b for _, b in pairs])}/s"
    return Result(title, [a / b for a, b in pairs], bar, detail)


def _pair(ours: Side, theirs: Side, number: int) -> tuple[float, float]:
    """One round. Who goes first changes, so that neither always finds the disk as the other left it."""
    if number % 2:
        first = ours.rate()
        return first, theirs.rate()
    second = theirs.rate()
    return ours.rate(), second


def _spread(rates: Sequence[float]) -> str:
    return f"{statistics.median(rates):,.0f}"
