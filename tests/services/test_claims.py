"""Seats are taken once each; the last one taken starts the game."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from moveledger.errors import (
    GameOver,
    IdempotencyKeyReused,
    MoveledgerError,
    PlayerSeated,
    ScopeMissing,
    SeatTaken,
    Unauthenticated,
    UnknownGame,
    UnknownSeat,
)
from moveledger.services.callers import Anonymous, KeyCaller, SeatCaller, identify
from moveledger.services.games import find_game_resource
from moveledger.services.rulings import Abort, Ruling, rule
from moveledger.services.standing import events_of
from tests.house import House, fresh_key, open_house
from tests.playing import CLOSED_HANDS, Table, new_table


@pytest.fixture
def table(house: House, key: KeyCaller) -> Table:
    """A game whose three seats are open."""
    return new_table(house.tools, key, CLOSED_HANDS, 3, named=False)


def test_a_seat_is_taken_with_a_token_that_is_its_own(house: House, table: Table) -> None:
    answer, _ = table.claim(1, "ann")
    caller = identify(house.tools, f"Bearer {answer['seat_token']}")
    assert isinstance(caller, SeatCaller)
    assert (caller.game_id, caller.seat) == (table.game_id, 1)
    assert (answer["status"], answer["version"]) == ("open", 2)


def test_the_last_seat_taken_starts_the_game(table: Table) -> None:
    statuses = [table.claim(seat, f"player-{seat}")[0]["status"] for seat in (2, 0, 1)]
    assert statuses == ["open", "open", "running"]
    assert [event.type for event in events_of(table.tools, table.facts)][:5] == ["opened", *["seated"] * 3, "started"]
    assert table.game.awaited == {0, 1, 2}


def test_anybody_with_a_key_that_writes_games_takes_a_seat(house: House, table: Table) -> None:
    stranger = house.key()
    answer, _ = replace(table, caller=stranger).claim(0, "bob")
    assert answer["seat"] == 0
    seats: Any = find_game_resource(house.tools, stranger, table.game_id)["seats"]
    assert seats[0]["player"]["external_id"] == "bob"
    seats = find_game_resource(house.tools, table.caller, table.game_id)["seats"]
    assert seats[0]["player"]["external_id"] is None


def test_who_may_not_take_a_seat_is_told_why(house: House, table: Table, key: KeyCaller) -> None:
    table.claim(0, "ann")
    for caller, error in (
        (Anonymous(), Unauthenticated),
        (house.key("games:read"), ScopeMissing),
        (house.seat(table.game_id, 0), ScopeMissing),
    ):
        with pytest.raises(error):
            replace(table, caller=caller).claim(1, "bob")
    private = new_table(house.tools, key, CLOSED_HANDS, 2, named=False, visibility="private")
    with pytest.raises(UnknownGame):
        replace(private, caller=house.key()).claim(1, "bob")


def test_a_seat_that_is_not_there_or_taken_is_refused(table: Table) -> None:
    table.claim(0, "ann")
    with pytest.raises(SeatTaken):
        table.claim(0, "bob")
    with pytest.raises(UnknownSeat):
        table.claim(3, "bob")


def test_a_player_sits_once(house: House, table: Table) -> None:
    key = fresh_key()
    first = table.claim(0, "ann", key=key)
    with pytest.raises(PlayerSeated):
        table.claim(1, "ann")
    assert table.claim(0, "ann", key=key) == (first[0], True)
    assert replace(table, caller=house.key()).claim(1, "ann")[0]["seat"] == 1, "another key's ann is another player"


def test_of_seats_that_one_player_claims_at_the_same_time_it_gets_one(house: House, key: KeyCaller) -> None:
    table = new_table(house.tools, key, CLOSED_HANDS, 4, named=False)
    line = threading.Barrier(4)

    def run(seat: int) -> Any:
        line.wait(10)
        try:
            return table.claim(seat, "ann")[0]["status"]
        except MoveledgerError as refused:
            return type(refused)

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(run, range(4)))
    assert sorted(map(str, answers)) == sorted(map(str, ["open", *[PlayerSeated] * 3]))


def test_a_seat_that_was_still_open_when_the_game_was_aborted_is_not_to_be_had(house: House, table: Table) -> None:
    key = fresh_key()
    first = table.claim(0, "ann", key=key)
    referee = replace(table, caller=house.key("games:referee"))
    ruling = Ruling(Abort(), "rain")
    rule(house.tools, referee.caller, table.game_id, lambda: ruling, referee.request("rulings", {"type": "abort"}))
    for seat, player in ((1, "bob"), (0, "bob"), (2, "ann")):
        with pytest.raises(GameOver):
            table.claim(seat, player)
    assert table.claim(0, "ann", key=key)[0]["seat_token"] == first[0]["seat_token"]


def test_a_repeat_gets_the_same_token_even_in_a_running_game(table: Table) -> None:
    key = fresh_key()
    first = table.claim(0, "ann", key=key)
    table.claim(1, "bob")
    table.claim(2, "cid")
    table.play()
    assert first[1] is False
    assert table.claim(0, "ann", key=key) == (first[0], True)
    with pytest.raises(IdempotencyKeyReused):
        table.claim(0, "dan", key=key)


def test_who_came_too_late_changes_no_name(house: House, table: Table) -> None:
    table.claim(0, "ann")
    with pytest.raises(SeatTaken):
        table.claim(0, "bob")
    assert len(events_of(table.tools, table.facts)) == 2


@pytest.mark.parametrize("racers", [2, 8])
def test_of_many_racers_exactly_one_gets_the_seat(
    house: House, table: Table, shared_database: str, redis_url: str, racers: int
) -> None:
    line = threading.Barrier(racers)
    with ExitStack() as stack:
        houses = [stack.enter_context(open_house(shared_database, redis_url)) for _ in range(2)]
        keys = [houses[at % 2].key() for at in range(racers)]

        def run(at: int) -> Any:
            racing = replace(table, tools=houses[at % 2].tools, caller=keys[at])
            line.wait(10)
            try:
                return racing.claim(1, f"racer-{at}")[0]["seat_token"]
            except MoveledgerError as refused:
                return type(refused)

        with ThreadPoolExecutor(racers) as pool:
            answers = list(pool.map(run, range(racers)))
    assert answers.count(SeatTaken) == racers - 1
    (token,) = [answer for answer in answers if answer is not SeatTaken]
    assert identify(house.tools, f"Bearer {token}").client == house.seat(table.game_id, 1).client
    assert [event.seat for event in events_of(table.tools, table.facts, after=1)] == [1]


def test_seats_that_are_taken_at_the_same_time_all_are_and_the_game_starts_once(house: House, key: KeyCaller) -> None:
    table = new_table(house.tools, key, CLOSED_HANDS, 4, named=False)
    line = threading.Barrier(4)

    def run(seat: int) -> str:
        line.wait(10)
        return str(table.claim(seat, f"player-{seat}")[0]["status"])

    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(run, range(4)))
    types = [event.type for event in events_of(table.tools, table.facts)]
    assert sorted(statuses) == ["open", "open", "open", "running"]
    assert (types.count("seated"), types.count("started")) == (4, 1)
