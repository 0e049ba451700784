"""Reading a game: its state at any point, legal moves, events, replay, trail and record."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from moveledger.audit.event import Event, EventJson, recorded_at
from moveledger.audit.game import Game, evolve
from moveledger.audit.record import RecordHeader, write_record
from moveledger.errors import InvalidInput
from moveledger.rules.encoding import encode
from moveledger.rules.kernel import SPECTATOR, Observer
from moveledger.services.access import deciding_seat, observer_name, observer_named
from moveledger.services.callers import Anonymous, Caller
from moveledger.services.entrance import find_visible_game
from moveledger.services.moves import require_awaited
from moveledger.services.proving import sealed_evidence
from moveledger.services.rewinds import rewound_events
from moveledger.services.showing import show_awaiting, show_event, show_outcome
from moveledger.services.standing import current_game, events_of, game_at, game_facts, recall_with
from moveledger.services.telling import tell_event
from moveledger.services.tools import GameFacts, Tools
from moveledger.services.trails import Asked, note_look

STRIDE = 200
"""How many events a long answer reads at a time."""


@dataclass(frozen=True, slots=True)
class Look:
    """A game as a caller looks at it."""

    facts: GameFacts
    game: Game
    observer: Observer

    @property
    def etag(self) -> str:
        """Made of game, version and observer: never of what the observer may not know."""
        return f"{self.facts.game_id}-{self.game.version}-{observer_name(self.observer).replace(':', '')}"

    @property
    def is_spectator(self) -> bool:
        """Whether the observer is nobody in particular."""
        return self.observer == SPECTATOR


def look_at(tools: Tools, caller: Caller, game_id: UUID, asked: Asked, as_name: str | None = None) -> Look:
    """A game now, as the observer that the caller may be; a look that needs a referee's rights goes into the trail.

    Raises `UnknownGame`, `NotYourSeat`, `ScopeMissing`.
    """
    facts = find_visible_game(tools, caller, game_id)
    game = current_game(tools, facts)
    look = Look(facts, game, observer_named(caller, facts, game, as_name))
    note_look(tools, caller, asked, facts=facts, game=game, observer=look.observer)
    return look


def cached_spectator_state(tools: Tools, caller: Caller, game_id: UUID) -> tuple[str, bytes] | None:
    """ETag and finished bytes of a spectator's state, if they are as new as the game: one round trip to Redis."""
    return tools.cache.spectator_view(game_id) if isinstance(caller, Anonymous) else None


def spectator_state(tools: Tools, facts: GameFacts, game: Game) -> tuple[str, bytes]:
    """ETag and bytes of what a spectator reads; kept for the next one unless the game is private."""
    look = Look(facts, game, SPECTATOR)
    body = json.dumps(show_state(look, game), separators=(",", ":"), ensure_ascii=False).encode()
    if facts.row.visibility != "private":
        tools.cache.put_spectator_view(facts.game_id, version=game.version, etag=look.etag, body=body)
    return look.etag, body


def state_at(tools: Tools, look: Look, at: int | None) -> dict[str, Any]:
    """The state now or after event `at`. Raises `UnknownVersion`."""
    game = look.game if at is None else game_at(tools, look.facts, at)
    return show_state(look, game)


def show_state(look: Look, game: Game) -> dict[str, Any]:
    """A standing of the game as its observer sees it. Earlier standings are shown as they were, even when the game is over."""
    return {
        "game_id": str(game.game_id),
        "version": game.version,
        "as": observer_name(look.observer),
        "status": game.status,
        "awaiting": show_awaiting(game),
        "view": game.ruleset.view(game.state, look.observer),
        "outcome": show_outcome(game),
    }


