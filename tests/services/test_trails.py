"""The trail of a game: every event without its body, filtered, in pages, as CSV; looks; and the trail of refusals."""

from __future__ import annotations

import csv
import io
import time
from dataclasses import replace
from itertools import product
from typing import Any
from uuid import UUID, uuid4

import pytest
from psycopg.errors import ObjectNotInPrerequisiteState

from moveledger.audit.event import Event
from moveledger.errors import ScopeMissing, Unauthenticated
from moveledger.rules.kernel import REFEREE, SPECTATOR, Observer, Seat
from moveledger.services.access import SCOPES
from moveledger.services.callers import Anonymous, Caller
from moveledger.services.reading import list_legal_moves
from moveledger.services.rulings import Abort, Adjudicate, RemoveSeat, Rewind
from moveledger.services.trails import (
    COLUMNS,
    Asked,
    note_look,
    note_refusal,
    read_looks,
    read_security_trail,
    read_trail,
    trail_as_csv,
)
from moveledger.store.trails import TrailFilter
from tests.house import House
from tests.playing import CLOSED_HANDS, SHANGRILA
from tests.services.refereed import RefereedTable, refereed
from tests.store.drafts import connected


@pytest.fixture(scope="module")
def table(session_house: House) -> RefereedTable:
    """A game with something of everything: moves, draws, a departure, rulings, its end."""
    table = refereed(session_house, CLOSED_HANDS, 4, options={"rounds": 4})
    for _ in range(2):
        to = table.act(3).choices()[-1]
        table.rule(Rewind(to, redraw=True), "=1+1 is not a sum")
    table.resign(1)
    table.rule(RemoveSeat(2), 'asleep, she said, "and so" he was')
    table.act(3).rule(Adjudicate((1, 2, 3, 3), None))
    return table


def entries(table: RefereedTable, wanted: TrailFilter | None = None, *, limit: int = 500) -> list[dict[str, Any]]:
    """All pages of the trail."""
    found: list[dict[str, Any]] = []
    after: int | None = 0
    while after is not None:
        page, after = read_trail(
            table.tools, table.facts, table.game, wanted or TrailFilter(), after=after, limit=limit
        )
        assert len(page) == limit or after is None
        found += page
    return found


def seqs(found: list[dict[str, Any]]) -> list[int]:
    """Which events a trail tells of."""
    return [entry["seq"] for entry in found]


# --- of a game ---------------------------------------------------------------------------------------------


def test_the_trail_has_an_entry_for_each_event(table: RefereedTable) -> None:
    for event, entry in zip(table.events, entries(table), strict=True):
        assert (entry["seq"], entry["type"], entry["seat"]) == (event.seq, event.type, event.seat)
        assert (entry["client"], entry["request_id"]) == (str(event.client), event.request_id)
        assert (entry["hash"], entry["prev_hash"]) == (event.hash.hex(), event.prev_hash.hex())
        assert (entry["commitment"], entry["sealed"]) == (event.commitment.hex(), event.sealed)
        assert not {"body", "salt"} & entry.keys()


def test_rulings_are_told_with_what_was_ruled_and_why(table: RefereedTable) -> None:
    told = [(entry["ruling"], entry["reason"]) for entry in entries(table) if entry["type"] == "ruled"]
    assert [ruling for ruling, _ in told] == ["rewind", "rewind", "remove_seat", "adjudicate"]
    assert told[0][1] == "=1+1 is not a sum"
    assert {(entry["ruling"], entry["reason"]) for entry in entries(table) if entry["type"] != "ruled"} == {
        (None, None)
    }


def test_an_end_without_an_outcome_is_told_with_its_reason(house: House) -> None:
    aborted = refereed(house)
    aborted.rule(Abort(), "a storm")
    assert [(entry["type"], entry["ruling"], entry["reason"]) for entry in entries(aborted)[-2:]] == [
        ("ruled", "abort", "a storm"),
        ("aborted", None, "ruling"),
    ]


@pytest.mark.parametrize("limit", [1, 2, 7])
def test_pages_of_any_size_make_up_the_trail(table: RefereedTable, limit: int) -> None:
    assert entries(table, limit=limit) == entries(table)


