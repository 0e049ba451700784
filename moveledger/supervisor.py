"""What `moveledger up` runs: servers, migrations, API, worker and relay on one machine, kept alive until Ctrl-C."""

from __future__ import annotations

import http.client
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from moveledger.child import Child, stop_all
from moveledger.config import DEFAULT_LOG_ORIGIN, SERVICE_ENV, Config
from moveledger.errors import ConfigurationFault, ServerFault
from moveledger.port import refuse_taken_port
from moveledger.store.embedded import FolderLock, Postgres, Valkey, prepare_folder
from moveledger.store.log_key import stored_log_key
from moveledger.store.private import make_private, write_private

PROCESSES = ("api", "worker", "relay")
TOLD = (
    "DATABASE_URL",
    *(f"{process.upper()}_DATABASE_URL" for process in PROCESSES),
    "REDIS_URL",
    "MASTER_KEY",
    "STATE_FOLDER",
    "LOG_ORIGIN",
)
"""What commands that work on the data need to know of a running service."""
OTHERS = 30
"""Connections to Postgres beside those of the API: of worker and relay, of commands, and of who looks."""
READY_PATIENCE_S = 60.0
GRACE_S = 10.0
GLANCE_S = 0.1
"""How often the supervisor looks whether everything lives."""


class Stopped(BaseException):
    """SIGINT, SIGTERM or SIGHUP came."""


class StopSignals:
    """Raises `Stopped` wherever the program is when one of those signals comes, except inside `held`: there at the end of the block.

    `subprocess` looks at a child under a lock that an exception out of nowhere may leave locked: whoever waits for that child then
    waits for ever.
    """

    NUMBERS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

    def __init__(self) -> None:
        self._depth = 0
        self._came = False

    def watch(self) -> None:
        """From now on."""
        for number in self.NUMBERS:
            signal.signal(number, self._note)

    def ignore(self) -> None:
        """No more: the end is not to be interrupted."""
        for number in self.NUMBERS:
            signal.signal(number, signal.SIG_IGN)

    @contextmanager
    def held(self) -> Iterator[None]:
        """For as long as something must not be left half done. Raises `Stopped` afterwards, in place of what the block raised."""
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            if self._came and not self._depth:
                raise Stopped

    def _note(self, _number: int, _frame: FrameType | None) -> None:
        self._came = True
        if not self._depth:
            raise Stopped


def run_up(environ: Mapping[str, str]) -> None:
    """Start everything and keep it alive until SIGINT, SIGTERM or SIGHUP; then end it all in order.

    Raises `ConfigurationFault` and `ServerFault` with a sentence for the person at the terminal.
    """
    signals = StopSignals()
    house = House(environ, signals)
    signals.watch()
    try:
        house.open()
        while True:
            house.poll()
            time.sleep(GLANCE_S)
    except Stopped:
        _say("ending")
    finally:
        signals.ignore()
        house.close()


