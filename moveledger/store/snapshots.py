"""Snapshots in Postgres, one every 64 events, and the names of those in Redis. All of them are sealed."""

from __future__ import annotations

from collections.abc import Mapping
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
    note_snapshot(connection, game_id=game_id, rules_digest=rules_digest, seq=seq)


def note_snapshot(connection: Connection, *, game_id: UUID, rules_digest: str, seq: int) -> None:
    """Say that these rules have a snapshot of a game at `seq`: further than they had, or where other rules had theirs."""
    digest = bytes.fromhex(rules_digest)
    connection.execute(
        "UPDATE ml.progress SET snapshot_seq = %s, snapshot_digest = %s WHERE game_id = %s"
        " AND (snapshot_digest IS DISTINCT FROM %s OR snapshot_seq < %s)",
        [seq, digest, game_id, digest, seq],
    )


def find_snapshot(connection: Connection, *, game_id: UUID, rules_digest: str, upto: int) -> bytes | None:
    """The newest sealed snapshot at or before seq `upto` whose head hash is the log's."""
    row = connection.execute(
        "SELECT s.content FROM ml.snapshots s JOIN ml.events e ON e.game_id = s.game_id AND e.seq = s.seq AND e.hash = s.head_hash"
        " WHERE s.game_id = %s AND s.rules_digest = %s AND s.seq <= %s ORDER BY s.seq DESC LIMIT 1",
        [game_id, bytes.fromhex(rules_digest), upto],
    ).fetchone()
    return row[0] if row else None


_LAGGING = """
SELECT p.game_id, g.ruleset, p.version, CASE WHEN p.snapshot_digest = ANY(%(digests)s) THEN p.snapshot_seq ELSE 0 END
FROM ml.progress p JOIN ml.games g USING (game_id)
WHERE g.ruleset = ANY(%(rulesets)s) AND p.updated_us < %(settled)s AND {which}
ORDER BY p.updated_us DESC LIMIT %(limit)s
"""
_GREW = _LAGGING.format(which="p.updated_us > %(since)s")
_QUIET = _LAGGING.format(
    which="p.updated_us <= %(since)s AND p.version >= %(every)s AND (p.version - p.snapshot_seq >= %(every)s"
    " OR p.snapshot_digest IS NULL OR p.snapshot_digest <> ALL(%(digests)s))"
)


def lagging_games(
    connection: Connection,
    digests: Mapping[str, str],
    *,
    since_us: int,
    settled_us: int,
    limit: int,
    everywhere: bool = True,
) -> list[tuple[UUID, str, int, int]]:
    """Games that have been quiet since `settled_us` and grew since `since_us` and, `everywhere`, others of which these rules have no
    snapshot in Postgres for the last whole stride, which takes a look at every game; at most `limit` of each, so that many of
    the former do not hide the latter. `digests` names the rulesets that are installed, with the digests of their sources.

    Answers id, ruleset, version, seq of the last snapshot in Postgres that these rules made.
    """
    given = {
        "rulesets": list(digests),
        "digests": [bytes.fromhex(digest) for digest in digests.values()],
        "settled": settled_us,
        "since": since_us,
        "every": EVERY,
        "limit": limit,
    }
    queries = (_GREW, _QUIET) if everywhere else (_GREW,)
    rows = [row for query in queries for row in connection.execute(query, given).fetchall()]
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
