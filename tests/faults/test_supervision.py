"""`moveledger up`: everything from one command, started again when it dies, ended as a whole, back after a kill -9."""

from __future__ import annotations

import http.client
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from moveledger.store.embedded import Servers
from tests.patience import in_time
from tests.places import quick_folder

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")

HOST = "127.0.0.1"
OURS = ("DATABASE_URL", "REDIS_URL", "MASTER_KEY", "STATE_FOLDER", "PORT", "HOST", "LOG_KEY", "LOG_ORIGIN")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def living() -> dict[int, tuple[int, str]]:
    """Every living process of this machine: its parent and its command line."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (entry / "stat").read_text().rsplit(")", 1)[1].split()[:2]
                command = (entry / "cmdline").read_text().replace("\0", " ")
            except OSError:
                continue
            if state != "Z":
                found[int(entry.name)] = int(parent), command
    return found


class Up:
    """A running `moveledger up` with a state folder of its own."""

    def __init__(self, folder: Path, **environ: str) -> None:
        self.folder = folder
        self.port = free_port()
        kept = {name: value for name, value in os.environ.items() if name not in OURS}
        self.environ = {**kept, "STATE_FOLDER": str(folder), "PORT": str(self.port), "API_WORKERS": "1", **environ}

    def start(self) -> str:
        """Start, and return the line that it prints."""
        self.process = self.launch()
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert line.startswith("Moveledger is at "), self.process.communicate()[1]
        return line

    def launch(self, **changed: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "moveledger", "up"],
            env={**self.environ, **changed},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def family(self) -> dict[int, str]:
        """All processes below the supervisor, with their command lines."""
        processes = living()
        below = {self.process.pid}
        while more := {pid for pid, (parent, _) in processes.items() if parent in below} - below:
            below |= more
        return {pid: processes[pid][1] for pid in below - {self.process.pid}}

    def find(self, word: str) -> int:
        """The lowest pid whose command line ends in or begins with a word: a parent before its children."""
        return min(pid for pid, command in self.family().items() if f"/{word} " in command or f" {word} " in command)

    def ask(self, path: str, key: str | None = None) -> int:
        connection = http.client.HTTPConnection(HOST, self.port, timeout=5)
        try:
            connection.request("GET", path, headers={} if key is None else {"Authorization": f"Bearer {key}"})
            return connection.getresponse().status
        except OSError:
            return 0
        finally:
            connection.close()

    def ready(self) -> bool:
        return self.ask("/readyz") == 200

    def dev_env(self) -> dict[str, str]:
        return dict(line.split("=", 1) for line in (self.folder / "dev.env").read_text().splitlines())

    def end(self) -> tuple[int, str]:
        """Ctrl-C: the exit status, and what it said on the way."""
        self.process.send_signal(signal.SIGINT)
        _, said = self.process.communicate(timeout=60)
        return self.process.returncode, said


@pytest.fixture
def folder() -> Iterator[Path]:
    path = quick_folder()
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture(scope="module")
def up() -> Iterator[Up]:
    path = quick_folder()
    running = Up(path)
    running.line = running.start()  # type: ignore[attr-defined]
    yield running
    running.end()
    shutil.rmtree(path, ignore_errors=True)


def test_one_line_says_where_it_is_and_the_key_works(up: Up) -> None:
    told = up.dev_env()
    assert told["MOVELEDGER_URL"] == f"http://{HOST}:{up.port}"
    assert up.line == f"Moveledger is at {told['MOVELEDGER_URL']}  development key {told['MOVELEDGER_KEY']}\n"  # type: ignore[attr-defined]
    assert told["MOVELEDGER_KEY"].startswith("mlk_")
    assert up.ask("/v1/games", told["MOVELEDGER_KEY"]) == 200
    assert up.ask("/v1/games", "mlk_unknown") == 401


def test_secrets_are_for_their_owner_alone(up: Up) -> None:
    assert stat.S_IMODE(up.folder.stat().st_mode) & 0o077 in (0, 0o001)  # walking through may be needed by nobody
    assert in_time((up.folder / "log.checkpoint").exists)
    for name in ("dev.env", "master.key", "service.env", "log.key", "log.checkpoint"):
        assert stat.S_IMODE((up.folder / name).stat().st_mode) == 0o600, name


def test_each_process_connects_as_a_role_of_its_own(up: Up) -> None:
    def command_lines() -> str:
        return " ".join(up.family().values())

    for process in ("api", "worker", "relay"):
        assert in_time(lambda process=process: f"postgres: moveledger_{process} " in command_lines()), process  # type: ignore[misc]


def test_a_second_one_says_who_holds_the_folder(up: Up) -> None:
    second = up.launch(PORT=str(free_port()))
    _, said = second.communicate(timeout=60)
    assert second.returncode == 1
    assert f"in use by process {up.process.pid}" in said
    assert "Traceback" not in said


def test_a_taken_port_is_said_in_one_line(up: Up, folder: Path) -> None:
    second = up.launch(STATE_FOLDER=str(folder))
    _, said = second.communicate(timeout=60)
    assert second.returncode == 1
    assert said == f"Error: Cannot listen on {HOST}:{up.port}: Address already in use. Choose another PORT.\n"


@pytest.mark.parametrize("word", ["worker", "relay", "api", "valkey-server", "postgres"])
def test_what_dies_is_started_again(up: Up, word: str) -> None:
    before = up.find(word)
    os.kill(before, signal.SIGKILL)

    def replaced() -> bool:
        try:
            return up.find(word) != before
        except ValueError:
            return False

    assert in_time(replaced)
    assert in_time(up.ready)


def test_ctrl_c_ends_all_of_it(folder: Path) -> None:
    up = Up(folder)
    up.start()
    family = set(up.family())
    assert len(family) > 5
    status, said = up.end()
    assert status == 0, said
    assert not family & set(living())
    assert "Traceback" not in said


def test_nothing_outlives_a_killed_supervisor(folder: Path) -> None:
    """What did would take work from those who come after it, with old code and old keys."""
    up = Up(folder)
    up.start()
    family = set(up.family())
    os.kill(up.process.pid, signal.SIGKILL)
    up.process.communicate()
    assert in_time(lambda: not family & set(living())), [living().get(pid) for pid in family]


@pytest.mark.parametrize("whom", ["the supervisor", "everything"])
def test_after_a_kill_it_comes_up_again_with_its_data(folder: Path, whom: str) -> None:
    up = Up(folder)
    up.start()
    key = up.dev_env()["MOVELEDGER_KEY"]
    for pid in (up.process.pid, *(up.family() if whom == "everything" else ())):
        with suppress(ProcessLookupError):  # some end with those that were killed before them
            os.kill(pid, signal.SIGKILL)
    up.process.communicate()
    up.start()  # at once: what was left may still be about to end
    try:
        assert up.dev_env()["MOVELEDGER_KEY"] == key
        assert up.ask("/v1/games", key) == 200
    finally:
        assert up.end()[0] == 0


def test_its_postgres_takes_all_connections_that_the_api_may_make(folder: Path) -> None:
    """A busy API would be told that there are too many, and tell its clients that the database is away."""
    up = Up(folder, API_WORKERS="2", API_THREADS="100")
    up.start()
    try:
        told = dict(line.split("=", 1) for line in (folder / "service.env").read_text().splitlines())
        with psycopg.connect(told["DATABASE_URL"]) as connection:
            most = connection.execute("SELECT current_setting('max_connections')::integer").fetchone()
        assert most is not None
        assert most[0] > 2 * 102
    finally:
        assert up.end()[0] == 0


def test_servers_that_are_named_are_used_and_none_is_started(
    folder: Path, servers: Servers, database: str, redis_url: str
) -> None:
    up = Up(folder, DATABASE_URL=database, REDIS_URL=redis_url, MASTER_KEY="5e" * 32)
    up.start()
    try:
        assert up.ready()
        assert not [
            command for command in up.family().values() if "valkey-server" in command or "/postgres " in command
        ]
        assert not (folder / "postgres").exists()
        assert not (folder / "master.key").exists()
        assert "5e5e" not in (folder / "service.env").read_text()
    finally:
        assert up.end()[0] == 0


def test_another_master_key_than_the_database_was_sealed_with_is_said_at_once(
    folder: Path, servers: Servers, database: str, redis_url: str
) -> None:
    up = Up(folder, DATABASE_URL=database, REDIS_URL=redis_url, MASTER_KEY="5e" * 32)
    up.start()
    assert up.end()[0] == 0
    began = time.monotonic()
    second = up.launch(MASTER_KEY="0e" * 32)
    _, said = second.communicate(timeout=60)
    assert second.returncode == 1
    assert "wrong MASTER_KEY" in said.splitlines()[-1]
    assert "Traceback" not in said
    assert time.monotonic() - began < 30, "it waited for an API that will never be ready"


@pytest.mark.parametrize("place", ["/dev/null/state", "/proc/state"])
def test_a_state_folder_that_cannot_be_made_is_said_in_one_line(up: Up, place: str) -> None:
    second = up.launch(STATE_FOLDER=place)
    _, said = second.communicate(timeout=60)
    assert second.returncode == 1
    assert said.startswith(f"Error: STATE_FOLDER {place} cannot be made: ")
    assert len(said.splitlines()) == 1


def test_a_missing_configuration_is_one_message_that_names_all_of_it() -> None:
    environ = {name: value for name, value in os.environ.items() if name not in OURS}
    for command in ("api", "worker", "relay", "migrate"):
        done = subprocess.run(
            [sys.executable, "-m", "moveledger", command], env=environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert (
            done.stderr
            == "Error: Configuration: DATABASE_URL is not set; REDIS_URL is not set; MASTER_KEY is not set.\n"
        )
