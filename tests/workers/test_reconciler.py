"""What was lost on the way is found again: games whose snapshots lag, and what is to be done now and then."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest
import redis
from psycopg.errors import ObjectNotInPrerequisiteState

from moveledger.errors import WrongMasterKey
from moveledger.services import trails
from moveledger.services.games import ENTROPY_DEADLINE_US, NewGame, open_game
from moveledger.services.ordering import order_new_events
from moveledger.services.snapshotting import bring_up_to_date, keep_house, ring_for_lagging_games
from moveledger.services.tools import Tools
from moveledger.services.trails import DAY_US, note_refusal
from moveledger.store.idempotency import LIFE_US
from moveledger.store.snapshots import EVERY, all_snapshots
from moveledger.workers.queue import game_queue
from tests.house import Clock, House, fresh_key, open_house
from tests.playing import CLOSED_HANDS, SHANGRILA, Table, new_table, players, request_key
from tests.store.drafts import connected
from tests.workers.snapshots import in_redis


def waiting(connection: redis.Redis) -> set[UUID]:
    """The games of all jobs that wait."""
    jobs = game_queue(connection).jobs
    return {UUID(game_id) for job in jobs for game_id in job.args[0]}


def lose_jobs(connection: redis.Redis) -> None:
    """What happens to a job whose worker is killed at the wrong moment."""
    game_queue(connection).delete(delete_jobs=True)


def test_a_game_whose_job_was_lost_is_rung_for_again(
    worker: Tools, relay: Tools, table: Table, connection: redis.Redis, clock: Clock
) -> None:
    order_new_events(relay)
    lose_jobs(connection)
    clock.go_on(seconds=5)
    assert ring_for_lagging_games(worker) == 1
    assert waiting(connection) == {table.game_id}


def test_with_redis_emptied_it_is_too(
    worker: Tools, relay: Tools, table: Table, connection: redis.Redis, clock: Clock
) -> None:
    order_new_events(relay)
    bring_up_to_date(worker, [table.game_id])
    connection.flushall()
    clock.go_on(seconds=5)
    assert ring_for_lagging_games(worker) == 1
    assert waiting(connection) == {table.game_id}


def test_a_game_that_is_up_to_date_is_left_alone(
    worker: Tools, relay: Tools, table: Table, connection: redis.Redis, clock: Clock
) -> None:
    order_new_events(relay)
    bring_up_to_date(worker, [table.game_id])
    lose_jobs(connection)
    clock.go_on(seconds=5)
    assert ring_for_lagging_games(worker) == 0
    assert waiting(connection) == set()


def test_a_game_that_is_being_played_is_given_time(
    worker: Tools, relay: Tools, table: Table, connection: redis.Redis, clock: Clock
) -> None:
    order_new_events(relay)
    lose_jobs(connection)
    assert ring_for_lagging_games(worker) == 0
    clock.go_on(seconds=2)
    assert ring_for_lagging_games(worker) == 0


def test_a_quiet_game_is_rung_for_only_while_postgres_lacks_a_stride(
    worker: Tools, relay: Tools, api: House, connection: redis.Redis, clock: Clock
) -> None:
    short = new_table(api.tools, api.key(), SHANGRILA, 4).play(until_version=EVERY - 1)
    long = new_table(api.tools, api.key(), SHANGRILA, 4).play(until_version=EVERY)
    order_new_events(relay)
    lose_jobs(connection)
    clock.go_on(seconds=3600)
    assert ring_for_lagging_games(worker) == 1
    assert waiting(connection) == {long.game_id}
    bring_up_to_date(worker, [long.game_id])
    lose_jobs(connection)
    assert ring_for_lagging_games(worker) == 0
    assert in_redis(short) is None


def change_rules(monkeypatch: pytest.MonkeyPatch, digest: str) -> None:
    """Have every ruleset other sources than before: workers and services ask for their digest in these places."""
    for module in ("standing", "snapshotting"):
        monkeypatch.setattr(f"moveledger.services.{module}.rules_digest", lambda _: digest)


def strides(tools: Tools, table: Table, digest: str) -> list[int]:
    """The seqs of a game's snapshots in Postgres that sources made."""
    with tools.database.connection() as connection:
        return [seq for seq, _ in all_snapshots(connection, table.game_id, digest)]


