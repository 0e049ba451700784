"""How a request becomes events, exactly once: judge, append, and if others were faster, judge again."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from moveledger.audit.event import Event
from moveledger.audit.game import Game
from moveledger.errors import Contended, IdempotencyKeyReused, MoveledgerError, StoreUnavailable
from moveledger.services.house import Pending
from moveledger.services.repeats import fingerprint_of
from moveledger.services.standing import current_game, events_of, game_at
from moveledger.services.tools import GameFacts, Tools
from moveledger.store.database import Connection
from moveledger.store.events import Repeat, append, find_batch
from moveledger.store.sealing import digest_id

TRIES = 12
"""How often a request is judged again before it is told that others were faster."""

Build = Callable[[Pending], None]
Beside = Callable[[Connection, Game], None]


@dataclass(frozen=True, slots=True)
class WriteRequest:
    """A request that appends: whose (`client`), on which route, under which Idempotency-Key, asking what."""

    client: UUID
    route: str
    key: str
    content: Any
    request_id: str


@dataclass(frozen=True, slots=True)
class Written:
    """The events of a request and the game right after them; `repeated` when they were written before."""

    game: Game
    events: Sequence[Event]
    repeated: bool


def repeat_of(tools: Tools, request: WriteRequest) -> Repeat:
    """What makes a request known again: the hash of client, route and key, and a keyed hash of its content."""
    return Repeat(
        idem_key=digest_id(request.client.bytes, request.route.encode(), request.key.encode()),
        fingerprint=fingerprint_of(tools, request.route, request.content),
    )


def write_events(
    tools: Tools, facts: GameFacts, request: WriteRequest, build: Build, *, beside: Beside | None = None
) -> Written:
    """Append what `build` adds to the game as it stands. A known key answers as the first time, before any refusal.

    What memory holds of the game will do to begin with, since the log takes nothing that does not follow on its head; but
    nobody is refused by memory alone. `beside` writes rows that belong to the events, in the same transaction. Raises
    what `build` raises, `IdempotencyKeyReused`, and `Contended` when others were faster again and again.
    """
    repeat = repeat_of(tools, request)
    held = tools.games.get(facts.game_id)
    for attempt in range(TRIES):
        game = held or current_game(tools, facts, certain=True)
        pending = Pending(tools, game, game_id=facts.game_id, seed=facts.seed, request_id=request.request_id)
        try:
            build(pending)
        except StoreUnavailable:
            raise
        except Contended:
            held = None
            _rest(attempt)
            continue
        except MoveledgerError:
            known = find_written(tools, facts, repeat)
            if known is not None:
                return known
            if held is None:
                raise
            held = None
            continue
        written = _append(tools, facts, pending, repeat, beside)
        if written is not None:
            return written
        held = None
        _rest(attempt)
    raise Contended


def _rest(attempt: int) -> None:
    """Let the others finish."""
    time.sleep(random.random() * 0.002 * attempt)  # noqa: S311 — jitter


def find_written(tools: Tools, facts: GameFacts, repeat: Repeat) -> Written | None:
    """What an earlier request with this key wrote. Raises `IdempotencyKeyReused` when it asked something else."""
    with tools.database.connection() as connection:
        found = find_batch(connection, facts.game_id, repeat.idem_key)
    if found is None:
        return None
    first, last, fingerprint = found
    if fingerprint != repeat.fingerprint:
        raise IdempotencyKeyReused
    return _written_before(tools, facts, first, last)


def _append(
    tools: Tools, facts: GameFacts, pending: Pending, repeat: Repeat | None, beside: Beside | None
) -> Written | None:
    """Append a batch; None when the game has gone on meanwhile, or Postgres gave it up for another transaction's sake."""

    def write(connection: Connection) -> Any:
        return append(
            connection,
            game_id=facts.game_id,
            drafts=pending.drafts,
            repeat=repeat,
            status=pending.new_status,
            data_key=facts.data_key,
        )

    try:
        if beside is None:
            with tools.database.connection() as connection:
                appended = write(connection)
        else:
            with tools.database.transaction() as connection:
                appended = write(connection)
                if appended.result == "ok":
                    beside(connection, pending.game)
    except Contended:
        return None
    match appended.result:
        case "ok":
            game, events = pending.recorded(appended)
            tools.games.put(facts.game_id, game)
            tools.cache.raise_head(facts.game_id, game.version, game.head_hash, promised=True)
            return Written(game, events, repeated=False)
        case "duplicate":
            return _written_before(tools, facts, appended.first_seq, appended.head_seq)
        case "key_reuse":
            raise IdempotencyKeyReused
        case _:
            return None


def _written_before(tools: Tools, facts: GameFacts, first: int, last: int) -> Written:
    events = events_of(tools, facts, after=first - 1, upto=last)
    return Written(game_at(tools, facts, last), events, repeated=True)


def write_house_events(tools: Tools, facts: GameFacts, build: Build, *, request_id: str) -> Written | None:
    """Append what the house decides by itself; None when the game has gone on meanwhile, so that it may not apply."""
    game = current_game(tools, facts, certain=True)
    pending = Pending(tools, game, game_id=facts.game_id, seed=facts.seed, request_id=request_id)
    build(pending)
    return _append(tools, facts, pending, None, None) if pending.drafts else None
