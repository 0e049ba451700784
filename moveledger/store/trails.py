"""What auditors read beside the log: looks with a referee's eyes, refusals, verifications, checks under other rules."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from moveledger.audit.event import TYPE_NAMES, TYPES
from moveledger.errors import WrongMasterKey
from moveledger.store.database import Connection
from moveledger.store.sealing import unseal_body

TELLING = ("ruled", "aborted", "moved")
"""The events whose reason stands in the trail."""


@dataclass(frozen=True, slots=True)
class Look:
    """Somebody looked at a running game as its referee, or as a seat that is not its own, or at a private one from outside."""

    game_id: UUID
    version: int
    client: UUID
    observer: str
    what: str
    request_id: str
    looked_us: int


@dataclass(frozen=True, slots=True)
class Refusal:
    """A request on a game that was refused for who sent it, or a ruling that was refused. `client` is None for a credential that
    is not known.
    """

    code: str
    method: str
    route: str
    game_id: UUID | None
    client: UUID | None
    request_id: str
    refused_us: int


@dataclass(frozen=True, slots=True)
class Verification:
    """What the checks said of a game at a version, `complete` when it was over then, `waits` when no checkpoint covers
    its last event yet; `report` is JSON.
    """

    version: int
    complete: bool
    waits: bool
    verified_us: int
    report: str


@dataclass(frozen=True, slots=True)
class TrailFilter:
    """Which entries of a game's trail: None asks for any. Times are microseconds since 1970, `until` not included."""

    seat: int | None = None
    type: str | None = None
    client: UUID | None = None
    since_us: int | None = None
    until_us: int | None = None


@dataclass(frozen=True, slots=True)
class TrailRow:
    """An event without its body, of which only what was ruled, and why a referee or the house ended the game, is told."""

    seq: int
    type: str
    seat: int
    client: UUID
    request_id: str
    recorded_us: int
    sealed: bool
    prev_hash: bytes
    commitment: bytes
    hash: bytes
    ruling: str | None
    reason: str | None
    signed: bool


def list_trail(
    connection: Connection,
    game_id: UUID,
    wanted: TrailFilter,
    *,
    data_key: bytes,
    after: int,
    upto: int,
    limit: int,
) -> list[TrailRow]:
    """Events with after < seq <= upto that fit the filter, in order. The game's data key tells which sealed moves are signed."""
    rows = connection.execute(
        "SELECT seq, type, seat, client, request_id, recorded_us, sealed_for IS NOT NULL, prev_hash, commitment, hash,"
        " CASE WHEN type = ANY(%(telling)s) THEN body END"
        " FROM ml.events WHERE game_id = %(game)s AND seq > %(after)s AND seq <= %(upto)s"
        " AND (%(seat)s::smallint IS NULL OR seat = %(seat)s) AND (%(type)s::smallint IS NULL OR type = %(type)s)"
        " AND (%(client)s::uuid IS NULL OR client = %(client)s)"
        " AND (%(since)s::bigint IS NULL OR recorded_us >= %(since)s) AND (%(until)s::bigint IS NULL OR recorded_us < %(until)s)"
        " ORDER BY seq LIMIT %(limit)s",
        {
            "game": game_id,
            "telling": [TYPES[name] for name in TELLING],
            "after": after,
            "upto": upto,
            "seat": wanted.seat,
            "type": None if wanted.type is None else TYPES[wanted.type],
            "client": wanted.client,
            "since": wanted.since_us,
            "until": wanted.until_us,
            "limit": limit,
        },
    ).fetchall()
    return [_trail_row(data_key, *row) for row in rows]


def _trail_row(data_key: bytes, seq: int, type_: int, *rest: Any) -> TrailRow:
    *members, body = rest
    *_, sealed, _, commitment, _ = members
    told = _told(data_key, body, commitment, sealed=sealed)
    return TrailRow(
        seq, TYPE_NAMES[type_], *[*members, told.get("ruling"), told.get("reason"), told.get("signed") is not None]
    )