def test_when_the_sources_of_its_rules_have_changed_a_quiet_game_gets_snapshots_of_the_new_ones(
    *,
    worker: Tools,
    relay: Tools,
    api: House,
    connection: redis.Redis,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tables = [new_table(api.tools, api.key(), SHANGRILA, 4).play(until_version=2 * EVERY + 3) for _ in range(3)]
    order_new_events(relay)
    bring_up_to_date(worker, [table.game_id for table in tables])
    clock.go_on(seconds=3600)
    lose_jobs(connection)
    assert ring_for_lagging_games(worker) == 0
    for digest in ("ab" * 32, "cd" * 32, "ab" * 32):
        change_rules(monkeypatch, digest)
        worker.games.clear()
        assert ring_for_lagging_games(worker, limit=2) == 2
        bring_up_to_date(worker, list(waiting(connection)))
        lose_jobs(connection)
        assert ring_for_lagging_games(worker, limit=2) == 1
        bring_up_to_date(worker, list(waiting(connection)))
        lose_jobs(connection)
        assert ring_for_lagging_games(worker) == 0
        assert [strides(worker, table, digest) for table in tables] == [[EVERY, 2 * EVERY]] * 3


def test_many_games_that_grew_do_not_hide_a_quiet_one_that_lags(
    worker: Tools, relay: Tools, api: House, connection: redis.Redis, clock: Clock
) -> None:
    quiet = new_table(api.tools, api.key(), SHANGRILA, 4).play(until_version=EVERY)
    order_new_events(relay)
    lose_jobs(connection)
    with connected(api.config.database_url) as owner:
        owner.execute("UPDATE ml.progress SET updated_us = updated_us - 3600000000")
    for _ in range(3):
        new_table(api.tools, api.key(), SHANGRILA, 3)
    order_new_events(relay)
    lose_jobs(connection)
    clock.go_on(seconds=5)
    assert ring_for_lagging_games(worker, limit=2, everywhere=False) == 2
    assert quiet.game_id not in waiting(connection)
    lose_jobs(connection)
    assert ring_for_lagging_games(worker, limit=2) == 3
    assert quiet.game_id in waiting(connection)


def test_with_redis_away_nobody_is_rung_for_and_nothing_breaks(
    relay: Tools, table: Table, database: str, clock: Clock
) -> None:
    order_new_events(relay)
    clock.go_on(seconds=5)
    with open_house(database, "unix:///nowhere/valkey.sock", role="worker", clock=clock) as alone:
        assert ring_for_lagging_games(alone.tools) == 0


# --- keeping house ---------------------------------------------------------------------------------------------


def partitions(tools: Tools) -> int:
    with tools.database.connection() as connection:
        row = connection.execute("SELECT count(*) FROM pg_inherits WHERE inhparent = 'ml.events'::regclass").fetchone()
    assert row is not None
    return int(row[0])


def test_a_worker_keeps_house(worker: Tools, api: House, clock: Clock) -> None:
    late = new_table(api.tools, api.key(), CLOSED_HANDS, 2, named=False, entropy="required")
    with worker.database.connection() as connection:
        kept = "SELECT count(*) FROM ml.idempotency"
        assert connection.execute(kept).fetchone() == (1,)
        clock.go_on(seconds=max(ENTROPY_DEADLINE_US, LIFE_US) / 1_000_000 + 1)
        keep_house(worker)
        assert connection.execute(kept).fetchone() == (0,)
    assert late.game.status == "aborted"
    assert partitions(worker) == 5


def test_twice_is_as_good_as_once(worker: Tools, api: House, clock: Clock) -> None:
    late = new_table(api.tools, api.key(), CLOSED_HANDS, 2, named=False, entropy="required")
    clock.go_on(seconds=2 * 86_400)
    for _ in range(2):
        keep_house(worker)
    assert (late.game.status, late.game.version) == ("aborted", 2)


def test_an_old_answer_is_forgotten_and_the_key_is_free_again(worker: Tools, api: House, clock: Clock) -> None:
    key = api.key()
    request = request_key(api.tools, key, "games", fresh_key(), None)
    wanted = NewGame(CLOSED_HANDS, 2, players(2))
    first, _ = open_game(api.tools, key, wanted, request, "r")
    clock.go_on(seconds=86_000)
    keep_house(worker)
    assert open_game(api.tools, key, wanted, request, "r") == (first, True)
    clock.go_on(seconds=1_000)
    keep_house(worker)
    second, was_known = open_game(api.tools, key, wanted, request, "r")
    assert (second["id"] != first["id"], was_known) == (True, False)


def refusals(tools: Tools) -> list[str]:
    """The requests whose refusals are kept, oldest first."""
    with tools.database.connection() as connection:
        rows = connection.execute("SELECT request_id FROM ml.security_trail ORDER BY entry_id")
        return [request_id for (request_id,) in rows]


def refuse(api: House, request_id: str, *, days_ago: int) -> None:
    """Keep a refusal of so many days ago."""
    facts = {"code": "scope-missing", "method": "GET", "route": "/", "game_id": None, "request_id": request_id}
    past = replace(api.tools, clock=lambda: api.clock() - days_ago * DAY_US)
    note_refusal(past, None, facts)


def test_refusals_are_dropped_when_they_have_been_kept_long_enough(worker: Tools, api: House) -> None:
    for days_ago in (401, 399, 31, 29, 0):
        refuse(api, str(days_ago), days_ago=days_ago)
    keep_house(worker)
    assert refusals(worker) == ["399", "31", "29", "0"]
    keep_house(replace(worker, trail_days=30))
    assert refusals(worker) == ["29", "0"]


def test_nobody_drops_a_refusal_in_its_first_thirty_days(
    worker: Tools, api: House, database: str, clock: Clock
) -> None:
    """Not a worker whose clock or configuration is wrong, and not the owner."""
    refuse(api, "29", days_ago=29)
    clock.go_on(seconds=1000 * 86_400)
    keep_house(worker)
    with connected(database) as owner, pytest.raises(ObjectNotInPrerequisiteState, match="forbidden"):
        owner.execute("DELETE FROM ml.security_trail")
    assert refusals(worker) == ["29"]


def test_a_sweep_drops_so_many_refusals_and_the_next_one_goes_on(
    worker: Tools, api: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trails, "BATCH", 2)
    monkeypatch.setattr(trails, "BATCHES", 2)
    for number in range(7):
        refuse(api, str(number), days_ago=500)
    refuse(api, "young", days_ago=1)
    for left in (["4", "5", "6", "young"], ["young"], ["young"]):
        keep_house(worker)
        assert refusals(worker) == left


def test_one_game_that_cannot_be_aborted_does_not_keep_the_others_from_it(
    worker: Tools, api: House, clock: Clock, database: str
) -> None:
    tables = [new_table(api.tools, api.key(), CLOSED_HANDS, 2, named=False, entropy="required") for _ in range(3)]
    with connected(database) as owner:
        owner.execute("UPDATE ml.game_keys SET wrapped = 'broken' WHERE game_id = %s", [tables[0].game_id])
    clock.go_on(seconds=2 * 86_400)
    with pytest.raises(WrongMasterKey):
        keep_house(worker)
    assert [table.game.status for table in tables[1:]] == ["aborted"] * 2
