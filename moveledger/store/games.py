"""The tables beside the log: games as they are listed, seats, players, and each game's keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias
from uuid import UUID

from moveledger.store.database import Connection

Visibility: TypeAlias = Literal["public", "unlisted", "private"]


@dataclass(frozen=True, slots=True)
class GameRow:
    """What never changes of a game's row, with its wrapped data key and its sealed seed."""

    game_id: UUID
    ruleset: str
    visibility: Visibility
    creator: UUID
    external_ref: str | None
    created_us: int
    deadline_us: int | None
    wrapped_key: bytes
    sealed_seed: bytes


@dataclass(frozen=True, slots=True)
class PlayerRow:
    """A player: the id in the log, and what the key `namespace` calls it."""

    player_id: UUID
    namespace: UUID
    external_id: str
    name: str | None


@dataclass(frozen=True, slots=True)
class Filters:
    """What a listing of games asks for; None asks for anything. `player` is an external id of `namespace`."""

    status: str | None = None
    ruleset: str | None = None
    external_ref: str | None = None
    player: str | None = None
    namespace: UUID | None = None
    creator: UUID | None = None
    everything: bool = False


def insert_game(connection: Connection, row: GameRow, status: str) -> None:
    """A new game's row and keys."""
    connection.execute(
        "INSERT INTO ml.games (game_id, ruleset, status, visibility, creator, external_ref, created_us, deadline_us)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
        [
            row.game_id,
            row.ruleset,
            status,
            row.visibility,
            row.creator,
            row.external_ref,
            row.created_us,
            row.deadline_us,
        ],
    )
    connection.execute(
        "INSERT INTO ml.game_keys (game_id, wrapped, seed) VALUES (%s, %s, %s)",
        [row.game_id, row.wrapped_key, row.sealed_seed],
    )


def find_game(connection: Connection, game_id: UUID) -> GameRow | None:
    """A game's row, or None."""
    row = connection.execute(
        "SELECT g.ruleset, g.visibility, g.creator, g.external_ref, g.created_us, g.deadline_us, k.wrapped, k.seed"
        " FROM ml.games g JOIN ml.game_keys k USING (game_id) WHERE game_id = %s",
        [game_id],
    ).fetchone()
    return GameRow(game_id, *row) if row else None


def list_games(connection: Connection, filters: Filters, *, after: UUID | None, limit: int) -> list[UUID]:
    """Ids of games, newest first, that come after `after`: public ones, and the creator's own of any visibility."""
    rows = connection.execute(
        "SELECT g.game_id FROM ml.games g WHERE (%(everything)s OR g.visibility = 'public' OR g.creator = %(creator)s)"
        " AND (%(status)s::text IS NULL OR g.status = %(status)s) AND (%(ruleset)s::text IS NULL OR g.ruleset = %(ruleset)s)"
        " AND (%(external_ref)s::text IS NULL OR g.external_ref = %(external_ref)s)"
        " AND (%(player)s::text IS NULL OR EXISTS (SELECT FROM ml.seats s JOIN ml.players p USING (player_id)"
        "   WHERE s.game_id = g.game_id AND p.external_id = %(player)s AND p.namespace = %(namespace)s))"
        " AND (%(after)s::uuid IS NULL OR g.game_id < %(after)s) ORDER BY g.game_id DESC LIMIT %(limit)s",
        {
            "everything": filters.everything,
            "creator": filters.creator,
            "status": filters.status,
            "ruleset": filters.ruleset,
            "external_ref": filters.external_ref,
            "player": filters.player,
            "namespace": filters.namespace,
            "after": after,
            "limit": limit,
        },
    ).fetchall()
    return [row[0] for row in rows]


