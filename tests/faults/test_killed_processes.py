"""Processes are killed while games are played: no accepted move is missing, none is there twice, every game verifies."""

from __future__ import annotations

import io
import os
import random
import shutil
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import psycopg
import pytest
import redis

from moveledger.audit.verify import verify_record
from moveledger.bots import Service
from tests.faults.test_supervision import Up, living
from tests.patience import in_time
from tests.places import quick_folder

PATIENCE_ASKS = 10

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")

PLAYERS = 3
STEPS = 12
"""Moves that have to be accepted after each blow before the next one falls."""


@dataclass(slots=True)
class Player:
    """Plays one game after the other over HTTP. A request that gets no answer is sent again with the same key."""

    url: str
    key: str
    stop: threading.Event
    accepted: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    fault: Exception | None = None

    def run(self) -> None:
        """Play until told to stop."""
        rng = random.Random(1)
        try:
            with closing(Service(self.url, self.key)) as service:
                while not self.stop.is_set():
                    self._play(service, rng)
        except Exception as fault:
            self.fault = fault

    def _play(self, service: Service, rng: random.Random) -> None:
        players = [{"id": f"player-{seat}"} for seat in range(3)]
        status, game = service.call("POST", "/v1/games", {"ruleset": "shangrila@1", "seats": 3, "players": players})
        assert status == 201, game
        receipts = self.accepted.setdefault(game["id"], [])
        answer = game
        while answer["status"] == "running" and not self.stop.is_set():
            seat = answer["awaiting"]["seats"][0]
            status, page = service.call("GET", f"/v1/games/{game['id']}/legal-moves?seat={seat}&limit=100")
            assert status == 200, page
            body = {"seat": seat, "action": rng.choice(page["data"])}
            status, answer = service.call("POST", f"/v1/games/{game['id']}/moves", body)
            assert status == 201, answer
            receipts.append(answer["receipt"])


@dataclass(slots=True)
class Playing:
    """Players at work against a running service."""

    up: Up
    players: list[Player]

    def count(self) -> int:
        """How many moves were accepted until now."""
        return sum(len(receipts) for player in self.players for receipts in player.accepted.values())

    def go_on(self, moves: int = STEPS) -> None:
        """Wait until so many more moves were accepted."""
        wanted = self.count() + moves
        assert in_time(lambda: self.count() >= wanted or any(player.fault for player in self.players), 40)
        assert [player.fault for player in self.players if player.fault] == []

    def receipts(self) -> dict[str, list[dict[str, Any]]]:
        """What was accepted, by game."""
        return {game: receipts for player in self.players for game, receipts in player.accepted.items()}


@pytest.fixture(scope="module")
def up() -> Iterator[Up]:
    """A service of its own, with two API processes."""
    folder = quick_folder()
    running = Up(folder, API_WORKERS="2")
    running.start()
    yield running
    running.end()
    shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def playing(up: Up) -> Iterator[Playing]:
    """Games are played while the block runs."""
    told, stop = up.dev_env(), threading.Event()
    players = [Player(told["MOVELEDGER_URL"], told["MOVELEDGER_KEY"], stop) for _ in range(PLAYERS)]
    threads = [threading.Thread(target=player.run) for player in players]
    for thread in threads:
        thread.start()
    try:
        yield Playing(up, players)
    finally:
        stop.set()
        for thread in threads:
            thread.join(90)


def kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def replace_by_force(up: Up, word: str) -> None:
    """Kill a child of the supervisor and wait until another is in its place."""
    before = up.find(word)
    kill(before)

    def replaced() -> bool:
        with suppress(ValueError):  # there is none at the moment
            return up.find(word) != before
        return False

    assert in_time(replaced)


def api_process(up: Up) -> int:
    """One of the processes that answer requests: a child of the one that `up` started."""
    main = up.find("api")
    return min(pid for pid, (parent, _) in living().items() if parent == main)


