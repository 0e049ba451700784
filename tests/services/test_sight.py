"""Sealed events are closed to whoever may not see them, on every way out, until the game is over."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from moveledger.audit.verify import verify_record
from moveledger.errors import StaleDecision
from moveledger.services.access import SCOPES
from moveledger.services.reading import Look, export_record, look_at, stream_events, stream_frames
from moveledger.services.trails import read_trail
from moveledger.store.trails import TrailFilter
from tests.house import House
from tests.playing import ASKED, CLOSED_HANDS, Table, new_table

Events = list[Mapping[str, Any]]


@pytest.fixture(scope="module")
def table(session_house: House) -> Table:
    """A running game: seat 0 has put a number and a second round is being played."""
    table = new_table(session_house.tools, session_house.key(*SCOPES), CLOSED_HANDS, 3, options={"rounds": 3})
    while table.game.state.round < 2:
        table.step()
    table.send(0, table.legal(0)[0])
    return table


def owners(table: Table) -> dict[int, int | None]:
    """By seq of each sealed event: the seat that may see it, None where no seat may."""
    found = {}
    for event in _all(table):
        if event["sealed"]:
            open_to = [
                seat for seat in range(3) if _events(table, f"seat:{seat}")[event["seq"] - 1]["body"] is not None
            ]
            assert len(open_to) <= 1
            found[event["seq"]] = open_to[0] if open_to else None
    return found


def _look(table: Table, name: str) -> Look:
    return look_at(table.tools, table.caller, table.game_id, ASKED, name)


def _all(table: Table) -> Events:
    return _events(table, "referee")


def _events(table: Table, name: str) -> Events:
    return [dict(event) for event in stream_events(table.tools, _look(table, name))]


def _frames(table: Table, name: str) -> Events:
    look = _look(table, name)
    frames = stream_frames(table.tools, look, first=1, last=look.game.version, language="en")
    return [frame["event"] for frame in frames]


def _export(table: Table, name: str) -> Events:
    lines = [json.loads(line) for line in export_record(table.tools, _look(table, name))]
    return [line for line in lines if "seq" in line]


CHANNELS = pytest.mark.parametrize("channel", [_events, _frames, _export])


def test_cards_numbers_and_the_target_are_sealed_and_nothing_else(table: Table) -> None:
    sealed = {event["seq"]: event for event in _all(table) if event["sealed"]}
    kinds = {(event["type"], event["body"].get("request", "")[:4]) for event in sealed.values()}
    assert kinds == {("moved", ""), ("drawn", "seed"), ("drawn", "pick")}
    assert set(owners(table).values()) == {None, 0, 1, 2}


@CHANNELS
def test_a_spectator_sees_no_sealed_body_and_no_salt(table: Table, channel: Callable[[Table, str], Events]) -> None:
    events = channel(table, "spectator")
    for event in events:
        assert (event["body"] is None) == (event["salt"] is None) == event["sealed"]
    assert [event["seq"] for event in events] == list(range(1, table.game.version + 1))


@CHANNELS
def test_a_seat_sees_what_is_its_own(table: Table, channel: Callable[[Table, str], Events]) -> None:
    belongs = owners(table)
    for seat in range(3):
        for event in channel(table, f"seat:{seat}"):
            is_open = not event["sealed"] or belongs[event["seq"]] == seat
            assert (event["body"] is not None) == (event["salt"] is not None) == is_open


@CHANNELS
def test_a_referee_sees_all(table: Table, channel: Callable[[Table, str], Events]) -> None:
    assert all(event["body"] is not None for event in channel(table, "referee"))


def test_the_trail_shows_no_body_to_anybody(table: Table) -> None:
    for name in ("spectator", "seat:0", "referee"):
        look = _look(table, name)
        entries, _ = read_trail(table.tools, look.facts, look.game, TrailFilter(), after=0, limit=100)
        assert not {"body", "salt"} & {member for entry in entries for member in entry}


def test_missed_events_are_told_as_the_asking_seat_sees_them(table: Table) -> None:
    with pytest.raises(StaleDecision) as refused:
        table.send(1, {"type": "pass"}, decision="1")
    belongs = owners(table)
    for event in refused.value.facts["missed_events"]:
        is_open = not event["sealed"] or belongs[event["seq"]] == 1
        assert (event["body"] is not None) == is_open


def test_the_answer_to_a_move_shows_its_seat_no_other_s_cards(session_house: House) -> None:
    table = new_table(session_house.tools, session_house.key(), CLOSED_HANDS, 2, options={"rounds": 3})
    bid = {"type": "bid", "amount": 3}
    first, _ = table.send(0, bid)
    last, _ = table.send(1, bid)
    assert first["events"][0]["body"] == {"action": bid}
    dealt = [event for event in last["events"] if event["sealed"] and event["type"] == "drawn"]
    assert [event["body"] is None for event in dealt] == [True, False]


def test_a_closed_event_tells_the_same_whatever_is_in_it(table: Table) -> None:
    """What is shown of it is made of members that any such event has; no length, no count hangs on the body."""
    closed = [event for event in _events(table, "spectator") if event["sealed"]]
    assert len({frozenset(event) for event in closed}) == 1
    for event in closed:
        assert {type(event[name]) for name in ("body", "salt")} == {type(None)}


def test_after_the_end_everything_is_open_to_anybody(session_house: House) -> None:
    table = new_table(session_house.tools, session_house.key(), CLOSED_HANDS, 3).play()
    anybody = replace(table, caller=session_house.key("games:read"))
    for channel in (_events, _frames, _export):
        for name in ("spectator", "seat:0", "seat:2", "referee"):
            events = channel(anybody, name)
            assert all(event["body"] is not None and event["salt"] is not None for event in events)
            assert any(event["sealed"] for event in events)


def test_a_record_of_a_running_game_verifies_as_far_as_it_is_open(table: Table) -> None:
    closed = {}
    for name in ("spectator", "seat:0", "referee"):
        report = verify_record(io.BytesIO(b"".join(export_record(table.tools, _look(table, name)))))
        assert report.fault is None
        closed[name] = report.closed
    sealed = len(owners(table))
    assert closed["referee"] == 0
    assert closed["spectator"] == sealed
    assert 0 < closed["seat:0"] < sealed
