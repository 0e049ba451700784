"""The trails: of a game (every event, and every look with a referee's eyes) and of refusals."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID

from moveledger.audit.event import recorded_at
from moveledger.audit.game import Game
from moveledger.rules.kernel import Observer
from moveledger.services.access import observer_name, require_scope
from moveledger.services.callers import Anonymous, Caller, SeatCaller
from moveledger.services.tools import GameFacts, Tools
from moveledger.store.trails import (
    Look,
    Refusal,
    TrailFilter,
    TrailRow,
    forget_refusals,
    list_looks,
    list_refusals,
    list_trail,
    put_look,
    put_refusal,
)

COLUMNS = (
    "seq",
    "type",
    "seat",
    "client",
    "request_id",
    "recorded_at",
    "sealed",
    "signed",
    "ruling",
    "reason",
    "prev_hash",
    "commitment",
    "hash",
)
FORMULA = ("=", "+", "-", "@")
"""A text that begins so is taken for a formula by spreadsheets."""
STRIDE = 500
DAY_US = 86_400 * 1_000_000
BATCH, BATCHES = 1_000, 10
"""How many refusals are dropped in one statement, and how many statements one sweep makes."""


def read_trail(
    tools: Tools, facts: GameFacts, game: Game, wanted: TrailFilter, *, after: int, limit: int
) -> tuple[list[dict[str, Any]], int | None]:
    """A page of a game's trail, and the seq after which the next one begins."""
    with tools.database.connection() as connection:
        rows = list_trail(
            connection, facts.game_id, wanted, data_key=facts.data_key, after=after, upto=game.version, limit=limit + 1
        )
    return [show_entry(row) for row in rows[:limit]], rows[limit - 1].seq if len(rows) > limit else None


def trail_as_csv(tools: Tools, facts: GameFacts, game: Game, wanted: TrailFilter) -> Iterator[bytes]:
    """The whole trail as CSV (RFC 4180) with a header row; null is an empty cell. Before a text that a spreadsheet would take
    for a formula stands an apostrophe.
    """
    yield _csv_line(COLUMNS)
    after: int | None = 0
    while after is not None:
        entries, after = read_trail(tools, facts, game, wanted, after=after, limit=STRIDE)
        for entry in entries:
            yield _csv_line([_cell(entry[name]) for name in COLUMNS])


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def show_entry(row: TrailRow) -> dict[str, Any]:
    """Who did what, with which credential, when, in which request, and why a referee did; bodies are not part of it."""
    return {
        "seq": row.seq,
        "type": row.type,
        "seat": row.seat,
        "client": str(row.client),
        "request_id": row.request_id,
        "recorded_at": recorded_at(row.recorded_us),
        "sealed": row.sealed,
        "signed": row.signed,
        "ruling": row.ruling,
        "reason": row.reason,
        "prev_hash": row.prev_hash.hex(),
        "commitment": row.commitment.hex(),
        "hash": row.hash.hex(),
    }


@dataclass(frozen=True, slots=True)
class Asked:
    """Which resource is looked at, in which request."""

    what: str
    request_id: str


class Seen(Protocol):
    """What the trail asks of a game that is looked at."""

    @property
    def version(self) -> int: ...

    @property
    def over(self) -> bool: ...


def note_look(tools: Tools, caller: Caller, asked: Asked, *, facts: GameFacts, game: Seen, observer: Observer) -> None:
    """Put a look into the trail, before it is answered, when it shows what the caller could not see as a player."""
    if not _needs_referee(caller, facts, game, observer):
        return
    look = Look(
        game_id=facts.game_id,
        version=game.version,
        client=caller.client,
        observer=observer_name(observer),
        what=asked.what,
        request_id=asked.request_id,
        looked_us=tools.clock(),
    )
    with tools.database.connection() as connection:
        put_look(connection, look)


def _needs_referee(caller: Caller, facts: GameFacts, game: Seen, observer: Observer) -> bool:
    """A running game seen as its referee, or as a seat by somebody who neither holds it nor opened the game; a private game seen
    by somebody who has no part in it.
    """
    if observer.referee:
        return not game.over
    takes_part = caller.client == facts.row.creator or isinstance(caller, SeatCaller)
    if observer.seat is None:
        return facts.row.visibility == "private" and not takes_part
    return not game.over and not takes_part


def read_looks(tools: Tools, game_id: UUID, *, after: int, limit: int) -> tuple[list[dict[str, Any]], int | None]:
    """A page of the looks at a game, oldest first, and where the next one begins."""
    with tools.database.connection() as connection:
        rows = list_looks(connection, game_id, after=after, limit=limit + 1)
    shown = [
        {
            "version": look.version,
            "client": str(look.client),
            "observer": look.observer,
            "what": look.what,
            "request_id": look.request_id,
            "looked_at": recorded_at(look.looked_us),
        }
        for _, look in rows[:limit]
    ]
    return shown, rows[limit - 1][0] if len(rows) > limit else None


def note_refusal(tools: Tools, caller: Caller | None, facts: Mapping[str, Any]) -> None:
    """Put a refusal into the security trail: `facts` are code, method, route, game_id and request_id. No secret is among them."""
    client = None if caller is None or isinstance(caller, Anonymous) else caller.client
    with tools.database.connection() as connection:
        put_refusal(connection, Refusal(**facts, client=client, refused_us=tools.clock()))


def forget_old_refusals(tools: Tools) -> int:
    """Drop the refusals that have been kept long enough, some thousands at most in one go; how many."""
    before_us, dropped = tools.clock() - tools.trail_days * DAY_US, 0
    with tools.database.connection() as connection:
        for _ in range(BATCHES):
            found = forget_refusals(connection, before_us=before_us, most=BATCH)
            dropped += found
            if found < BATCH:
                break
    return dropped


def read_security_trail(
    tools: Tools, caller: Caller, *, game_id: UUID | None, before: int | None, limit: int
) -> tuple[list[dict[str, Any]], int | None]:
    """A page of refusals, newest first, and where the next one begins. Raises `ScopeMissing`."""
    require_scope(caller, "admin")
    with tools.database.connection() as connection:
        rows = list_refusals(connection, game_id=game_id, before=before, limit=limit + 1)
    shown = [
        {
            "code": refusal.code,
            "method": refusal.method,
            "route": refusal.route,
            "game_id": None if refusal.game_id is None else str(refusal.game_id),
            "client": None if refusal.client is None else str(refusal.client),
            "request_id": refusal.request_id,
            "refused_at": recorded_at(refusal.refused_us),
        }
        for _, refusal in rows[:limit]
    ]
    return shown, rows[limit - 1][0] if len(rows) > limit else None


def _csv_line(cells: Any) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(cells)
    return text.getvalue().encode()
