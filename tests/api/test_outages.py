"""Postgres away: 503, and back without anybody's help. Redis away or emptied: slower, and nothing is refused."""

from __future__ import annotations

import os
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from moveledger.services.keys import issue_key
from moveledger.store.embedded import Servers
from moveledger.store.migrate import migrate
from tests.api.service import CLOSED_HANDS, Client, Service, open_service, refused
from tests.house import fresh_key
from tests.places import quick_folder

WAIT = 0.5
"""Seconds that a request waits for a connection, instead of three."""
CALLERS = 6


@pytest.fixture(scope="module")
def own_servers() -> Iterator[Servers]:
    """A Postgres and a Valkey that may be stopped and killed."""
    folder = quick_folder()
    servers = Servers(folder)
    servers.start()
    migrate(servers.database_url())
    yield servers
    servers.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def service(own_servers: Servers, monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    """The application over them."""
    monkeypatch.setattr("moveledger.store.database.WAIT", WAIT)
    with open_service(own_servers.database_url(), own_servers.redis_url()) as service:
        yield service


def until(condition: Callable[[], bool], *, seconds: float) -> float:
    """How long it took until something was so."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds
    return time.monotonic() - began


def kill(servers: Servers) -> None:
    """Kill Postgres, and wait until all that it has started has found out: until then a backend may go on answering."""
    pid = servers.postgres.child.pid
    assert pid is not None
    started = [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
    os.kill(pid, signal.SIGKILL)
    servers.postgres.stop()
    until(lambda: not any(map(lives, started)), seconds=20)


def lives(pid: int) -> bool:
    """Whether a process is there, and not only waits to be buried."""
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except (FileNotFoundError, ProcessLookupError):
        return False


def pass_once(client: Client, game: Any, seat: int, key: str) -> Any:
    return client.post(f"/v1/games/{game['id']}/moves", {"seat": seat, "action": {"type": "pass"}}, key=key)


# --- Postgres --------------------------------------------------------------------------------------------------


def test_with_postgres_away_one_is_told_to_come_back_and_finds_everything_again(
    own_servers: Servers, service: Service
) -> None:
    client = service.client()
    game, key = client.open_game(CLOSED_HANDS, seats=2), fresh_key()
    done = pass_once(client, game, 0, fresh_key())
    kill(own_servers)
    problem = refused(pass_once(client, game, 1, key), 503, "store-unavailable")
    assert "psycopg" not in str(problem)
    refused(client.get("/v1/games"), 503, "store-unavailable")
    ready = service.anybody.get("/readyz")
    assert (ready.status_code, ready.headers["Retry-After"]) == (503, "2")
    assert service.anybody.get("/healthz").status_code == 200
    assert service.anybody.get("/v1/rulesets").status_code == 200
    own_servers.postgres.start()
    until(lambda: pass_once(client, game, 1, key).status_code == 201, seconds=5)
    events: Any = client.get(f"/v1/games/{game['id']}/events?limit=100").json
    moved = [event for event in events["data"] if event["type"] == "moved"]
    assert [event["seat"] for event in moved] == [0, 1]
    assert moved[0]["hash"] == done.json["receipt"]["hash"]


def test_what_was_open_when_postgres_died_is_found_out_once_and_not_by_one_request_after_the_other(
    own_servers: Servers, service: Service
) -> None:
    client = service.client()
    with ExitStack() as held:
        for _ in range(CALLERS):
            held.enter_context(service.tools.database.connection())
    kill(own_servers)
    own_servers.postgres.start()
    statuses = [client.get("/v1/games").status_code for _ in range(2 * CALLERS)]
    assert statuses == [503] + [200] * (2 * CALLERS - 1)


@pytest.mark.parametrize("path", ["events", "replay", "export"])
def test_lines_of_a_game_that_is_still_in_memory_are_refused_before_the_first(
    own_servers: Servers, service: Service, path: str
) -> None:
    client = service.client()
    game = client.open_game(CLOSED_HANDS, seats=2)
    kill(own_servers)
    try:
        answer = client.get(f"/v1/games/{game['id']}/{path}", {"Accept": "application/x-ndjson"})
        refused(answer, 503, "store-unavailable")
    finally:
        own_servers.postgres.start()


def test_after_a_longer_outage_the_way_back_is_as_short(own_servers: Servers, service: Service) -> None:
    """A pool that doubles its pauses would have come back minutes after the database."""
    client = service.client()
    kill(own_servers)
    began = time.monotonic()
    while time.monotonic() - began < 3.5:
        refused(client.get("/v1/games"), 503, "store-unavailable")
    own_servers.postgres.start()
    assert until(lambda: client.get("/v1/games").status_code == 200, seconds=10) < 2.0


def test_a_process_that_comes_up_before_postgres_is_ready_when_it_is(
    own_servers: Servers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moveledger.store.database.WAIT", WAIT)
    own_servers.postgres.stop()
    with open_service(own_servers.database_url(), own_servers.redis_url()) as service:
        assert service.anybody.get("/healthz").status_code == 200
        assert service.anybody.get("/readyz").status_code == 503
        own_servers.postgres.start()
        until(lambda: service.anybody.get("/readyz").status_code == 200, seconds=5)
        assert service.client().open_game()["status"] == "running"


# --- Redis -----------------------------------------------------------------------------------------------------


@pytest.fixture
def without_redis(own_servers: Servers, service: Service, monkeypatch: pytest.MonkeyPatch) -> Iterator[Servers]:
    """Redis goes away when the test says so, and is there again afterwards."""
    monkeypatch.setattr("moveledger.store.cache.TRUST", 0.2)
    monkeypatch.setattr("moveledger.store.cache.BACK_OFF", 0.1)
    yield own_servers
    if not own_servers.valkey.child.alive():
        own_servers.valkey.start()


def test_with_redis_away_nothing_is_refused(without_redis: Servers, service: Service) -> None:
    client = service.client()
    before = client.open_game(CLOSED_HANDS, seats=2)
    without_redis.valkey.stop()
    key_id, token = issue_key(service.tools, name="made meanwhile", scopes=["games:write", "games:read"])
    other = client.with_token(token)
    game = other.open_game(CLOSED_HANDS, seats=2)
    for asking, found in ((client, before), (other, game)):
        answer = asking.play(found["id"], moves=3)
        for path in ("", "/state", "/events", "/replay", "/audit", "/export"):
            assert asking.get(f"/v1/games/{found['id']}{path}").status_code == 200
        state: Any = service.anybody.get(f"/v1/games/{found['id']}/state").json
        assert state["version"] == answer["version"]
    assert service.anybody.get("/readyz").json == {"status": "ready", "database": True, "redis": False, "log": "empty"}
    assert service.client("admin").ask("DELETE", f"/v1/keys/{key_id}").status_code == 204
    refused(other.get("/v1/games"), 401, "unauthenticated")


def test_with_redis_back_it_is_used_again(without_redis: Servers, service: Service) -> None:
    client = service.client()
    game = client.open_game(CLOSED_HANDS, seats=2)
    without_redis.valkey.stop()
    client.play(game["id"], moves=1)
    without_redis.valkey.start()
    until(service.tools.cache.is_there, seconds=5)
    answer = client.play(game["id"], moves=1)
    head = service.tools.cache.head(UUID(game["id"]))
    assert head is not None
    assert head.version == answer["version"]


def test_with_redis_emptied_between_any_two_requests_nothing_is_noticed(own_servers: Servers, service: Service) -> None:
    client = service.client()
    game = client.open_game(CLOSED_HANDS, seats=2)
    version = game["version"]
    for _ in range(4):
        service.tools.cache.client.flushall()
        state: Any = service.anybody.get(f"/v1/games/{game['id']}/state").json
        assert state["version"] == version
        service.tools.cache.client.flushall()
        version = client.play(game["id"], moves=1)["version"]


def test_with_redis_silent_a_move_takes_no_longer_than_heads_are_believed(
    own_servers: Servers, service: Service
) -> None:
    client = service.client()
    game = client.open_game(CLOSED_HANDS, seats=2)
    pid = own_servers.valkey.child.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    try:
        began = time.monotonic()
        assert pass_once(client, game, 0, fresh_key()).status_code == 201
        assert time.monotonic() - began < 4.0
    finally:
        os.kill(pid, signal.SIGCONT)


def test_a_process_that_is_there_before_the_migrations_waits_for_them(own_servers: Servers, redis_url: str) -> None:
    with psycopg.connect(own_servers.database_url(), autocommit=True) as connection:
        connection.execute("CREATE DATABASE bare")
    database = own_servers.database_url(dbname="bare")
    with open_service(database, redis_url) as service:
        ready = service.anybody.get("/readyz")
        assert (ready.status_code, ready.headers["Retry-After"]) == (503, "2")
        assert "`moveledger migrate`" in ready.get_data(as_text=True)
        for path in ("/v1/games", "/v1/log/checkpoint"):
            answer = service.anybody.get(path)
            assert "migrate" in refused(answer, 503, "store-unavailable")["detail"]
        assert service.anybody.get("/healthz").status_code == 200
        assert service.anybody.get("/metrics").status_code == 200
        migrate(database)
        assert service.anybody.get("/readyz").status_code == 200
        assert service.client().open_game()["status"] == "running"
