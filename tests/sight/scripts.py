"""Games written down before they are played: moves, and what chance is to answer, made with the rules alone.

A script is folded without a server. Played through the API later (`tables`), its draws are dictated to the house.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any
from unittest.mock import patch

from moveledger.rules.encoding import read_options
from moveledger.rules.kernel import AnyRuleset, Chance, Draw, Input, Leave, Move, Over, Pick, Request, Roll, Seat, Seed
from moveledger.rules.registry import find_ruleset
from moveledger.rules.tiwanaku.board import Layout, lay_out
from tests.rules.playouts import Step, awaited_seats

Choose = Callable[[Any, Seat, list[Any], random.Random], Any]
Answer = Callable[[Any, Request, random.Random], tuple[int, ...]]
Boards = Mapping[tuple[int, ...], Layout]


@dataclass(frozen=True, slots=True)
class Script:
    """A game to be played: whole steps of the rules, from the opening to a point where seats are awaited.

    `boards` says which hidden board of Tiwanaku a draw stands for, where that is not the one the rules would lay.
    """

    ruleset: AnyRuleset
    seats: int
    options: Mapping[str, Any]
    steps: tuple[Step, ...]
    boards: Boards = field(default_factory=dict)

    @property
    def moves(self) -> list[Move | Leave]:
        """What clients ask for: moves and departures."""
        return [step.input for step in self.steps if not isinstance(step.input, Draw)]

    def state_after(self, moves: int) -> Any:
        """The state when so many moves are made and chance has answered."""
        before = [step.before for step in self.steps if not isinstance(step.input, Draw)]
        return [*before, self.steps[-1].after][moves]

    @property
    def draws(self) -> list[tuple[int, ...]]:
        """What chance answers, by the index of the draw."""
        return [step.input.values for step in self.steps if isinstance(step.input, Draw)]

    def with_inputs(self, inputs: list[Input], boards: Boards | None = None) -> Script:
        """The same game with other inputs. Raises `IllegalMove` when the rules do not allow them."""
        laid = self.boards if boards is None else boards
        with boards_laid(laid):
            state, steps = self.steps[0].before, []
            for given in inputs:
                after = self.ruleset.apply(state, given)
                steps.append(Step(state, given, after))
                state = after
        return Script(self.ruleset, self.seats, self.options, tuple(steps), laid)


def write_script(
    ruleset_id: str,
    *,
    seats: int,
    options: Mapping[str, Any],
    moves: int,
    rng: random.Random,
    choose: Choose | None = None,
    answer: Answer | None = None,
    leaves: float = 0.0,
) -> Script:
    """A game of so many moves, at random where `choose` and `answer` do not say otherwise, that is not over at its end.

    `leaves` is the chance, before each move, that some seat leaves.
    """
    ruleset = find_ruleset(ruleset_id)
    state, steps, made = ruleset.setup(read_options(ruleset, options), seats), list[Step](), 0
    here = set(range(seats))
    while True:
        awaiting = ruleset.awaiting(state)
        if isinstance(awaiting, Over):
            break
        if isinstance(awaiting, Chance):
            given: Input = Draw((answer or answer_at_random)(state, awaiting.request, rng))
        elif made == moves:
            break
        else:
            made += 1
            given = _leave(here, leaves, rng) or _move(ruleset, state, choose, rng)
        after = ruleset.apply(state, given)
        steps.append(Step(state, given, after))
        state = after
    return Script(ruleset, seats, options, tuple(_without_end(ruleset, steps)))


def _leave(here: set[int], leaves: float, rng: random.Random) -> Leave | None:
    if len(here) < 3 or rng.random() >= leaves:
        return None
    gone = rng.choice(sorted(here))
    here.discard(gone)
    return Leave(Seat(gone), "resigned")


def _move(ruleset: AnyRuleset, state: Any, choose: Choose | None, rng: random.Random) -> Move:
    seat = rng.choice(awaited_seats(ruleset, state))
    actions = list(ruleset.legal(state, seat))
    return Move(seat, choose(state, seat, actions, rng) if choose else rng.choice(actions))


def _without_end(ruleset: AnyRuleset, steps: list[Step]) -> list[Step]:
    """The steps without the move that ends the game, because the end opens everything."""
    if not isinstance(ruleset.awaiting(steps[-1].after), Over):
        return steps
    last = max(at for at, step in enumerate(steps) if not isinstance(step.input, Draw))
    return steps[:last]


def answer_at_random(_: Any, request: Request, rng: random.Random) -> tuple[int, ...]:
    """What chance might answer."""
    match request:
        case Roll(count, sides):
            return tuple(rng.randint(1, sides) for _ in range(count))
        case Pick(count, out_of):
            return tuple(rng.sample(range(out_of), count))
        case Seed(bits):
            return tuple(rng.getrandbits(32) for _ in range(bits // 32))


@contextmanager
def boards_laid(boards: Boards) -> Iterator[None]:
    """While it lasts, Tiwanaku lays these boards for these draws."""

    def lay(words: tuple[int, ...], board: str, start: str) -> Layout:
        return boards.get(tuple(words)) or lay_out(words, board, start)

    with patch.object(import_module("moveledger.rules.tiwanaku.apply"), "lay_out", lay):
        yield