def _told(data_key: bytes, body: bytes | None, commitment: bytes, *, sealed: bool) -> Mapping[str, Any]:
    """A body's members. One that was altered so that it does not open tells nothing here: the checks will tell."""
    if body is None:
        return {}
    try:
        found = json.loads(unseal_body(data_key, body, commitment)[1] if sealed else body)
    except (ValueError, WrongMasterKey):
        return {}
    return found if isinstance(found, dict) else {}


def put_look(connection: Connection, look: Look) -> None:
    """Keep a look."""
    connection.execute(
        "INSERT INTO ml.looks (game_id, version, client, observer, what, request_id, looked_us)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s)",
        [look.game_id, look.version, look.client, look.observer, look.what, look.request_id, look.looked_us],
    )


def list_looks(connection: Connection, game_id: UUID, *, after: int, limit: int) -> list[tuple[int, Look]]:
    """Looks at a game, oldest first, with the number by which a page goes on."""
    rows = connection.execute(
        "SELECT look_id, game_id, version, client, observer, what, request_id, looked_us FROM ml.looks"
        " WHERE game_id = %s AND look_id > %s ORDER BY look_id LIMIT %s",
        [game_id, after, limit],
    ).fetchall()
    return [(row[0], Look(*row[1:])) for row in rows]


def put_refusal(connection: Connection, refusal: Refusal) -> None:
    """Keep a refusal."""
    connection.execute(
        "INSERT INTO ml.security_trail (code, method, route, game_id, client, request_id, refused_us)"
        " VALUES (%s, %s, %s, %s, %s, %s, %s)",
        [
            refusal.code,
            refusal.method,
            refusal.route,
            refusal.game_id,
            refusal.client,
            refusal.request_id,
            refusal.refused_us,
        ],
    )


def list_refusals(
    connection: Connection, *, game_id: UUID | None, before: int | None, limit: int
) -> list[tuple[int, Refusal]]:
    """Refusals, newest first, with the number by which a page goes on."""
    rows = connection.execute(
        "SELECT entry_id, code, method, route, game_id, client, request_id, refused_us FROM ml.security_trail"
        " WHERE (%(game)s::uuid IS NULL OR game_id = %(game)s) AND (%(before)s::bigint IS NULL OR entry_id < %(before)s)"
        " ORDER BY entry_id DESC LIMIT %(limit)s",
        {"game": game_id, "before": before, "limit": limit},
    ).fetchall()
    return [(row[0], Refusal(*row[1:])) for row in rows]


def forget_refusals(connection: Connection, *, before_us: int, most: int) -> int:
    """Drop refusals from before that time, of the `most` oldest; how many. They are numbered as they came, so no index on their
    times is needed. What by the database's clock is younger than thirty days stays: it would refuse.
    """
    return connection.execute(
        "DELETE FROM ml.security_trail WHERE entry_id IN (SELECT entry_id FROM"
        " (SELECT entry_id, refused_us FROM ml.security_trail ORDER BY entry_id LIMIT %s) oldest"
        " WHERE refused_us < least(%s, ((extract(epoch FROM clock_timestamp()) - 30 * 86400) * 1000000)::bigint))",
        [most, before_us],
    ).rowcount


def put_verification(connection: Connection, game_id: UUID, found: Verification) -> None:
    """Keep what the checks said, unless a newer version was verified meanwhile."""
    connection.execute(
        "INSERT INTO ml.verifications AS v (game_id, version, complete, waits, verified_us, report) VALUES (%s, %s, %s, %s, %s, %s)"
        " ON CONFLICT (game_id) DO UPDATE SET version = excluded.version, complete = excluded.complete, waits = excluded.waits,"
        " verified_us = excluded.verified_us, report = excluded.report WHERE v.version <= excluded.version",
        [game_id, found.version, found.complete, found.waits, found.verified_us, found.report],
    )


