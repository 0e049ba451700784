"""The public log in the database: tiles, checkpoints, co-signatures of witnesses, alarms. All of it only grows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from uuid import UUID

from moveledger.audit.note import Signature
from moveledger.audit.tiles import HEIGHT, WIDTH, FullTile, Tile
from moveledger.store.database import Connection

_LOCK = "SELECT pg_try_advisory_xact_lock(hashtext('moveledger.publish'))"


@dataclass(frozen=True, slots=True)
class SignedHead:
    """A checkpoint as it was signed; `number` counts checkpoints, the time is in microseconds since 1970."""

    number: int
    size: int
    root: bytes
    note: str
    signed_us: int


def take_turn(connection: Connection) -> bool:
    """Whether this transaction is the one that may extend the tree now."""
    row = connection.execute(_LOCK).fetchone()
    return bool(row and row[0])


# --- checkpoints ---------------------------------------------------------------------------------------


def last_checkpoint(connection: Connection, *, witnesses: int = 0) -> SignedHead | None:
    """The newest checkpoint, or the newest that at least so many witnesses have co-signed."""
    row = connection.execute(
        "SELECT number, size, root, note, signed_us FROM ml.checkpoints c WHERE %(witnesses)s = 0"
        " OR (SELECT count(*) FROM ml.cosignatures s WHERE s.checkpoint = c.number) >= %(witnesses)s"
        " ORDER BY size DESC, number DESC LIMIT 1",
        {"witnesses": witnesses},
    ).fetchone()
    return SignedHead(*row) if row else None


def find_checkpoint(connection: Connection, *, size: int, text: str) -> SignedHead | None:
    """The checkpoint with exactly this text, if it was ever signed."""
    row = connection.execute(
        "SELECT number, size, root, note, signed_us FROM ml.checkpoints WHERE size = %s AND starts_with(note, %s)"
        " ORDER BY number DESC LIMIT 1",
        [size, text + "\n"],
    ).fetchone()
    return SignedHead(*row) if row else None


def add_checkpoint(connection: Connection, *, size: int, root: bytes, note: str, signed_us: int) -> None:
    """Keep a signed note, which publishes it. The database refuses one that contradicts an earlier one."""
    connection.execute(
        "INSERT INTO ml.checkpoints (size, root, note, signed_us) VALUES (%s, %s, %s, %s)",
        [size, root, note, signed_us],
    )


def add_cosignature(connection: Connection, checkpoint: int, signature: Signature) -> bool:
    """Keep a witness's signature; False when this witness has signed that checkpoint already."""
    kept = connection.execute(
        "INSERT INTO ml.cosignatures (checkpoint, name, key_id, line) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
        [checkpoint, signature.name, signature.key_id, signature.line],
    )
    return kept.rowcount == 1


def cosignature_lines(connection: Connection, checkpoint: int) -> list[str]:
    """The signature lines of witnesses under a checkpoint."""
    rows = connection.execute(
        "SELECT line FROM ml.cosignatures WHERE checkpoint = %s ORDER BY name, key_id", [checkpoint]
    ).fetchall()
    return [row[0] for row in rows]


# --- leaves and tiles ----------------------------------------------------------------------------------


def count_leaves(connection: Connection) -> int:
    """How many events have their place in the one order."""
    row = connection.execute("SELECT coalesce(max(leaf_index) + 1, 0) FROM ml.log_leaf").fetchone()
    return int(row[0]) if row else 0


def leaf_index_of(connection: Connection, game_id: UUID, seq: int) -> int | None:
    """Where an event stands in the one order, if it has its place."""
    row = connection.execute(
        "SELECT leaf_index FROM ml.log_leaf WHERE game_id = %s AND seq = %s", [game_id, seq]
    ).fetchone()
    return int(row[0]) if row else None


def last_sealed(connection: Connection, game_id: UUID, *, upto: int, size: int) -> tuple[int, int] | None:
    """Seq and leaf index of a game's last event, up to one of its events, that is in the tree of so many leaves."""
    return connection.execute(
        "SELECT seq, leaf_index FROM ml.log_leaf WHERE game_id = %s AND seq <= %s AND leaf_index < %s"
        " ORDER BY seq DESC LIMIT 1",
        [game_id, upto, size],
    ).fetchone()


