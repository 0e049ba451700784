"""Forks: what a fork begins with, what is its own, what its record holds, and which games are not forked."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from moveledger.audit.event import event_hash
from moveledger.audit.report import check_file
from moveledger.errors import ForkImpossible, ForkWouldShow, MoveledgerError, ScopeMissing, UnknownGame
from moveledger.rules.encoding import encode
from moveledger.rules.kernel import REFEREE, SPECTATOR, Observer, Seat
from moveledger.services import forks
from moveledger.services.checking import check_game
from moveledger.services.reading import show_state, state_at, stream_frames
from moveledger.services.rulings import Abort, Adjudicate, RemoveSeat, Rewind
from moveledger.services.standing import game_at
from moveledger.store.codec import encode_game
from tests.house import House, fresh_key
from tests.playing import CLOSED_HANDS, SHANGRILA
from tests.services.refereed import CONDITIONS, SANTIIBA, Condition, RefereedTable, bring_into, refereed, said


@pytest.fixture
def parent(house: House) -> RefereedTable:
    """Six moves of Shangri-La, which hides nothing: it may be forked while it runs."""
    return refereed(house).act(6)


@pytest.fixture
def finished(house: House) -> RefereedTable:
    """A whole game of closed hands."""
    return refereed(house, CLOSED_HANDS, 3).act(99)


def refusal(table: RefereedTable, at: int, **how: Any) -> type[MoveledgerError]:
    """What a fork is refused with."""
    with pytest.raises(MoveledgerError) as refused:
        table.fork(at, **how)
    return type(refused.value)


def lines(record: bytes) -> Sequence[Any]:
    """The lines of a record."""
    return [json.loads(line) for line in record.splitlines()]


# --- what a fork begins with -------------------------------------------------------------------------------


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("ruleset", [SHANGRILA, CLOSED_HANDS, SANTIIBA])
def test_a_fork_stands_as_its_parent_stood(house: House, worker: House, ruleset: str, condition: Condition) -> None:
    table = refereed(house, ruleset, 3).act(5)
    at = table.choices()[2]
    if table.game.ruleset.hidden:
        table.rule(Abort())
    then = game_at(table.tools, table.facts, at)
    fork = table.fork(at)
    bring_into(condition, fork, worker)
    now = fork.game
    assert (now.status, now.state, now.left, now.options) == ("running", then.state, then.left, then.options)
    for observer in (SPECTATOR, REFEREE, *(Observer(Seat(seat)) for seat in range(3))):
        expected = state_at(table.tools, table.look(observer), at)
        assert state_at(fork.tools, fork.look(observer), None)["view"] == expected["view"]
    for seat in sorted(now.awaited):
        listed = [encode(action) for action in now.ruleset.legal(now.state, seat)]
        assert listed == [encode(action) for action in then.ruleset.legal(then.state, seat)]
        assert now.decision(seat) == str(now.version)


def test_a_seat_that_had_left_the_parent_has_left_the_fork(parent: RefereedTable) -> None:
    parent.resign(2)
    parent.act(2)
    fork = parent.fork(parent.choices()[-1])
    assert fork.game.left == (2,)
    assert fork.act(3).verified().valid


def test_a_fork_goes_another_way_and_its_parent_does_not_notice(parent: RefereedTable) -> None:
    before, at = parent.events, parent.choices()[1]
    fork = parent.fork(at).act(8)
    assert parent.events == before
    assert fork.game.version > 8
    assert parent.act(2).verified().valid


# --- what is its own ---------------------------------------------------------------------------------------


def test_the_log_of_a_fork_is_its_own_and_names_where_it_starts_from(parent: RefereedTable) -> None:
    at = parent.choices()[2]
    fork = parent.fork(at)
    opened = fork.events[0]
    named = {"game_id": str(parent.game_id), "seq": at, "hash": parent.events[at - 1].hash.hex()}
    assert said(opened)["parent"] == named
    assert [event.type for event in fork.events] == ["opened", "seated", "seated", "seated", "started"]
    assert {event.game_id for event in fork.events} == {fork.game_id}
    assert opened.prev_hash == bytes(32)
    assert all(event.hash == event_hash(event) for event in fork.events)


def test_a_fork_has_a_secret_and_players_of_its_own(finished: RefereedTable) -> None:
    at = finished.choices()[0]
    one, other = finished.fork(at), finished.fork(at)
    assert len({table.facts.seed for table in (finished, one, other)}) == 3
    assert len({table.facts.data_key for table in (finished, one, other)}) == 3
    assert len({said(table.events[0])["fairness"]["draws_root"] for table in (finished, one, other)}) == 3
    players = [player for table in (finished, one, other) for player in table.game.players]
    assert len(set(players)) == 9


def test_what_is_drawn_after_a_fork_is_drawn_from_its_own_secret(finished: RefereedTable) -> None:
    fork = finished.fork(finished.choices()[0]).act(99)
    indexes = [said(event)["index"] for event in fork.events if event.type == "drawn"]
    assert fork.game.status == "finished"
    assert indexes == list(range(len(indexes)))
    assert indexes
    report = fork.verified(SPECTATOR)
    assert report.valid
    assert {check.name: check.result for check in report.checks}["draws"] == "pass"


def test_a_repeated_fork_is_the_same_game_and_another_key_makes_another(parent: RefereedTable) -> None:
    at, key = parent.choices()[0], fresh_key()
    first, again, other = parent.fork(at, key=key), parent.fork(at, key=key), parent.fork(at)
    assert first.game_id == again.game_id != other.game_id


def test_a_fork_may_be_asked_for_under_the_longest_key(parent: RefereedTable) -> None:
    fork = parent.fork(parent.choices()[0], key="k" * 255)
    assert len(set(fork.game.players)) == 3


@pytest.mark.parametrize("visibility", ["public", "unlisted", "private"])
def test_a_fork_is_seen_by_whom_its_parent_is(house: House, visibility: str) -> None:
    """Otherwise the fork of an unlisted game would tell the parent's id to everybody who lists games."""
    table = refereed(house, visibility=visibility).act(2)
    fork = table.fork(table.choices()[0])
    assert fork.facts.row.visibility == visibility
    assert said(fork.events[0])["visibility"] == visibility