def find_verification(connection: Connection, game_id: UUID) -> Verification | None:
    """What the checks said last."""
    row = connection.execute(
        "SELECT version, complete, waits, verified_us, report FROM ml.verifications WHERE game_id = %s", [game_id]
    ).fetchone()
    return Verification(*row) if row else None


def games_now_covered(connection: Connection, *, limit: int) -> list[UUID]:
    """Games that were over when they were verified, and whose last event a checkpoint covers since."""
    rows = connection.execute(
        "SELECT v.game_id FROM ml.verifications v WHERE v.waits AND v.complete AND EXISTS"
        " (SELECT FROM ml.log_leaf l WHERE l.game_id = v.game_id AND l.seq = v.version"
        "  AND l.leaf_index < (SELECT max(size) FROM ml.checkpoints)) LIMIT %s",
        [limit],
    ).fetchall()
    return [row[0] for row in rows]


def games_to_verify(connection: Connection, *, limit: int) -> list[UUID]:
    """Games that are over and were not verified since. Goes through all games."""
    rows = connection.execute(
        "SELECT g.game_id FROM ml.games g LEFT JOIN ml.progress p USING (game_id) LEFT JOIN ml.verifications v USING (game_id)"
        " WHERE g.status IN ('finished', 'aborted') AND (v.version IS NULL OR v.version < p.version)"
        " ORDER BY p.updated_us DESC NULLS LAST LIMIT %s",
        [limit],
    ).fetchall()
    return [row[0] for row in rows]


def games_to_sample(connection: Connection, *, recent_us: int, old_us: int, limit: int) -> list[UUID]:
    """Games whose verification is oldest, a rolling sample: running ones that have none or one from before `recent_us`, and
    those that were over then when it is from before `old_us`.
    """
    rows = connection.execute(
        "(SELECT g.game_id, 0::bigint AS verified_us FROM ml.games g WHERE g.status = 'running'"
        "   AND NOT EXISTS (SELECT FROM ml.verifications v WHERE v.game_id = g.game_id) LIMIT %(limit)s)"
        " UNION ALL (SELECT game_id, verified_us FROM ml.verifications WHERE NOT complete AND verified_us < %(recent)s"
        "   ORDER BY verified_us LIMIT %(limit)s)"
        " UNION ALL (SELECT game_id, verified_us FROM ml.verifications WHERE complete AND verified_us < %(old)s"
        "   ORDER BY verified_us LIMIT %(limit)s)"
        " ORDER BY verified_us LIMIT %(limit)s",
        {"recent": recent_us, "old": old_us, "limit": limit},
    ).fetchall()
    return [row[0] for row in rows]


def put_rule_check(connection: Connection, run_id: UUID, game_id: UUID, seq: int | None, detail: str | None) -> None:
    """Keep what one game of a run showed; the same again changes nothing."""
    connection.execute(
        "INSERT INTO ml.rule_checks (run_id, game_id, seq, detail) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING",
        [run_id, game_id, seq, detail],
    )


def count_rule_checks(connection: Connection, run_id: UUID) -> int:
    """How many games of a run are done."""
    row = connection.execute("SELECT count(*) FROM ml.rule_checks WHERE run_id = %s", [run_id]).fetchone()
    return int(row[0]) if row else 0


def rule_differences(connection: Connection, run_id: UUID) -> Sequence[tuple[UUID, int, str]]:
    """The games of a run that differ: id, first seq, what differs."""
    rows = connection.execute(
        "SELECT game_id, seq, detail FROM ml.rule_checks WHERE run_id = %s AND seq IS NOT NULL ORDER BY game_id",
        [run_id],
    ).fetchall()
    return [(row[0], row[1], row[2]) for row in rows]


def forget_rule_checks(connection: Connection, run_id: UUID) -> None:
    """Drop a run whose differences were told."""
    connection.execute("DELETE FROM ml.rule_checks WHERE run_id = %s", [run_id])
