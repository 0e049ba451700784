"""What Redis holds, how long it is believed, and how the service lives without it."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID, uuid4

import pytest
import redis

from moveledger.store import cache as module
from moveledger.store.cache import BELL, TRUST, Cache, Head
from moveledger.store.embedded import Valkey, prepare_folder
from tests.places import quick_folder

HASH, OTHER = b"h" * 32, b"o" * 32


@pytest.fixture
def cache(redis_url: str) -> Iterator[Cache]:
    """A process's cache on an empty server."""
    cache = Cache(redis_url)
    yield cache
    cache.close()


@pytest.fixture
def other(redis_url: str) -> Iterator[Cache]:
    """Another process's."""
    cache = Cache(redis_url)
    yield cache
    cache.close()


@pytest.fixture
def game() -> UUID:
    """A game's id."""
    return uuid4()


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    """Where a server of this module's own lives."""
    folder = quick_folder()
    prepare_folder(folder)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def server(folder: Path) -> Iterator[Valkey]:
    """A server that a test may stop, kill and start again, and that keeps what it holds."""
    shutil.rmtree(folder / "valkey", ignore_errors=True)
    server = Valkey(folder)
    server.start()
    yield server
    server.stop()


@contextmanager
def stopped(server: Valkey) -> Iterator[None]:
    """While the block runs, the server takes connections and says nothing."""
    assert server.child.pid is not None
    os.kill(server.child.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(server.child.pid, signal.SIGCONT)


# --- heads and views ------------------------------------------------------------------------------------------


def test_a_head_is_known_to_every_process(cache: Cache, other: Cache, game: UUID) -> None:
    assert cache.head(game) is None
    cache.raise_head(game, 3, HASH, promised=True)
    assert other.head(game) == Head(3, HASH.hex())


def test_a_head_is_raised_and_never_lowered(cache: Cache, game: UUID) -> None:
    for version, expected in ((3, 3), (5, 5), (4, 5), (5, 5), (10, 10), (9, 10)):
        cache.raise_head(game, version, HASH, promised=False)
        assert cache.head(game) == Head(expected, HASH.hex())


def test_a_head_is_believed_for_seconds_only(cache: Cache, game: UUID, redis_url: str) -> None:
    cache.raise_head(game, 3, HASH, promised=True)
    with redis.Redis.from_url(redis_url) as connection:
        (key,) = connection.keys("*head*")
        assert 0 < connection.pttl(key) <= TRUST * 1000


def test_raising_an_older_head_does_not_prolong_the_newer(cache: Cache, game: UUID, redis_url: str) -> None:
    cache.raise_head(game, 5, HASH, promised=True)
    with redis.Redis.from_url(redis_url) as connection:
        (key,) = connection.keys("*head*")
        connection.pexpire(key, 500)
        cache.raise_head(game, 4, HASH, promised=True)
        assert 0 < connection.pttl(key) <= 500


def test_a_view_is_given_only_while_it_is_as_new_as_the_head(cache: Cache, other: Cache, game: UUID) -> None:
    cache.put_spectator_view(game, version=3, etag="e3", body=b"three")
    assert other.spectator_view(game) is None
    cache.raise_head(game, 3, HASH, promised=True)
    assert other.spectator_view(game) == ("e3", b"three")
    cache.raise_head(game, 4, HASH, promised=True)
    assert other.spectator_view(game) is None
    cache.put_spectator_view(game, version=4, etag="e4", body=b"four")
    assert other.spectator_view(game) == ("e4", b"four")


def test_a_late_worker_s_older_view_takes_no_newer_one_s_place(cache: Cache, game: UUID) -> None:
    cache.raise_head(game, 4, HASH, promised=True)
    cache.put_spectator_view(game, version=4, etag="e4", body=b"four")
    cache.put_spectator_view(game, version=3, etag="e3", body=b"three")
    assert cache.spectator_view(game) == ("e4", b"four")


# --- snapshots, keys, the bell --------------------------------------------------------------------------------


def test_a_snapshot_gives_way_only_to_a_newer_one(cache: Cache, other: Cache) -> None:
    assert cache.snapshot("snap:a") is None
    for seq, expected in ((3, b"3"), (2, b"3"), (3, b"3"), (10, b"10"), (9, b"10")):
        cache.put_snapshot("snap:a", seq=seq, content=str(seq).encode())
        assert other.snapshot("snap:a") == expected
    assert other.snapshot_seqs(["snap:a", "snap:none"]) == [10, 0]
    assert other.snapshot_seqs([]) == []


def test_an_epoch_of_the_keys_is_begun_by_whoever_changes_a_key(cache: Cache, other: Cache) -> None:
    assert cache.keys_epoch() is None
    cache.set_keys_epoch("one", only_if_missing=True)
    other.set_keys_epoch("two", only_if_missing=True)
    assert cache.keys_epoch() == other.keys_epoch() == "one"
    other.set_keys_epoch("three")
    assert cache.keys_epoch() == "three"


def test_the_bell_is_heard_by_who_listens(cache: Cache, redis_url: str) -> None:
    with redis.Redis.from_url(redis_url) as connection, connection.pubsub() as listener:
        listener.subscribe(BELL)
        listener.get_message(timeout=2)
        cache.ring(b"grown")
        heard = listener.get_message(timeout=2)
    assert heard is not None
    assert heard["data"] == b"grown"


# --- without Redis --------------------------------------------------------------------------------------------


def ask_everything(cache: Cache, game: UUID) -> None:
    """Every method answers nothing, and none raises."""
    assert cache.head(game) is None
    cache.raise_head(game, 1, HASH, promised=False)
    cache.put_spectator_view(game, version=1, etag="e", body=b"")
    assert cache.spectator_view(game) is None
    cache.put_snapshot("snap:a", seq=1, content=b"")
    assert cache.snapshot("snap:a") is None
    assert cache.snapshot_seqs(["snap:a"]) is None
    cache.set_keys_epoch("e", only_if_missing=True)
    assert cache.keys_epoch() is None
    cache.ring(b"")
    assert not cache.is_there()


@pytest.mark.parametrize("back_off", [module.BACK_OFF, 0.0])
def test_with_redis_away_every_method_answers_nothing(
    game: UUID, monkeypatch: pytest.MonkeyPatch, back_off: float
) -> None:
    monkeypatch.setattr(module, "BACK_OFF", back_off)
    cache = Cache("unix:///nowhere/valkey.sock")
    began = time.monotonic()
    ask_everything(cache, game)
    assert time.monotonic() - began < 1.0
    cache.close()


def test_a_redis_that_is_silent_is_not_waited_for_again_and_again(server: Valkey, game: UUID) -> None:
    cache = Cache(server.redis_url())
    cache.raise_head(game, 1, HASH, promised=True)
    with stopped(server):
        began = time.monotonic()
        ask_everything(cache, game)
        assert time.monotonic() - began < 1.0
    cache.close()


def test_a_redis_that_comes_back_is_asked_again(server: Valkey, game: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BACK_OFF", 0.05)
    cache = Cache(server.redis_url())
    assert cache.is_there()
    server.stop()
    assert not cache.is_there()
    server.start()
    deadline = time.monotonic() + 5
    while not cache.is_there():
        assert time.monotonic() < deadline
    cache.raise_head(game, 1, HASH, promised=True)
    assert cache.head(game) == Head(1, HASH.hex())
    cache.close()


def test_a_server_that_starts_with_an_older_copy_of_its_data_is_believed_in_nothing_that_ages(
    server: Valkey, folder: Path, game: UUID
) -> None:
    """The head of version 1 is less than TRUST seconds old and came back from the dead: version 2 was answered since."""
    cache = Cache(server.redis_url())
    cache.raise_head(game, 1, HASH, promised=True)
    cache.put_spectator_view(game, version=1, etag="e1", body=b"one")
    cache.set_keys_epoch("one")
    cache.put_snapshot("snap:a", seq=1, content=b"one")
    shutil.copytree(folder / "valkey", folder / "older")
    cache.raise_head(game, 2, OTHER, promised=True)
    cache.set_keys_epoch("two")
    server.stop()
    shutil.rmtree(folder / "valkey")
    (folder / "older").rename(folder / "valkey")
    server.start()
    with redis.Redis.from_url(server.redis_url()) as connection:
        assert connection.keys("*head*")
    assert (cache.head(game), cache.spectator_view(game), cache.keys_epoch()) == (None, None, None)
    assert cache.snapshot("snap:a") == b"one"
    cache.close()


def test_after_a_restart_what_is_written_first_is_found_by_the_others(server: Valkey, game: UUID) -> None:
    """A connection that breaks is made anew without a word, after the name of the key was made."""
    writers = [Cache(server.redis_url()) for _ in range(3)]
    assert all(cache.is_there() for cache in writers)
    server.stop()
    server.start()
    reader = Cache(server.redis_url())
    writers[0].raise_head(game, 1, HASH, promised=True)
    writers[1].put_spectator_view(game, version=1, etag="e1", body=b"one")
    writers[2].set_keys_epoch("one")
    assert (reader.spectator_view(game), reader.keys_epoch()) == (("e1", b"one"), "one")
    for cache in (*writers, reader):
        cache.close()


# --- what a writer waits for ----------------------------------------------------------------------------------


def test_a_writer_whose_redis_went_away_waits_until_no_older_head_is_believed(
    server: Valkey, game: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TRUST", 0.4)
    cache = Cache(server.redis_url())
    cache.raise_head(game, 1, HASH, promised=True)
    raised = time.monotonic()
    server.stop()
    cache.raise_head(game, 2, HASH, promised=True)
    assert 0.35 < time.monotonic() - raised < 1.5
    cache.close()


def test_a_writer_waits_no_longer_than_that_and_not_for_each_move(
    server: Valkey, game: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "TRUST", 0.2)
    cache = Cache(server.redis_url())
    cache.raise_head(game, 1, HASH, promised=True)
    server.stop()
    cache.raise_head(game, 2, HASH, promised=True)
    began = time.monotonic()
    for version in range(3, 40):
        cache.raise_head(game, version, HASH, promised=True)
    assert time.monotonic() - began < 0.5
    cache.close()


def test_who_promises_nothing_waits_for_nothing(server: Valkey, game: UUID) -> None:
    cache = Cache(server.redis_url())
    cache.raise_head(game, 1, HASH, promised=True)
    server.stop()
    began = time.monotonic()
    cache.raise_head(game, 2, HASH, promised=False)
    assert time.monotonic() - began < 0.5
    cache.close()


def test_who_revokes_a_key_waits_like_a_writer(server: Valkey, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TRUST", 0.4)
    cache = Cache(server.redis_url())
    cache.set_keys_epoch("one")
    raised = time.monotonic()
    server.stop()
    cache.set_keys_epoch("two")
    assert 0.35 < time.monotonic() - raised < 1.5
    cache.close()
