"""The one order of all events, which followers, streams, webhooks and the Merkle log share."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from moveledger.store.database import Connection


@dataclass(frozen=True, slots=True)
class Growth:
    """A game that has grown: its version, and by how many events."""

    game_id: UUID
    version: int
    events: int


def order_events(connection: Connection, *, most: int) -> list[Growth]:
    """Give waiting events of the outbox their leaf index; empty when there are none, or when another relay is at it."""
    rows = connection.execute("SELECT game, version, events FROM ml.order_events(%s)", [most]).fetchall()
    return [Growth(*row) for row in rows]


def make_partitions(connection: Connection, *, months: int) -> int:
    """Make the log's partitions for this month and the next `months`; how many were missing."""
    row = connection.execute("SELECT ml.make_partitions(%s)", [months]).fetchone()
    return int(row[0]) if row else 0
