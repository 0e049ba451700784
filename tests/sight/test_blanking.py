"""Blanking takes what differs between any two games, keeps every length, and takes nothing else."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from moveledger.audit.event import Event, event_json
from tests.sight.blanking import Names, blank_body

GAME = "01a22d7b-6968-72be-87ea-2208a22d64b1"
NAMES = Names.of(GAME, seats=2, external_ref="table 1")
EVENT = Event(
    game_id=UUID(GAME),
    seq=7,
    type="drawn",
    schema=1,
    seat=-1,
    client=UUID(int=0),
    request_id="move-3",
    recorded_us=1_796_000_000_000_000,
    prev_hash=bytes([1] * 32),
    commitment=bytes([2] * 32),
    hash=bytes([3] * 32),
    sealed=True,
    salt=bytes([4] * 32),
    body={"index": 2, "request": "pick:1/5", "values": [4], "secret": "5" * 64, "path": ["6" * 64, "7" * 64]},
)


def blanked(value: Any, **writing: Any) -> str:
    """A value as the service writes it, blanked; as long as it was."""
    text = json.dumps(value, **(writing or {"separators": (",", ":")}))
    found = blank_body(text.encode(), NAMES)
    assert len(found) == len(text)
    return found


def hashes_left(text: str) -> list[int]:
    """Which of the event's 32-byte values still stand in a text, by their first digit; those of the body by its own."""
    return [digit for digit in range(1, 8) if (f"0{digit}" if digit < 5 else str(digit)) * 16 in text]


@pytest.mark.parametrize("writing", [{"separators": (",", ":")}, {}, {"sort_keys": False, "separators": (", ", ": ")}])
def test_an_open_event_keeps_what_happened_and_loses_what_any_two_games_differ_in(writing: dict[str, Any]) -> None:
    text = blanked({"data": [event_json(EVENT, is_open=True)]}, **writing)
    assert hashes_left(text) == []
    assert GAME not in text
    assert "1796000000000000" not in text
    assert '"values":[4]' in text.replace(" ", "")
    assert '"request_id":"move-3"' in text.replace(" ", "")


def test_a_body_that_was_read_again_is_blanked_too() -> None:
    assert (
        hashes_left(blanked(event_json(replace(EVENT, body=dict(sorted((EVENT.body or {}).items()))), is_open=True)))
        == []
    )


def test_a_closed_event_loses_its_hashes_and_commitment() -> None:
    assert hashes_left(blanked(event_json(EVENT, is_open=False))) == []


@pytest.mark.parametrize(
    ("more", "left"),
    [
        ({"salt": "04" * 32}, 4),
        ({"body": {"secret": "5" * 64}}, 5),
        ({"sealed_for": [0]}, 3),
        ({"hint": "7" * 64}, 7),
    ],
)
def test_what_does_not_belong_into_a_closed_event_stays(more: dict[str, Any], left: int) -> None:
    assert left in hashes_left(blanked({**event_json(EVENT, is_open=False), **more}))


@pytest.mark.parametrize("value", ["7" * 64, {"state_hash": "7" * 64}, {"hash": "7" * 64}, {"secret": "7" * 64}])
def test_a_hash_anywhere_else_stays(value: Any) -> None:
    assert hashes_left(blanked({"view": value})) == [7]


def test_the_names_of_a_game_are_blanked_in_any_text() -> None:
    assert NAMES.blank(f'"{GAME}-17-seat0"') == '"~~~~~~~~~~~~~~~~game~~~~~~~~~~~~~~~~-17-seat0"'
    other = GAME.replace("b1", "b2")
    assert NAMES.blank(other) == other
