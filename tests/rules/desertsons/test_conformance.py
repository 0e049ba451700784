"""The laws that every ruleset keeps, and how hidden rumours are dealt anew."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

from moveledger.rules.desertsons import RULESET, data
from moveledger.rules.desertsons.actions import KeepRumour, PeekRumour, PickSymbol, PlaceFigure
from moveledger.rules.desertsons.state import Rumour, State, picker
from moveledger.rules.encoding import canonical, decode, encode, read_options
from moveledger.rules.kernel import Observer, Seat
from tests.rules.conformance import Conformance, refusal
from tests.rules.playouts import Choose, play


class TestDesertSons(Conformance):
    """Random games of all readings; only the rumours' values are ever hidden."""

    ruleset = RULESET
    bound = 1_500
    perft: ClassVar = {(2, 4): 3_248, (3, 4): 3_016, (4, 4): 4_864}
    option_sets = (
        {},
        {"reading": "seed"},
        {"desert_border": True, "exclusive_tiles": True, "bonus_after_miss": True, "idle_rounds": 1},
        {"white_ends_move": True, "pure_desert": "move_and_explore", "rumour_placement": "may", "idle_rounds": 20},
    )
    games = 2

    def redeal(self, state: Any, observer: Observer, rng: random.Random) -> State:
        assert isinstance(state, State)
        return deal_unknown(state, observer, rng)

    def test_the_laws_hold_in_games_full_of_rumours(self) -> None:
        """Random games hardly ever empty the pool: here it has one rumour left, and seats hunt for the symbol."""
        rng, met = random.Random(8), set()
        for seed in range(12):
            options = read_options(RULESET, self.option_sets[seed % len(self.option_sets)])
            seats = 2 + seed % 3
            for step in play(BUSY, options=options, seats=seats, seed=seed, bound=self.bound, choose=hunt(rng)):
                met.add(step.before.phase)
                if step.before.phase in ("rumour", "assign", "peek", "decide"):
                    stored = decode(State, json.loads(canonical(encode(step.before))))
                    assert RULESET.apply(stored, step.input) == step.after
                    for observer in self.observers(seats):
                        twin = deal_unknown(step.before, observer, rng)
                        super().assert_same_sight(step.before, twin, observer, [KeepRumour(), PeekRumour("gem", 0)])
        assert {"rumour", "assign", "peek", "decide"} <= met

    def assert_same_sight(self, one: Any, two: Any, observer: Observer, pool: list[Any]) -> None:
        """Every pair of different states is compared, as values; the slow look at the bytes is taken at every tenth.

        A twin that equals its state has nothing hidden to vary. Equal views are equal bytes but for `True` and 1, which
        one function cannot mix up for two states of one shape.
        """
        if one is two or one == two:
            return
        self.compared += 1
        if self.compared % 10 == 0:
            super().assert_same_sight(one, two, observer, pool)
            return
        assert RULESET.view(one, observer) == RULESET.view(two, observer)
        assert RULESET.awaiting(one) == RULESET.awaiting(two)
        if observer.seat is not None:
            ours, theirs = RULESET.legal(one, observer.seat), RULESET.legal(two, observer.seat)
            assert list(ours) == list(theirs)
            assert all(refusal(ours, action) == refusal(theirs, action) for action in pool)

    compared = 0


def begin_busy(options: Any, seats: int) -> State:
    """A game in which five rumours lie on goods already, each seen by one seat or none."""
    lying = tuple(Rumour(value, (at,) if at < seats else ()) for at, value in enumerate(data.RUMOURS[:5]))
    fresh: State = RULESET.setup(options, seats)
    return replace(fresh, pool=data.RUMOURS[5:], rumours=(*lying, None, None, None))


BUSY = replace(RULESET, setup=begin_busy)


def hunt(rng: random.Random) -> Choose:
    """A seat that puts figures wherever it can and takes rumours wherever they are."""

    def choose(_: Any, __: Seat, actions: list[Any]) -> Any:
        wanted = [action for action in actions if isinstance(action, PlaceFigure) or action == PickSymbol("rumour")]
        return rng.choice(wanted or actions)

    return choose


def deal_unknown(state: State, observer: Observer, rng: random.Random) -> State:
    """The same state with all rumours that the observer has not seen shuffled among their places."""
    if observer.referee or state.phase == "over" or len(state.pool) == len(data.RUMOURS):
        return state
    values = [*state.pool, *(rumour.value for rumour in lying(state) if observer.seat not in rumour.seen_by)]
    held_unseen = state.held is not None and picker(state) != observer.seat
    if held_unseen and state.held is not None:
        values.append(state.held)
    rng.shuffle(values)
    fresh = iter(values)

    def dealt(rumour: Rumour | None) -> Rumour | None:
        return rumour if rumour is None or observer.seat in rumour.seen_by else replace(rumour, value=next(fresh))

    rumours = tuple(dealt(rumour) for rumour in state.rumours)
    removed = tuple(rumour for rumour in map(dealt, state.removed) if rumour)
    held = next(fresh) if held_unseen else state.held
    return replace(state, rumours=rumours, removed=removed, held=held, pool=tuple(sorted(fresh)))


def lying(state: State) -> Iterator[Rumour]:
    """The rumours that were drawn and placed: on goods, then those removed."""
    yield from (rumour for rumour in state.rumours if rumour)
    yield from state.removed
