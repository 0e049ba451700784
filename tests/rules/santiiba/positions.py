"""Positions for the tests: a turn with chosen dice and predictions, and moves played through the reducer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from moveledger.errors import IllegalMove
from moveledger.rules.encoding import read_options
from moveledger.rules.kernel import Draw, Leave, Move, Observer, Seat, Seats
from moveledger.rules.santiiba import RULESET
from moveledger.rules.santiiba.actions import Action, Item, Kind, Name, Predict, Stop, Take
from moveledger.rules.santiiba.data import INDEX, KINDS
from moveledger.rules.santiiba.score import score_all
from moveledger.rules.santiiba.state import Counts, State, turn_of

WORKED_ROLL = (2, 5, 1, 6, 4)
"""Herbs ★2, amulets 5, scorpions ★1, elixirs 6, bowls 4: the roll of the worked turn."""


def rolled(seats: int, *, start: int = 0, dice: tuple[int, ...] = WORKED_ROLL, **given: Any) -> State:
    """A game whose first turn is at its predictions."""
    state: State = RULESET.setup(read_options(RULESET, given), seats)
    for values in ((start,), dice):
        state = RULESET.apply(state, Draw(values))
    return state


def foreseen(*predictions: Kind, dice: tuple[int, ...] = WORKED_ROLL, **given: Any) -> State:
    """Seat 0 is to name; the seats after it have predicted `predictions`."""
    state = rolled(len(predictions) + 1, dice=dice, **given)
    return predict(state, dict(enumerate(predictions, start=1)))


def predict(state: State, predictions: Mapping[int, Kind]) -> State:
    for seat, kind in predictions.items():
        state = RULESET.apply(state, Move(Seat(seat), Predict(kind)))
    return state


def act(state: State, *actions: Action) -> State:
    """The active seat makes `actions`."""
    for action in actions:
        state = RULESET.apply(state, Move(turn_of(state).seat, action))
    return state


def name(state: State, kind: Kind, item: Item | None = None) -> State:
    """The active seat names `kind` and, if nobody predicted it, takes `item`."""
    state = act(state, Name(kind))
    return act(state, Take(item)) if item else state


def stop(state: State) -> State:
    return act(state, Stop())


def leave(state: State, *seats: int) -> State:
    for seat in seats:
        state = RULESET.apply(state, Leave(Seat(seat), "resigned"))
    return state


def roll(state: State, dice: tuple[int, ...] = WORKED_ROLL) -> State:
    return RULESET.apply(state, Draw(dice))


def awaited(state: State) -> list[Seat]:
    """The seats that are awaited; none when a draw is, or when the game is over."""
    awaiting = RULESET.awaiting(state)
    return sorted(awaiting.seats) if isinstance(awaiting, Seats) else []


def actions(state: State, seat: int = 0) -> list[Action]:
    return list(RULESET.legal(state, Seat(seat)))


def placed(state: State, *positions: int) -> State:
    """The seers put on these spaces, one for each seat."""
    seers = tuple(replace(seer, position=position) for seer, position in zip(state.seers, positions, strict=True))
    return replace(state, seers=seers)


def piled(state: State, **counts: int) -> State:
    """The piles of these kinds brought to these numbers of cards; what is taken away is out of the game."""
    herbs, amulets, scorpions, elixirs, bowls = (
        counts.get(kind, count) for kind, count in zip(KINDS, state.piles, strict=True)
    )
    return replace(state, piles=(herbs, amulets, scorpions, elixirs, bowls))


def cards(state: State, seat: int) -> dict[str, int]:
    """The kinds on a seat's board, those that it has none of left out."""
    return {kind: count for kind, count in zip(KINDS, state.seers[seat].cards, strict=True) if count}


def pile(state: State, kind: Kind) -> int:
    return state.piles[INDEX[kind]]


def position(state: State, seat: int) -> int:
    return state.seers[seat].position


def counted_out(boards: tuple[tuple[int, Counts], ...], **given: Any) -> State:
    """A game that has ended, its final scoring made from positions and boards (in dice order)."""
    state = rolled(len(boards), **given)
    seers = tuple(
        replace(seer, position=space, cards=held) for seer, (space, held) in zip(state.seers, boards, strict=True)
    )
    state = replace(state, phase="over", seers=seers)
    return replace(state, scorings=score_all(state))


def finals(state: State) -> list[int]:
    outcome = RULESET.outcome(state)
    assert outcome is not None
    return list(outcome.scores)


def placings(state: State) -> list[int]:
    outcome = RULESET.outcome(state)
    assert outcome is not None
    return list(outcome.placings)


def lost(state: State) -> list[tuple[Kind, ...]]:
    assert state.scorings is not None
    return [scoring.lost for scoring in state.scorings]


def seen(state: State, observer: Observer) -> Any:
    """What an observer sees, as JSON to reach into."""
    return RULESET.view(state, observer)


def refused(state: State, seat: int, action: Action) -> str:
    """The rule code with which the reducer refuses a move; the legal actions must agree."""
    assert action not in RULESET.legal(state, Seat(seat))
    with pytest.raises(IllegalMove) as wrong:
        RULESET.apply(state, Move(Seat(seat), action))
    assert wrong.value.code.startswith("santiiba.")
    return wrong.value.code.removeprefix("santiiba.")
