"""Handing in offerings at the end of an action."""

from __future__ import annotations

import pytest

from moveledger.rules.tiwanaku.actions import Offer, Pass, Skip, Stop
from moveledger.rules.tiwanaku.score import offer_points
from moveledger.rules.tiwanaku.state import State
from tests.rules.tiwanaku.tables import add, arrange, begin, divine, legal, move, offer, play, refused, score, tribe


def holding(*kinds: int) -> State:
    """Seat 0 has explored a bare space and may offer."""
    return play(arrange(begin(), terrain=[(0, 0)], tribes={0: {"offerings": kinds}}), add(0, 0))


@pytest.mark.cites("O1")
def test_more_kinds_are_worth_more() -> None:
    assert [offer_points(kinds) for kinds in range(6)] == [0, 0, 1, 3, 6, 10]
    for count, points in ((1, 0), (2, 1), (3, 3), (4, 6), (5, 10)):
        assert score(play(holding(1, 2, 3, 4, 5), offer(*range(1, count + 1))), 0) == 10 + points


@pytest.mark.cites("O2")
def test_three_kinds_are_worth_three_points_and_are_gone() -> None:
    after = play(holding(1, 2, 4), offer(1, 2, 4))
    assert score(after, 0) == 13
    assert tribe(after, 0).offerings == ()


@pytest.mark.cites("18")
@pytest.mark.parametrize("held", [(3,), (1, 2, 4), (1, 2, 3, 4, 5)])
def test_any_part_of_what_is_held_can_be_offered(held: tuple[int, ...]) -> None:
    offers = [action.kinds for action in legal(holding(*held)) if isinstance(action, Offer)]
    assert len(offers) == len(set(offers)) == 2 ** len(held) - 1
    assert all(set(kinds) <= set(held) for kinds in offers)
    assert tribe(play(holding(1, 2, 4), offer(1, 4)), 0).offerings == (2,)


@pytest.mark.cites("18", "X7")
def test_kinds_are_named_once_each_in_rising_order_and_must_be_held() -> None:
    state = holding(1, 2, 4)
    assert refused(state, offer()) == "nothing_offered"
    assert refused(state, offer(2, 1)) == "kinds_out_of_order"
    assert refused(state, offer(2, 2)) == "kinds_out_of_order"
    assert refused(state, offer(2, 3)) == "kind_not_held"
    assert refused(state, offer(1, 2, 4, 9)) == "kind_not_held"


@pytest.mark.cites("19")
def test_one_offering_ends_the_turn() -> None:
    after = play(holding(1, 2, 4), offer(1))
    assert (after.table.phase, after.table.current) == ("action", 1)
    assert refused(after, offer(2, 4), seat=0) == "not_your_turn"


def test_an_offering_can_be_kept() -> None:
    after = play(holding(1, 2), Skip())
    assert (score(after, 0), tribe(after, 0).offerings, after.table.current) == (10, (1, 2), 1)


@pytest.mark.cites("20")
def test_one_offering_is_worth_nothing_and_makes_room_for_the_same_kind() -> None:
    state = arrange(begin(), terrain=[(0, 0), (1, 0)], pawns=[[(1, 0)]], tribes={0: {"offerings": (5,)}})
    state = play(state, add(0, 0), offer(5))
    assert (score(state, 0), tribe(state, 0).offerings) == (10, ())
    state = play(state, add(4, 4), divine(1, 0, 5))
    assert (score(state, 0), tribe(state, 0).offerings) == (15, (5,))


@pytest.mark.cites("X8")
def test_a_seat_without_offerings_is_not_asked() -> None:
    after = play(arrange(begin(), terrain=[(0, 0)]), add(0, 0))
    assert (after.table.phase, after.table.current) == ("action", 1)


def test_offerings_are_made_at_the_end_of_an_action_only() -> None:
    state = arrange(begin(), terrain=[(2, 2), (3, 3)], pawns=[[(2, 2), (3, 3)]], tribes={0: {"offerings": (1, 2)}})
    assert refused(state, offer(1)) == "no_offering_now"
    assert refused(state, Skip()) == "nothing_to_skip"
    between = play(state, divine(2, 2, 1))
    assert refused(between, offer(1)) == "no_offering_now"
    assert refused(between, Skip()) == "nothing_to_skip"


def test_while_offering_nothing_else_can_be_done() -> None:
    state = holding(1, 2)
    assert refused(state, move((0, 0), (0, 1))) == "no_exploring_now"
    assert refused(state, Stop()) == "nothing_to_stop"
    assert refused(state, Pass()) == "no_passing_now"
