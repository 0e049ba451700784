"""The public log as the relay signs it: what is signed, how often, and when it is signed no more."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from moveledger.audit.checkpoint import Checkpoint, verify_checkpoint
from moveledger.audit.note import SignerKey
from moveledger.audit.tiles import Tile
from moveledger.rules.merkle import EMPTY_ROOT, merkle_root
from moveledger.services import patrol, publication
from moveledger.services.vigilance import log_status
from moveledger.store.publication import present_alarm, read_tile_hashes, take_turn
from tests.audit.trees import LEAVES, Tiles
from tests.house import LOG_SEED, House, open_house
from tests.services.logs import Relay, edit, put_leaves

ORIGIN = "moveledger.local/log"


@pytest.fixture
def house(database: str, redis_url: str) -> Iterator[House]:
    with open_house(database, redis_url, role="relay") as house:
        yield house


@pytest.fixture
def relay(house: House, tmp_path: Path) -> Relay:
    return Relay(house.tools, tmp_path)


def test_a_new_log_signs_that_it_is_empty(relay: Relay) -> None:
    assert relay.sign() == Checkpoint(ORIGIN, 0, EMPTY_ROOT) == relay.published()
    assert relay.sign() is None


def test_new_leaves_are_signed_and_the_note_is_kept_apart_too(relay: Relay, database: str) -> None:
    put_leaves(database, 3)
    assert relay.sign() == Checkpoint(ORIGIN, 3, merkle_root(LEAVES[:3])) == relay.published()
    note = relay.last_note.read()
    assert note is not None
    assert verify_checkpoint(note, relay.tools.signer.verifier).size == 3


def test_nothing_is_signed_twice(relay: Relay, database: str) -> None:
    put_leaves(database, 3)
    relay.sign()
    assert [relay.sign() for _ in range(3)] == [None] * 3
    assert _count(database, "checkpoints") == 1


def test_a_tree_that_grows_over_many_tiles_is_the_tree_of_its_leaves(relay: Relay, database: str) -> None:
    sizes = [1, 2, 255, 256, 257, 511, 512, 700, 10_000, 65_535, 65_536, 65_537, 66_100, 131_073]
    for size in sizes:
        put_leaves(database, size)
        signed = relay.sign()
        while signed is not None and signed.size < size:
            signed = relay.sign()
        assert signed == Checkpoint(ORIGIN, size, merkle_root(LEAVES[:size]))
    whole = Tiles(sizes[-1])
    with relay.tools.database.connection() as connection:
        for tile in [Tile(0, 0), Tile(0, 511), Tile(0, 512, 1), Tile(1, 0), Tile(1, 1), Tile(1, 1, 200), Tile(2, 0, 2)]:
            assert read_tile_hashes(connection, tile) == whole.read(tile)
    assert _count(database, "tiles") == 512 + 2


def test_a_backlog_is_signed_in_parts(relay: Relay, database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publication, "MOST", 100)
    put_leaves(database, 250)
    signed = [relay.sign() for _ in range(4)]
    assert [one.size if one else None for one in signed] == [100, 200, 250, None]


def test_there_are_a_few_notes_a_second_and_no_more(relay: Relay, database: str) -> None:
    notes, began = [], time.monotonic()
    while time.monotonic() - began < 1.4:
        put_leaves(database, int((time.monotonic() - began) * 1000) + 1)
        notes.append(relay.publisher.tend(grown=True))
    assert 2 <= len([note for note in notes if note]) <= 3


# --- starting again ------------------------------------------------------------------------------------


def test_a_relay_that_starts_again_goes_on_where_it_was(relay: Relay, database: str, tmp_path: Path) -> None:
    put_leaves(database, 600)
    relay.sign()
    again = Relay(relay.tools, tmp_path)
    assert again.sign() is None
    put_leaves(database, 900)
    assert again.sign() == Checkpoint(ORIGIN, 900, merkle_root(LEAVES[:900]))


def test_a_relay_on_another_machine_goes_on_from_the_database(relay: Relay, database: str, tmp_path: Path) -> None:
    put_leaves(database, 5)
    relay.sign()
    other = Relay(relay.tools, tmp_path / "other")
    put_leaves(database, 9)
    assert other.sign() == Checkpoint(ORIGIN, 9, merkle_root(LEAVES[:9]))
    put_leaves(database, 12)
    assert relay.sign() == Checkpoint(ORIGIN, 12, merkle_root(LEAVES[:12]))


def test_a_note_that_was_kept_and_not_published_is_no_contradiction(
    relay: Relay, database: str, tmp_path: Path
) -> None:
    """The relay was killed between the two."""
    put_leaves(database, 4)
    relay.sign()
    put_leaves(database, 300)
    head = Checkpoint(ORIGIN, 300, merkle_root(LEAVES[:300]))
    relay.last_note.keep(relay.tools.signer.sign_note(head.text))
    put_leaves(database, 310)
    again = Relay(relay.tools, tmp_path)
    assert again.sign() == Checkpoint(ORIGIN, 310, merkle_root(LEAVES[:310]))
    assert again.alarm is None


def test_only_one_relay_extends_the_tree_at_a_time(relay: Relay, database: str) -> None:
    relay.sign()
    put_leaves(database, 4)
    with psycopg.connect(database) as other:
        assert take_turn(other)
        assert relay.publisher.tend(grown=True) is None
        relay.publisher._signed_at = float("-inf")
        assert relay.publisher.tend(grown=True) is None
    signed = relay.sign()
    assert signed is not None
    assert signed.size == 4


def test_another_key_signs_the_same_head_again(relay: Relay, house: House, database: str, tmp_path: Path) -> None:
    put_leaves(database, 4)
    head = relay.sign()
    fresh = SignerKey(ORIGIN, bytes(32))
    house.tools.signer_door._key = fresh
    assert Relay(house.tools, tmp_path).sign() == head
    assert relay.published() == head
    assert _count(database, "checkpoints") == 2
    house.tools.signer_door._key = SignerKey(ORIGIN, LOG_SEED)
    assert log_status(house.tools).state == "other-key"


# --- refusing ------------------------------------------------------------------------------------------


def test_a_database_that_was_set_back_is_not_signed_over(database: str, redis_url: str, tmp_path: Path) -> None:
    """The drill of a restore: a copy from before the last checkpoint, and the relay's state folder as it is."""
    with open_house(database, redis_url, role="relay") as house:
        put_leaves(database, 300)
        Relay(house.tools, tmp_path).sign()
    with _copy(database) as earlier:
        with open_house(database, redis_url, role="relay") as house:
            put_leaves(database, 310)
            Relay(house.tools, tmp_path).sign()
        with open_house(earlier, redis_url, role="relay") as restored:
            relay = Relay(restored.tools, tmp_path)
            assert relay.sign() is None
            assert relay.alarm is not None
            assert "310 leaves were signed and the database has 300" in relay.alarm
            others = "SELECT n, gen_random_uuid(), 1, sha256(int4send(-n)) FROM generate_series(300, 400) AS n"
            edit(
                earlier, f"INSERT INTO ml.log_leaf {others}"
            )  # the service goes on, and other events take their places
            assert relay.sign() is None
            again = Relay(restored.tools, tmp_path)
            assert again.sign() is None
            assert again.alarm == "the tree of 310 leaves has another root than the one that was signed"
        assert _count(earlier, "checkpoints") == 1


