"""Row `rules`: how fast the rules of each installed game are, for each number of seats."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from bench.comparison import Result
from bench.stage import Stage
from moveledger.rules import chance
from moveledger.rules.encoding import read_options
from moveledger.rules.kernel import AnyRuleset, Chance, Draw, Input, Move, Seats
from moveledger.rules.registry import load_rulesets

BOUND = 5_000
"""Inputs after which a game is broken off."""


@dataclass(slots=True)
class Tally:
    """What a number of random games came to. A legal list is made for the seat that moves, and counted whole."""

    lists: list[int] = field(default_factory=list)
    listing_s: float = 0.0
    replays_s: list[float] = field(default_factory=list)
    applied: int = 0


def play_random_games(stage: Stage) -> list[Result]:
    """Every installed ruleset, for an eighth of a round's time each, and at least one game."""
    results = []
    for ruleset in load_rulesets().values():
        for seats in ruleset.seats:
            tally = _tally(ruleset, seats, seconds=stage.effort.seconds / 4)
            results.append(_result(f"{ruleset.id}, {seats} seats", tally))
    return results


def _result(title: str, tally: Tally) -> Result:
    lists = (
        f"{len(tally.lists) / tally.listing_s:,.0f} legal lists/s, median {statistics.median(tally.lists):,.0f} and "
    )
    detail = f"{tally.applied / sum(tally.replays_s):,.0f} applies/s; {lists}at most {max(tally.lists):,} actions"
    replays = [1000 * seconds for seconds in tally.replays_s]
    return Result(f"{title}: replay of a whole random game", replays, None, detail, unit="ms")


def _tally(ruleset: AnyRuleset, seats: int, *, seconds: float) -> Tally:
    tally, number, end = Tally(), 0, time.perf_counter() + seconds
    while number == 0 or time.perf_counter() < end:
        options = read_options(ruleset, {})
        start = ruleset.setup(options, seats)
        inputs = list(_play(ruleset, start, random.Random(number), tally))
        began = time.perf_counter()
        state = start
        for given in inputs:
            state = ruleset.apply(state, given)
        tally.replays_s.append(time.perf_counter() - began)
        tally.applied += len(inputs)
        number += 1
    return tally


def _play(ruleset: AnyRuleset, state: Any, rng: random.Random, tally: Tally) -> Iterator[Input]:
    """The inputs of one random game."""
    secret, draws = rng.randbytes(32), 0
    for _ in range(BOUND):
        match ruleset.awaiting(state):
            case Chance(request):
                values = chance.draw(chance.draw_secret(secret, draws), bytes(32), draws, request)
                given: Input = Draw(values)
                draws += 1
            case Seats(awaited):
                seat = rng.choice(sorted(awaited))
                began = time.perf_counter()
                actions = list(ruleset.legal(state, seat))
                tally.listing_s += time.perf_counter() - began
                tally.lists.append(len(actions))
                given = Move(seat, rng.choice(actions))
            case _:
                return
        yield given
        state = ruleset.apply(state, given)