def test_every_filter_finds_what_it_says_and_nothing_else(table: RefereedTable) -> None:
    log = table.events
    middle = log[len(log) // 2].recorded_us
    wanted = [
        TrailFilter(seat=seat, type=type_, client=client, since_us=since, until_us=until)
        for seat, type_, client, (since, until) in product(
            (None, -2, -1, 0, 3),
            (None, "moved", "drawn", "ruled", "left", "timed"),
            (None, table.caller.client, table.referee.client, UUID(int=0), uuid4()),
            ((None, None), (middle, None), (None, middle), (middle, middle + 1), (0, 0)),
        )
    ]
    assert len(wanted) > 700
    for one in wanted[::7]:
        assert seqs(entries(table, one)) == [event.seq for event in log if fits(event, one)], one
    assert any(seqs(entries(table, TrailFilter(client=key.client))) for key in (table.caller, table.referee))


def fits(event: Event, wanted: TrailFilter) -> bool:
    """Whether a filter asks for an event."""
    return (
        wanted.seat in (None, event.seat)
        and wanted.type in (None, event.type)
        and wanted.client in (None, event.client)
        and (wanted.since_us is None or event.recorded_us >= wanted.since_us)
        and (wanted.until_us is None or event.recorded_us < wanted.until_us)
    )


def test_the_csv_says_what_the_json_says(table: RefereedTable) -> None:
    for wanted in (TrailFilter(), TrailFilter(type="ruled"), TrailFilter(seat=0), TrailFilter(client=uuid4())):
        text = b"".join(trail_as_csv(table.tools, table.facts, table.game, wanted)).decode()
        header, *rows = list(csv.reader(io.StringIO(text, newline="")))
        assert header == list(COLUMNS)
        assert [{name: cell.removeprefix("'") for name, cell in zip(header, row, strict=True)} for row in rows] == [
            {name: as_cell(value) for name, value in entry.items()} for entry in entries(table, wanted)
        ]


def as_cell(value: Any) -> str:
    """How CSV writes what JSON says."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def test_no_reason_becomes_a_formula(table: RefereedTable) -> None:
    text = b"".join(trail_as_csv(table.tools, table.facts, table.game, TrailFilter(type="ruled"))).decode()
    assert ",'=1+1 is not a sum," in text
    assert ",=1+1" not in text


# --- looks -------------------------------------------------------------------------------------------------


def looks_left(table: RefereedTable, caller: Caller, observer: Observer) -> list[tuple[str, str, int]]:
    """Observer, client and version of what a look leaves in the trail."""
    before, _ = read_looks(table.tools, table.game_id, after=0, limit=100)
    asked = Asked("state", "request-7")
    note_look(table.tools, caller, asked, facts=table.facts, game=table.game, observer=observer)
    after, _ = read_looks(table.tools, table.game_id, after=0, limit=100)
    assert after[: len(before)] == before
    for look in after[len(before) :]:
        assert (look["what"], look["request_id"]) == ("state", "request-7")
    return [(look["observer"], look["client"], look["version"]) for look in after[len(before) :]]


def test_a_look_with_more_than_a_players_rights_is_kept_with_whose_it_was_and_when(house: House) -> None:
    running = refereed(house, CLOSED_HANDS, 3).act(1)
    version = running.game.version
    admin, referee = house.key("admin"), house.key("games:referee")
    for caller, observer, name in [
        (referee, REFEREE, "referee"),
        (admin, REFEREE, "referee"),
        (running.caller, REFEREE, "referee"),
        (referee, Observer(Seat(1)), "seat:1"),
        (admin, Observer(Seat(2)), "seat:2"),
    ]:
        assert looks_left(running, caller, observer) == [(name, str(caller.client), version)]


def test_a_referee_s_look_at_the_choices_of_a_seat_is_kept(house: House) -> None:
    running, referee = refereed(house, CLOSED_HANDS, 3).act(1), house.key("games:referee")
    seat = min(running.game.awaited)
    asked = Asked("legal-moves", "request-of-a-referee")
    answer = list_legal_moves(house.tools, referee, running.game_id, asked, seat=seat, after=0, limit=1)
    assert answer["seat"] == seat
    look = read_looks(house.tools, running.game_id, after=0, limit=100)[0][-1]
    assert (look["observer"], look["what"], look["client"]) == (f"seat:{seat}", "legal-moves", str(referee.client))


def test_looks_of_those_who_play_and_of_spectators_are_not_kept(house: House) -> None:
    running = refereed(house, CLOSED_HANDS, 3).act(1)
    own: list[tuple[Caller, Observer]] = [
        (running.caller, Observer(Seat(0))),
        (house.seat(running.game_id, 1), Observer(Seat(1))),
        (house.seat(running.game_id, 1), SPECTATOR),
        (Anonymous(), SPECTATOR),
        (running.referee, SPECTATOR),
        (house.key("admin"), SPECTATOR),
    ]
    for caller, observer in own:
        assert looks_left(running, caller, observer) == []


def test_at_a_private_game_every_look_from_outside_is_kept(house: House) -> None:
    private = refereed(house, SHANGRILA, 3, visibility="private")
    assert looks_left(private, private.referee, SPECTATOR) != []
    assert looks_left(private, house.key("admin"), SPECTATOR) != []
    assert looks_left(private, private.caller, SPECTATOR) == []
    assert looks_left(private, house.seat(private.game_id, 0), SPECTATOR) == []


def test_when_a_game_is_over_nothing_in_it_is_hidden_and_no_look_is_kept(table: RefereedTable, house: House) -> None:
    for observer in (REFEREE, SPECTATOR, Observer(Seat(0))):
        assert looks_left(table, house.key("games:referee"), observer) == []


def test_looks_come_in_pages_oldest_first(house: House) -> None:
    running = refereed(house, CLOSED_HANDS, 2)
    for number in range(5):
        asked = Asked("state", f"request-{number}")
        note_look(house.tools, running.referee, asked, facts=running.facts, game=running.game, observer=REFEREE)
    found, after = [], 0
    for expected in (2, 2, 1):
        page, following = read_looks(house.tools, running.game_id, after=after, limit=2)
        assert len(page) == expected
        found += [look["request_id"] for look in page]
        after = following or 0
    assert (found, after) == ([f"request-{number}" for number in range(5)], 0)


# --- refusals ----------------------------------------------------------------------------------------------


def refused(house: House, caller: Caller | None, game_id: UUID, request_id: str, *, now_us: int | None = None) -> None:
    """A refusal that is kept."""
    facts = {
        "code": "scope-missing",
        "method": "POST",
        "route": "/v1/games/<game_id>/rulings",
        "game_id": game_id,
        "request_id": request_id,
    }
    clock = house.clock if now_us is None else lambda: now_us
    note_refusal(replace(house.tools, clock=clock), caller, facts)


def test_refusals_are_read_by_administrators_newest_first(house: House) -> None:
    game_id, admin, other = uuid4(), house.key("admin"), house.key()
    for number, caller in enumerate((other, None, Anonymous())):
        refused(house, caller, game_id, f"request-{number}")
    page, after = read_security_trail(house.tools, admin, game_id=game_id, before=None, limit=2)
    rest, end = read_security_trail(house.tools, admin, game_id=game_id, before=after, limit=2)
    assert [entry["request_id"] for entry in (*page, *rest)] == ["request-2", "request-1", "request-0"]
    assert [entry["client"] for entry in (*page, *rest)] == [None, None, str(other.client)]
    assert end is None
    assert read_security_trail(house.tools, admin, game_id=uuid4(), before=None, limit=9) == ([], None)


def test_nobody_else_reads_them(house: House) -> None:
    with pytest.raises(Unauthenticated):
        read_security_trail(house.tools, Anonymous(), game_id=None, before=None, limit=1)
    for scope in set(SCOPES) - {"admin"}:
        with pytest.raises(ScopeMissing):
            read_security_trail(house.tools, house.key(scope), game_id=None, before=None, limit=1)


@pytest.mark.parametrize("trail", ["ml.looks", "ml.security_trail"])
def test_what_is_kept_is_not_altered_by_anybody(house: House, shared_database: str, trail: str) -> None:
    running = refereed(house, CLOSED_HANDS, 2)
    looks_left(running, running.referee, REFEREE)
    refused(house, None, running.game_id, "request", now_us=time.time_ns() // 1000)
    with connected(shared_database) as owner:
        for statement in (f"UPDATE {trail} SET request_id = 'x'", f"DELETE FROM {trail}", f"TRUNCATE {trail}"):
            with pytest.raises(ObjectNotInPrerequisiteState, match="forbidden"):
                owner.execute(statement.encode())
