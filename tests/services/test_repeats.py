"""A write may be sent again: it is answered as the first time, whatever has happened since."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moveledger.errors import IdempotencyKeyReused
from moveledger.services.callers import KeyCaller
from moveledger.services.standing import events_of
from tests.house import House, fresh_key
from tests.playing import CLOSED_HANDS, Table, new_table

PASS = {"type": "pass"}


@pytest.fixture
def hands(house: House, key: KeyCaller) -> Table:
    """A running game of closed hands; both seats are awaited."""
    return new_table(house.tools, key, CLOSED_HANDS, 2)


def moved(table: Table) -> int:
    """How many moves the log holds."""
    return sum(event.type == "moved" for event in events_of(table.tools, table.facts))


def test_at_once(hands: Table) -> None:
    key = fresh_key()
    first = hands.send(0, PASS, key=key)
    assert hands.send(0, PASS, key=key) == (first[0], True)
    assert moved(hands) == 1


def test_after_later_moves(hands: Table) -> None:
    key = fresh_key()
    first = hands.send(0, PASS, key=key)
    hands.send(1, PASS)
    hands.send(0, PASS)
    assert hands.send(0, PASS, key=key) == (first[0], True)


def test_after_the_game_is_over(hands: Table) -> None:
    key = fresh_key()
    first = hands.send(0, {"type": "bid", "amount": 4}, key=key)
    hands.play()
    assert hands.game.over
    assert hands.send(0, {"type": "bid", "amount": 4}, key=key) == (first[0], True)


def test_where_the_same_move_would_be_legal_again(hands: Table) -> None:
    key = fresh_key()
    first = hands.send(0, PASS, key=key)
    hands.send(1, PASS)
    assert 0 in hands.game.awaited
    assert hands.send(0, PASS, key=key) == (first[0], True)
    assert moved(hands) == 2


def test_of_the_move_that_ended_the_game(hands: Table) -> None:
    while not hands.game.over:
        seat, key = min(hands.game.awaited), fresh_key()
        action = hands.legal(seat)[-1]
        last = hands.send(seat, action, key=key)
    assert last[0]["status"] == "finished"
    assert hands.send(seat, action, key=key) == (last[0], True)


def test_in_another_process_that_knows_nothing_of_it(hands: Table, second_house: House) -> None:
    key = fresh_key()
    first = hands.send(0, PASS, key=key)
    hands.play()
    assert replace(hands, tools=second_house.tools).send(0, PASS, key=key) == (first[0], True)


def test_of_a_resignation(hands: Table) -> None:
    key = fresh_key()
    first = hands.resign(1, key=key)
    assert first[0]["status"] == "finished"
    assert hands.resign(1, key=key) == (first[0], True)


@pytest.mark.parametrize("then", [0, 1, 2])
def test_another_body_under_a_known_key_is_refused_whether_it_would_be_legal_or_not(hands: Table, then: int) -> None:
    key = fresh_key()
    hands.send(0, PASS, key=key)
    for _ in range(then):
        hands.step()
    others: list[Any] = [
        {"seat": 1, "action": PASS},
        {"seat": 0, "action": {"type": "bid", "amount": 1}},
        {"action": PASS},
        {"seat": 0, "action": {"type": "nothing"}},
        [],
    ]
    for body in others:
        with pytest.raises(IdempotencyKeyReused):
            hands.send_body(body, key=key)
    assert moved(hands) == 1 + then


def test_the_order_of_members_is_no_other_body(hands: Table) -> None:
    key = fresh_key()
    first = hands.send_body({"seat": 0, "action": {"type": "bid", "amount": 3}}, key=key)
    assert hands.send_body({"action": {"amount": 3, "type": "bid"}, "seat": 0}, key=key) == (first[0], True)


def test_a_decision_is_no_part_of_what_was_asked(hands: Table) -> None:
    """`If-Match` says when to refuse; a repeat whose decision is stale by now is answered all the same."""
    key, decision = fresh_key(), hands.game.decision(min(hands.game.awaited))
    first = hands.send(0, PASS, key=key, decision=decision)
    assert hands.send(0, PASS, key=key, decision=decision) == (first[0], True)


def test_keys_of_different_callers_routes_and_games_are_different_keys(
    house: House, hands: Table, key: KeyCaller
) -> None:
    shared = fresh_key()
    other = new_table(house.tools, key, CLOSED_HANDS, 2)
    hands.send(0, PASS, key=shared)
    replace(hands, caller=house.seat(hands.game_id, 1)).send(None, PASS, key=shared)
    hands.resign(0, key=shared)
    other.send(0, PASS, key=shared)
    assert (moved(hands), moved(other)) == (2, 1)


def test_forty_copies_sent_at_once_through_two_processes_are_one_move(hands: Table, second_house: House) -> None:
    key, line = fresh_key(), threading.Barrier(8)
    tables = [hands, replace(hands, tools=second_house.tools)]

    def run(at: int) -> list[Any]:
        line.wait(10)
        return [tables[at % 2].send(0, {"type": "bid", "amount": 2}, key=key) for _ in range(5)]

    with ThreadPoolExecutor(8) as pool:
        answers = [answer for answers in pool.map(run, range(8)) for answer in answers]
    assert [repeated for _, repeated in answers].count(False) == 1
    assert all(body == answers[0][0] for body, _ in answers)
    assert moved(hands) == 1


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(plan=st.lists(st.sampled_from(["move", "again", "forget"]), min_size=4, max_size=14))
def test_whenever_a_move_is_sent_again_it_is_answered_as_the_first_time(
    house: House, key: KeyCaller, plan: list[str]
) -> None:
    table = new_table(house.tools, key, CLOSED_HANDS, 2)
    sent: list[tuple[int, Any, str, Any]] = []
    for step in plan:
        if step == "move" and not table.game.over:
            seat, name = table.rng.choice(sorted(table.game.awaited)), fresh_key()
            action = table.rng.choice(table.legal(seat))
            sent.append((seat, action, name, table.send(seat, action, key=name)[0]))
        elif step == "forget":
            house.tools.games.clear()
        else:
            for acted, action, name, answer in sent:
                assert table.send(acted, action, key=name) == (answer, True)
    assert moved(table) == len(sent)
