"""What the relay does: order new events, then tell workers and listeners. Both are only bells."""

from __future__ import annotations

import json

from moveledger.services.tools import Tools
from moveledger.store.games import games_over
from moveledger.store.log import order_events

MOST = 5_000


def order_new_events(tools: Tools) -> int:
    """Give waiting events their leaf index and ring for their games; how many events there were.

    Raises `StoreUnavailable`, `Contended`.
    """
    with tools.database.connection() as connection:
        grown = order_events(connection, most=MOST)
        ended = games_over(connection, [growth.game_id for growth in grown]) if grown else []
    if grown:
        tools.ring_workers("snapshots", [growth.game_id for growth in grown])
        tools.cache.ring(json.dumps({str(growth.game_id): growth.version for growth in grown}).encode())
    if ended:
        tools.ring_workers("verification", ended)
    return sum(growth.events for growth in grown)
