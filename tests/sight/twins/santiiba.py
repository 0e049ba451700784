"""Santiiba: other predictions, as long as nobody could have seen the difference.

A ball that was hit is open: it stays. Any other may show every kind that was not named while it could have been hit;
the ball of a seat that left catches nothing afterwards (R14, X1).
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from moveledger.rules.kernel import Input, Leave, Move
from moveledger.rules.santiiba.actions import Kind, Name, Predict
from moveledger.rules.santiiba.data import KINDS
from moveledger.rules.santiiba.state import State
from tests.rules.playouts import Step
from tests.sight.scripts import Script


@dataclass(slots=True)
class _Ball:
    """A closed crystal ball: which input set it, and which kinds it cannot show."""

    at: int
    named: set[Kind] = field(default_factory=set)


def twin(script: Script, observer: int | None, rng: random.Random) -> Script | None:
    """A second game in which others than the observer predicted otherwise; None where nothing can differ."""
    inputs: list[Input] = [step.input for step in script.steps]
    for ball in _never_opened(script):
        given = inputs[ball.at]
        assert isinstance(given, Move)
        if given.seat != observer:
            other = [kind for kind in KINDS if kind not in ball.named and kind != given.action.kind]
            inputs[ball.at] = Move(given.seat, Predict(rng.choice(other))) if other else given
    return script.with_inputs(inputs)


def _never_opened(script: Script) -> list[_Ball]:
    """The predictions that the game does not open before it stops."""
    closed: list[_Ball] = []
    held: dict[int, _Ball] = {}
    for at, step in enumerate(script.steps):
        match step.input:
            case Move(seat, Predict()):
                held[seat] = _Ball(at)
            case Move(_, Name(kind)):
                for hit in [seat for seat in held if _shows(step, seat, kind)]:
                    del held[hit]
                for ball in held.values():
                    ball.named.add(kind)
            case Leave(seat) if seat in held:
                closed.append(held.pop(seat))
            case _:
                pass
        if _turn(step.before) != _turn(step.after):
            closed += held.values()
            held.clear()
    return closed + list(held.values())


def _shows(step: Step, seat: int, kind: Kind) -> bool:
    state: State = step.before
    return state.turn is not None and state.turn.predictions[seat] == kind


def _turn(state: State) -> int:
    return 0 if state.turn is None else state.turn.number
