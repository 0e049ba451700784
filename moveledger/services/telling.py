"""What an event says to people: the notes on it, of its ruleset and of the service."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from moveledger.audit.event import Event
from moveledger.audit.game import Game
from moveledger.rules.encoding import decode_action
from moveledger.rules.kernel import Draw, Input, Leave, Move, Note, NoteArgument, Observer, Seat, Term
from moveledger.rules.registry import load_terms
from moveledger.services.notes import PREFIX, say_note, words_about


def tell_event(
    before: Game | None, event: Event, after: Game, observer: Observer, *, language: str, rewound_by: int | None
) -> list[dict[str, Any]]:
    """The notes on an event whose body is open here, as an observer may read them: `{key, arguments, text}` each."""
    ruleset, words = after.ruleset, words_about(after.ruleset.id)
    given = input_of(before, event)
    notes: list[Note] = []
    if before is not None and given is not None:
        notes = list(ruleset.describe(before.state, given, after.state, observer))
    told = [say_note(note, load_terms(ruleset.id), language) for note in notes]
    own = [*(() if told else notes_on(event, words)), *_rewound(rewound_by)]
    return told + [say_note(note, words, language) for note in own]


def input_of(before: Game | None, event: Event) -> Input | None:
    """The input of the rules that an event is; None for events that are none."""
    body = event.body
    if before is None or body is None:
        return None
    match event.type:
        case "moved":
            return Move(Seat(event.seat), decode_action(before.ruleset, body["action"]))
        case "drawn":
            return Draw(tuple(body["values"]))
        case "left":
            return Leave(Seat(event.seat), body["cause"])
        case _:
            return None


def notes_on(event: Event, words: Mapping[str, Any]) -> Iterator[Note]:
    """The service's own notes on an event; of a move or a draw, whose body may be sealed, no more than that it was made."""
    body = event.body or {}
    match event.type:
        case "opened":
            yield from _opened(body)
        case "seated" if body.get("public_key"):
            yield _note("seated_signing", seat=_seat(event.seat))
        case "left":
            yield _note("left", seat=_seat(event.seat), cause=Term(f"cause.{body['cause']}"))
        case "ruled":
            yield from _ruled(body)
        case "finished":
            yield from _finished(body["outcome"], words)
        case "aborted":
            yield _note("aborted", reason=_reason(body["reason"], words))
        case "started" | "drawn" | "timed":
            yield _note(event.type)
        case _:
            yield _note(event.type, seat=_seat(event.seat))


def _opened(body: Mapping[str, Any]) -> Iterator[Note]:
    yield _note("opened", ruleset=Term(f"ruleset.{body['ruleset']}"), seats=body["seats"])
    parent = body.get("parent")
    if parent is not None:
        yield _note("forked", parent=parent["game_id"], seq=parent["seq"])
    if body.get("entropy") == "required":
        yield _note("entropy_required")


def _ruled(body: Mapping[str, Any]) -> Iterator[Note]:
    facts: dict[str, NoteArgument] = {"reason": body["reason"]}
    if "seat" in body:
        facts["seat"] = _seat(body["seat"])
    if "to" in body:
        facts["to"] = body["to"]
    yield _note(f"ruled_{body['ruling']}", **facts)
    if body.get("redraw"):
        yield _note("redrawn")


def _finished(outcome: Mapping[str, Any], words: Mapping[str, Any]) -> Iterator[Note]:
    yield _note("finished", reason=_reason(outcome["reason"], words))
    for seat, (place, score) in enumerate(zip(outcome["placings"], outcome["scores"], strict=True)):
        yield _note("placed", seat=_seat(seat), place=place, score=score)


def _rewound(by: int | None) -> Iterator[Note]:
    if by is not None:
        yield _note("rewound", seq=by)


def _note(key: str, **arguments: NoteArgument) -> Note:
    return Note(PREFIX + key, arguments)


def _seat(seat: int) -> Term:
    return Term(f"seat.{seat}")


def _reason(reason: str, words: Mapping[str, Any]) -> NoteArgument:
    """A stable word as a term where there are words for it, else as it is."""
    return Term(f"reason.{reason}") if reason in words["terms"]["reason"] else reason