# --- forks and rulings -------------------------------------------------------------------------------------


def test_a_fork_from_behind_a_rewind_and_from_what_it_took_back(parent: RefereedTable) -> None:
    late = parent.choices()[-1]
    then = parent.game.state
    version = parent.game.version
    parent.rule(Rewind(parent.choices()[0], redraw=False))
    ruled = parent.game
    assert parent.fork(version).game.state == then
    assert parent.fork(ruled.version).game.state == ruled.state
    assert parent.fork(late).act(2).verified().valid


def test_a_fork_is_rewound_within_its_own_log_only(parent: RefereedTable) -> None:
    fork = parent.fork(parent.choices()[3])
    start = fork.game.version
    fork.act(4)
    for to in range(1, start):
        with pytest.raises(MoveledgerError, match="awaited"):
            fork.rule(Rewind(to, redraw=True))
    fork.rule(Rewind(start, redraw=False))
    assert fork.game.state == game_at(parent.tools, parent.facts, parent.choices()[3]).state
    assert fork.act(2).verified().valid


def test_a_fork_may_start_between_a_ruling_and_what_it_asks_for(house: House) -> None:
    """After `ruled` the seats are still awaited; the fork goes on as if the referee had kept silent."""
    for wanted in (RemoveSeat(1), Adjudicate((1, 2, 3), None)):
        table = refereed(house).act(3)
        table.rule(wanted)
        ruled = next(event.seq for event in table.events if event.type == "ruled")
        fork = table.fork(ruled).act(4)
        assert (fork.game.left, fork.game.adjudicated, fork.game.status) == ((), None, "running")
        assert fork.verified().valid


# --- reading a fork ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_fork_is_read_at_any_of_its_events(house: House, worker: House, condition: Condition) -> None:
    table = refereed(house, SANTIIBA, 2).act(6)
    at = table.choices()[3]
    table.rule(Abort())
    fork = table.fork(at).act(10)
    bring_into(condition, fork, worker)
    assert encode_game(fork.game) == encode_game(fork.folded())
    for standing in fork.standings():
        assert state_at(fork.tools, fork.look(), standing.version) == show_state(fork.look(), standing)
    frames = list(stream_frames(fork.tools, fork.look(), first=1, last=99, language="en"))
    assert [frame["seq"] for frame in frames] == list(range(1, fork.game.version + 1))
    assert frames[0]["view"] == state_at(table.tools, table.look(), at)["view"]


def test_a_long_fork_has_snapshots_that_agree_with_its_log(house: House, worker: House) -> None:
    table = refereed(house, SHANGRILA, 4).act(3)
    fork = table.fork(table.choices()[0])
    for _ in range(5):
        fork.act(15).rule(Rewind(fork.choices()[2], redraw=False))
    bring_into("Redis only", fork, worker)
    assert fork.game.version > 64
    assert fork.game == fork.folded()
    assert check_game(worker.tools, fork.game_id) == []


# --- the record --------------------------------------------------------------------------------------------


def test_the_record_of_a_fork_begins_with_its_parents_events(parent: RefereedTable) -> None:
    at = parent.choices()[2]
    fork = parent.fork(at).act(3)
    header, *events, _ = lines(fork.record())
    where = [(event["game_id"], event["seq"]) for event in events]
    assert (header["game_id"], header["version"]) == (str(fork.game_id), fork.game.version)
    assert where == [
        *((str(parent.game_id), seq) for seq in range(1, at + 1)),
        *((str(fork.game_id), seq) for seq in range(1, fork.game.version + 1)),
    ]
    report = fork.verified(SPECTATOR)
    assert report.valid
    assert {check.name: check.result for check in report.checks}["rules"] == "pass"


