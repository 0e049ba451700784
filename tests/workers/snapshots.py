"""What is kept of a game: in Redis, and in Postgres."""

from __future__ import annotations

from moveledger.audit.game import Game
from moveledger.services.standing import digest_of, open_snapshot
from moveledger.store.snapshots import snapshot_name
from tests.playing import Table


def in_redis(table: Table) -> Game | None:
    """The game in its snapshot in Redis."""
    name = snapshot_name(table.facts.row.ruleset, digest_of(table.facts), table.game_id)
    sealed = table.tools.cache.snapshot(name)
    return None if sealed is None else open_snapshot(table.facts, sealed)


def in_postgres(table: Table) -> list[int]:
    """The seqs of its snapshots in Postgres."""
    with table.tools.database.connection() as connection:
        rows = connection.execute("SELECT seq FROM ml.snapshots WHERE game_id = %s ORDER BY seq", [table.game_id])
        return [seq for (seq,) in rows]


def viewed(table: Table) -> tuple[str, bytes] | None:
    """What is kept for the spectator."""
    return table.tools.cache.spectator_view(table.game_id)