def list_legal_moves(
    tools: Tools, caller: Caller, game_id: UUID, asked: Asked, *, seat: int | None, after: int, limit: int
) -> dict[str, Any]:
    """A page of what an awaited seat may do. They tell of its hand: who is neither the seat nor the game's own key leaves a
    look in the trail. Raises what `deciding_seat` and `require_awaited` raise.
    """
    facts = find_visible_game(tools, caller, game_id)
    game = current_game(tools, facts)
    acts = deciding_seat(caller, facts, seat, game.seats)
    note_look(tools, caller, asked, facts=facts, game=game, observer=Observer(acts))
    require_awaited(game, acts)
    listed = itertools.islice(game.ruleset.legal(game.state, acts), after, after + limit + 1)
    page = [encode(action) for action in listed]
    return {
        "version": game.version,
        "seat": acts,
        "decision": game.decision(acts),
        "data": page[:limit],
        "has_more": len(page) > limit,
        "next": str(after + limit) if len(page) > limit else None,
    }


def stream_events(tools: Tools, look: Look, *, after: int = 0, upto: int | None = None) -> Iterator[EventJson]:
    """Events as the observer sees them, read a stride at a time."""
    for event in all_events(tools, look.facts, after=after, upto=look.game.version if upto is None else upto):
        yield show_event(event, look.observer, over=look.game.over)


def all_events(
    tools: Tools, facts: GameFacts, *, after: int = 0, upto: int = 2**62, is_strict: bool = True
) -> Iterator[Event]:
    """The events with after < seq <= upto, read a stride at a time, sealed bodies opened as `events_of` does."""
    while after < upto:
        stride = events_of(tools, facts, after=after, upto=upto, most=STRIDE, is_strict=is_strict)
        if not stride:
            return
        yield from stride
        after = stride[-1].seq


def stream_frames(tools: Tools, look: Look, *, first: int, last: int, language: str) -> Iterator[dict[str, Any]]:
    """The frames of a replay: event, view after it, what happened in words, and the rewind that took it back, if one did.

    None where `first` is past `last`.
    """
    last = min(last, look.game.version)
    if first > last:
        return
    before = game_at(tools, look.facts, first - 1) if first > 1 else None
    recall, rewound = recall_with(tools), rewound_events(tools, look.facts, upto=look.game.version)
    for event in all_events(tools, look.facts, after=first - 1, upto=last):
        game, by = evolve(before, event, recall), rewound.get(event.seq)
        yield {
            "seq": event.seq,
            "event": show_event(event, look.observer, over=look.game.over),
            "view": game.ruleset.view(game.state, look.observer),
            "notes": tell_event(before, event, game, look.observer, language=language, rewound_by=by),
            "rewound_by": by,
        }
        before = game


def export_record(tools: Tools, look: Look) -> Iterator[bytes]:
    """The record of a game for `moveledger verify`, line by line."""
    header = RecordHeader(
        game_id=look.facts.game_id,
        ruleset=look.facts.row.ruleset,
        version=look.game.version,
        head_hash=look.game.head_hash,
        exported_at=recorded_at(tools.clock()),
        reader=observer_name(look.observer),
    )
    proofs, checkpoints = sealed_evidence(tools, look.facts.game_id, look.game.version)
    events = itertools.chain(_parents_events(tools, look.game), stream_events(tools, look))
    return write_record(header, events, proofs=proofs, checkpoints=checkpoints)


def _parents_events(tools: Tools, fork: Game) -> Iterator[EventJson]:
    """What a fork's log goes on from: the events of its parent up to the one that it names, before them those of the
    parent's parent. They hold nothing closed: a game with hidden information is forked only when it is over.
    """
    named = fork.opened.get("parent")
    if named is None:
        return
    facts = game_facts(tools, UUID(named["game_id"]))
    parent = current_game(tools, facts)
    yield from _parents_events(tools, parent)
    for event in all_events(tools, facts, after=0, upto=named["seq"]):
        yield show_event(event, SPECTATOR, over=parent.over)


def require_range(first: int, last: int | None) -> None:
    """Raises `InvalidInput` when a range of frames ends before it begins."""
    if last is not None and last < first:
        raise InvalidInput("`to` lies before `from`.", errors=[{"parameter": "to", "detail": "Before `from`."}])
