"""Moves: in which order they are judged, and what a move makes."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from moveledger.api.moves import READER
from moveledger.errors import (
    GameNotStarted,
    GameOver,
    IdempotencyKeyReused,
    IllegalMove,
    InvalidInput,
    MoveledgerError,
    NotToMove,
    NotYourSeat,
    ScopeMissing,
    StaleDecision,
    Unauthenticated,
    UnknownGame,
    UnknownSeat,
)
from moveledger.services.callers import Anonymous, KeyCaller
from moveledger.services.moves import WantedMove, preview_move, submit_move
from moveledger.services.standing import events_of
from tests.house import House, fresh_key
from tests.playing import ASKED, CLOSED_HANDS, SHANGRILA, Table, new_table, open_new

PASS = {"type": "pass"}


@pytest.fixture
def table(house: House, key: KeyCaller) -> Table:
    """A running game of Shangri-La; seat 0 is awaited."""
    return new_table(house.tools, key)


@pytest.fixture
def hands(house: House, key: KeyCaller) -> Table:
    """A running game of closed hands; both seats are awaited."""
    return new_table(house.tools, key, CLOSED_HANDS, 2)


def refusal(table: Table, body: Any, *, key: str | None = None, decision: str | None = None) -> type[MoveledgerError]:
    """What a move is refused with."""
    with pytest.raises(MoveledgerError) as refused:
        table.send_body(body, key=key, decision=decision)
    return type(refused.value)


# --- the order of judgement --------------------------------------------------------------------------------


def test_each_refusal_comes_before_all_that_follow_it(house: House, hands: Table, key: KeyCaller) -> None:
    """A request in which everything is wrong is told one thing after the other, as each is mended."""
    used = fresh_key()
    hands.send(0, PASS, key=used)
    hands.play()
    wrong: Any = {"seat": 0, "action": {"type": "nothing"}}
    stranger = house.key()
    private = replace(hands, game_id=open_new(house.tools, key, CLOSED_HANDS, 2, visibility="private"))
    assert refusal(replace(private, caller=stranger), wrong, key=used, decision="1") is UnknownGame
    assert refusal(replace(hands, caller=Anonymous()), wrong, key=used, decision="1") is Unauthenticated
    assert refusal(replace(hands, caller=house.key("games:read")), wrong, key=used, decision="1") is ScopeMissing
    assert refusal(replace(hands, caller=stranger), wrong, key=used, decision="1") is NotYourSeat
    assert refusal(hands, wrong, key=used, decision="1") is IdempotencyKeyReused
    assert refusal(hands, wrong, decision="1") is InvalidInput
    assert refusal(hands, {"seat": 9, "action": PASS}, decision="1") is UnknownSeat
    assert refusal(hands, {"seat": 0, "action": PASS}, decision="1") is StaleDecision
    assert refusal(hands, {"seat": 0, "action": PASS}) is GameOver


def test_whose_turn_it_is_comes_before_the_rules(table: Table) -> None:
    illegal = {"type": "pass"}
    assert refusal(table, {"seat": 1, "action": illegal}, decision="1") is StaleDecision
    assert refusal(table, {"seat": 1, "action": illegal}) is NotToMove
    assert refusal(table, {"seat": 0, "action": illegal}) is IllegalMove


def test_a_refused_move_says_the_rule_it_breaks(table: Table) -> None:
    with pytest.raises(IllegalMove) as refused:
        table.send(0, PASS)
    assert refused.value.code.startswith("shangrila.")


def test_a_known_key_answers_before_the_body_is_read(hands: Table) -> None:
    """What it asked then is compared, not judged again."""
    key, body = fresh_key(), {"seat": 0, "action": PASS}
    first = hands.send_body(body, key=key)
    reader = replace(READER, read_body=lambda _: (_ for _ in ()).throw(InvalidInput("nothing can be read")))
    wanted = WantedMove(body, reader, None)
    again = submit_move(hands.tools, hands.caller, hands.game_id, wanted, hands.request("moves", body, key))
    assert again == (first[0], True)


def test_a_game_that_has_not_started_takes_no_move(house: House, key: KeyCaller) -> None:
    table = new_table(house.tools, key, CLOSED_HANDS, 2, named=False)
    assert refusal(table, {"seat": 0, "action": PASS}) is GameNotStarted
    assert refusal(table, {"seat": 0, "action": PASS}, decision="1") is StaleDecision


def test_a_game_that_is_not_there_takes_no_move(house: House, key: KeyCaller) -> None:
    assert refusal(Table(house.tools, key, uuid4()), {"seat": 0, "action": PASS}) is UnknownGame


# --- for whom -----------------------------------------------------------------------------------------------


def test_a_seat_s_token_acts_for_its_seat_without_naming_it(house: House, hands: Table) -> None:
    seated = replace(hands, caller=house.seat(hands.game_id, 1))
    answer, _ = seated.send(None, PASS)
    assert (answer["events"][0]["seat"], answer["events"][0]["client"]) == (1, str(seated.caller.client))


def test_a_seat_s_token_acts_for_no_other_seat_and_in_no_other_game(house: House, hands: Table, key: KeyCaller) -> None:
    seated = replace(hands, caller=house.seat(hands.game_id, 1))
    other = open_new(house.tools, key, CLOSED_HANDS, 2)
    assert refusal(seated, {"seat": 0, "action": PASS}) is NotYourSeat
    assert refusal(replace(seated, game_id=other), {"seat": 1, "action": PASS}) is NotYourSeat


def test_the_key_that_opened_a_game_and_an_administrator_act_for_every_seat_by_name(house: House, hands: Table) -> None:
    assert refusal(hands, {"action": PASS}) is InvalidInput
    hands.send(0, PASS)
    replace(hands, caller=house.key("admin")).send(1, PASS)
    assert [event.seat for event in events_of(hands.tools, hands.facts) if event.type == "moved"] == [0, 1]


def test_a_referee_acts_for_nobody(house: House, hands: Table) -> None:
    assert refusal(replace(hands, caller=house.key("games:referee")), {"seat": 0, "action": PASS}) is ScopeMissing


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ([], ""),
        (None, ""),
        ({}, "/action"),
        ({"action": None}, "/action"),
        ({"action": []}, "/action"),
        ({"action": {}}, "/action/type"),
        ({"action": {"type": 7}}, "/action/type"),
        ({"action": {"type": "bid"}}, "/action/amount"),
        ({"action": {"type": "bid", "amount": "3"}}, "/action/amount"),
        ({"action": {"type": "bid", "amount": 3.0}}, "/action/amount"),
        ({"action": {"type": "bid", "amount": True}}, "/action/amount"),
        ({"action": {"type": "bid", "amount": 9}}, "/action/amount"),
        ({"action": {"type": "bid", "amount": -1}}, "/action/amount"),
        ({"action": {"type": "bid", "amount": 10**30}}, "/action/amount"),
        ({"action": {"type": "bid", "amount": 1, "a/b": 1}}, "/action/a~1b"),
        ({"action": PASS, "seat": "0"}, "/seat"),
        ({"action": PASS, "seat": 16}, "/seat"),
        ({"action": PASS, "colour": "red"}, "/colour"),
    ],
)
def test_a_body_that_breaks_its_schema_is_pointed_at(hands: Table, body: Any, pointer: str) -> None:
    if isinstance(body, dict):
        body = {"seat": 0, **body}
    with pytest.raises(InvalidInput) as refused:
        hands.send_body(body)
    assert [fault["pointer"] for fault in refused.value.facts["errors"]] == [pointer]


# --- what a move makes --------------------------------------------------------------------------------------


def test_a_move_answers_with_all_it_made(hands: Table) -> None:
    hands.send(0, {"type": "bid", "amount": 3})
    answer, _ = hands.send(1, PASS)
    types = [event["type"] for event in answer["events"]]
    assert types == ["moved", "drawn", "drawn"]
    assert answer["version"] == answer["events"][-1]["seq"] == hands.game.version
    receipt = dict(answer["receipt"])
    assert receipt.pop("signature"), "the log signs every receipt"
    assert receipt == {
        "game_id": str(hands.game_id),
        "seq": answer["events"][0]["seq"],
        "hash": answer["events"][0]["hash"],
        "recorded_at": answer["events"][0]["recorded_at"],
    }


def test_the_last_move_ends_the_game_and_opens_everything(hands: Table) -> None:
    seed = hands.facts.seed.hex()
    while not hands.game.over:
        answer = hands.step()
    assert (answer["status"], answer["awaiting"]) == ("finished", {"seats": [], "decisions": {}})
    assert answer["events"][-1]["type"] == "finished"
    assert answer["events"][-1]["body"]["seed"] == seed
    assert answer["outcome"] == answer["events"][-1]["body"]["outcome"]
    assert all(event["body"] is not None for event in answer["events"])


def test_a_whole_game_of_each_ruleset_is_played_to_its_end(house: House, key: KeyCaller) -> None:
    for ruleset, seats in ((SHANGRILA, 4), (CLOSED_HANDS, 4)):
        table = new_table(house.tools, key, ruleset, seats).play()
        assert table.game.status == "finished"
        assert table.game.outcome is not None
        assert len(table.game.outcome.placings) == seats


# --- decisions ----------------------------------------------------------------------------------------------


def test_seats_that_choose_at_the_same_time_do_not_collide(hands: Table) -> None:
    decisions = {seat: hands.game.decision(seat) for seat in sorted(hands.game.awaited)}
    for seat, decision in decisions.items():
        hands.send(seat, {"type": "bid", "amount": seat}, decision=decision)
    assert [event.seat for event in events_of(hands.tools, hands.facts) if event.type == "moved"] == [0, 1]


def test_all_seats_may_send_at_the_same_moment_through_different_processes(
    house: House, second_house: House, key: KeyCaller
) -> None:
    table = new_table(house.tools, key, CLOSED_HANDS, 4, options={"rounds": 5})
    tables, line = [table, replace(table, tools=second_house.tools)], threading.Barrier(4)

    def run(seat: int) -> list[bool]:
        repeated = []
        for _ in range(5):
            line.wait(20)
            repeated.append(tables[seat % 2].send(seat, PASS)[1])
        return repeated

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(run, range(4))) == [[False] * 5] * 4
    assert table.game.over


def test_a_stale_decision_is_told_what_was_missed(house: House, table: Table) -> None:
    stale = table.game.decision(table.game.state.turn)
    table.step()
    table.play(until_version=12)
    (seat,) = table.game.awaited
    with pytest.raises(StaleDecision) as refused:
        table.send(seat, table.legal(seat)[0], decision=stale)
    facts = refused.value.facts
    assert (facts["decision"], facts["version"]) == (table.game.decision(seat), table.game.version)
    assert [event["seq"] for event in facts["missed_events"]] == list(
        range(int(str(stale)) + 1, table.game.version + 1)
    )


@pytest.mark.parametrize("decision", ["", "0", "-1", "x", "٣", "9" * 4000, "1.0", "99999999999999999999"])
def test_what_never_was_a_decision_is_stale(table: Table, decision: str) -> None:
    with pytest.raises(StaleDecision) as refused:
        table.send(0, table.legal(0)[0], decision=decision)
    assert refused.value.facts["decision"] == table.game.decision(table.game.state.turn)


def test_the_present_decision_is_taken(table: Table) -> None:
    for _ in range(6):
        (seat,) = table.game.awaited
        _, repeated = table.send(seat, table.legal(seat)[0], decision=table.game.decision(seat))
        assert not repeated


def test_a_decision_lasts_until_its_own_seat_has_chosen(house: House, key: KeyCaller) -> None:
    hands = new_table(house.tools, key, CLOSED_HANDS, 3)
    before = {seat: hands.game.decision(seat) for seat in hands.game.awaited}
    hands.send(1, PASS)
    after = {seat: hands.game.decision(seat) for seat in hands.game.awaited}
    assert after == {seat: decision for seat, decision in before.items() if seat != 1}


# --- previews -----------------------------------------------------------------------------------------------


def test_a_preview_says_what_would_become_of_a_move_and_plays_nothing(table: Table) -> None:
    version = table.game.version
    for action, legal in ((table.legal(0)[0], True), (PASS, False)):
        wanted = WantedMove({"seat": 0, "action": action}, READER, None)
        answer = preview_move(table.tools, table.caller, table.game_id, wanted, ASKED)
        assert (answer["legal"], answer["refusal"] is None, answer["version"]) == (legal, legal, version)
    assert len(events_of(table.tools, table.facts)) == version


def test_a_preview_is_refused_like_a_move(house: House, table: Table) -> None:
    def preview(caller: Any, body: Any, decision: str | None = None) -> None:
        preview_move(table.tools, caller, table.game_id, WantedMove(body, READER, decision), ASKED)

    body = {"seat": 1, "action": PASS}
    for caller, given, decision, error in (
        (Anonymous(), body, None, Unauthenticated),
        (house.key(), body, None, NotYourSeat),
        (table.caller, {"seat": 1}, None, InvalidInput),
        (table.caller, body, "1", StaleDecision),
        (table.caller, body, None, NotToMove),
    ):
        with pytest.raises(error):
            preview(caller, given, decision)


def test_a_preview_is_the_same_whatever_is_hidden(house: House, key: KeyCaller) -> None:
    """Two games that differ in cards and target only: what a seat may try does not tell them apart."""
    tables = [new_table(house.tools, key, CLOSED_HANDS, 2) for _ in range(4)]
    assert len({table.game.state.target for table in tables} | {table.game.state.hands for table in tables}) > 2
    for amount in range(9):
        answers = [
            preview_move(
                table.tools,
                house.seat(table.game_id, 0),
                table.game_id,
                WantedMove({"action": {"type": "bid", "amount": amount}}, READER, None),
                ASKED,
            )
            for table in tables
        ]
        assert len({str({**answer, "game_id": None}) for answer in answers}) == 1
