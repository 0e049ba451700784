"""The manifest of an archive: which file holds which game up to which event. `docs/archive.md` has the layout."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from moveledger.audit.event import hex_bytes, read_uuid
from moveledger.errors import MalformedValue

MANIFEST = "manifest.ndjson"
CHECKPOINT = "checkpoint.txt"
MAX_FILE = 1 << 28
"""Bytes of the longest file that is read, compressed as it is."""

_FILE = re.compile(r"[0-9]{4}/[0-9]{2}/[0-9]{2}/[0-9a-f-]{36}\.ndjson\.gz")


@dataclass(frozen=True, slots=True)
class Entry:
    """One record of an archive: `file` below the archive's folder, with slashes; version and head hash of the game in it;
    SHA-256 and length of the file as it lies there, compressed.
    """

    file: str
    game_id: UUID
    version: int
    head_hash: bytes
    sha256: bytes
    bytes: int


def entry_line(entry: Entry) -> str:
    """An entry as a line of the manifest, its line feed included."""
    members = {
        "file": entry.file,
        "game_id": str(entry.game_id),
        "version": entry.version,
        "head_hash": entry.head_hash.hex(),
        "sha256": entry.sha256.hex(),
        "bytes": entry.bytes,
    }
    return json.dumps(members, separators=(",", ":")) + "\n"


def read_entry(value: Any) -> Entry:
    """The entry that a line says. Raises `MalformedValue`, also for a file that would lie elsewhere."""
    if not isinstance(value, dict) or value.keys() != Entry.__annotations__.keys():
        raise MalformedValue("The members are not those of an entry.")
    entry = Entry(
        file=value["file"],
        game_id=read_uuid(value, "game_id"),
        version=_count(value, "version", (1 << 63) - 1),
        head_hash=hex_bytes(value, "head_hash"),
        sha256=hex_bytes(value, "sha256"),
        bytes=_count(value, "bytes", MAX_FILE),
    )
    if not isinstance(entry.file, str) or not _FILE.fullmatch(entry.file) or str(entry.game_id) not in entry.file:
        raise MalformedValue("Expected YYYY/MM/DD/GAME.ndjson.gz.", "/file")
    return entry


def _count(value: Mapping[str, Any], name: str, most: int) -> int:
    found = value[name]
    if type(found) is not int or not 1 <= found <= most:
        raise MalformedValue(f"Expected a number from 1 to {most}.", f"/{name}")
    return found
