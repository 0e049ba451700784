"""Importing an archive: every record is verified whole, by the rules that are installed here, before any of it is written.

A game is written in one transaction, with the hashes that it had, or not at all. What was sealed stays marked so, open to everyone,
since the game is over. Who the players are is not in a log: they come as the ids that they are.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, Literal, TypeAlias, cast, get_args
from uuid import UUID

from moveledger.audit.event import Event, hex_bytes, read_uuid
from moveledger.audit.manifest import Entry
from moveledger.audit.record import MAX_RECORD, NotARecord, RecordFault, RecordReader
from moveledger.audit.verify import verify_record
from moveledger.errors import (
    PASSING,
    ArchiveDamaged,
    GameExists,
    ImportRefused,
    MalformedValue,
    MasterKeyChanged,
    MoveledgerError,
    ParentMissing,
    RecordInvalid,
    RecordUnfinished,
)
from moveledger.services.archive_folder import ArchiveFolder
from moveledger.services.standing import SEED_BOUND
from moveledger.services.tools import Tools
from moveledger.store.archive import import_game
from moveledger.store.database import Connection
from moveledger.store.events import find_hash, head_of
from moveledger.store.games import GameRow, Visibility
from moveledger.store.sealing import seal
from moveledger.store.secrets import hold_master_key

Result: TypeAlias = Literal["imported", "present", "refused"]


@dataclass(frozen=True, slots=True)
class Imported:
    """What became of one game of an archive; `error` says why it was refused."""

    game_id: UUID
    result: Result
    error: MoveledgerError | None = None


def import_games(tools: Tools, folder: ArchiveFolder) -> Iterator[Imported]:
    """Import the games of an archive in order of their ids, so that a fork comes after its parent.

    A game that is here already with the same head is passed over, so an interrupted import may be run again. A refused game does
    not keep the others out. `tools` are the owner's. Raises `StoreUnavailable`.
    """
    for game_id, entry in sorted(folder.entries.items()):
        try:
            yield Imported(game_id, _import_entry(tools, folder, entry))
        except (*PASSING, MasterKeyChanged):
            raise
        except MoveledgerError as refused:
            yield Imported(game_id, "refused", refused)


def open_archive(path: Path) -> ArchiveFolder:
    """The archive in a folder. Raises `NotAnArchive`."""
    return ArchiveFolder.open(path)


def _import_entry(tools: Tools, folder: ArchiveFolder, entry: Entry) -> Result:
    content = folder.read(entry)
    with tools.database.connection() as connection:
        head = head_of(connection, entry.game_id)
    if head is not None:
        if head == (entry.version, entry.head_hash):
            return "present"
        raise GameExists(game_id=str(entry.game_id))
    _write(tools, _read_game(entry, content))
    return "imported"


# --- reading -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _ReadGame:
    """A game out of a record: its own events, all open, and how it ended."""

    entry: Entry
    ruleset: str
    events: Sequence[Event]

    @property
    def opened(self) -> Mapping[str, Any]:
        return self.events[0].body or {}

    @property
    def end(self) -> Event:
        return next(event for event in self.events if event.type in ("finished", "aborted"))


def _read_game(entry: Entry, content: bytes) -> _ReadGame:
    """The game in a file, verified. Raises `ArchiveDamaged`, `RecordInvalid`, `RecordUnfinished`."""
    try:
        _require_whole(entry, _unpacked(content))
        report = verify_record(_unpacked(content))
        if not report.valid:
            fault = report.fault
            raise RecordInvalid(f"{fault.name}: {fault.detail}" if fault else "", check=fault.name if fault else "")
        reader = RecordReader(_unpacked(content))
        events = [event for event in reader.events() if event.game_id == entry.game_id]
    except (NotARecord, RecordFault, EOFError, OSError, zlib.error) as wrong:
        raise ArchiveDamaged(f"{entry.file} holds no record that can be read: {wrong}") from wrong
    header = reader.header
    if (header.game_id, header.version, header.head_hash) != (entry.game_id, entry.version, entry.head_hash):
        raise ArchiveDamaged(f"{entry.file} holds another record than the manifest says.")
    if report.closed or not any(event.type in ("finished", "aborted") for event in events):
        raise RecordUnfinished
    return _ReadGame(entry, header.ruleset, events)


def _require_whole(entry: Entry, stream: BinaryIO) -> None:
    """Reads to the end, where gzip has its own sum, before anything in the file is looked at."""
    size = 0
    while piece := stream.read(1 << 20):
        size += len(piece)
        if size > MAX_RECORD:
            raise ArchiveDamaged(f"{entry.file} holds more than {MAX_RECORD} bytes.")


def _unpacked(content: bytes) -> BinaryIO:
    return cast(BinaryIO, gzip.GzipFile(fileobj=io.BytesIO(content)))


# --- writing -------------------------------------------------------------------------------------------


def _visibility(game: _ReadGame) -> Visibility:
    """Raises `ArchiveDamaged` for a record whose opening names none: no house writes that."""
    found = game.opened.get("visibility")
    if found not in get_args(Visibility):
        raise ArchiveDamaged(f"{game.entry.file} does not say who may see the game.")
    return cast(Visibility, found)


def _write(tools: Tools, game: _ReadGame) -> None:
    data_key, vault = tools.entropy(32), tools.vault
    row = GameRow(
        game_id=game.entry.game_id,
        ruleset=game.ruleset,
        visibility=_visibility(game),
        creator=game.events[0].client,
        external_ref=None,
        created_us=game.events[0].recorded_us,
        deadline_us=None,
        wrapped_key=vault.wrap_key(game.entry.game_id, data_key),
        sealed_seed=seal(data_key, _seed(game), SEED_BOUND + game.entry.game_id.bytes),
    )
    players = {event.seat: _player(event) for event in game.events if event.type == "seated"}
    with tools.database.transaction() as connection:
        hold_master_key(connection, vault)
        _require_parent(connection, game.opened.get("parent"))
        head = import_game(
            connection, row=row, status=game.end.type, players=players, events=game.events, data_key=data_key
        )
        if head != game.entry.head_hash:
            raise ImportRefused("The head hash is not that of the record.")


def _seed(game: _ReadGame) -> bytes:
    """S, which the end opens. A test game, whose draws were given, may have none."""
    body = game.end.body or {}
    return hex_bytes(body, "seed") if body.get("seed") is not None else bytes(32)


def _player(event: Event) -> UUID:
    try:
        return read_uuid(event.body or {}, "player")
    except MalformedValue as wrong:
        raise ImportRefused(f"The player of seat {event.seat} is no id of a service like this.") from wrong


def _require_parent(connection: Connection, named: Mapping[str, Any] | None) -> None:
    if named is not None and find_hash(connection, UUID(named["game_id"]), named["seq"]) != hex_bytes(named, "hash"):
        raise ParentMissing(game_id=named["game_id"], seq=named["seq"])
