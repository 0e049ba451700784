"""Leaks in events, in records and in replays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from moveledger.api import reading as views
from moveledger.audit.event import Event
from moveledger.rules.encoding import canonical
from moveledger.rules.kernel import REFEREE, Input, Observer
from moveledger.services import reading, showing
from moveledger.services.reading import Look
from tests.sight.leaks.table import Patch, leak, wrap, wrap_rules

# --- events --------------------------------------------------------------------------------------------


@leak("bodies of closed events", "audit.event: may_see", "events")
def _(patch: Patch) -> None:
    patch.setattr(showing, "may_see", lambda *_, **__: True)


def tell_beside(patch: Patch, told: Callable[[Event], Mapping[str, Any]]) -> None:
    """Show more of closed events."""

    def leaky(event_json: Any, event: Event, *, is_open: bool) -> Any:
        return {**event_json(event, is_open=is_open), **({} if is_open else told(event))}

    wrap(patch, showing, "event_json", leaky)


@leak("salts of closed events", "audit.event: event_json", "events")
def _(patch: Patch) -> None:
    tell_beside(patch, lambda event: {"salt": event.salt.hex() if event.salt else None})


@leak("for whom an event is sealed", "audit.event: event_json", "events")
def _(patch: Patch) -> None:
    tell_beside(patch, lambda event: {"sealed_for": sorted(event.sealed_for or ())})


@leak("a length: the size of a closed body without its padding", "audit.event: event_json", "events", "santiiba")
def _(patch: Patch) -> None:
    tell_beside(patch, lambda event: {"size": len(canonical(event.body))})


@leak("a number: some closed events are left out", "services.reading: stream_events", "events", "santiiba")
def _(patch: Patch) -> None:
    def leaky(stream_events: Any, tools: Any, look: Look, **how: Any) -> Iterator[Any]:
        known = stream_events(tools, replace(look, observer=REFEREE), **how)
        for shown, event in zip(stream_events(tools, look, **how), known, strict=True):
            if shown["body"] is not None or event["body"]["action"]["kind"] > "c":
                yield shown

    wrap(patch, reading, "stream_events", leaky)


@leak("bodies where events come as lines", "services.reading: stream_events", "events NDJSON")
def _(patch: Patch) -> None:
    def leaky(stream_events: Any, tools: Any, look: Look, *, after: int = 0, upto: int | None = None) -> Any:
        seen = replace(look, observer=REFEREE) if upto is None else look
        return stream_events(tools, seen, after=after, upto=upto)

    wrap(patch, reading, "stream_events", leaky)


# --- records -------------------------------------------------------------------------------------------


@leak("a record as the referee's", "services.reading: export_record", "export")
def _(patch: Patch) -> None:
    def leaky(export_record: Any, tools: Any, look: Look) -> Any:
        return export_record(tools, replace(look, observer=REFEREE))

    wrap(patch, reading, "export_record", leaky)


# --- replays -------------------------------------------------------------------------------------------


def told_to_referee(describe: Any, before: Any, given: Input, after: Any, _: Observer) -> Any:
    """The notes that are for the referee."""
    return describe(before, given, after, REFEREE)


@leak("a prediction in a note", "santiiba: describe", "replay en", "santiiba")
def _(patch: Patch) -> None:
    wrap_rules(patch, "santiiba", "describe", told_to_referee)


@leak("a rumour's value in a note", "desertsons: describe", "replay de", "desertsons")
def _(patch: Patch) -> None:
    wrap_rules(patch, "desertsons", "describe", told_to_referee)


@leak("notes for the referee in one language", "services.reading: stream_frames", "replay fr")
def _(patch: Patch) -> None:
    def leaky(stream_frames: Any, tools: Any, look: Look, *, language: str, **how: Any) -> Iterator[Any]:
        frames = stream_frames(tools, look, language=language, **how)
        known = stream_frames(tools, replace(look, observer=REFEREE), language=language, **how)
        for frame, told in zip(frames, known, strict=True):
            yield {**frame, "notes": told["notes"]} if language == "fr" else frame

    wrap(patch, reading, "stream_frames", leaky)


@leak("views for the referee in frames", "services.reading: stream_frames", "replay nl")
def _(patch: Patch) -> None:
    def leaky(stream_frames: Any, tools: Any, look: Look, **how: Any) -> Any:
        return stream_frames(tools, replace(look, observer=REFEREE), **how)

    wrap(patch, reading, "stream_frames", leaky)


@leak("a line in a log for people", "api.reading: replay_game", "replay text")
def _(patch: Patch) -> None:
    def leaky(write_logbook: Any, look: Look, *read: Any) -> Iterator[str]:
        yield from write_logbook(look, *read)
        yield f"The target is {look.game.state.target}.\n"

    wrap(patch, views, "write_logbook", leaky)