def test_a_running_relay_finds_that_its_database_was_set_back(relay: Relay, database: str) -> None:
    put_leaves(database, 300)
    relay.sign()
    put_leaves(database, 310)
    relay.sign()
    edit(database, "DELETE FROM ml.checkpoints WHERE size = 310")
    edit(database, "DELETE FROM ml.log_leaf WHERE leaf_index >= 305")
    put_leaves(database, 306)
    assert relay.sign() is None
    assert relay.alarm is not None
    assert "310 leaves were signed" in relay.alarm


@pytest.mark.parametrize("size", [1, 40, 300])
def test_another_root_than_the_one_that_was_signed_is_refused(
    relay: Relay, database: str, tmp_path: Path, size: int
) -> None:
    put_leaves(database, 300)
    relay.sign()
    wrong = Checkpoint(ORIGIN, size, EMPTY_ROOT)
    relay.last_note.keep(relay.tools.signer.sign_note(wrong.text))
    put_leaves(database, 310)
    assert relay.sign() is None
    assert relay.alarm == f"the tree of {size} leaves has another root than the one that was signed"
    assert Relay(relay.tools, tmp_path).sign() is None


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        ("UPDATE ml.log_leaf SET hash = sha256('other') WHERE leaf_index = 599", "has another root now"),
        ("UPDATE ml.log_leaf SET hash = sha256('other') WHERE leaf_index = 513", "has another root now"),
        ("UPDATE ml.tiles SET root = sha256('other') WHERE tile = 1", "has another root now"),
        ("UPDATE ml.checkpoints SET root = sha256('other')", "has another root now"),
        ("DELETE FROM ml.log_leaf WHERE leaf_index = 550", "is not whole any more"),
        ("DELETE FROM ml.tiles WHERE tile = 0", "is not whole any more"),
        ("DELETE FROM ml.log_leaf WHERE leaf_index = 601", "leaf 601 is missing"),
    ],
)
def test_what_is_altered_at_the_edge_is_found_with_the_next_leaf(
    relay: Relay, database: str, statement: str, says: str
) -> None:
    put_leaves(database, 600)
    relay.sign()
    put_leaves(database, 610)
    edit(database, statement)
    assert relay.sign() is None
    assert relay.alarm is not None
    assert says in relay.alarm


