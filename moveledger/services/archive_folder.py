"""An archive on disk: compressed records in a folder a day, and the manifest that says what is whole."""

from __future__ import annotations

import gzip
import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

from moveledger.audit.event import recorded_at
from moveledger.audit.lines import parse_line
from moveledger.audit.manifest import CHECKPOINT, MANIFEST, Entry, entry_line, read_entry
from moveledger.errors import ArchiveDamaged, MalformedValue, NotAnArchive


@dataclass(slots=True)
class ArchiveFolder:
    """An archive and what its manifest says. A file counts once the manifest names it, so what an interruption leaves does not."""

    path: Path
    entries: dict[UUID, Entry] = field(default_factory=dict)

    @classmethod
    def begin(cls, path: Path) -> ArchiveFolder:
        """The archive in this folder, to write to: a new one, or one that goes on, even if its last line was torn.

        Raises `NotAnArchive` for a manifest that is damaged in another way.
        """
        path.mkdir(parents=True, exist_ok=True)
        folder = cls(path)
        if (path / MANIFEST).exists():
            folder.entries = _read_manifest(path / MANIFEST, may_be_torn=True)
        folder.tidy()
        return folder

    @classmethod
    def open(cls, path: Path) -> ArchiveFolder:
        """The archive in this folder, to read from. Raises `NotAnArchive`."""
        if not (path / MANIFEST).is_file():
            raise NotAnArchive(f"There is no {MANIFEST} in {path}.")
        return cls(path, _read_manifest(path / MANIFEST, may_be_torn=False))

    def holds(self, game_id: UUID, version: int, head_hash: bytes) -> bool:
        """Whether the archive has the game up to this event, in a file that is whole."""
        entry = self.entries.get(game_id)
        if entry is None or (entry.version, entry.head_hash) != (version, head_hash):
            return False
        try:
            self.read(entry)
        except ArchiveDamaged:
            return False
        return True

    def read(self, entry: Entry) -> bytes:
        """The bytes of a file as they lie there. Raises `ArchiveDamaged` when they are not what the manifest says."""
        path = self.path / entry.file
        if not path.is_file() or path.stat().st_size != entry.bytes:
            raise ArchiveDamaged(f"{entry.file} is missing or has another length than the manifest says.")
        content = path.read_bytes()
        if hashlib.sha256(content).digest() != entry.sha256:
            raise ArchiveDamaged(f"{entry.file} is not the file that the manifest names.")
        return content

    def write(self, game_id: UUID, version: int, head_hash: bytes, *, created_us: int, lines: Iterable[bytes]) -> None:
        """Write a game's record, then its entry."""
        file = f"{recorded_at(created_us)[:10].replace('-', '/')}/{game_id}.ndjson.gz"
        path = self.path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_suffix(".part")
        with part.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
            packed.writelines(lines)
        content = part.read_bytes()
        part.replace(path)
        entry = Entry(file, game_id, version, head_hash, hashlib.sha256(content).digest(), len(content))
        self.entries[game_id] = entry
        with (self.path / MANIFEST).open("a", encoding="ascii") as manifest:
            manifest.write(entry_line(entry))

    def write_checkpoint(self, note: str) -> None:
        """Lay the newest checkpoint of the public log beside the manifest."""
        (self.path / CHECKPOINT).write_text(note, encoding="utf-8")

    def tidy(self) -> None:
        """Write the manifest anew: one line a game, in order of their ids."""
        part = self.path / f"{MANIFEST}.part"
        with part.open("w", encoding="ascii") as manifest:
            manifest.writelines(entry_line(entry) for _, entry in sorted(self.entries.items()))
            manifest.flush()
            os.fsync(manifest.fileno())
        part.replace(self.path / MANIFEST)


def _read_manifest(path: Path, *, may_be_torn: bool) -> dict[UUID, Entry]:
    lines = path.read_bytes().splitlines(keepends=True)
    if may_be_torn and lines and not lines[-1].endswith(b"\n"):
        lines.pop()
    entries = {}
    for number, line in enumerate(lines, 1):
        try:
            entry = read_entry(parse_line(line))
        except MalformedValue as wrong:
            raise NotAnArchive(f"{path.name}, line {number}: {wrong.pointer} {wrong.detail}") from wrong
        entries[entry.game_id] = entry
    return entries
