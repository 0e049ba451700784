"""The public log's tables only grow, its key is made once, and its last note outlives a crash."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from moveledger.audit.note import WITNESS, SignerKey
from moveledger.errors import ConfigurationFault
from moveledger.store.database import Connection
from moveledger.store.last_note import LastNote
from moveledger.store.log_key import given_log_key, stored_log_key

ORIGIN = "log.example/moves"
SEED = bytes(range(32))
TABLES = ("tiles", "checkpoints", "cosignatures", "log_alarms")
CHANGES = ("DELETE FROM ml.{}", "TRUNCATE ml.{}", "TRUNCATE ml.{} CASCADE")


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize(
    "settings", ["SET ROLE moveledger_owner", "SET session_replication_role = replica", "SELECT 1"]
)
def test_what_is_published_stays(owner: Connection, table: str, settings: str) -> None:
    owner.execute(settings.encode())
    columns = owner.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0", [f"ml.{table}"]
    )
    changes = [change.replace("{}", table) for change in CHANGES]
    changes += [f"UPDATE ml.{table} SET {name} = {name}" for (name,) in columns if name != "number"]
    for change in changes:
        with pytest.raises((psycopg.errors.ObjectNotInPrerequisiteState, psycopg.errors.FeatureNotSupported)):
            owner.execute(sql.SQL(change))


# --- the key -------------------------------------------------------------------------------------------


def test_a_key_is_made_once_and_only_its_owner_reads_it(tmp_path: Path) -> None:
    folder = tmp_path / "state"
    key = stored_log_key(folder, ORIGIN)
    assert stored_log_key(folder, ORIGIN).verifier == key.verifier
    assert stat.S_IMODE((folder / "log.key").stat().st_mode) == 0o600
    assert [path.name for path in folder.iterdir()] == ["log.key"]
    assert stored_log_key(tmp_path / "other", ORIGIN).verifier != key.verifier


def test_of_several_who_make_the_key_one_has_its_way(tmp_path: Path) -> None:
    found, start = [], threading.Barrier(8)

    def make() -> None:
        start.wait()
        found.append(str(stored_log_key(tmp_path / "state", ORIGIN).verifier))

    threads = [threading.Thread(target=make) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 8
    assert len(set(found)) == 1


def test_a_key_is_given_as_a_seed_or_as_a_signer_text() -> None:
    key = SignerKey(ORIGIN, SEED)
    assert given_log_key(SEED.hex(), ORIGIN).verifier == key.verifier
    assert given_log_key(key.private_text(), ORIGIN).verifier == key.verifier


@pytest.mark.parametrize(
    "text",
    [
        *("x", SEED.hex()[:-1], SEED.hex() + "00", "PRIVATE+KEY+x", SignerKey(ORIGIN, SEED).private_text() + "A"),
        SignerKey("log.example/other", SEED).private_text(),
        SignerKey(ORIGIN, SEED, WITNESS).private_text(),
    ],
)
def test_another_text_is_no_key_of_this_log_and_is_not_repeated(text: str) -> None:
    with pytest.raises(ConfigurationFault) as caught:
        given_log_key(text, ORIGIN)
    assert SEED.hex()[:-2] not in caught.value.detail
    assert "AAECAwQF" not in caught.value.detail


def test_a_folder_that_cannot_hold_a_key_is_told_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigurationFault, match="LOG_KEY is not set"):
        stored_log_key(tmp_path / "file" / "state", ORIGIN)


# --- the last note -------------------------------------------------------------------------------------


def test_the_last_note_is_read_again_and_replaced_as_a_whole(tmp_path: Path) -> None:
    kept = LastNote(tmp_path / "state")
    assert kept.read() is None
    for note in ("one\n\n— a AAAA\n", "two\n"):
        kept.keep(note)
        assert LastNote(tmp_path / "state").read() == note
    assert [path.name for path in (tmp_path / "state").iterdir()] == ["log.checkpoint"]
