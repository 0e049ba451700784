"""Rows `writers` and `follower`: sixteen Python writers at once, each with a stream of its own."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TypeAlias
from uuid import UUID, uuid4

import psycopg
import uuid_utils.compat
from eventsourcing.persistence import StoredEvent
from eventsourcing.postgres import PostgresFactory
from psycopg.conninfo import conninfo_to_dict

from bench.appending import BODY
from bench.comparison import Bar, Result, Side, compare
from bench.stage import Stage, wait_until
from bench.together import run_together, wait_for_all
from moveledger.audit.event import SCHEMA, ZERO_HASH, Event, commitment
from moveledger.store.database import Database
from moveledger.store.events import Draft, Repeat, append
from moveledger.store.sealing import digest_id

WRITERS = 16
PROCESSES = 2
MOVES = 100
"""After so many events a writer goes on with a new stream."""
CLIENT = UUID("019ad000-0000-7000-8000-000000000001")

Name: TypeAlias = tuple[UUID, int]
"""A stream and a number in it: one event."""
Write: TypeAlias = Callable[[UUID, int], None]
"""Writes event number n of a stream; returns when it is durable."""


# --- the two that write --------------------------------------------------------------------------------


def write_ours(url: str, seconds: float) -> list[Name]:
    """Through `store.append`, as an API process would; the names of what was acknowledged."""
    database = Database(url, role="moveledger_api", size=WRITERS // PROCESSES)
    database.open()

    def write(game_id: UUID, seq: int) -> None:
        with database.connection() as connection:
            answer = append(
                connection,
                game_id=game_id,
                drafts=[_draft(game_id, seq)],
                repeat=Repeat(digest_id(game_id.bytes, seq.to_bytes(8, "big")), bytes(32)),
                status=None,
                data_key=bytes(32),
            )
        assert answer.result == "ok", answer

    try:
        return _write_together(write, seconds)
    finally:
        database.close()


def _draft(game_id: UUID, seq: int) -> Draft:
    salt = secrets.token_bytes(32)
    event = Event(
        game_id=game_id,
        seq=seq,
        type="moved",
        schema=SCHEMA,
        seat=2,
        client=CLIENT,
        request_id="bench",
        recorded_us=0,
        prev_hash=ZERO_HASH,
        commitment=commitment(salt, BODY),
        hash=ZERO_HASH,
        sealed=False,
        salt=salt,
        body={},
    )
    return Draft(event, BODY)


def write_theirs(environment: Mapping[str, str], seconds: float) -> list[Name]:
    """Through the application recorder of `eventsourcing`, as it is by default."""
    with PostgresFactory({**environment, "CREATE_TABLE": "no"}) as factory:
        recorder = factory.application_recorder()

        def write(stream: UUID, number: int) -> None:
            stored = StoredEvent(originator_id=stream, originator_version=number, topic="bench:Moved", state=BODY)
            recorder.insert_events([stored])

        return _write_together(write, seconds)


def _write_together(write: Write, seconds: float) -> list[Name]:
    """The writers of one process, for so long."""
    write(uuid4(), 1)  # whatever has to be opened first
    wait_for_all()
    end = time.monotonic() + seconds
    with ThreadPoolExecutor(WRITERS // PROCESSES) as pool:
        writing = [pool.submit(_write_alone, write, end) for _ in range(WRITERS // PROCESSES)]
        return [name for done in writing for name in done.result()]


def _write_alone(write: Write, end: float) -> list[Name]:
    written: list[Name] = []
    while time.monotonic() < end:
        stream = UUID(bytes=uuid_utils.compat.uuid7().bytes)
        for number in range(1, MOVES + 1):
            write(stream, number)
            written.append((stream, number))
            if time.monotonic() >= end:
                break
    return written


# --- the rows ------------------------------------------------------------------------------------------


def write_beside_eventsourcing(stage: Stage) -> list[Result]:
    """One event at a time, each durable before the next of its writer."""
    database = stage.make_database()
    environment = _environment_of_theirs(stage.url(database))
    with PostgresFactory(environment) as factory:
        factory.application_recorder()  # makes its table
    stage.settle()
    seconds = stage.effort.seconds
    ours = partial(write_ours, stage.url(database, "api"), seconds)
    theirs = partial(write_theirs, environment, seconds)
    return [
        compare(
            f"events from {WRITERS} Python writers against eventsourcing's Postgres recorder",
            Side("store.append", lambda: _count(ours) / seconds),
            Side("eventsourcing", lambda: _count(theirs) / seconds),
            rounds=stage.effort.rounds,
            bar=Bar("≥", 4),
        )
    ]


def _count(write: Callable[[], list[Name]]) -> int:
    return sum(len(names) for names in run_together([write] * PROCESSES))


def _environment_of_theirs(url: str) -> Mapping[str, str]:
    where = conninfo_to_dict(url)
    return {
        "POSTGRES_DBNAME": str(where["dbname"]),
        "POSTGRES_HOST": str(where["host"]),
        "POSTGRES_PORT": "5432",
        "POSTGRES_USER": str(where["user"]),
        "POSTGRES_PASSWORD": "none",  # a socket that only we may enter asks for none
        "POSTGRES_POOL_SIZE": str(WRITERS // PROCESSES),
    }


def follow_writers(stage: Stage) -> list[Result]:
    """Whether one who reads the leaves in order, and remembers only the last index, meets every event acknowledged."""
    database = stage.make_database()
    with (
        stage.running("relay", "moveledger", "relay", environment=stage.environment(database)),
        Follower(stage.url(database, "relay")) as follower,
    ):
        write = partial(write_ours, stage.url(database, "api"), stage.effort.seconds)
        acknowledged = [name for names in run_together([write] * PROCESSES) for name in names]
        with suppress(TimeoutError):
            wait_until(lambda: len(follower.seen) >= len(acknowledged), "the follower", patience=20)
    lost = len(set(acknowledged) - set(follower.seen))
    detail = (
        f"{len(acknowledged):,} acknowledged, {len(follower.seen):,} followed, the farthest {follower.lag:,} behind"
    )
    twice = len(follower.seen) - len(set(follower.seen))
    title = f"appends lost or met twice by a follower while {WRITERS} writers run"
    return [Result(title, [lost + twice], Bar("=", 0), detail, unit="")]


class Follower:
    """A thread that reads `log_leaf` from where it was, again and again."""

    def __init__(self, url: str) -> None:
        self.seen: list[Name] = []
        self.lag = 0
        self._url = url
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._follow, name="follower")

    def __enter__(self) -> Follower:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    def _follow(self) -> None:
        following = (
            "SELECT game_id, seq, leaf_index FROM ml.log_leaf WHERE leaf_index >= %s ORDER BY leaf_index LIMIT 5000"
        )
        with psycopg.connect(self._url, autocommit=True) as connection:
            while not self._stop.wait(0.01):
                rows: Sequence[tuple[UUID, int, int]] = connection.execute(following, [len(self.seen)]).fetchall()
                assert [row[2] for row in rows] == list(range(len(self.seen), len(self.seen) + len(rows)))
                self.seen += [(game_id, seq) for game_id, seq, _ in rows]
                self.lag = max(self.lag, len(rows))
