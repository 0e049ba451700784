"""A record as a file: what is written is read again, and a damaged file is told by line."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from typing import Any

import pytest
from closed_hands import RULESET

from moveledger.audit.event import event_json
from moveledger.audit.lines import MAX_LINE
from moveledger.audit.record import FORMAT, NotARecord, RecordFault, RecordReader, write_record
from tests.audit.logs import House, with_digest

HOUSE = House(RULESET, seats=2).play()
RECORD = HOUSE.record()
LINES = RECORD.splitlines(keepends=True)
LAST_LINE = len(LINES)


def read(record: bytes) -> RecordReader:
    reader = RecordReader(BytesIO(record))
    list(reader.events())
    return reader


def header_with(**members: Any) -> bytes:
    return json.dumps({**json.loads(LINES[0]), **members}).encode() + b"\n"


def test_what_is_written_is_read_again() -> None:
    reader = RecordReader(BytesIO(RECORD))
    assert list(reader.events()) == [replace(event, sealed_for=None) for event in HOUSE.events]
    assert (reader.header.game_id, reader.header.ruleset) == (HOUSE.game_id, "closed_hands@1")
    assert (reader.header.version, reader.header.head_hash) == (len(HOUSE.events), HOUSE.events[-1].hash)
    assert reader.header.reader == "spectator"


def test_the_first_line_has_the_members_of_the_format_in_their_order() -> None:
    assert list(json.loads(LINES[0])) == ["record", "game_id", "ruleset", "version", "head_hash", "exported_at", "as"]
    assert json.loads(LINES[0])["record"] == FORMAT


def test_the_same_facts_give_the_same_bytes() -> None:
    header = RecordReader(BytesIO(RECORD)).header
    assert b"".join(write_record(header, [event_json(event, is_open=True) for event in HOUSE.events])) == RECORD


def test_a_record_is_written_line_by_line() -> None:
    header = RecordReader(BytesIO(RECORD)).header
    lines = write_record(header, (event_json(event, is_open=True) for event in HOUSE.events))
    assert [next(lines), next(lines)] == LINES[:2]


def test_proofs_and_checkpoints_stand_between_the_events_and_the_last_line() -> None:
    header = RecordReader(BytesIO(RECORD)).header
    events = [event_json(event, is_open=True) for event in HOUSE.events]
    record = b"".join(write_record(header, events, proofs=[{"leaf_index": 3}], checkpoints=["log\n3\n"]))
    reader = read(record)
    assert (reader.proofs, reader.checkpoints) == ([{"leaf_index": 3}], ["log\n3\n"])


def test_a_space_after_the_colon_of_the_last_line_is_no_fault() -> None:
    read(with_digest(LINES[:-1]))


@pytest.mark.parametrize(
    "record",
    [
        b"",
        b"\n",
        b"[]\n",
        b"{}\n",
        b'"moveledger/1"\n',
        b"not json\n",
        b"\xff\xfe\n",
        b"\x00" * 100,
        b" " * (MAX_LINE + 5),
        b"[" * 100_000 + b"\n",
        LINES[0][:-1],
        RECORD.replace(b"moveledger/1", b"moveledger/2"),
        b"".join(LINES[1:]),
    ],
    ids=lambda record: repr(record[:20]),
)
def test_a_file_that_does_not_begin_as_a_record_is_none(record: bytes) -> None:
    with pytest.raises(NotARecord):
        RecordReader(BytesIO(record))


@pytest.mark.parametrize(
    "members",
    [
        {"more": 1},
        {"game_id": "x"},
        {"game_id": None},
        {"ruleset": 5},
        {"ruleset": "x" * 101},
        {"version": 0},
        {"version": True},
        {"version": "9"},
        {"head_hash": "00"},
        {"exported_at": "yesterday"},
        {"exported_at": 5},
        {"as": "seat:x"},
        {"as": "seat:01"},
        {"as": None},
    ],
    ids=repr,
)
def test_a_first_line_of_other_shape_is_a_fault_in_line_1(members: dict[str, Any]) -> None:
    with pytest.raises(RecordFault, match="line 1:"):
        RecordReader(BytesIO(header_with(**members) + b"".join(LINES[1:])))


def damaged(line: int, change: Callable[[bytes], bytes]) -> bytes:
    return with_digest([*LINES[: line - 1], change(LINES[line - 1]), *LINES[line:-1]])


@pytest.mark.parametrize(
    "change",
    [
        lambda _: b"\n",
        lambda _: b"{}\n",
        lambda _: b"null\n",
        lambda line: b"\xff" + line,
        lambda line: line[:-2] + b"\n",
        lambda line: line.replace(b'"seq":', b'"seq":1,"seq":'),
        lambda line: line.replace(b'"schema":1', b'"schema":1.0'),
        lambda line: line.replace(b'"schema":1', b'"schema":NaN'),
        lambda line: line.replace(b'"body":', b'"corpse":'),
        lambda line: line.replace(b'"request_id":"', b'"request_id":"\\ud800'),
        lambda line: line.replace(b'"body":', b'"body":' + b"[" * 50_000),
        lambda line: line[:-1] + b" " * MAX_LINE + b"\n",
        lambda _: b'{"proof":1}\n',
        lambda _: LINES[-1],
    ],
)
def test_a_line_that_is_no_event_is_told_by_its_number(change: Callable[[bytes], bytes]) -> None:
    with pytest.raises(RecordFault, match=r"line (5|6):"):
        read(damaged(5, change))


def test_a_record_cut_off_at_any_byte_is_refused() -> None:
    for at in [*range(0, len(RECORD), 97), *range(len(RECORD) - 90, len(RECORD))]:
        with pytest.raises((NotARecord, RecordFault)):
            read(RECORD[:at])


def test_a_record_without_its_last_line_says_so() -> None:
    with pytest.raises(RecordFault, match="ends before its last line"):
        read(b"".join(LINES[:-1]))


@pytest.mark.parametrize("more", [b"\n", b" ", b"{}\n", LINES[-1], LINES[1]])
def test_nothing_follows_the_last_line(more: bytes) -> None:
    with pytest.raises(RecordFault):
        read(RECORD + more)


def test_a_line_after_the_proofs_is_not_an_event() -> None:
    record = with_digest([*LINES[:3], b'{"proof":1}\n', *LINES[3:-1]])
    with pytest.raises(RecordFault, match="line 5: only proofs and checkpoints"):
        read(record)


@pytest.mark.parametrize("last", [b'{"sha256":"00"}\n', b'{"sha256": null}\n', b'{"sha256":\n', b'{"sha256"\n'])
def test_a_last_line_that_is_not_the_digest_is_refused(last: bytes) -> None:
    with pytest.raises(RecordFault, match=f"line {LAST_LINE}: the last line is not"):
        read(b"".join(LINES[:-1]) + last)


def test_a_record_beyond_the_greatest_length_is_not_read_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("moveledger.audit.record.MAX_RECORD", len(RECORD) - 1)
    with pytest.raises(RecordFault, match="longer than"):
        read(RECORD)
