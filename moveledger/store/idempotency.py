"""Answers to requests that make something other than events, kept for a day so that a repeat is answered the same.

Moves and all that appends to a game's log keep theirs with the event, for the life of the game.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from moveledger.errors import IdempotencyKeyReused
from moveledger.store.database import Connection

LIFE_US = 24 * 3600 * 1_000_000


@dataclass(frozen=True, slots=True)
class RequestKey:
    """Whose request it is, on which route, under which Idempotency-Key, and the keyed hash of what was asked."""

    credential: UUID
    route: str
    key: str
    fingerprint: bytes


def find_answer(connection: Connection, request: RequestKey) -> bytes | None:
    """The answer that was given to this request. Raises `IdempotencyKeyReused` when the key is another request's."""
    row = connection.execute(
        "SELECT fingerprint, answer FROM ml.idempotency WHERE credential = %s AND route = %s AND key = %s",
        [request.credential, request.route, request.key],
    ).fetchone()
    if row is None:
        return None
    if row[0] != request.fingerprint:
        raise IdempotencyKeyReused
    answer: bytes | None = row[1]
    return answer


def claim_request(connection: Connection, request: RequestKey, *, now_us: int) -> bytes | None:
    """Take the key for this request, inside the transaction that does the work; answers None when it is the first.

    A second request waits here until the first has committed, and then gets its answer. Raises `IdempotencyKeyReused`.
    """
    done = connection.execute(
        "INSERT INTO ml.idempotency (credential, route, key, fingerprint, created_us) VALUES (%s, %s, %s, %s, %s)"
        " ON CONFLICT DO NOTHING",
        [request.credential, request.route, request.key, request.fingerprint, now_us],
    )
    return None if done.rowcount == 1 else find_answer(connection, request)


def keep_answer(connection: Connection, request: RequestKey, answer: bytes) -> None:
    """Keep the answer, in the same transaction."""
    connection.execute(
        "UPDATE ml.idempotency SET answer = %s WHERE credential = %s AND route = %s AND key = %s",
        [answer, request.credential, request.route, request.key],
    )


def forget_old_answers(connection: Connection, *, now_us: int) -> int:
    """Drop answers older than a day; how many."""
    return connection.execute("DELETE FROM ml.idempotency WHERE created_us < %s", [now_us - LIFE_US]).rowcount