@pytest.mark.parametrize(
    ("statement", "says"),
    [
        (
            "UPDATE ml.log_leaf SET hash = sha256('other') WHERE leaf_index = 7",
            "tile 0 of level 0 is not what stands below",
        ),
        ("UPDATE ml.log_leaf SET hash = sha256('other') WHERE leaf_index = 66000", "tile 257 of level 0 is not what"),
        ("DELETE FROM ml.log_leaf WHERE leaf_index = 300", "tile 1 of level 0 is not what stands below"),
        (
            "UPDATE ml.tiles SET root = sha256('other') WHERE tile = 9",
            "tile 9 of level 0",
        ),
        (
            "UPDATE ml.tiles SET hashes = set_byte(hashes, 5, 255 - get_byte(hashes, 5)) WHERE level = 1",
            "tile 0 of level 1",
        ),
        ("DELETE FROM ml.tiles WHERE level = 0 AND tile = 9", "tile 9 of level 0"),
        ("DELETE FROM ml.tiles WHERE level = 1", "tile 0 of level 1 is missing"),
    ],
)
def test_what_is_altered_anywhere_is_found_on_start(
    relay: Relay, database: str, tmp_path: Path, statement: str, says: str
) -> None:
    put_leaves(database, 66_100)
    while relay.sign() is not None:
        pass
    edit(database, statement)
    again = Relay(relay.tools, tmp_path)
    assert again.sign() is None
    assert again.alarm is not None
    assert says in again.alarm


def test_what_is_altered_while_the_relay_runs_is_found_on_its_rounds(
    relay: Relay, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publication, "BETWEEN_STRIDES_S", 0.0)
    monkeypatch.setattr(patrol, "STRIDE", 16)
    put_leaves(database, 16_500)
    relay.sign()
    edit(database, "UPDATE ml.log_leaf SET hash = sha256('other') WHERE leaf_index = 12000")
    steps = 0
    while relay.alarm is None:
        put_leaves(database, 16_501 + steps)
        relay.sign()
        steps += 1
    assert steps <= 5
    assert relay.alarm == "tile 46 of level 0 is not what stands below it any more"


@pytest.mark.parametrize("text", ["", "no note", "moveledger.local/log\n3\nAAAA\n\n— a AAAAAAAA\n"])
def test_a_last_note_that_cannot_be_read_stops_the_signing(relay: Relay, tmp_path: Path, text: str) -> None:
    relay.last_note.keep(text)
    assert relay.sign() is None
    assert relay.alarm is not None
    assert relay.alarm.startswith("the last note that was kept cannot be read")


