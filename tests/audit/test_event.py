"""The bytes of an event: the vectors of `docs/formats.md`, and its JSON read back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from moveledger.audit.event import (
    NIL,
    Event,
    commitment,
    commitment_holds,
    event_hash,
    event_json,
    may_see,
    read_event,
    recorded_at,
)
from moveledger.errors import MalformedValue
from moveledger.rules.encoding import canonical
from moveledger.rules.kernel import REFEREE, SPECTATOR, Observer, Seat

BODY = {"action": {"type": "predict", "kind": "herbs"}}
EVENT = Event(
    game_id=UUID("00010203-0405-7607-8809-0a0b0c0d0e0f"),
    seq=9,
    type="moved",
    schema=1,
    seat=2,
    client=NIL,
    request_id="r",
    recorded_us=1_796_000_000_000_000,
    prev_hash=b"\x11" * 32,
    commitment=bytes.fromhex("4a33e0aa3774ab5f5f5216bab7975dd6bf98c462639dfee3310ee27037270ade"),
    hash=bytes.fromhex("590e4963388bb8642baa59259c888b36603009f1e2eec67262e0c8b663237fda"),
    sealed=True,
    salt=b"\x03" * 32,
    body=BODY,
    sealed_for=frozenset({2}),
)


def test_the_canonical_body_is_that_of_the_vector() -> None:
    assert canonical(BODY) == b'{"action":{"kind":"herbs","type":"predict"}}'


def test_the_commitment_is_that_of_the_vector() -> None:
    assert commitment(b"\x03" * 32, canonical(BODY)) == EVENT.commitment
    assert commitment_holds(EVENT)


def test_the_hash_is_that_of_the_vector() -> None:
    assert event_hash(EVENT) == EVENT.hash


@pytest.mark.parametrize(
    "change",
    [
        {"game_id": UUID(int=1)},
        {"seq": 10},
        {"type": "drawn"},
        {"schema": 2},
        {"seat": -1},
        {"client": UUID(int=1)},
        {"recorded_us": 1},
        {"prev_hash": bytes(32)},
        {"commitment": bytes(32)},
    ],
)
def test_the_hash_covers_every_member_of_the_header(change: dict[str, Any]) -> None:
    assert event_hash(replace(EVENT, **change)) != EVENT.hash


@pytest.mark.parametrize("change", [{"salt": bytes(32)}, {"body": {}}, {"salt": None, "body": None}])
def test_another_salt_or_body_is_not_what_was_committed_to(change: dict[str, Any]) -> None:
    assert not commitment_holds(replace(EVENT, **change))


def test_an_event_comes_back_from_its_json() -> None:
    assert read_event(event_json(EVENT, is_open=True)) == replace(EVENT, sealed_for=None)


def test_a_closed_event_keeps_its_commitment_and_loses_salt_and_body() -> None:
    closed = read_event(event_json(EVENT, is_open=False))
    assert closed == replace(EVENT, sealed_for=None, salt=None, body=None)
    assert closed.sealed


def test_a_sealed_body_is_for_its_seats_the_referee_and_everybody_afterwards() -> None:
    observers = [SPECTATOR, REFEREE, Observer(Seat(2)), Observer(Seat(1))]
    assert [may_see(EVENT, observer, over=False) for observer in observers] == [False, True, True, False]
    assert all(may_see(EVENT, observer, over=True) for observer in observers)
    assert may_see(replace(EVENT, sealed_for=None), SPECTATOR, over=False)


def test_times_are_written_with_all_microseconds() -> None:
    assert recorded_at(0) == "1970-01-01T00:00:00.000000Z"
    assert recorded_at(1_796_000_000_000_001) == "2026-11-30T00:53:20.000001Z"


def _without(name: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda value: {key: member for key, member in value.items() if key != name}


def _with(**members: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda value: {**value, **members}


@pytest.mark.parametrize(
    "change",
    [
        *(_without(name) for name in event_json(EVENT, is_open=True)),
        lambda value: [value],
        lambda _: None,
        _with(more=1),
        _with(type="dreamt"),
        _with(type=[]),
        _with(seq=True),
        _with(seq="9"),
        _with(seq=2**63),
        _with(seat=-(2**15) - 1),
        _with(schema=2**15),
        _with(game_id="00010203-0405-7607-8809-0A0B0C0D0E0F"),
        _with(game_id="{00010203-0405-7607-8809-0a0b0c0d0e0f}"),
        _with(game_id=5),
        _with(client=None),
        _with(request_id=5),
        _with(sealed=1),
        _with(hash="00"),
        _with(hash="0" * 63 + "G"),
        _with(hash="0" * 64 + "\n"),
        _with(salt=None),
        _with(body=None),
        _with(body=[]),
        _with(recorded_us=-1),
        _with(recorded_us=2**62),
        _with(recorded_at="2026-11-30T00:53:20Z"),
        _with(recorded_us=1_796_000_000_000_001),
    ],
)
def test_what_is_not_exactly_an_event_is_refused(change: Callable[[Any], Any]) -> None:
    with pytest.raises(MalformedValue):
        read_event(change(event_json(EVENT, is_open=True)))
