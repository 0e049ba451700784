"""Snapshots in Postgres: the newest whose hash the log bears out, and which games lag behind."""

from __future__ import annotations

from uuid import UUID

import pytest

from moveledger.store.database import Connection
from moveledger.store.events import load_events
from moveledger.store.log import order_events
from moveledger.store.snapshots import (
    EVERY,
    find_snapshot,
    lagging_games,
    put_snapshot,
    snapshot_name,
    stored_seq,
)
from tests.store.drafts import DATA_KEY, all_rows, grow, new_id

NOW, OLD = "ab" * 32, "cd" * 32
"""Digests of a ruleset's sources, now and before."""


@pytest.fixture
def game(api: Connection) -> UUID:
    """A game of ten events."""
    game = new_id()
    grow(api, game, to=10)
    return game


def keep(worker: Connection, game: UUID, seq: int, *, digest: str = NOW, head_hash: bytes | None = None) -> None:
    hashes = {event.seq: event.hash for event in load_events(worker, game, data_key=DATA_KEY)}
    content = f"{digest[:2]} {seq}".encode()
    put_snapshot(
        worker,
        game_id=game,
        rules_digest=digest,
        seq=seq,
        head_hash=head_hash or hashes[seq],
        content=content,
    )


def found(connection: Connection, game: UUID, *, upto: int, digest: str = NOW) -> bytes | None:
    return find_snapshot(connection, game_id=game, rules_digest=digest, upto=upto)


def test_the_newest_that_is_not_too_new_is_found(api: Connection, worker: Connection, game: UUID) -> None:
    for seq in (8, 2, 5):
        keep(worker, game, seq)
    answers = [found(api, game, upto=upto) for upto in (1, 2, 4, 5, 7, 8, 99)]
    assert answers == [None, b"ab 2", b"ab 2", b"ab 5", b"ab 5", b"ab 8", b"ab 8"]
    assert stored_seq(api, game, NOW) == 8


def test_one_of_other_sources_is_none(api: Connection, worker: Connection, game: UUID) -> None:
    keep(worker, game, 5, digest=OLD)
    assert found(api, game, upto=9) is None
    assert stored_seq(api, game, NOW) == 0
    keep(worker, game, 4)
    assert found(api, game, upto=9) == b"ab 4"
    assert found(api, game, upto=9, digest=OLD) == b"cd 5"


def test_one_whose_hash_is_not_the_log_s_is_passed_over(api: Connection, worker: Connection, game: UUID) -> None:
    keep(worker, game, 3)
    keep(worker, game, 6, head_hash=b"f" * 32)
    assert found(api, game, upto=9) == b"ab 3"


def test_one_of_another_game_is_none(api: Connection, worker: Connection, game: UUID) -> None:
    keep(worker, game, 3)
    assert found(api, new_id(), upto=9) is None


def test_the_same_again_changes_nothing(api: Connection, worker: Connection, game: UUID) -> None:
    for _ in range(2):
        keep(worker, game, 3)
    assert all_rows(api, "SELECT count(*) FROM ml.snapshots WHERE game_id = %s", game) == [(1,)]


def test_a_name_in_redis_tells_ruleset_sources_and_game() -> None:
    game = new_id()
    names = {snapshot_name(ruleset, digest, game) for ruleset in ("a@1", "a@2") for digest in (NOW, OLD)}
    assert len(names) == 4
    assert all(str(game) in name for name in names)


def test_which_games_lag_is_told_by_what_the_relay_has_seen(
    owner: Connection, api: Connection, worker: Connection, relay: Connection
) -> None:
    short, long = new_id(), new_id()
    grow(api, short, to=3)
    grow(api, long, to=2 * EVERY)
    for game in (short, long):
        owner.execute(
            "INSERT INTO ml.games (game_id, ruleset, status, visibility, creator, created_us)"
            " VALUES (%s, 'a@1', 'running', 'public', %s, 1)",
            [game, game],
        )
    order_events(relay, most=100_000)
    updated = dict(
        all_rows(owner, "SELECT game_id, updated_us FROM ml.progress WHERE game_id = ANY(%s)", [short, long])
    )
    now = max(updated.values()) + 1

    def lagging(*, since: int, settled: int) -> dict[UUID, tuple[int, int]]:
        rows = lagging_games(worker, {"a@1": NOW}, since_us=since, settled_us=settled, limit=1000)
        return {game: (version, stored) for game, _, version, stored in rows if game in (short, long)}

    assert lagging(since=0, settled=now) == {short: (3, 0), long: (2 * EVERY, 0)}
    assert lagging(since=now, settled=now) == {long: (2 * EVERY, 0)}
    assert lagging(since=0, settled=min(updated.values())) == {}
    keep(worker, long, EVERY)
    assert lagging(since=now, settled=now) == {long: (2 * EVERY, EVERY)}
    keep(worker, long, 2 * EVERY)
    assert lagging(since=now, settled=now) == {}
    assert lagging(since=0, settled=now)[long] == (2 * EVERY, 2 * EVERY)
    keep(worker, long, EVERY, digest=OLD)
    assert lagging(since=now, settled=now) == {long: (2 * EVERY, 0)}
    assert lagging_games(worker, {"b@1": NOW}, since_us=now, settled_us=now, limit=1000) == []
    owner.execute("DELETE FROM ml.games WHERE game_id = ANY(%s)", [[short, long]])
