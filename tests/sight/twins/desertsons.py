"""Desert sons: the rumours that the observer has not looked at have changed their values among themselves.

Games with rumours are rare at random: here chance is asked for tiles that bring some, and the seats go for them.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any

from moveledger.rules.desertsons import RULESET, data
from moveledger.rules.desertsons import actions as act
from moveledger.rules.desertsons.state import State, picker
from moveledger.rules.kernel import Draw, Input, Move, Pick, Request, Seat
from tests.rules.playouts import Step, awaited_seats
from tests.sight.scripts import Script, answer_at_random, write_script

LONG = 100
"""From so many moves on a game is long: its pool of rumours may be empty."""

IDLE = (act.PassPick, act.NoExplore, act.EndTurn, act.RemoveFigure, act.SkipFigure, act.BuyBonus)
PROMISING = frozenset(tile for tile in range(data.TILES) if any("rumour" in part for part in data.PART_SYMBOLS[tile]))
"""The tiles with a rumour on them."""


# --- the first game ------------------------------------------------------------------------------------


def write(ruleset: str, *, options: Mapping[str, Any], rng: random.Random, **how: Any) -> Script:
    """A game with rumours early; a long one is one in which somebody looks at a rumour that lies."""
    while True:
        script = write_script(ruleset, options=options, rng=rng, choose=choose, answer=answer, **how)
        if how["moves"] < LONG or any(step.after.phase == "decide" for step in script.steps):
            return script


def choose(state: State, seat: Seat, actions: list[Any], rng: random.Random) -> Any:
    """To a rumour by the shortest way, or somewhere."""
    lively = [action for action in actions if not isinstance(action, IDLE)]
    if state.phase in ("explore", "place", "figure", "pick"):
        good = [action for action in lively if _leads(RULESET.apply(state, Move(seat, action)), 2)]
        lively = good or lively
    return rng.choice(lively or actions)


def answer(state: State, request: Request, rng: random.Random) -> tuple[int, ...]:
    """A tile that can bring a rumour at once, if there is one; anything else at random."""
    assert isinstance(request, Pick)
    if state.phase == "draw":
        for at in range(request.out_of):
            if state.stack[at] in PROMISING and _leads(RULESET.apply(state, Draw((at,))), 3):
                return (at,)
    return answer_at_random(state, request, rng)


def _leads(state: State, moves: int) -> bool:
    """Whether a rumour can be drawn or looked at after so many more moves without chance."""
    if state.phase in ("rumour", "peek"):
        return True
    if not moves or state.phase not in ("explore", "place", "figure", "pick"):
        return False
    (seat,) = awaited_seats(RULESET, state)
    return any(
        _leads(RULESET.apply(state, Move(seat, action)), moves - 1)
        for action in RULESET.legal(state, seat)
        if not isinstance(action, (*IDLE, act.MoveCaravan))
    )


# --- the second ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Token:
    """One of the six rumours, whatever its value."""

    number: int
    value: int


class _Course:
    """Where each rumour is while a game goes on. `drawn` has them in order; `seen` those that a seat has looked at."""

    def __init__(self, script: Script, observer: int | None) -> None:
        self.pool = [_Token(number, value) for number, value in enumerate(data.RUMOURS)]
        self.held: _Token | None = None
        self.lying: dict[int, _Token] = {}
        self.happened: list[tuple[int, _Token, bool]] = []
        self.seen: set[_Token] = set()
        for at, step in enumerate(script.steps):
            self._follow(at, step, observer)

    def _follow(self, at: int, step: Step, observer: int | None) -> None:
        before, after = step.before, step.after
        if before.phase == "rumour":
            assert isinstance(step.input, Draw)
            self.held = self.pool.pop(step.input.values[0])
            self.happened.append((at, self.held, True))
            self._look(self.held, picker(before), observer)
        elif self.held is not None and after.held is None:
            self._put_down(at, before, after, self.held)
        elif after.peeked is not None and before.peeked is None:
            self._look(self.lying[after.peeked], picker(before), observer)

    def _look(self, token: _Token, seat: int, observer: int | None) -> None:
        if seat == observer:
            self.seen.add(token)

    def _put_down(self, at: int, before: State, after: State, token: _Token) -> None:
        self.held = None
        if len(after.pool) > len(before.pool):
            self.happened.append((at, token, False))
            self.pool = sorted((*self.pool, token), key=lambda one: (one.value, one.number))
            return
        slot = next(slot for slot in range(len(after.rumours)) if after.rumours[slot] and not before.rumours[slot])
        self.lying[slot] = token


def twin(script: Script, observer: int | None, rng: random.Random) -> Script | None:
    """A second game in which the rumours that the observer does not know have other values; None without any drawn."""
    course = _Course(script, observer)
    tokens = [_Token(number, value) for number, value in enumerate(data.RUMOURS)]
    unseen = [token for token in tokens if token not in course.seen]
    values = [token.value for token in unseen]
    drawn = {token for _, token, is_draw in course.happened if is_draw} - course.seen
    for _ in count():
        rng.shuffle(values)
        changed = {**{token: token.value for token in course.seen}, **dict(zip(unseen, values, strict=True))}
        if not drawn or len({token.value for token in unseen}) == 1:
            return None
        if any(changed[token] != token.value for token in drawn):
            break
    inputs: list[Input] = [step.input for step in script.steps]
    for at, values_drawn in _draws(course, changed):
        inputs[at] = Draw(values_drawn)
    return script.with_inputs(inputs)


def _draws(course: _Course, value_of: Mapping[_Token, int]) -> Iterator[tuple[int, tuple[int, ...]]]:
    """The draws of the second game: where in its pool each rumour lies."""
    pool = sorted(value_of.values())
    for at, token, is_draw in course.happened:
        value = value_of[token]
        if is_draw:
            yield at, (pool.index(value),)
            pool.remove(value)
        else:
            pool = sorted((*pool, value))