def redis_of(up: Up) -> redis.Redis:
    return redis.Redis(unix_socket_path=str(up.folder / "sockets" / "valkey.sock"))


def ask(up: Up, statement: str) -> Any:
    url = f"postgresql://moveledger@/moveledger?host={up.folder / 'sockets'}"
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute(statement.encode()).fetchone()
    assert row is not None
    return row[0]


def record_of(up: Up, game: str) -> bytes:
    """A game's record; a 503 right after a server came back is asked again, as its `Retry-After` says."""
    told = up.dev_env()
    request = Request(f"{told['MOVELEDGER_URL']}/v1/games/{game}/export")
    for _ in range(PATIENCE_ASKS):
        try:
            with urlopen(request, timeout=30) as answer:
                found: bytes = answer.read()
                return found
        except HTTPError as refused:
            if refused.code != HTTPStatus.SERVICE_UNAVAILABLE:
                raise
            time.sleep(float(refused.headers["Retry-After"]))
    raise AssertionError("the service does not come back")


def require_all_is_there(up: Up, receipts: dict[str, list[dict[str, Any]]]) -> None:
    """Every accepted move is in its game's log, as it was answered, once; and every game verifies."""
    assert sum(map(len, receipts.values())) > 2 * STEPS
    for game, accepted in receipts.items():
        record = record_of(up, game)
        report = verify_record(io.BytesIO(record))
        assert report.fault is None, report
        moved = ask(up, f"SELECT array_agg(seq || ' ' || encode(hash, 'hex') ORDER BY seq) FROM ml.events"
                        f" WHERE game_id = '{game}' AND type = 6")  # fmt: skip
        assert (moved or []) == [f"{receipt['seq']} {receipt['hash']}" for receipt in accepted]


def blows(up: Up) -> list[Callable[[], object]]:
    """What happens to the service, one after the other."""
    return [
        lambda: replace_by_force(up, "worker"),
        lambda: replace_by_force(up, "relay"),
        lambda: kill(api_process(up)),
        lambda: redis_of(up).flushall(),
        lambda: replace_by_force(up, "valkey-server"),
    ]


def test_worker_relay_api_and_redis_may_fall_while_games_are_played(up: Up) -> None:
    with playing(up) as games:
        games.go_on()
        for blow in blows(up):
            blow()
            games.go_on()
    require_all_is_there(up, games.receipts())
    assert in_time(lambda: ask(up, "SELECT count(*) FROM ml.outbox") == 0)
    assert ask(up, "SELECT count(*) FROM ml.log_leaf") == ask(up, "SELECT count(*) FROM ml.events")
    assert ask(up, "SELECT max(leaf_index) + 1 FROM ml.log_leaf") == ask(up, "SELECT count(*) FROM ml.log_leaf")

    def snapshots_are_there() -> bool:
        versions = {
            game: ask(up, f"SELECT max(seq) FROM ml.events WHERE game_id = '{game}'") for game in games.receipts()
        }
        with redis_of(up) as connection:
            keys = {key.decode().rsplit(":", 1)[1]: key for key in connection.scan_iter("ml:snap:*")}
            seqs = {game: int(connection.hget(keys[game], "seq") or 0) for game in versions if game in keys}
        return seqs == versions

    assert in_time(snapshots_are_there, 30), "the reconciler did not find what was lost"


def test_a_killed_postgres_comes_back_with_every_move_that_was_answered(up: Up) -> None:
    with playing(up) as games:
        games.go_on()
        for _ in range(2):
            replace_by_force(up, "postgres")
            games.go_on()
    require_all_is_there(up, games.receipts())


def test_the_supervisor_killed_with_all_its_processes_loses_no_move(up: Up) -> None:
    with playing(up) as games:
        games.go_on()
        for pid in (up.process.pid, *up.family()):
            kill(pid)
        up.process.communicate()
        up.start()
        games.go_on()
    require_all_is_there(up, games.receipts())
