"""Seats add to chance: first all commit, then all open, and then the game starts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from moveledger.errors import EntropyMismatch, EntropyOutOfTurn, GameOver, NotYourSeat, UnknownSeat
from moveledger.rules import chance
from moveledger.rules.kernel import Seat
from moveledger.services.games import ENTROPY_DEADLINE_US, abort_overdue_games
from moveledger.services.standing import events_of
from tests.house import House, fresh_key
from tests.playing import CLOSED_HANDS, Table, new_table

ENTROPIES = [bytes([seat + 1]) * 32 for seat in range(3)]
DAY = ENTROPY_DEADLINE_US / 1_000_000


@pytest.fixture
def table(own_house: House) -> Table:
    """Three seats that owe entropy."""
    return new_table(own_house.tools, own_house.key(), CLOSED_HANDS, 3, entropy="required")


def commit_all(table: Table) -> None:
    for seat, entropy in enumerate(ENTROPIES):
        table.add_entropy(seat, table.commitment(seat, entropy))


def opening(seat: int) -> dict[str, str]:
    return {"entropy": ENTROPIES[seat].hex()}


def test_a_game_starts_only_when_every_seat_has_opened(table: Table) -> None:
    assert table.game.status == "open"
    commit_all(table)
    answers = [table.add_entropy(seat, opening(seat))[0] for seat in (2, 0, 1)]
    assert [answer["status"] for answer in answers] == ["open", "open", "running"]
    assert (answers[-1]["committed"], answers[-1]["opened"]) == ([0, 1, 2], [0, 1, 2])
    assert table.game.awaited == {0, 1, 2}


def test_the_mix_is_made_of_what_all_have_opened(table: Table) -> None:
    commit_all(table)
    for seat in (1, 2, 0):
        table.add_entropy(seat, opening(seat))
    fair, game = table.game.fairness, table.game
    opened = {Seat(seat): entropy for seat, entropy in enumerate(ENTROPIES)}
    assert game.mix == chance.mix(game.game_id.bytes, fair.seed_commitment, fair.root, opened)
    draws = [event.body for event in events_of(table.tools, table.facts) if event.type == "drawn"]
    for index, body in enumerate(draws):
        assert body is not None
        asked = chance.read_request(body["request"])
        expected = chance.draw(chance.draw_secret(table.facts.seed, index), game.mix, index, asked)
        assert tuple(body["values"]) == expected


def test_nobody_opens_before_all_have_committed(table: Table) -> None:
    table.add_entropy(0, table.commitment(0, ENTROPIES[0]))
    table.add_entropy(1, table.commitment(1, ENTROPIES[1]))
    with pytest.raises(EntropyOutOfTurn):
        table.add_entropy(0, opening(0))
    table.add_entropy(2, table.commitment(2, ENTROPIES[2]))
    table.add_entropy(0, opening(0))


def test_each_seat_commits_once_and_opens_once(table: Table) -> None:
    table.add_entropy(0, table.commitment(0, ENTROPIES[0]))
    with pytest.raises(EntropyOutOfTurn):
        table.add_entropy(0, table.commitment(0, bytes(32)))
    for seat in (1, 2):
        table.add_entropy(seat, table.commitment(seat, ENTROPIES[seat]))
    table.add_entropy(0, opening(0))
    with pytest.raises(EntropyOutOfTurn):
        table.add_entropy(0, opening(0))


def test_what_is_opened_has_to_be_what_was_committed_to_by_that_seat(table: Table) -> None:
    commit_all(table)
    for wrong in (bytes(32), ENTROPIES[1]):
        with pytest.raises(EntropyMismatch):
            table.add_entropy(0, {"entropy": wrong.hex()})
    table.add_entropy(0, opening(0))


def test_another_seat_s_commitment_is_nobody_else_s_to_open(table: Table) -> None:
    """Who copies a commitment cannot open it: the seat is part of it."""
    copied = table.commitment(0, ENTROPIES[0])
    for seat in range(3):
        table.add_entropy(seat, copied)
    table.add_entropy(0, opening(0))
    with pytest.raises(EntropyMismatch):
        table.add_entropy(1, opening(0))


def test_a_repeat_is_answered_as_the_first_time(table: Table) -> None:
    key = fresh_key()
    first = table.add_entropy(0, table.commitment(0, ENTROPIES[0]), key=key)
    for seat in (1, 2):
        table.add_entropy(seat, table.commitment(seat, ENTROPIES[seat]))
    for seat in range(3):
        table.add_entropy(seat, opening(seat))
    assert table.add_entropy(0, table.commitment(0, ENTROPIES[0]), key=key) == (first[0], True)


def test_a_seat_adds_only_for_itself(own_house: House, table: Table) -> None:
    seated = replace(table, caller=own_house.seat(table.game_id, 1))
    with pytest.raises(NotYourSeat):
        seated.add_entropy(0, seated.commitment(0, ENTROPIES[0]))
    with pytest.raises(NotYourSeat):
        replace(table, caller=own_house.key()).add_entropy(0, table.commitment(0, ENTROPIES[0]))
    with pytest.raises(UnknownSeat):
        table.add_entropy(3, table.commitment(3, ENTROPIES[0]))
    assert seated.add_entropy(1, seated.commitment(1, ENTROPIES[1]))[0]["committed"] == [1]


def test_a_game_that_asks_for_none_takes_none(own_house: House) -> None:
    caller = own_house.key()
    running = new_table(own_house.tools, caller, CLOSED_HANDS, 2)
    waiting = new_table(own_house.tools, caller, CLOSED_HANDS, 2, named=False)
    empty = new_table(own_house.tools, caller, CLOSED_HANDS, 2, named=False, entropy="required")
    for table in (running, waiting, empty):
        with pytest.raises(EntropyOutOfTurn):
            table.add_entropy(0, table.commitment(0, ENTROPIES[0]))


def test_seats_commit_as_they_are_taken(own_house: House) -> None:
    table = new_table(own_house.tools, own_house.key(), CLOSED_HANDS, 2, named=False, entropy="required")
    table.claim(0, "ann")
    table.add_entropy(0, table.commitment(0, ENTROPIES[0]))
    assert table.claim(1, "bob")[0]["status"] == "open"
    table.add_entropy(1, table.commitment(1, ENTROPIES[1]))
    assert [table.add_entropy(seat, opening(seat))[0]["status"] for seat in (0, 1)] == ["open", "running"]


def test_whoever_keeps_silent_gains_nothing(own_house: House, table: Table) -> None:
    """Past the deadline the game is aborted, its seed opened, and it takes nothing any more."""
    commit_all(table)
    table.add_entropy(0, opening(0))
    own_house.clock.go_on(seconds=DAY - 1)
    abort_overdue_games(own_house.tools)
    assert table.game.status == "open"
    own_house.clock.go_on(seconds=2)
    assert abort_overdue_games(own_house.tools) >= 1
    last = events_of(own_house.tools, table.facts)[-1]
    assert (table.game.status, last.type, last.seat) == ("aborted", "aborted", -1)
    assert last.body == {"reason": "entropy-overdue", "seed": table.facts.seed.hex()}
    with pytest.raises(GameOver):
        table.add_entropy(1, opening(1))
    abort_overdue_games(own_house.tools)
    assert events_of(own_house.tools, table.facts)[-1] == last


def test_a_game_that_never_filled_is_aborted_too(own_house: House) -> None:
    table = new_table(own_house.tools, own_house.key(), CLOSED_HANDS, 2, named=False, entropy="required")
    own_house.clock.go_on(seconds=DAY + 1)
    abort_overdue_games(own_house.tools)
    assert table.game.status == "aborted"


def test_a_game_that_started_in_time_is_left_alone(own_house: House, table: Table) -> None:
    commit_all(table)
    for seat in range(3):
        table.add_entropy(seat, opening(seat))
    own_house.clock.go_on(seconds=2 * DAY)
    abort_overdue_games(own_house.tools)
    assert table.game.status == "running"
