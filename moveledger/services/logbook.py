"""A game as a readable log: seq, time, who acted, and what happened in words, one line a note."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from moveledger.audit.event import HOUSE, REFEREE_SEAT
from moveledger.rules.kernel import Term
from moveledger.rules.registry import load_terms
from moveledger.services.access import observer_name
from moveledger.services.notes import say_argument, words_about
from moveledger.services.reading import Look

REWOUND = "~"
"""Stands before the lines of events that a rewind has taken back."""


def write_logbook(look: Look, frames: Iterable[Mapping[str, Any]], language: str) -> Iterator[str]:
    """The lines of a log in `language`, each with its line feed: a title, then the notes of each frame."""
    ruleset_id = look.game.ruleset.id
    title = f"{load_terms(ruleset_id)['names'][language]} ({ruleset_id}) · {look.facts.game_id}"
    yield _line(f"{title} · {observer_name(look.observer)}")
    for frame in frames:
        yield from map(_line, _entry(frame, ruleset_id, language))


def _entry(frame: Mapping[str, Any], ruleset_id: str, language: str) -> Iterator[str]:
    event, mark = frame["event"], " " if frame["rewound_by"] is None else REWOUND
    moment = event["recorded_at"][:19].replace("T", " ")
    start = f"{mark}{frame['seq']:>5}  {moment}  {_actor(event['seat'], ruleset_id, language):<16}"
    for note in frame["notes"]:
        yield f"{start}  {note['text']}"
        start = mark + " " * (len(start) - 1)


def _actor(seat: int, ruleset_id: str, language: str) -> str:
    path = {HOUSE: "actor.house", REFEREE_SEAT: "actor.referee"}.get(seat, f"seat.{seat}")
    return say_argument(Term(path), words_about(ruleset_id), language)


def _line(text: str) -> str:
    """A line in which people have a say: what could steer a terminal, or begin a new line, as an escape."""
    shown = "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in text)
    return f"{shown.rstrip()}\n"
