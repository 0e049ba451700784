"""Counting: a game as long as one likes, whose state stays small. Installed only where `bench/installed` is on the path.

Two seats name numbers by turns; the greater sum wins after `LONGEST` moves. Its reducer is not pure, on purpose: it
counts in `TALLY` how often it is called.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from moveledger.errors import IllegalMove
from moveledger.rules.kernel import (
    Awaiting,
    Bounds,
    Input,
    LegalActions,
    Move,
    Note,
    Observer,
    Outcome,
    Over,
    Ruleset,
    Seat,
    Seats,
    View,
    no_actions,
    place_by,
)

LONGEST = 100_000


@dataclass(slots=True)
class Tally:
    """How often something was done."""

    count: int = 0


TALLY = Tally()


@dataclass(frozen=True, slots=True)
class Name:
    """Name a number."""

    type: ClassVar[str] = "name"
    number: Annotated[int, Bounds(1, 9)]


@dataclass(frozen=True, slots=True)
class Options:
    """There are none."""


@dataclass(frozen=True, slots=True)
class State:
    """How many moves were made, the sums by seat, and who has left."""

    moves: int
    sums: tuple[int, ...]
    left: tuple[Seat, ...]


def setup(options: Options, seats: int) -> State:  # noqa: ARG001 — there are no options
    """Nothing is named."""
    return State(0, (0,) * seats, ())


def awaiting(state: State) -> Awaiting:
    """The seats by turns, until somebody leaves or the end has come."""
    if state.left or state.moves >= LONGEST:
        return Over()
    return Seats(frozenset({_turn(state)}))


def _turn(state: State) -> Seat:
    return Seat(state.moves % len(state.sums))


def draws(options: Options, seats: int) -> int:  # noqa: ARG001 — no chance
    """None."""
    return 0


def legal(state: State, seat: Seat) -> LegalActions[Name]:
    """Nine numbers."""
    if awaiting(state) != Seats(frozenset({seat})):
        return no_actions()
    return LegalActions(generate=lambda: (Name(number) for number in range(1, 10)), check=_check)


def _check(action: object) -> None:
    if not isinstance(action, Name) or not 1 <= action.number <= 9:
        raise IllegalMove("counting.number", "Not a number from 1 to 9.")


def apply(state: State, given: Input) -> State:
    """One number more, or somebody less."""
    TALLY.count += 1
    if isinstance(given, Move):
        if given.seat != _turn(state):
            raise IllegalMove("not-to-move", "The other seat names a number now.")
        _check(given.action)
        sums = tuple(old + given.action.number * (at == given.seat) for at, old in enumerate(state.sums))
        return State(state.moves + 1, sums, state.left)
    seat: Seat = getattr(given, "seat", Seat(0))
    return State(state.moves, state.sums, (*state.left, seat))


def audience(state: State, given: Input) -> frozenset[Seat] | None:  # noqa: ARG001 — all is public
    """Everybody."""
    return None


def view(state: State, observer: Observer) -> View:  # noqa: ARG001 — all is public
    """The whole state."""
    return {"moves": state.moves, "sums": list(state.sums), "left": list(state.left)}


def outcome(state: State) -> Outcome | None:
    """The greater sum."""
    if not isinstance(awaiting(state), Over):
        return None
    return Outcome(place_by([(total,) for total in state.sums]), state.sums, "counted")


def describe(before: State, given: Input, after: State, observer: Observer) -> tuple[Note, ...]:  # noqa: ARG001
    """Nothing worth saying."""
    return ()


RULESET: Ruleset[State, Name, Options] = Ruleset(
    key="counting",
    version=1,
    package=__name__,
    seats=range(2, 3),
    options=Options,
    actions=(Name,),
    state=State,
    hidden=False,
    chance=False,
    provenance={"source": "made for measuring"},
    setup=setup,
    awaiting=awaiting,
    draws=draws,
    legal=legal,
    apply=apply,
    audience=audience,
    view=view,
    outcome=outcome,
    describe=describe,
)
