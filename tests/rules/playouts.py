"""Whole games through the reducer alone, with draws made as the service makes them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from moveledger.rules import chance
from moveledger.rules.kernel import AnyRuleset, Chance, Draw, Input, Leave, Move, Over, Request, Seat, Seats

Choose = Callable[[Any, Seat, list[Any]], Any]


@dataclass(frozen=True, slots=True)
class Step:
    """One input of a playout: the state it met and the state it made."""

    before: Any
    input: Input
    after: Any


class Dice:
    """The draws of one playout, from a secret and an empty mix, as `ml-fair-1` makes them."""

    def __init__(self, seed: int) -> None:
        self.secret = seed.to_bytes(32, "big")
        self.index = 0

    def answer(self, request: Request) -> Draw:
        values = chance.draw(chance.draw_secret(self.secret, self.index), bytes(32), self.index, request)
        self.index += 1
        return Draw(values)


def awaited_seats(ruleset: AnyRuleset, state: Any) -> list[Seat]:
    """The seats that a state awaits, in order; none when it awaits chance or is over."""
    awaiting = ruleset.awaiting(state)
    return sorted(awaiting.seats) if isinstance(awaiting, Seats) else []


def play(
    ruleset: AnyRuleset,
    *,
    options: Any,
    seats: int,
    seed: int,
    bound: int = 5_000,
    choose: Choose | None = None,
    leaves: float = 0.0,
) -> Iterator[Step]:
    """A game to its end, move by move; `choose` picks a seat's action, at random if not given.

    `leaves` is the chance, before each move, that some seat leaves. Fails when `bound` inputs do not end the game.
    """
    rng, dice = random.Random(seed), Dice(seed)
    state, here = ruleset.setup(options, seats), set(range(seats))
    for _ in range(bound):
        match ruleset.awaiting(state):
            case Over():
                assert dice.index <= ruleset.draws(options, seats), "more draws than the ruleset bounds"
                return
            case Chance(request):
                given: Input = dice.answer(request)
            case Seats(awaited):
                if leaves and rng.random() < leaves:
                    seat = Seat(rng.choice(sorted(here)))
                    here.discard(seat)
                    given = Leave(seat, rng.choice(("resigned", "timed_out", "removed")))
                else:
                    seat = rng.choice(sorted(awaited))
                    actions = list(ruleset.legal(state, seat))
                    assert actions, f"seat {seat} is awaited and has no legal action"
                    given = Move(seat, choose(state, seat, actions) if choose else rng.choice(actions))
        after = ruleset.apply(state, given)
        yield Step(state, given, after)
        state = after
    raise AssertionError(f"no end after {bound} inputs")


def perft(ruleset: AnyRuleset, *, options: Any, seats: int, depth: int, seed: int = 0) -> int:
    """How many sequences of `depth` moves there are, every draw answered by the same dice (a perft count)."""

    def count(state: Any, index: int, left: int) -> int:
        dice = Dice(seed)
        dice.index = index
        awaiting = ruleset.awaiting(state)
        while isinstance(awaiting, Chance):
            state = ruleset.apply(state, dice.answer(awaiting.request))
            awaiting = ruleset.awaiting(state)
        if left == 0:
            return 1
        return sum(
            count(ruleset.apply(state, Move(seat, action)), dice.index, left - 1)
            for seat in awaited_seats(ruleset, state)
            for action in ruleset.legal(state, seat)
        )

    return count(ruleset.setup(options, seats), 0, depth)
