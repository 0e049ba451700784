"""Games for an archive, and games out of one: what only the owner of the database does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

import psycopg

from moveledger.audit.event import TYPES, Event
from moveledger.errors import GameExists, ImportRefused
from moveledger.rules.encoding import canonical
from moveledger.store.database import Connection
from moveledger.store.events import seat_mask
from moveledger.store.games import GameRow, insert_game, insert_seat
from moveledger.store.sealing import seal_body

_CHANGED = """
FROM ml.games g CROSS JOIN LATERAL (
    SELECT e.seq, e.hash, e.recorded_us FROM ml.events e WHERE e.game_id = g.game_id ORDER BY e.seq DESC LIMIT 1) head
WHERE g.game_id > %(after)s AND g.status = ANY(%(statuses)s) AND head.recorded_us >= %(since_us)s
"""
_IMPORT = """
SELECT ml.import_events(%s, %s::smallint[], %s::smallint[], %s::uuid[], %s::text[], %s::bigint[], %s::bytea[], %s::bytea[],
                        %s::bytea[], %s::integer[], %s::bytea[])
"""


@dataclass(frozen=True, slots=True)
class Changed:
    """A game and how far its log goes."""

    game_id: UUID
    version: int
    head_hash: bytes


def count_changed(connection: Connection, *, since_us: int, statuses: Sequence[str]) -> int:
    """How many games `changed_games` would list."""
    row = connection.execute(
        f"SELECT count(*) {_CHANGED}",
        {"after": UUID(int=0), "statuses": list(statuses), "since_us": since_us},
    ).fetchone()
    return int(row[0]) if row else 0


def changed_games(
    connection: Connection, *, since_us: int, statuses: Sequence[str], after: UUID, limit: int
) -> list[Changed]:
    """Games of these statuses whose last event was recorded at or after `since_us`, in order of their ids."""
    rows = connection.execute(
        f"SELECT g.game_id, head.seq, head.hash {_CHANGED} ORDER BY g.game_id LIMIT %(limit)s",
        {"after": after, "statuses": list(statuses), "since_us": since_us, "limit": limit},
    ).fetchall()
    return [Changed(*row) for row in rows]


def import_game(
    connection: Connection,
    *,
    row: GameRow,
    status: str,
    players: Mapping[int, UUID],
    events: Sequence[Event],
    data_key: bytes,
) -> bytes:
    """Write a whole game, whose events are open; those that were sealed are sealed again, for nobody. Answers its head hash.

    Within the caller's transaction. Raises `GameExists`, and `ImportRefused` for what the log does not take.
    """
    try:
        insert_game(connection, row, status)
        for seat, player_id in players.items():
            insert_seat(connection, game_id=row.game_id, seat=seat, player_id=player_id)
        return _import_events(connection, row.game_id, events, data_key)
    except psycopg.errors.UniqueViolation as wrong:
        raise GameExists(game_id=str(row.game_id)) from wrong
    except (psycopg.errors.IntegrityError, psycopg.errors.DataError) as wrong:
        raise ImportRefused(f"The log does not take it: {wrong.diag.message_primary or wrong}") from wrong


def _import_events(connection: Connection, game_id: UUID, events: Sequence[Event], data_key: bytes) -> bytes:
    stored = [_stored(event, data_key) for event in events]
    row = connection.execute(
        _IMPORT,
        [
            game_id,
            [TYPES[event.type] for event in events],
            [event.seat for event in events],
            [event.client for event in events],
            [event.request_id for event in events],
            [event.recorded_us for event in events],
            [event.commitment for event in events],
            [salt for salt, _ in stored],
            [body for _, body in stored],
            [seat_mask(frozenset()) if event.sealed else None for event in events],
            [event.hash for event in events],
        ],
    ).fetchone()
    assert row is not None  # the function answers one value
    head: bytes = row[0]
    return head


def _stored(event: Event, data_key: bytes) -> tuple[bytes | None, bytes]:
    assert event.salt is not None  # the caller has seen that every event is open
    body = canonical(event.body)
    if not event.sealed:
        return event.salt, body
    return None, seal_body(data_key, salt=event.salt, body=body, commitment=event.commitment)
