"""A seat leaves for good."""

from __future__ import annotations

from dataclasses import replace

import pytest

from moveledger.errors import (
    GameNotStarted,
    GameOver,
    InvalidInput,
    NotToMove,
    NotYourSeat,
    SeatLeft,
    Unauthenticated,
    UnknownSeat,
)
from moveledger.services.callers import Anonymous, KeyCaller
from tests.house import House
from tests.playing import CLOSED_HANDS, SHANGRILA, Table, new_table


@pytest.fixture
def table(house: House, key: KeyCaller) -> Table:
    """A running game of three."""
    return new_table(house.tools, key, CLOSED_HANDS, 3)


def test_a_seat_leaves_whether_it_is_awaited_or_not(house: House, key: KeyCaller) -> None:
    table = new_table(house.tools, key, SHANGRILA, 3)
    assert table.game.awaited == {0}
    answer, _ = table.resign(1)
    assert [event["type"] for event in answer["events"]] == ["left"]
    assert answer["events"][0]["body"] == {"cause": "resigned"}
    assert (table.game.left, table.game.status) == ((1,), "running")
    assert table.game.awaited == {0}


def test_the_last_seat_that_stays_wins(table: Table) -> None:
    table.resign(2)
    answer, _ = table.resign(0)
    assert answer["status"] == "finished"
    assert answer["outcome"]["placings"] == [2, 1, 3]
    assert answer["events"][-1]["type"] == "finished"


def test_who_has_left_neither_moves_nor_leaves_again(table: Table) -> None:
    table.resign(2)
    with pytest.raises(NotToMove):
        table.send(2, {"type": "pass"})
    with pytest.raises(SeatLeft):
        table.resign(2)


def test_a_game_that_is_over_or_has_not_started_is_not_left(house: House, table: Table, key: KeyCaller) -> None:
    table.play()
    with pytest.raises(GameOver):
        table.resign(0)
    with pytest.raises(GameNotStarted):
        new_table(house.tools, key, CLOSED_HANDS, 2, named=False).resign(0)


def test_only_who_acts_for_a_seat_resigns_for_it(house: House, table: Table) -> None:
    seated = replace(table, caller=house.seat(table.game_id, 1))
    for acting, seat, error in (
        (replace(table, caller=Anonymous()), 0, Unauthenticated),
        (replace(table, caller=house.key()), 0, NotYourSeat),
        (seated, 0, NotYourSeat),
        (table, 3, UnknownSeat),
        (table, None, InvalidInput),
    ):
        with pytest.raises(error):
            acting.resign(seat)
    assert seated.resign(None)[0]["events"][0]["seat"] == 1


def test_chance_goes_on_for_those_who_stay(table: Table) -> None:
    """In the middle of a round the cards of those who stay are as they were, and the game comes to its end."""
    table.send(0, {"type": "bid", "amount": 2})
    table.resign(1)
    table.play()
    assert table.game.status == "finished"
    assert table.game.outcome is not None
    assert table.game.outcome.placings[1] == 3
