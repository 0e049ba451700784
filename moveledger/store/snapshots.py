"""Snapshots in Postgres, one every 64 events, and the names of those in Redis. All of them are sealed."""

from __future__ import annotations

from uuid import UUID

from moveledger.store.database import Connection

EVERY = 64


def snapshot_name(ruleset_id: str, rules_digest: str, game_id: UUID) -> str:
    """The name in Redis: no snapshot survives a change of the ruleset's sources."""
    return f"snap:{ruleset_id}:{rules_digest[:16]}:{game_id}"


def put_snapshot(
    connection: Connection, *, game_id: UUID, rules_digest: str, seq: int, head_hash: bytes, content: bytes
) -> None:
    """Keep a sealed snapshot; the same one again changes nothing."""
    connection.execute(
        "INSERT INTO ml.snapshots (game_id, rules_digest, seq, head_hash, content) VALUES (%s, %s, %s, %s, %s)"
        " ON CONFLICT DO NOTHING",
        [game_id, bytes.fromhex(rules_digest), seq, head_hash, content],
    )
    connection.execute(
        "UPDATE ml.progress SET snapshot_seq = %s WHERE game_id = %s AND snapshot_seq < %s", [seq, game_id, seq]
    )


def find_snapshot(connection: Connection, *, game_id: UUID, rules_digest: str, upto: int) -> bytes | None:
    """The newest sealed snapshot at or before seq `upto` whose head hash is the log's."""
    row = connection.execute(
        "SELECT s.content FROM ml.snapshots s JOIN ml.events e ON e.game_id = s.game_id AND e.seq = s.seq AND e.hash = s.head_hash"
        " WHERE s.game_id = %s AND s.rules_digest = %s AND s.seq <= %s ORDER BY s.seq DESC LIMIT 1",
        [game_id, bytes.fromhex(rules_digest), upto],
    ).fetchone()
    return row[0] if row else None


def lagging_games(
    connection: Connection, *, since_us: int, settled_us: int, limit: int
) -> list[tuple[UUID, str, int, int]]:
    """Games that grew since `since_us`, or whose snapshot in Postgres is a whole stride behind, and have been quiet since
    `settled_us`: id, ruleset, version, seq of the last snapshot in Postgres.
    """
    rows = connection.execute(
        "SELECT p.game_id, g.ruleset, p.version, p.snapshot_seq FROM ml.progress p JOIN ml.games g USING (game_id)"
        " WHERE p.updated_us < %s AND (p.updated_us > %s OR p.version - p.snapshot_seq >= %s)"
        " ORDER BY p.updated_us DESC LIMIT %s",
        [settled_us, since_us, 2 * EVERY, limit],
    ).fetchall()
    return [(row[0], row[1], row[2], row[3]) for row in rows]


def stored_seq(connection: Connection, game_id: UUID, rules_digest: str) -> int:
    """The seq of a game's newest snapshot in Postgres, 0 when it has none."""
    row = connection.execute(
        "SELECT coalesce(max(seq), 0) FROM ml.snapshots WHERE game_id = %s AND rules_digest = %s",
        [game_id, bytes.fromhex(rules_digest)],
    ).fetchone()
    return int(row[0]) if row else 0


def all_snapshots(connection: Connection, game_id: UUID, rules_digest: str) -> list[tuple[int, bytes]]:
    """Every sealed snapshot of a game in Postgres that these rules made: seq and content."""
    rows = connection.execute(
        "SELECT seq, content FROM ml.snapshots WHERE game_id = %s AND rules_digest = %s ORDER BY seq",
        [game_id, bytes.fromhex(rules_digest)],
    ).fetchall()
    return [(row[0], row[1]) for row in rows]