def leaf_hashes(connection: Connection, first: int, *, most: int) -> list[tuple[int, bytes]]:
    """Index and leaf hash of the leaves with first <= index < first + most, as far as there are any."""
    return connection.execute(
        r"SELECT leaf_index, sha256('\x00'::bytea || hash) FROM ml.log_leaf"
        " WHERE leaf_index >= %s AND leaf_index < %s ORDER BY leaf_index",
        [first, first + most],
    ).fetchall()


def entries(connection: Connection, tile: Tile) -> list[bytes]:
    """The entries under a tile of level 0: hashes of events."""
    first = tile.index * WIDTH
    rows = connection.execute(
        "SELECT hash FROM ml.log_leaf WHERE leaf_index >= %s AND leaf_index < %s ORDER BY leaf_index",
        [first, first + tile.width],
    ).fetchall()
    return [row[0] for row in rows]


def read_tile_hashes(connection: Connection, tile: Tile) -> bytes:
    """A tile's hashes; fewer than its width where the tree is not so large."""
    if tile.is_full:
        row = connection.execute(
            "SELECT hashes FROM ml.tiles WHERE level = %s AND tile = %s", [tile.level, tile.index]
        ).fetchone()
        return row[0] if row else b""
    if tile.level == 0:
        return b"".join(found for _, found in leaf_hashes(connection, tile.index * WIDTH, most=tile.width))
    first = tile.index << HEIGHT
    return b"".join(tile_roots(connection, tile.level - 1, first=first, past=first + tile.width))


def tile_roots(connection: Connection, level: int, *, first: int, past: int) -> list[bytes]:
    """The roots of full tiles of a level, which are the hashes of the level above."""
    rows = connection.execute(
        "SELECT root FROM ml.tiles WHERE level = %s AND tile >= %s AND tile < %s ORDER BY tile", [level, first, past]
    ).fetchall()
    return [row[0] for row in rows]


def add_tiles(connection: Connection, tiles: Sequence[FullTile]) -> None:
    """Keep tiles that have become full."""
    if not tiles:
        return
    rows: Iterable[tuple[object, ...]] = ((full.tile.level, full.tile.index, full.hashes, full.root) for full in tiles)
    with connection.cursor() as cursor:
        cursor.executemany("INSERT INTO ml.tiles (level, tile, hashes, root) VALUES (%s, %s, %s, %s)", rows)


def tiles_and_sources(
    connection: Connection, level: int, *, first: int, past: int
) -> list[tuple[int, bytes, bytes, bytes]]:
    """Full tiles of a level with first <= index < past: index, hashes, root, and what stands below them now."""
    return connection.execute(
        _LEAVES_BELOW if level == 0 else _TILES_BELOW, {"level": level, "first": first, "past": past, "width": WIDTH}
    ).fetchall()


_LEAVES_BELOW = r"""
SELECT t.tile, t.hashes, t.root, (
    SELECT string_agg(sha256('\x00'::bytea || l.hash), ''::bytea ORDER BY l.leaf_index) FROM ml.log_leaf l
    WHERE l.leaf_index >= t.tile * %(width)s AND l.leaf_index < (t.tile + 1) * %(width)s)
FROM ml.tiles t WHERE t.level = %(level)s AND t.tile >= %(first)s AND t.tile < %(past)s ORDER BY t.tile
"""
_TILES_BELOW = """
SELECT t.tile, t.hashes, t.root, (
    SELECT string_agg(b.root, ''::bytea ORDER BY b.tile) FROM ml.tiles b
    WHERE b.level = t.level - 1 AND b.tile >= t.tile * %(width)s AND b.tile < (t.tile + 1) * %(width)s)
FROM ml.tiles t WHERE t.level = %(level)s AND t.tile >= %(first)s AND t.tile < %(past)s ORDER BY t.tile
"""


# --- alarms --------------------------------------------------------------------------------------------


def add_alarm(connection: Connection, detail: str | None, *, raised_us: int) -> None:
    """Keep an alarm, or, with None, that all is well again."""
    connection.execute("INSERT INTO ml.log_alarms (raised_us, detail) VALUES (%s, %s)", [raised_us, detail])


def present_alarm(connection: Connection) -> str | None:
    """What is wrong with the public log, None if nothing is known to be."""
    row = connection.execute("SELECT detail FROM ml.log_alarms ORDER BY number DESC LIMIT 1").fetchone()
    return row[0] if row else None
