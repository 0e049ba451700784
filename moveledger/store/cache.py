"""What Redis holds, and how to live without it. Nothing here is the truth; losing all of it costs time only.

Heads, views and the epoch of the keys are believed for `TRUST` seconds at most and live under a prefix made of the server's
run id: a server that restarts with an older copy of its data starts with none of them. A writer that cannot raise
a head waits until every head it may have left behind has expired, so nobody reads a state older than a move that was
answered.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast
from uuid import UUID

import redis
from redis.exceptions import RedisError

T = TypeVar("T")
TRUST = 2.0
"""Seconds for which a head, a view or the epoch of keys is believed."""
BACK_OFF = 1.0
"""Seconds for which a Redis that failed is not asked again."""
ANSWER, CONNECT = 0.5, 0.3
"""Seconds that Redis has to answer, and to take a connection, before it counts as away."""
SNAPSHOT_LIFE = 7 * 86_400
BELL = "moveledger:grown"

_PUT_UNLESS_OLDER = """
local held = tonumber(string.match(redis.call('GETRANGE', KEYS[1], 0, 19), '^%d+'))
if held and held > tonumber(string.match(ARGV[1], '^%d+')) then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
"""
_PUT_SNAPSHOT = """
local old = redis.call('HGET', KEYS[1], 'seq')
if old and tonumber(old) >= tonumber(ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'seq', ARGV[1], 'content', ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
return 1
"""


@dataclass(frozen=True, slots=True)
class Head:
    """Version and hash (hex) of a game's last event, as Redis has it."""

    version: int
    hash: str


class Cache:
    """One process's door to Redis. Every method answers None or nothing when Redis is away; none raises."""

    def __init__(self, url: str) -> None:
        self.run = ""
        self._away_until = 0.0
        self._last_contact = time.monotonic()
        self._lock = threading.Lock()
        self.client: redis.Redis = redis.Redis.from_url(
            url, socket_timeout=ANSWER, socket_connect_timeout=CONNECT, redis_connect_func=self._connected
        )
        self._put_unless_older = self.client.register_script(_PUT_UNLESS_OLDER)
        self._put_snapshot = self.client.register_script(_PUT_SNAPSHOT)

    def _connected(self, connection: Any) -> None:
        connection.on_connect()
        connection.send_command("INFO", "server")
        info = connection.read_response()
        text = info.decode() if isinstance(info, bytes) else str(info)
        self.run = next((line[7:15] for line in text.splitlines() if line.startswith("run_id:")), "none")

    @contextlib.contextmanager
    def _asking(self) -> Iterator[None]:
        """Around every request: remembers contact and failure, and swallows the failure."""
        if time.monotonic() < self._away_until:
            raise _Away
        try:
            yield
        except (RedisError, OSError) as wrong:
            self._away_until = time.monotonic() + BACK_OFF
            raise _Away from wrong
        self._last_contact = time.monotonic()

    def _ask(self, ask: Callable[[str], T]) -> T:
        """Ask for keys under the prefix of the server's run; again, when the answer came over a new connection from
        another run than the prefix was made for.
        """
        if not self.run:
            self.client.ping()
        while True:
            run = self.run
            answer = ask(f"ml:{run}:")
            if run == self.run:
                return answer

    # --- heads and views: each a text that begins with the version that it tells of ----------------------

    def raise_head(self, game_id: UUID, version: int, head_hash: bytes, *, promised: bool) -> None:
        """Say that a game has come to `version`. With `promised` (a move is about to be answered), and Redis away, this
        returns only when no older head can be believed any more.
        """
        last_contact = self._last_contact
        try:
            with self._asking():
                args: list[str | int] = [f"{version} {head_hash.hex()}", int(TRUST * 1000)]
                self._ask(lambda run: self._put_unless_older(keys=[f"{run}head:{game_id}"], args=args))
        except _Away:
            if promised:
                time.sleep(max(0.0, last_contact + TRUST - time.monotonic()))

    def head(self, game_id: UUID) -> Head | None:
        """The head of a game, if Redis has one that may be believed."""
        try:
            with self._asking():
                return _head(self._ask(lambda run: self.client.get(f"{run}head:{game_id}")))
        except _Away:
            return None

    def spectator_view(self, game_id: UUID) -> tuple[str, bytes] | None:
        """ETag and bytes of what a spectator of a public game reads, if it is as new as the head: one round trip."""
        try:
            with self._asking():
                told, view = self._ask(
                    lambda run: cast("list[Any]", self.client.mget(f"{run}head:{game_id}", f"{run}view:{game_id}"))
                )
        except _Away:
            return None
        head = _head(told)
        if head is None or view is None:
            return None
        title, _, body = cast(bytes, view).partition(b"\n")
        version, etag = title.decode().split(" ")
        return (etag, body) if int(version) == head.version else None

    def put_spectator_view(self, game_id: UUID, *, version: int, etag: str, body: bytes) -> None:
        """Keep what a spectator reads, for seconds, unless something newer is there."""
        args: list[str | int | bytes] = [f"{version} {etag}\n".encode() + body, int(TRUST * 5000)]
        with contextlib.suppress(_Away), self._asking():
            self._ask(lambda run: self._put_unless_older(keys=[f"{run}view:{game_id}"], args=args))

    # --- snapshots -----------------------------------------------------------------------------------

    def put_snapshot(self, name: str, *, seq: int, content: bytes) -> None:
        """Keep a sealed snapshot unless a newer one is there (compare-and-set on seq)."""
        with contextlib.suppress(_Away), self._asking():
            self._put_snapshot(keys=[f"ml:{name}"], args=[seq, content, SNAPSHOT_LIFE])

    def snapshot(self, name: str) -> bytes | None:
        """A sealed snapshot."""
        try:
            with self._asking():
                return cast("bytes | None", self.client.hget(f"ml:{name}", "content"))
        except _Away:
            return None

    def snapshot_seqs(self, names: Sequence[str]) -> list[int] | None:
        """The seqs of these snapshots, 0 where there is none; None when Redis is away."""
        try:
            with self._asking(), self.client.pipeline(transaction=False) as pipe:
                for name in names:
                    pipe.hget(f"ml:{name}", "seq")
                return [int(seq or 0) for seq in pipe.execute()]
        except _Away:
            return None

    # --- keys ----------------------------------------------------------------------------------------

    def keys_epoch(self) -> str | None:
        """A word that changes whenever any API key does; None when what is known of keys must not be believed."""
        try:
            with self._asking():
                found = self._ask(lambda run: self.client.get(f"{run}keys:epoch"))
                return found.decode() if isinstance(found, bytes) else None
        except _Away:
            return None

    def set_keys_epoch(self, epoch: str, *, only_if_missing: bool = False) -> None:
        """Begin a new epoch: what any process remembers of keys is no longer believed."""
        last_contact = self._last_contact
        try:
            with self._asking():
                self._ask(lambda run: self.client.set(f"{run}keys:epoch", epoch, nx=only_if_missing))
        except _Away:
            if not only_if_missing:
                time.sleep(max(0.0, last_contact + TRUST - time.monotonic()))

    # --- the bell ------------------------------------------------------------------------------------

    def ring(self, message: bytes) -> None:
        """Tell whoever listens that games have grown."""
        with contextlib.suppress(_Away), self._asking():
            self.client.publish(BELL, message)

    def is_there(self) -> bool:
        """Whether Redis answers."""
        try:
            with self._asking():
                return bool(self.client.ping())
        except _Away:
            return False

    def close(self) -> None:
        """Close every connection."""
        self.client.close()


class _Away(Exception):
    """Redis does not answer; known only inside this module."""


def _head(told: Any) -> Head | None:
    if told is None:
        return None
    version, head_hash = told.decode().split(" ")
    return Head(int(version), head_hash)