def put_player(connection: Connection, *, fresh_id: UUID, namespace: UUID, external_id: str, name: str | None) -> UUID:
    """The service's id of a player, made if the key has not named it before; a given name replaces the old one."""
    row = connection.execute(
        "INSERT INTO ml.players AS p (player_id, namespace, external_id, name) VALUES (%s, %s, %s, %s)"
        " ON CONFLICT (namespace, external_id) DO UPDATE SET name = coalesce(excluded.name, p.name) RETURNING player_id",
        [fresh_id, namespace, external_id, name],
    ).fetchone()
    assert row is not None  # an upsert returns its row
    found: UUID = row[0]
    return found


def find_players(connection: Connection, player_ids: Sequence[UUID]) -> Mapping[UUID, PlayerRow]:
    """Players by id."""
    rows = connection.execute(
        "SELECT player_id, namespace, external_id, name FROM ml.players WHERE player_id = ANY(%s)", [list(player_ids)]
    ).fetchall()
    return {row[0]: PlayerRow(*row) for row in rows}


def insert_seat(connection: Connection, *, game_id: UUID, seat: int, player_id: UUID) -> None:
    """A seat taken; the log has judged before that it was free."""
    connection.execute(
        "INSERT INTO ml.seats (game_id, seat, player_id) VALUES (%s, %s, %s)", [game_id, seat, player_id]
    )


def seat_generations(connection: Connection, game_id: UUID) -> Mapping[int, int]:
    """The generation of each taken seat's token."""
    return dict(connection.execute("SELECT seat, generation FROM ml.seats WHERE game_id = %s", [game_id]).fetchall())


def seated_players(connection: Connection, game_id: UUID) -> Mapping[int, UUID]:
    """Who sits on each taken seat: the service's ids."""
    return dict(connection.execute("SELECT seat, player_id FROM ml.seats WHERE game_id = %s", [game_id]).fetchall())


def overdue_games(connection: Connection, *, now_us: int, limit: int) -> list[UUID]:
    """Open games whose deadline for entropy has passed."""
    rows = connection.execute(
        "SELECT game_id FROM ml.games WHERE status = 'open' AND deadline_us < %s ORDER BY deadline_us LIMIT %s",
        [now_us, limit],
    ).fetchall()
    return [row[0] for row in rows]


def game_ids_after(connection: Connection, after: UUID, *, limit: int) -> list[UUID]:
    """Ids of games in order of their opening."""
    rows = connection.execute(
        "SELECT game_id FROM ml.games WHERE game_id > %s ORDER BY game_id LIMIT %s", [after, limit]
    ).fetchall()
    return [row[0] for row in rows]


def listed_status(connection: Connection, game_id: UUID) -> str | None:
    """The status under which a game is listed."""
    row = connection.execute("SELECT status FROM ml.games WHERE game_id = %s", [game_id]).fetchone()
    return row[0] if row else None


def count_games(connection: Connection) -> int:
    """How many games there are."""
    row = connection.execute("SELECT count(*) FROM ml.games").fetchone()
    return int(row[0]) if row else 0


def wrapped_keys(connection: Connection) -> list[tuple[UUID, bytes]]:
    """Every game's wrapped data key, locked until the transaction ends."""
    return connection.execute("SELECT game_id, wrapped FROM ml.game_keys ORDER BY game_id FOR UPDATE").fetchall()


def replace_wrapped_key(connection: Connection, game_id: UUID, wrapped: bytes) -> None:
    """Put a game's data key in another wrapping."""
    connection.execute("UPDATE ml.game_keys SET wrapped = %s WHERE game_id = %s", [wrapped, game_id])


def games_of_ruleset(connection: Connection, ruleset: str) -> list[UUID]:
    """Ids of all games of a ruleset, oldest first."""
    rows = connection.execute("SELECT game_id FROM ml.games WHERE ruleset = %s ORDER BY game_id", [ruleset]).fetchall()
    return [row[0] for row in rows]


def games_over(connection: Connection, game_ids: list[UUID]) -> list[UUID]:
    """Those of these games that have ended."""
    rows = connection.execute(
        "SELECT game_id FROM ml.games WHERE game_id = ANY(%s) AND status IN ('finished', 'aborted')", [game_ids]
    ).fetchall()
    return [row[0] for row in rows]
