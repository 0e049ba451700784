"""Die Seher von Santiiba passes the suite of every ruleset, and its own laws in every random game."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any, ClassVar

from moveledger.rules.kernel import Leave, Observer, Over, Seat, Seats
from moveledger.rules.santiiba import RULESET
from moveledger.rules.santiiba.data import KINDS
from moveledger.rules.santiiba.state import State, hit_kind
from tests.rules.conformance import Conformance


def redeal(state: State, observer: Observer, rng: random.Random) -> State:
    """Every closed crystal ball that `observer` does not own is set anew, to a kind that it may show.

    A ball that is closed while its seat is still in shows no kind that has been named.
    """
    turn = state.turn
    if turn is None or observer.referee or state.phase == "over":
        return state
    unnamed = [kind for kind in KINDS if kind not in turn.named]
    predictions = tuple(
        made
        if made is None or observer.seat == seat or hit_kind(turn, Seat(seat)) is not None
        else rng.choice(KINDS if state.seers[seat].left else unnamed)
        for seat, made in enumerate(turn.predictions)
    )
    return replace(state, turn=replace(turn, predictions=predictions))


class TestSantiiba(Conformance):
    ruleset = RULESET
    bound = 3_000
    perft: ClassVar = {(2, 3): 65, (2, 5): 865, (3, 4): 820, (3, 5): 4020, (4, 4): 3750}
    option_sets: ClassVar = (
        {},
        {"reading": "seed"},
        {"end_trigger": "end_of_round", "cap_at_trigger": True},
        {"guards": "ring", "unresolved_minimum": "none"},
        {"end_trigger": "immediate", "final_tie": "bowls", "cap_at_trigger": True},
    )
    games = 4
    sight_games = 200

    def redeal(self, state: Any, observer: Observer, rng: random.Random) -> Any:
        return redeal(state, observer, rng)

    def assert_same_sight(self, one: Any, two: Any, observer: Observer, pool: list[Any]) -> None:
        """Twins that are equal, for want of anything hidden, are left to the law about equal states."""
        if one != two:
            super().assert_same_sight(one, two, observer, pool)

    def test_the_last_seat_that_stays_places_first_at_once(self) -> None:
        """As the suite's law, but a departure may end the turn, and with it a game that was to end there (X4)."""
        ended_with_one = 0
        for steps in self.playouts(games=1):
            for step in steps[:: max(1, len(steps) // 10)]:
                if isinstance(RULESET.awaiting(step.before), Seats):
                    for stays in range(self.seat_count(steps)):
                        ended_with_one += self.leave_alone(step.before, stays)
        assert ended_with_one > 100

    def leave_alone(self, state: State, stays: int) -> bool:
        """Whether `stays` was left alone, and placed first, when all others left one after the other."""
        for seat in range(len(state.seers)):
            if seat != stays and RULESET.awaiting(state) != Over():
                state = self.answer_chance(RULESET.apply(state, Leave(Seat(seat), "resigned")))
        outcome = RULESET.outcome(state)
        assert outcome is not None
        if sum(not seer.left for seer in state.seers) > 1:
            assert outcome.reason != "last_seat"
            return False
        assert outcome.placings[stays] == 1
        assert outcome.placings.count(1) == 1
        assert outcome.reason == "last_seat"
        return True
