"""Archives: games of every kind exported in bulk, and imported into another service with the hashes that they had."""

from __future__ import annotations

import gzip
import hashlib
import json
import random
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
import redis
from click.testing import CliRunner
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from moveledger.audit.lines import parse_line
from moveledger.audit.manifest import CHECKPOINT, MANIFEST, Entry, entry_line, read_entry
from moveledger.audit.report import report_json
from moveledger.audit.signature import signed_text
from moveledger.audit.verify import verify_record
from moveledger.cli import main
from moveledger.errors import MalformedValue, MoveledgerError, NotAnArchive
from moveledger.services.archive_folder import ArchiveFolder
from moveledger.services.archiving import Selection, count_games, export_games
from moveledger.services.importing import Imported, import_games, open_archive
from moveledger.store.embedded import Servers
from tests.api.service import CLOSED_HANDS, SHANGRILA, Client, Service, open_service
from tests.audit.logs import with_digest
from tests.house import MASTER_KEY, open_house

KEY = Ed25519PrivateKey.from_private_bytes(b"\x07" * 32)
FINISHED, ABORTED, REWOUND, PARENT, FORK, SIGNED, ANNULLED, RUNNING = (
    "finished", "aborted", "rewound", "parent", "fork", "signed", "annulled", "running",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """A service in which games were played, each known by what is particular about it."""

    service: Service
    ids: dict[str, UUID]
    url: str
    redis_url: str

    def export(self, folder: Path, **selection: Any) -> list[tuple[UUID, bool]]:
        """Export into a folder, by a worker's rights."""
        with open_house(self.url, self.redis_url, role="worker") as house:
            return list(export_games(house.tools, folder, Selection(**selection)))


@pytest.fixture(scope="module")
def source(servers: Servers, module_database: str) -> Iterator[Source]:
    """Games of several kinds: sealed and open, with a rewind, an abort, a fork, signatures, an annulment; one goes on."""
    with open_service(module_database, servers.redis_url()) as service:
        client, referee, rng = service.client(), service.client("games:referee"), random.Random(5)
        ids = {
            name: UUID(client.open_game(ruleset, options=OPTIONS[ruleset])["id"]) for name, ruleset in RULESETS.items()
        }
        ids[SIGNED] = open_signed(client)
        for name in (FINISHED, SIGNED, ANNULLED):
            play(client, ids[name], rng)
        for name in (ABORTED, REWOUND, PARENT, RUNNING):
            play(client, ids[name], rng, most=6)
        rule(referee, ids[REWOUND], type="rewind", to=8, redraw=True)
        fork: Any = client.post(f"/v1/games/{ids[PARENT]}/forks", {"at": 7}).json
        ids[FORK] = UUID(fork["id"])
        for name in (REWOUND, PARENT, FORK):
            play(client, ids[name], rng, most=3)
            rule(referee, ids[name], type="adjudicate", placings=[1, 2, 2])
        rule(referee, ids[ABORTED], type="abort")
        rule(referee, ids[ANNULLED], type="annul")
        yield Source(service, ids, module_database, servers.redis_url())


RULESETS = {
    FINISHED: CLOSED_HANDS, ABORTED: CLOSED_HANDS, RUNNING: CLOSED_HANDS, ANNULLED: CLOSED_HANDS, REWOUND: SHANGRILA, PARENT: SHANGRILA,
}  # fmt: skip

OPTIONS: dict[str, dict[str, Any]] = {CLOSED_HANDS: {"rounds": 5}, SHANGRILA: {}}


def open_signed(client: Client) -> UUID:
    """A game whose first move is signed."""
    players = [{"id": "a", "public_key": KEY.public_key().public_bytes_raw().hex()}, {"id": "b"}]
    opened: Any = client.post("/v1/games", {"ruleset": CLOSED_HANDS, "seats": 2, "players": players}).json
    action = client.legal(opened["id"], 0)["data"][0]
    game, seen = UUID(opened["id"]), {"seq": opened["version"], "head_hash": opened["head_hash"]}
    text = signed_text(game, seat=0, seq=seen["seq"], head_hash=bytes.fromhex(seen["head_hash"]), action=action)
    signed = {**seen, "signature": KEY.sign(text).hex()}
    sent = client.post(f"/v1/games/{game}/moves", {"seat": 0, "action": action, "signed": signed})
    assert sent.status_code == 201, sent.get_data()
    return game


def play(client: Client, game_id: UUID, rng: random.Random, *, most: int = 500) -> None:
    """Random moves, at most so many, until the game is over."""
    answer: Any = client.get(f"/v1/games/{game_id}").json
    while most and answer["status"] == "running":
        seat = rng.choice(answer["awaiting"]["seats"])
        action = rng.choice(client.legal(str(game_id), seat)["data"])
        answer = client.post(f"/v1/games/{game_id}/moves", {"seat": seat, "action": action}).json
        most -= 1


def rule(referee: Client, game_id: UUID, **ruling: Any) -> None:
    """A ruling with a reason."""
    answer = referee.post(f"/v1/games/{game_id}/rulings", {"reason": "for a test", **ruling})
    assert answer.status_code == 201, answer.get_data()


@pytest.fixture(scope="module")
def whole(source: Source, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The archive of all games that are over. Tests copy it before they damage it."""
    folder = tmp_path_factory.mktemp("archive") / "whole"
    source.export(folder)
    return folder


@pytest.fixture
def archive(whole: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(whole, tmp_path / "archive"))


def bring(folder: Path, url: str, redis_url: str) -> dict[UUID, Imported]:
    """Import an archive by the owner's rights; what became of each game."""
    with redis.Redis.from_url(redis_url) as connection:
        connection.flushall()
    with open_house(url, redis_url, role="owner") as house:
        return {done.game_id: done for done in import_games(house.tools, open_archive(folder))}


def results(found: dict[UUID, Imported]) -> list[str]:
    """How many were what."""
    return sorted(done.result for done in found.values())


def code(done: Imported) -> str:
    """Why a game was refused."""
    assert done.error is not None
    return done.error.code


def stored_games(url: str) -> set[UUID]:
    """The games in a database, by every table that knows any."""
    with psycopg.connect(url) as connection:
        tables = ("games", "events", "game_keys", "seats", "outbox")
        rows = [row for table in tables for row in connection.execute(f"SELECT game_id FROM ml.{table}".encode())]
    return {row[0] for row in rows}


# --- there and back ------------------------------------------------------------------------------------


def test_an_import_ends_with_the_same_hashes_states_and_reports(
    source: Source, whole: Path, database: str, redis_url: str
) -> None:
    found = bring(whole, database, redis_url)
    over = {name: game_id for name, game_id in source.ids.items() if name != RUNNING}
    assert found.keys() == set(over.values())
    assert results(found) == ["imported"] * len(over), [str(done.error) for done in found.values()]
    before = {name: facts_of(source.service, game_id) for name, game_id in over.items()}
    with redis.Redis.from_url(redis_url) as connection:
        connection.flushall()
    with open_service(database, redis_url) as service:
        after = {name: facts_of(service, game_id) for name, game_id in over.items()}
    assert before == after
    assert {name: facts["report"]["valid"] for name, facts in after.items()} == dict.fromkeys(over, True)
    assert "1 of " in str(after[SIGNED]["report"])


def facts_of(service: Service, game_id: UUID) -> dict[str, Any]:
    """What anybody may know of a game, without the names that are in no log."""
    reader, path = service.client("games:referee"), f"/v1/games/{game_id}"
    game: Any = reader.get(path).json
    for seat in game["seats"]:
        seat["player"] = seat["player"]["id"]
    record = reader.get(f"{path}/export").get_data()
    with_file = [json.loads(line) for line in record.splitlines()[1:-1]]
    return {
        "game": {**game, "created_at": None},
        "state": reader.get(f"{path}/state?as=referee").json,
        "early": reader.get(f"{path}/state?at=7").json,
        "replay": reader.get(f"{path}/replay?format=text&as=referee").get_data(),
        "record": with_file,
        "report": report_json(verify_record(gzip.io.BytesIO(record))),  # type: ignore[attr-defined]
    }


def test_what_was_sealed_stays_marked_so_and_is_open(
    source: Source, whole: Path, database: str, redis_url: str
) -> None:
    bring(whole, database, redis_url)
    with open_service(database, redis_url) as service:
        events: Any = service.anybody.get(f"/v1/games/{source.ids[FINISHED]}/events?limit=100").json["data"]  # type: ignore[index]
    sealed = [event for event in events if event["sealed"]]
    assert sealed
    assert all(event["body"] and event["salt"] for event in sealed)
    with psycopg.connect(database) as connection:
        row = connection.execute(
            "SELECT count(*) FROM ml.events WHERE sealed_for IS NOT NULL AND salt IS NULL"
        ).fetchone()
    assert row is not None
    assert row[0] >= len(sealed)


def test_an_import_can_be_run_again_and_changes_nothing(whole: Path, database: str, redis_url: str) -> None:
    assert set(results(bring(whole, database, redis_url))) == {"imported"}
    before = stored_games(database)
    assert set(results(bring(whole, database, redis_url))) == {"present"}
    assert stored_games(database) == before


def test_a_fork_can_be_forked_again_after_its_import(
    source: Source, whole: Path, database: str, redis_url: str
) -> None:
    bring(whole, database, redis_url)
    with open_service(database, redis_url) as service:
        answer = service.client().post(f"/v1/games/{source.ids[FORK]}/forks", {"at": 5})
        assert answer.status_code == 201, answer.get_data()


def test_nobody_but_the_owner_imports(whole: Path, database: str, redis_url: str) -> None:
    for role in ("api", "worker"):
        with open_house(database, redis_url, role=role) as house, pytest.raises(psycopg.errors.InsufficientPrivilege):
            list(import_games(house.tools, open_archive(whole)))
    assert stored_games(database) == set()


# --- exporting -----------------------------------------------------------------------------------------


def test_the_manifest_says_what_lies_there(source: Source, whole: Path) -> None:
    entries = [read_entry(parse_line(line)) for line in (whole / MANIFEST).read_bytes().splitlines()]
    assert [entry.game_id for entry in entries] == sorted(set(source.ids.values()) - {source.ids[RUNNING]})
    files = {str(path.relative_to(whole)) for path in whole.rglob("*.gz")}
    assert {entry.file for entry in entries} == files
    for entry in entries:
        content = (whole / entry.file).read_bytes()
        assert (hashlib.sha256(content).digest(), len(content)) == (entry.sha256, entry.bytes)
        head: Any = source.service.anybody.get(f"/v1/games/{entry.game_id}").json
        assert (head["version"], head["head_hash"]) == (entry.version, entry.head_hash.hex())
    assert not list(whole.rglob("*.part"))


def test_an_interrupted_export_goes_on_and_writes_nothing_twice(source: Source, tmp_path: Path) -> None:
    folder = tmp_path / "archive"
    with open_house(source.url, source.redis_url, role="worker") as house:
        export = export_games(house.tools, folder, Selection())
        done = [next(export)[0] for _ in range(3)]
        export.close()  # type: ignore[attr-defined]
    kept = {path: path.stat().st_mtime_ns for path in folder.rglob("*.gz")}
    with (folder / MANIFEST).open("ab") as manifest:
        manifest.write(b'{"file":"2026/11/30/torn')
    rest = source.export(folder)
    assert {game_id for game_id, written in rest if not written} == set(done)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert len(open_archive(folder).entries) == len(rest) == len(source.ids) - 1


def test_a_file_that_was_damaged_is_written_again(source: Source, archive: Path) -> None:
    damaged = next(archive.rglob("*.gz"))
    damaged.write_bytes(damaged.read_bytes()[:-1])
    assert [str(game_id) in damaged.name for game_id, written in source.export(archive) if written] == [True]
    assert [written for _, written in source.export(archive)] == [False] * (len(source.ids) - 1)


def test_games_that_go_on_are_exported_when_asked_for_and_cannot_be_imported(
    source: Source, tmp_path: Path, database: str, redis_url: str
) -> None:
    folder = tmp_path / "archive"
    source.export(folder, running=True)
    found = bring(folder, database, redis_url)
    refused = {game_id: code(done) for game_id, done in found.items() if done.result == "refused"}
    assert refused == {source.ids[RUNNING]: "record-unfinished"}
    assert source.ids[RUNNING] not in stored_games(database)


def test_since_is_about_the_last_event_of_a_game(source: Source, tmp_path: Path) -> None:
    last = {game: record_us(source, game)[-1] for name, game in source.ids.items() if name != RUNNING}
    since = sorted(last.values())[3]
    exported = {game_id for game_id, _ in source.export(tmp_path / "archive", since_us=since)}
    assert exported == {game_id for game_id, recorded in last.items() if recorded >= since}
    with open_house(source.url, source.redis_url, role="worker") as house:
        assert count_games(house.tools, Selection(since_us=since)) == len(exported)


def record_us(source: Source, game_id: UUID) -> list[int]:
    """When the events of a game were recorded."""
    lines = source.service.client("games:referee").get(
        f"/v1/games/{game_id}/events", {"Accept": "application/x-ndjson"}
    )
    return [json.loads(line)["recorded_us"] for line in lines.get_data().splitlines()]


def test_the_newest_checkpoint_lies_beside_the_manifest(source: Source, tmp_path: Path) -> None:
    with open_house(source.url, source.redis_url, role="worker") as house:
        list(export_games(house.tools, tmp_path, Selection(), find_checkpoint=lambda: "log\n1\nroot\n"))
    assert (tmp_path / CHECKPOINT).read_text() == "log\n1\nroot\n"


# --- damage --------------------------------------------------------------------------------------------


def edit(archive: Path, game_id: UUID, change: Callable[[bytes], bytes], *, honest: bool = True) -> None:
    """Change a file, and if `honest` the manifest with it, so that only the record itself can tell."""
    folder = ArchiveFolder.open(archive)
    entry = folder.entries[game_id]
    path = archive / entry.file
    content = change(path.read_bytes())
    path.write_bytes(content)
    if honest:
        folder.entries[game_id] = replace(entry, sha256=hashlib.sha256(content).digest(), bytes=len(content))
        folder.tidy()


def in_record(change: Callable[[list[bytes]], list[bytes]]) -> Callable[[bytes], bytes]:
    """A change of the lines of a record, its last line made to fit."""
    return lambda content: gzip.compress(with_digest(change(gzip.decompress(content).splitlines(keepends=True)[:-1])))


def without(number: int) -> Callable[[list[bytes]], list[bytes]]:
    """Lines without one of them."""
    return lambda lines: lines[:number] + lines[number + 1 :]


def changed(number: int, old: bytes, new: bytes) -> Callable[[list[bytes]], list[bytes]]:
    """Lines with something else in one of them."""
    return lambda lines: [line.replace(old, new) if at == number else line for at, line in enumerate(lines)]


DAMAGE: dict[str, tuple[str, Callable[[bytes], bytes], bool]] = {
    "a flipped bit": ("archive-damaged", lambda content: content[:-9] + bytes([content[-9] ^ 1]) + content[-8:], False),
    "another length": ("archive-damaged", lambda content: content + b"\0", False),
    "a truncated file": ("archive-damaged", lambda content: content[: len(content) // 2], True),
    "a flipped bit, said to be so": ("archive-damaged", lambda content: content[:-40] + bytes([content[-40] ^ 1]) + content[-39:], True),
    "no gzip": ("archive-damaged", lambda content: b"hello", True),
    "no record": ("archive-damaged", lambda content: gzip.compress(b"hello\n"), True),
    "an event dropped": ("record-invalid", in_record(without(6)), True),
    "an event's body changed": ("record-invalid", in_record(changed(2, b'"player":"', b'"player":"x')), True),
    "a hash changed": ("record-invalid", in_record(changed(3, b'"prev_hash":"', b'"prev_hash":"0')), True),
    "the last line gone": ("record-invalid", lambda content: gzip.compress(gzip.decompress(content)[:-79]), True),
    "another version": ("record-invalid", in_record(changed(0, b'"version":', b'"version":1')), True),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_game_is_refused_by_name_and_nothing_of_it_is_written(
    source: Source, archive: Path, database: str, redis_url: str, name: str
) -> None:
    expected, change, honest = DAMAGE[name]
    edit(archive, source.ids[FINISHED], change, honest=honest)
    found = bring(archive, database, redis_url)
    refused = {game_id: code(done) for game_id, done in found.items() if done.result == "refused"}
    assert refused == {source.ids[FINISHED]: expected}
    assert stored_games(database) == set(found) - {source.ids[FINISHED]}


def test_a_record_of_another_game_is_refused(source: Source, archive: Path, database: str, redis_url: str) -> None:
    folder = ArchiveFolder.open(archive)
    other = (archive / folder.entries[source.ids[ANNULLED]].file).read_bytes()
    edit(archive, source.ids[FINISHED], lambda _: other)
    assert code(bring(archive, database, redis_url)[source.ids[FINISHED]]) == "archive-damaged"


def test_a_fork_without_its_parent_is_refused(source: Source, archive: Path, database: str, redis_url: str) -> None:
    folder = ArchiveFolder.open(archive)
    del folder.entries[source.ids[PARENT]]
    folder.tidy()
    found = bring(archive, database, redis_url)
    assert code(found[source.ids[FORK]]) == "parent-missing"
    assert source.ids[FORK] not in stored_games(database)


def test_a_game_that_is_here_with_another_log_is_refused(
    source: Source, archive: Path, database: str, redis_url: str
) -> None:
    bring(archive, database, redis_url)
    with open_service(database, redis_url) as service:
        rule(service.client("games:referee"), source.ids[FINISHED], type="annul")
    found = bring(archive, database, redis_url)
    assert {code(done) for done in found.values() if done.error} == {"game-exists"}
    assert found[source.ids[FINISHED]].result == "refused"


@pytest.mark.parametrize(
    "line",
    [b"hello", b"[]", b"{}", b'{"file":"2026/11/30/x.ndjson.gz"}', b"\xff"],
)
def test_a_manifest_that_cannot_be_read_is_no_archive(archive: Path, line: bytes) -> None:
    with (archive / MANIFEST).open("ab") as manifest:
        manifest.write(line + b"\n")
    with pytest.raises(NotAnArchive):
        open_archive(archive)


def test_a_folder_without_a_manifest_is_no_archive(tmp_path: Path) -> None:
    with pytest.raises(NotAnArchive):
        open_archive(tmp_path)


@pytest.mark.parametrize(
    "file", ["../{}.ndjson.gz", "/etc/{}.ndjson.gz", "2026/11/30/../{}.ndjson.gz", "2026/11/30/{}.ndjson", 7]
)
def test_a_manifest_names_no_file_elsewhere(file: Any) -> None:
    game = UUID(int=7)
    entry = Entry("", game, 1, bytes(32), bytes(32), 1)
    members = {**json.loads(entry_line(entry)), "file": file.format(game) if isinstance(file, str) else file}
    with pytest.raises(MalformedValue):
        read_entry(members)


# --- the command line ----------------------------------------------------------------------------------


def run(url: str, redis_url: str, *arguments: str) -> tuple[int, str]:
    """Exit code and output of a command that works on the store."""
    ran = CliRunner().invoke(
        main, list(arguments), env={"DATABASE_URL": url, "REDIS_URL": redis_url, "MASTER_KEY": MASTER_KEY.hex()}
    )
    assert ran.exception is None or isinstance(ran.exception, SystemExit | MoveledgerError), ran.exception
    return ran.exit_code, ran.output


def test_export_and_import_on_the_command_line(source: Source, tmp_path: Path, database: str, redis_url: str) -> None:
    folder, over = str(tmp_path / "archive"), len(source.ids) - 1
    assert run(source.url, redis_url, "export", "--all", "--out", folder) == (
        0,
        f"{over} games, {over} written, 0 were there already\n",
    )
    assert run(source.url, redis_url, "export", "--all", "--since", "2020-01-01", "--out", folder)[1] == (
        f"{over} games, 0 written, {over} were there already\n"
    )
    assert run(source.url, redis_url, "export", "--all", "--since", "2999-01-01", "--out", folder)[1].startswith(
        "0 games"
    )
    edit(Path(folder), source.ids[FINISHED], in_record(without(6)))
    exit_code, output = run(database, redis_url, "import", folder)
    assert exit_code == 1
    assert output.startswith(f"{source.ids[FINISHED]}: record-invalid: chain: event ")
    assert output.endswith(f"{over - 1} games imported, 0 were there already, 1 refused\n")


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("--all",),
        ("--all", "--out", "-"),
        ("x", "--all", "--out", "y"),
        ("x", "--running"),
        ("x", "--since", "2020-01-01"),
    ],
)
def test_export_says_how_it_is_used(arguments: tuple[str, ...]) -> None:
    ran = CliRunner().invoke(main, ["export", *arguments])
    assert ran.exit_code == 2
    assert "--all [--since DATE]" in ran.output


def test_import_of_what_is_no_archive_says_so_and_is_no_refusal_of_a_game(
    tmp_path: Path, database: str, redis_url: str
) -> None:
    exit_code, output = run(database, redis_url, "import", str(tmp_path))
    assert (exit_code, "There is no manifest.ndjson" in output) == (2, True)
    manifest = tmp_path / "manifest.ndjson"
    manifest.write_bytes(b"no manifest\n")
    assert run(database, redis_url, "import", str(tmp_path))[0] == 2
    assert run(database, redis_url, "import", str(manifest))[0] == 2
    assert run(database, redis_url, "import", str(tmp_path / "nothing"))[0] == 2
