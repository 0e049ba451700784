"""The values of the game: options, actions, state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar, TypeAlias

from moveledger.rules.kernel import Bounds, Seat

CARDS = tuple(range(1, 13))
HIGHEST_BID = 8
TARGETS = 20


@dataclass(frozen=True, slots=True)
class Options:
    """`rounds`: after so many the game is over."""

    rounds: Annotated[int, Bounds(1, 5)] = 2


@dataclass(frozen=True, slots=True)
class Bid:
    """A closed number beside the seat's card."""

    type: ClassVar[str] = "bid"
    amount: Annotated[int, Bounds(0, HIGHEST_BID)]


@dataclass(frozen=True, slots=True)
class Pass:
    """The seat sits this round out, in the open."""

    type: ClassVar[str] = "pass"


Action: TypeAlias = Bid | Pass


@dataclass(frozen=True, slots=True)
class Hand:
    """One seat's part: its card and number of this round, the number of the round before, and its points."""

    card: int | None = None
    bid: int | None = None
    passed: bool = False
    shown: int | None = None
    points: int = 0

    @property
    def has_chosen(self) -> bool:
        """Whether the seat has bid or passed in this round."""
        return self.passed or self.bid is not None


@dataclass(frozen=True, slots=True)
class State:
    """`round` counts from 1 and is past `rounds` when the game is over; `tied` are the seats that dice decide
    between; `left` holds those who have left, in that order.
    """

    rounds: int
    round: int
    target: int | None
    hands: tuple[Hand, ...]
    tied: tuple[Seat, ...]
    left: tuple[Seat, ...]

    @property
    def present(self) -> tuple[Seat, ...]:
        """The seats that still play, in order."""
        return tuple(Seat(seat) for seat in range(len(self.hands)) if seat not in self.left)

    @property
    def over(self) -> bool:
        """Whether the rounds are played, or one seat is left."""
        return self.round > self.rounds or len(self.present) == 1
