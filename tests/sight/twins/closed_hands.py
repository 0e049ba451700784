"""Closed hands: another target, other cards, and other numbers in the round that is not yet closed.

Numbers of closed rounds are shown, and so is who came nearest: the cards of the second game are dealt until they give
the same winners.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from closed_hands.apply import next_to_get_a_card
from closed_hands.state import CARDS, HIGHEST_BID, Bid, State

from moveledger.rules.kernel import Draw, Input, Leave, Move
from tests.rules.playouts import Step
from tests.sight.scripts import Script

TRIES = 400


def twin(script: Script, observer: int | None, rng: random.Random) -> Script | None:
    """A second game with other hidden things; None where chance did not find one."""
    for _ in range(20):
        found = _try(script, observer, rng)
        if found is not None:
            return script.with_inputs(found)
    return None


def _try(script: Script, observer: int | None, rng: random.Random) -> list[Input] | None:
    inputs: list[Input] = [Draw((rng.getrandbits(32), rng.getrandbits(32)))]
    state: State = script.ruleset.apply(script.steps[0].before, inputs[0])
    for part in _rounds(script.steps[1:]):
        for _ in range(TRIES):
            played = _vary(script, state, part, observer, rng)
            if played is not None:
                break
        else:
            return None
        inputs += [step.input for step in played]
        state = played[-1].after
    return inputs


def _rounds(steps: Sequence[Step]) -> Iterator[list[Step]]:
    """The steps of each round, and of each new choice after a departure."""
    part: list[Step] = []
    for step in steps:
        part.append(step)
        if step.after.round != step.before.round or isinstance(step.input, Leave):
            yield part
            part = []
    if part:
        yield part


def _vary(
    script: Script, state: State, part: list[Step], observer: int | None, rng: random.Random
) -> list[Step] | None:
    """A round with other hidden things, if everybody sees it end in the same way."""
    played = []
    closes = part[-1].after.round != part[-1].before.round or any(step.after.tied for step in part)
    for step in part:
        given = _other(step, state, observer, rng, closes=closes)
        after = script.ruleset.apply(state, given)
        if _public(after) != _public(step.after):
            return None
        played.append(Step(state, given, after))
        state = after
    return played


def _other(step: Step, state: State, observer: int | None, rng: random.Random, *, closes: bool) -> Input:
    match step.input:
        case Draw() if (seat := next_to_get_a_card(step.before)) is not None:
            return step.input if seat == observer else Draw((rng.randrange(len(CARDS)),))
        case Move(seat, Bid()) if seat != observer and not closes:
            numbers = [n for n in range(HIGHEST_BID + 1) if n != state.hands[seat].shown]
            return Move(seat, Bid(rng.choice(numbers)))
        case given:
            return given


def _public(state: State) -> object:
    return (
        state.round,
        state.tied,
        state.left,
        [(hand.card is None, hand.has_chosen, hand.passed, hand.shown, hand.points) for hand in state.hands],
        [hand.bid for hand in state.hands] if state.tied else None,
    )