class House:
    """All that runs under one state folder. What the environment does not bring, it starts itself."""

    def __init__(self, environ: Mapping[str, str], signals: StopSignals) -> None:
        self._signals = signals
        self._folder = Path(environ.get("STATE_FOLDER") or "var").resolve()
        prepare_folder(self._folder)
        self._lock = FolderLock(self._folder)
        self._logs = self._folder / "log"
        self._postgres = None if environ.get("DATABASE_URL") else Postgres(self._folder)
        self._valkey = None if environ.get("REDIS_URL") else Valkey(self._folder)
        self._given = environ
        self._children: list[Child] = []

    def open(self) -> None:
        """Bring everything up, and print where it is."""
        left_behind = self._lock.take()
        environ = self._environ()
        config = Config.read(environ)
        self._write_service_env(environ)
        if self._postgres is not None:
            self._postgres.make_room(config.api_workers * config.api_pool + OTHERS)
        _wait_for_port(config, patience=5.0 if left_behind else 0.0)
        self._start_servers()
        _migrate(config)
        _say(f"starting {', '.join(PROCESSES)}; they write to {_shown(self._logs)}")
        self._start("api", environ)
        with _making_development_key(environ) as making:
            self._wait_until_ready(config, making)
            key = _result(making)
        self._start("worker", environ)  # these later: whoever waits, waits for the API
        self._start("relay", environ)
        address = _address(config)
        write_private(self._folder / "dev.env", f"MOVELEDGER_URL={address}\nMOVELEDGER_KEY={key}\n")
        print(f"Moveledger is at {address}  development key {key}", flush=True)

    def poll(self) -> None:
        """Start again what died, without waiting for it, and say so."""
        servers = [server for server in (self._postgres, self._valkey) if server is not None]
        with self._signals.held():
            restarted = [server.child for server in servers if server.poll()]
            restarted += [child for child in self._children if child.poll()]
        for child in restarted:
            _say(f"{child.name} died and was started again; see {_shown(child.log)}")

    def close(self) -> None:
        """End everything: first those who use the servers, Postgres last."""
        stop_all(self._children, GRACE_S)
        if self._valkey is not None:
            self._valkey.stop()
        if self._postgres is not None:
            self._postgres.stop()
        self._lock.release()

    def _write_service_env(self, environ: Mapping[str, str]) -> None:
        """For commands beside the service. A master key that was brought along stays where its owner keeps it."""
        told = [name for name in TOLD if name in environ and not (name == "MASTER_KEY" and self._given.get(name))]
        write_private(self._folder / SERVICE_ENV, "".join(f"{name}={environ[name]}\n" for name in told))

    def _environ(self) -> dict[str, str]:
        """What each process is given."""
        environ = {"MOVELEDGER_WEBHOOK_ALLOW": "127.0.0.0/8", **self._given}
        environ |= {
            "STATE_FOLDER": str(self._folder),
            "PROMETHEUS_MULTIPROC_DIR": str(_emptied(self._folder / "metrics")),
            "PYTHONUNBUFFERED": "1",
        }
        if not environ.get("MASTER_KEY"):
            environ["MASTER_KEY"] = make_private(self._folder / "master.key", secrets.token_hex(32) + "\n").strip()
        if not environ.get("LOG_KEY"):
            origin = environ.get("LOG_ORIGIN") or DEFAULT_LOG_ORIGIN
            environ["LOG_KEY"] = stored_log_key(self._folder, origin).private_text()
        if self._postgres is not None:
            environ["DATABASE_URL"] = self._postgres.database_url()
            for process in PROCESSES:
                role_url = self._postgres.database_url(user=f"moveledger_{process}")
                environ[f"{process.upper()}_DATABASE_URL"] = role_url
        if self._valkey is not None:
            environ["REDIS_URL"] = self._valkey.redis_url()
        return environ

    def _start_servers(self) -> None:
        if self._postgres is not None:
            _say(f"starting Postgres under {_shown(self._folder)}")
            with self._signals.held():
                self._postgres.start()
        if self._valkey is not None:
            _say(f"starting Valkey under {_shown(self._folder)}")
            with self._signals.held():
                self._valkey.start()

    def _start(self, name: str, environ: Mapping[str, str]) -> None:
        command = [sys.executable, "-m", "moveledger", name]
        child = Child(name, command, log=self._logs / f"{name}.log", environ=environ)
        with self._signals.held():
            self._children.append(child)
            child.start()

    def _wait_until_ready(self, config: Config, making: subprocess.Popen[str]) -> None:
        """Wait for the API, but not when `making` has failed on the same database: it says why, where the API can only wait."""
        deadline = time.monotonic() + READY_PATIENCE_S
        while not _answers_ready(config):
            self.poll()
            with self._signals.held():
                failed = making.poll()
            if failed:
                _result(making)
            if time.monotonic() > deadline:
                raise ServerFault(f"The API is not ready after {READY_PATIENCE_S:.0f} s; see {_shown(self._logs)}.")
            time.sleep(GLANCE_S / 2)


def _migrate(config: Config) -> None:
    from moveledger.store.migrate import migrate  # noqa: PLC0415 - after the servers were started: seen sooner

    _say("bringing the database up to date")
    migrate(config.database_url)


def _making_development_key(environ: Mapping[str, str]) -> subprocess.Popen[str]:
    """A process that prints the key with every scope: what makes it has threads, which a process that forks must not."""
    command = [sys.executable, "-m", "moveledger", "development-key"]
    return subprocess.Popen(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _result(process: subprocess.Popen[str]) -> str:
    out, errors = process.communicate()
    if process.returncode != 0:
        raise ServerFault(f"The development key could not be made: {errors.strip().removeprefix('Error: ')}")
    return out.strip()


def _emptied(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(mode=0o700)
    return folder


def _wait_for_port(config: Config, patience: float) -> None:
    """Refuse a port that is taken. After a kill -9 of the last run its server may need a moment to be gone."""
    deadline = time.monotonic() + patience
    while time.monotonic() < deadline:
        try:
            return refuse_taken_port(config.host, config.port)
        except ConfigurationFault:
            time.sleep(GLANCE_S)
    return refuse_taken_port(config.host, config.port)


def _address(config: Config) -> str:
    host = _reachable(config.host)
    return f"http://{f'[{host}]' if ':' in host else host}:{config.port}"


def _reachable(host: str) -> str:
    """An address to call for one to listen on: 'everywhere' is not an address."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 - it is replaced


def _answers_ready(config: Config) -> bool:
    connection = http.client.HTTPConnection(_reachable(config.host), config.port, timeout=5.0)
    try:
        connection.request("GET", "/readyz")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _shown(path: Path) -> Path:
    """A path as short as it can be said from here."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


def _say(text: str) -> None:
    print(f"moveledger: {text}", file=sys.stderr, flush=True)
