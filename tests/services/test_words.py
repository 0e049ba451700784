"""The service's own words: every event and every ruling can be told in every language."""

from __future__ import annotations

import re
from typing import Any

import pytest

from moveledger.audit.event import NIL, TYPES, ZERO_HASH, Event
from moveledger.rules.registry import LANGUAGES, load_rulesets, load_terms
from moveledger.schemas.requests import RULING_MEMBERS
from moveledger.services.notes import PREFIX, load_words, say_note, words_about
from moveledger.services.telling import notes_on

WORDS = load_words()
RULINGS: dict[str, dict[str, Any]] = {
    "abort": {},
    "remove_seat": {"seat": 1},
    "rewind": {"to": 7, "redraw": True},
    "adjudicate": {"outcome": {"placings": [1, 2], "scores": [0, 0], "reason": "adjudicated"}},
    "annul": {},
}
BODIES: dict[str, dict[str, Any]] = {
    "opened": {
        "ruleset": "shangrila@1",
        "seats": 3,
        "entropy": "required",
        "parent": {"game_id": str(NIL), "seq": 7, "hash": "00"},
    },
    "seated": {"player": "somebody", "public_key": "00"},
    "left": {"cause": "resigned"},
    "finished": {"outcome": {"placings": [1, 2, 2], "scores": [9, 3, 3], "reason": "two_open"}},
    "aborted": {"reason": "draws-exhausted"},
}


def event(type_: str, body: dict[str, Any], seat: int = 1) -> Event:
    """An event of which only type, seat and body matter."""
    return Event(
        NIL, 9, type_, 1, seat, NIL, "", 0, ZERO_HASH, ZERO_HASH, ZERO_HASH, sealed=False, salt=None, body=body
    )


def told(type_: str, body: dict[str, Any], language: str) -> list[dict[str, Any]]:
    """The service's notes on such an event, in words."""
    words = words_about("shangrila@1")
    return [say_note(note, words, language) for note in notes_on(event(type_, body), words)]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("type_", [name for name in TYPES if name != "ruled"])
def test_every_type_of_event_has_words_in_every_language(type_: str, language: str) -> None:
    notes = told(type_, BODIES.get(type_, {}), language)
    assert notes
    assert all(note["key"].startswith(PREFIX) and note["text"] for note in notes)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("ruling", RULING_MEMBERS)
def test_every_ruling_has_words_in_every_language_and_says_its_reason(ruling: str, language: str) -> None:
    notes = told("ruled", {"ruling": ruling, "reason": "a {cat} on the board", **RULINGS[ruling]}, language)
    assert notes[0]["text"].endswith(": a {cat} on the board")
    assert notes[0]["arguments"]["reason"] == "a {cat} on the board"


def test_all_texts_are_there_in_every_language_and_have_the_same_arguments() -> None:
    for group in (
        *WORDS["notes"].values(),
        *(term for key in ("actor", "cause", "reason") for term in WORDS["terms"][key].values()),
    ):
        assert tuple(group) == LANGUAGES
        assert len({tuple(sorted(re.findall(r"{(\w+)}", text))) for text in group.values()}) == 1


def test_a_plain_seat_is_told_apart_too() -> None:
    assert event("seated", {"player": "somebody"}).body
    assert [note["key"] for note in told("seated", {"player": "somebody"}, "en")] == ["game.seated"]


def test_an_end_is_told_with_its_reason_and_its_placings() -> None:
    texts = [note["text"] for note in told("finished", BODIES["finished"], "de")]
    assert texts == [
        "Die Partie ist zu Ende (zwei Dörfer sind ohne Stein).",
        "Rot: Rang 1, Punkte 9.",
        "Blau: Rang 2, Punkte 3.",
        "Gelb: Rang 2, Punkte 3.",
    ]


def test_a_reason_without_words_is_told_as_it_is() -> None:
    assert told("aborted", {"reason": "flood"}, "en")[0]["text"] == "The game is aborted (flood)."


def test_no_ruleset_has_a_key_that_looks_like_the_service_s() -> None:
    for ruleset_id in load_rulesets():
        assert not [key for key in load_terms(ruleset_id)["notes"] if key.startswith(PREFIX)]
