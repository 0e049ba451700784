"""The example of a ruleset by a third party: installed by its entry point, and held to what every ruleset is."""

from __future__ import annotations

import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import pytest
from closed_hands import RULESET
from closed_hands.apply import apply, awaiting, outcome, setup
from closed_hands.state import CARDS, HIGHEST_BID, TARGETS, Bid, Hand, Options, Pass, State

from moveledger.errors import IllegalMove
from moveledger.rules.kernel import Chance, Draw, Leave, Move, Observer, Pick, Roll, Seat, Seats, Seed
from moveledger.rules.registry import find_ruleset, load_rulesets, rules_digest
from tests.rules.conformance import Conformance

ROOT = Path(__file__).parents[3]
FIRST, SECOND, THIRD = Seat(0), Seat(1), Seat(2)


class TestClosedHands(Conformance):
    ruleset: ClassVar = RULESET
    bound = 120
    perft: ClassVar = {(2, 1): 20, (2, 3): 3640, (3, 2): 600, (4, 2): 1200}
    option_sets: ClassVar = ({}, {"rounds": 5})

    def redeal(self, state: State, observer: Observer, rng: random.Random) -> State:
        """Another target, other cards and other numbers, as far as the observer does not know them."""
        if state.over:
            return state
        target = None if state.target is None else rng.randrange(1, TARGETS + 1)
        cards = rng.choices(CARDS, k=len(state.hands))
        hands = [
            hand if observer.seat == seat else self.another(hand, card, bool(state.tied), rng)
            for seat, (hand, card) in enumerate(zip(state.hands, cards, strict=True))
        ]
        return replace(state, target=target, hands=tuple(hands))

    def another(self, hand: Hand, card: int, are_bids_open: bool, rng: random.Random) -> Hand:
        number = rng.choice([n for n in range(HIGHEST_BID + 1) if n != hand.shown])
        return replace(
            hand,
            card=None if hand.card is None else card,
            bid=hand.bid if hand.bid is None or are_bids_open else number,
        )


# --- how it is installed -------------------------------------------------------------------------------


def test_a_ruleset_of_somebody_else_is_installed_by_its_entry_point() -> None:
    assert load_rulesets()["closed_hands@1"] is RULESET
    assert find_ruleset("closed_hands@1") is RULESET
    assert len(rules_digest("closed_hands@1")) == 64


def test_without_its_distribution_on_the_path_it_is_not_installed() -> None:
    code = "from moveledger.rules.registry import load_rulesets; print('closed_hands@1' in load_rulesets())"
    for path, expected in ((str(ROOT / "tests" / "example"), "True"), ("", "False")):
        ran = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT, env={"PYTHONPATH": path}
        )
        assert ran.stdout.strip() == expected


# --- its own rules -------------------------------------------------------------------------------------


def table(seats: int = 3, *, target: int = 10, cards: tuple[int, ...] = (1, 2, 3), **options: int) -> State:
    """A table where the cards are dealt."""
    state = apply(setup(Options(**options), seats), Draw((0, target - 1)))
    for card in cards:
        state = apply(state, Draw((CARDS.index(card),)))
    return state


def bids(state: State, *amounts: int) -> State:
    for seat, amount in enumerate(amounts):
        state = apply(state, Move(Seat(seat), Bid(amount)))
    return state


def test_the_target_comes_first_and_then_a_card_for_each_seat() -> None:
    state = setup(Options(), 2)
    assert awaiting(state) == Chance(Seed(64))
    state = apply(state, Draw((0, 25)))
    assert state.target == 6
    assert awaiting(state) == Chance(Pick(1, 12))
    state = apply(state, Draw((11,)))
    assert awaiting(state) == Chance(Pick(1, 12))
    state = apply(state, Draw((11,)))
    assert [hand.card for hand in state.hands] == [12, 12]
    assert awaiting(state) == Seats(frozenset({FIRST, SECOND}))


def test_the_nearest_sum_takes_the_point_and_the_next_round_begins() -> None:
    state = bids(table(), 8, 8, 0)
    assert [hand.points for hand in state.hands] == [0, 1, 0]
    assert (state.round, [hand.shown for hand in state.hands]) == (2, [8, 8, 0])


def test_dice_decide_between_those_who_are_as_near_and_the_first_of_equal_dice_wins() -> None:
    tied = bids(table(), 8, 7, 0)
    assert awaiting(tied) == Chance(Roll(2, 6))
    assert [hand.points for hand in apply(tied, Draw((2, 5))).hands] == [0, 1, 0]
    assert [hand.points for hand in apply(tied, Draw((4, 4))).hands] == [1, 0, 0]


def test_the_number_of_the_round_before_may_not_be_put_again() -> None:
    state = bids(table(), 8, 8, 0)
    for card in (4, 5, 6):
        state = apply(state, Draw((CARDS.index(card),)))
    with pytest.raises(IllegalMove, match="round before"):
        apply(state, Move(FIRST, Bid(8)))
    assert apply(state, Move(FIRST, Bid(7))).hands[0].bid == 7


def test_a_round_that_all_pass_gives_no_point() -> None:
    state = table()
    for seat in (FIRST, SECOND, THIRD):
        state = apply(state, Move(seat, Pass()))
    assert (state.round, [hand.points for hand in state.hands]) == (2, [0, 0, 0])


def test_when_a_seat_leaves_the_others_choose_again() -> None:
    state = apply(apply(table(), Move(FIRST, Bid(8))), Move(SECOND, Pass()))
    state = apply(state, Leave(THIRD, "resigned"))
    assert awaiting(state) == Seats(frozenset({FIRST, SECOND}))
    assert [hand.card for hand in state.hands] == [1, 2, None]


def test_a_tie_goes_to_the_one_who_stays() -> None:
    state = apply(bids(table(), 8, 7, 0), Leave(FIRST, "removed"))
    assert (state.round, [hand.points for hand in state.hands]) == (2, [0, 1, 0])


def test_whoever_leaves_stands_below_all_who_stay() -> None:
    state = apply(apply(table(), Leave(SECOND, "resigned")), Leave(FIRST, "timed_out"))
    ended = outcome(state)
    assert ended is not None
    assert (ended.placings, ended.reason) == ((2, 3, 1), "last_seat")


def test_only_the_seat_itself_may_see_its_number_and_nobody_the_target() -> None:
    fresh: Any = setup(Options(), 3)
    assert RULESET.audience(fresh, Draw((0, 1))) == frozenset()
    assert RULESET.audience(apply(fresh, Draw((0, 1))), Draw((3,))) == frozenset({FIRST})
    assert RULESET.audience(table(), Move(SECOND, Bid(3))) == frozenset({SECOND})
    assert RULESET.audience(table(), Move(SECOND, Pass())) is None
    assert RULESET.audience(bids(table(), 8, 7, 0), Draw((1, 2))) is None