@pytest.mark.parametrize("user", ["moveledger_relay", "moveledger"])
def test_the_database_itself_refuses_a_contradiction(relay: Relay, database: str, user: str) -> None:
    put_leaves(database, 10)
    relay.sign()
    with psycopg.connect(database, autocommit=True, user=user) as connection:
        for size, root in ((9, bytes(32)), (10, bytes(32)), (0, EMPTY_ROOT)):
            with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState, match="contradicts one that was signed"):
                connection.execute(
                    "INSERT INTO ml.checkpoints (size, root, note, signed_us) VALUES (%s, %s, '', 0)", [size, root]
                )


# --- the alarm -----------------------------------------------------------------------------------------


def test_an_alarm_is_loud_and_lasts_until_a_start_finds_all_well(
    relay: Relay, database: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    put_leaves(database, 10)
    relay.sign()
    note = relay.last_note.read()
    assert note is not None
    relay.last_note.keep(relay.tools.signer.sign_note(Checkpoint(ORIGIN, 11, EMPTY_ROOT).text))
    with caplog.at_level(logging.CRITICAL):
        for _ in range(3):
            assert relay.sign() is None
    assert [record.levelname for record in caplog.records] == ["CRITICAL"]
    assert "11 leaves were signed and the database has 10" in caplog.text
    assert log_status(relay.tools).state == "alarm"
    assert log_status(relay.tools).detail == relay.alarm
    relay.last_note.keep(note)
    assert relay.sign() is None, "it takes a start"
    assert Relay(relay.tools, tmp_path).sign() is None
    with relay.tools.database.connection() as connection:
        assert present_alarm(connection) is None
    assert log_status(relay.tools).state == "ok"


def test_a_note_that_cannot_be_kept_is_not_published(
    relay: Relay, database: str, tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    relay.sign()
    put_leaves(database, 5)
    monkeypatch.setattr(relay.last_note, "_path", tmp_path / "log.checkpoint" / "not a folder")
    for _ in range(3):
        relay.publisher._signed_at = float("-inf")
        assert relay.publisher.tend(grown=True) is None
    assert relay.published().size == 0
    assert [record.getMessage() for record in caplog.records] == [
        "the public log could not be signed, which is tried again"
    ]
    monkeypatch.undo()
    monkeypatch.setattr(relay.publisher, "_rests_until", 0.0)
    assert relay.sign() == Checkpoint(ORIGIN, 5, merkle_root(LEAVES[:5]))


def test_an_alarm_is_said_again_after_a_while(
    relay: Relay, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publication, "BETWEEN_ALARMS_S", 0.0)
    relay.last_note.keep("no note")
    for _ in range(3):
        relay.sign()
    assert len(caplog.records) == 3
    with relay.tools.database.connection() as connection:
        assert connection.execute("SELECT count(*) FROM ml.log_alarms").fetchone() == (1,)


def test_the_status_tells_what_waits(relay: Relay, database: str) -> None:
    put_leaves(database, 7)
    assert (log_status(relay.tools).state, log_status(relay.tools).waiting) == ("empty", 7)
    relay.sign()
    put_leaves(database, 9)
    status = log_status(relay.tools)
    assert (status.state, status.size, status.waiting) == ("ok", 7, 2)


def _count(database: str, table: str) -> int:
    with psycopg.connect(database) as connection:
        row = connection.execute(sql.SQL("SELECT count(*) FROM ml.{}").format(sql.Identifier(table))).fetchone()
    assert row is not None
    return int(row[0])


@contextmanager
def _copy(database: str) -> Iterator[str]:
    """A database as it is now, which is what a backup brings back later. Nobody may be connected."""
    name = str(psycopg.conninfo.conninfo_to_dict(database)["dbname"])
    names = {"copy": sql.Identifier(f"{name}_earlier"), "name": sql.Identifier(name)}
    admin = psycopg.conninfo.make_conninfo(database, dbname="postgres")
    with psycopg.connect(admin, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {copy} TEMPLATE {name}").format(**names))
    try:
        yield psycopg.conninfo.make_conninfo(database, dbname=f"{name}_earlier")
    finally:
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE {copy} WITH (FORCE)").format(**names))