def test_the_record_of_a_fork_of_a_fork_begins_with_the_first_game(finished: RefereedTable) -> None:
    fork = finished.fork(finished.choices()[0]).act(2)
    at = fork.game.version
    fork.act(99)
    grandchild = fork.fork(at).act(99)
    games = [event["game_id"] for event in lines(grandchild.record())[1:-1]]
    order = list(dict.fromkeys(games))
    assert order == [str(table.game_id) for table in (finished, fork, grandchild)]
    report = grandchild.verified(SPECTATOR)
    assert report.valid
    assert report.closed == 0


def test_the_record_of_a_running_fork_closes_its_own_hands_and_opens_its_parents(finished: RefereedTable) -> None:
    fork = finished.fork(finished.choices()[0]).act(1)
    events = lines(fork.record())[1:-1]
    closed = {event["game_id"] for event in events if event["body"] is None}
    assert closed <= {str(fork.game_id)}
    assert fork.verified(SPECTATOR).valid


def test_the_command_verifies_the_record_of_a_fork(
    parent: RefereedTable, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    fork = parent.fork(parent.choices()[2]).act(3)
    record = tmp_path / "fork.ndjson"
    record.write_bytes(fork.record())
    assert check_file(str(record)) == 0
    assert capsys.readouterr().out.endswith("valid\n")


def test_a_record_without_its_parents_events_is_not_valid(
    parent: RefereedTable, tmp_path: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.audit.logs import record_of, with_digest  # noqa: PLC0415 - only here

    fork = parent.fork(parent.choices()[2])
    record = tmp_path / "fork.ndjson"
    record.write_bytes(record_of(fork.events))
    assert check_file(str(record)) == 1
    assert "parent" in capsys.readouterr().out
    kept = fork.record().splitlines(keepends=True)
    record.write_bytes(with_digest([*kept[:3], *kept[4:-1]]))
    assert check_file(str(record)) == 1


# --- what is not forked ------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", [CLOSED_HANDS, SANTIIBA])
def test_a_running_game_with_hidden_information_is_forked_by_nobody(house: House, ruleset: str) -> None:
    table = refereed(house, ruleset, 2).act(2)
    everybody = [table.caller, house.key(), house.key("admin"), house.key("games:write", "games:referee")]
    for caller in everybody:
        for at in (table.choices()[0], 1, 999):
            assert refusal(table, at, caller=caller) is ForkWouldShow


def test_a_running_fork_of_a_hidden_game_is_not_forked_either(finished: RefereedTable) -> None:
    fork = finished.fork(finished.choices()[0]).act(1)
    assert refusal(fork, fork.choices()[0]) is ForkWouldShow


def test_a_hidden_game_that_is_over_is_forked(house: House, finished: RefereedTable) -> None:
    aborted = refereed(house, CLOSED_HANDS, 2).act(1)
    aborted.rule(Abort())
    for table in (finished, aborted):
        assert table.fork(table.choices()[0]).act(99).verified(SPECTATOR).valid


def test_a_fork_starts_where_a_seat_was_awaited(finished: RefereedTable) -> None:
    choices, version = finished.choices(), finished.game.version
    for at in range(1, version + 3):
        if at not in choices:
            assert refusal(finished, at) is ForkImpossible, at
    assert finished.game.status == "finished"


def test_a_game_that_has_not_started_is_not_forked(house: House) -> None:
    assert refusal(refereed(house, named=False), 1) is ForkImpossible


def test_a_fork_needs_a_key_that_opens_games_and_may_see_the_parent(house: House, parent: RefereedTable) -> None:
    at = parent.choices()[0]
    assert refusal(parent, at, caller=house.key("games:read")) is ScopeMissing
    private = refereed(house, visibility="private").act(2)
    assert refusal(private, private.choices()[0], caller=house.key()) is UnknownGame
    assert parent.fork(at, caller=house.key()).game.status == "running"


def test_forks_of_forks_come_to_an_end(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forks, "MOST_GENERATIONS", 4)
    table = refereed(house)
    for _ in range(3):
        table = table.act(1).fork(table.game.version)
    table.act(1)
    assert table.verified().valid
    assert refusal(table, table.choices()[0]) is ForkImpossible


def test_the_longest_line_of_forks_is_still_folded_and_verified(house: House) -> None:
    table = refereed(house, CLOSED_HANDS, 2)
    table.act(99)
    for _ in range(forks.MOST_GENERATIONS - 1):
        table = table.fork(table.choices()[0]).act(1)
        table.rule(Abort())
    assert refusal(table, table.choices()[0]) is ForkImpossible
    table.tools.games.clear()
    table.tools.cache.client.flushall()
    assert table.game == table.folded()
    assert table.verified(SPECTATOR).valid
