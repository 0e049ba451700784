"""The record of one game: the file that is exported, kept, and verified by strangers. `docs/formats.md` has the layout.

NDJSON: a first line that says what follows, the events in order of seq, proofs and checkpoints of the public log where
there are any, and a last line with the SHA-256 of all bytes before it. The record of a fork holds its parent's
events, up to the one that it starts from, before its own.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, BinaryIO
from uuid import UUID

from moveledger.audit.event import Event, EventJson, hex_bytes, read_event, read_uuid
from moveledger.audit.lines import parse_line, read_lines
from moveledger.errors import MalformedValue, MoveledgerError

FORMAT = "moveledger/1"
MAX_RECORD = 1 << 28
"""Bytes of the longest record that is read: the verifier keeps what it has read, for rewinds."""

_MEMBERS = frozenset({"record", "game_id", "ruleset", "version", "head_hash", "exported_at", "as"})
_READER = re.compile(r"spectator|referee|seat:(0|[1-9]\d{0,2})")


class NotARecord(MoveledgerError):
    """The file does not begin as the record of a game does."""

    code = "not-a-record"


class RecordFault(MoveledgerError):
    """A record that is damaged as a file: a line cannot be read, is missing, or stands in the wrong place.

    `at_event` says that the line is one where an event belongs.
    """

    code = "record-fault"

    def __init__(self, line: int, detail: str, *, at_event: bool = False) -> None:
        super().__init__(f"line {line}: {detail}", line=line)
        self.at_event = at_event


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordHeader:
    """What the first line says: which game, up to which event, when it was exported (RFC 3339) and for whom.

    `reader` is `spectator`, `seat:2` or `referee`.
    """

    game_id: UUID
    ruleset: str
    version: int
    head_hash: bytes
    exported_at: str
    reader: str


# --- writing -------------------------------------------------------------------------------------------


def write_record(
    header: RecordHeader,
    events: Iterable[EventJson],
    *,
    proofs: Iterable[Mapping[str, Any]] = (),
    checkpoints: Iterable[str] = (),
) -> Iterator[bytes]:
    """The lines of a record. `events` come in order of seq, a fork's after those of its parent."""
    digest = hashlib.sha256()
    for value in _values(header, events, proofs, checkpoints):
        line = json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode() + b"\n"
        digest.update(line)
        yield line
    yield _last_line(digest.hexdigest())


def _values(
    header: RecordHeader,
    events: Iterable[EventJson],
    proofs: Iterable[Mapping[str, Any]],
    checkpoints: Iterable[str],
) -> Iterator[Mapping[str, Any]]:
    yield {
        "record": FORMAT,
        "game_id": str(header.game_id),
        "ruleset": header.ruleset,
        "version": header.version,
        "head_hash": header.head_hash.hex(),
        "exported_at": header.exported_at,
        "as": header.reader,
    }
    for event in events:
        yield {**event}
    for proof in proofs:
        yield {"proof": proof}
    for checkpoint in checkpoints:
        yield {"checkpoint": checkpoint}


def _last_line(digest: str, space: str = "") -> bytes:
    return f'{{"sha256":{space}"{digest}"}}\n'.encode()


# --- reading -------------------------------------------------------------------------------------------


class RecordReader:
    """A record read once, from its first byte to its last, one line in memory at a time.

    `header` is known at once; `proofs` and `checkpoints` are complete when `events` has come to its end. Raises
    `NotARecord` for a stream that does not begin as a record, `RecordFault` for one that goes on badly.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.proofs: list[Any] = []
        self.checkpoints: list[Any] = []
        self._lines = read_lines(stream)
        self._digest = hashlib.sha256()
        self._number = 0
        self._size = 0
        self.header = self._read_header()

    def events(self) -> Iterator[Event]:
        """The events as they stand in the file. The last line is checked before this ends."""
        while (line := self._next_line()) is not None:
            if line.startswith(b'{"sha256"'):
                return self._finish(line)
            self._digest.update(line)
            value = self._parse(line)
            if not self._is_attachment(value):
                yield self._read_event(value)
        raise RecordFault(self._number + 1, "the record ends before its last line")

    def _read_header(self) -> RecordHeader:
        try:
            line = next(self._lines, b"")
            value = parse_line(line)
        except MalformedValue as wrong:
            raise NotARecord(f"The first line is not that of a record: {wrong.detail}") from wrong
        if not isinstance(value, dict) or value.get("record") != FORMAT:
            raise NotARecord(f'The first line does not say "record": "{FORMAT}".')
        self._number, self._size = 1, len(line)
        self._digest.update(line)
        try:
            return _read_header(value)
        except MalformedValue as wrong:
            raise RecordFault(1, f"{wrong.pointer} {wrong.detail}".strip()) from wrong

    def _next_line(self) -> bytes | None:
        self._number += 1
        try:
            line = next(self._lines, None)
        except MalformedValue as wrong:
            raise self._fault(wrong.detail) from wrong
        self._size += len(line or b"")
        if self._size > MAX_RECORD:
            raise self._fault(f"the record is longer than {MAX_RECORD} bytes")
        return line

    def _parse(self, line: bytes) -> Any:
        try:
            return parse_line(line)
        except MalformedValue as wrong:
            raise self._fault(wrong.detail) from wrong

    def _read_event(self, value: Any) -> Event:
        if self.proofs or self.checkpoints:
            raise self._fault("only proofs and checkpoints follow the events")
        try:
            return read_event(value)
        except MalformedValue as wrong:
            raise self._fault(f"{wrong.pointer} {wrong.detail}".strip()) from wrong

    def _is_attachment(self, value: Any) -> bool:
        match value:
            case {"proof": proof, **rest} if not rest:
                self.proofs.append(proof)
            case {"checkpoint": checkpoint, **rest} if not rest:
                self.checkpoints.append(checkpoint)
            case _:
                return False
        return True

    def _finish(self, line: bytes) -> None:
        digest = self._digest.hexdigest()
        if line not in (_last_line(digest), _last_line(digest, " ")):
            raise RecordFault(self._number, "the last line is not the SHA-256 of what stands before it")
        if self._next_line() is not None:
            raise RecordFault(self._number, "something follows the last line")

    def _fault(self, detail: str) -> RecordFault:
        return RecordFault(self._number, detail, at_event=not (self.proofs or self.checkpoints))


def _read_header(value: Mapping[str, Any]) -> RecordHeader:
    if value.keys() != _MEMBERS:
        raise MalformedValue("The members are not those of a record's first line.")
    if not isinstance(value["ruleset"], str) or len(value["ruleset"]) > 100:
        raise MalformedValue("Expected the id of a ruleset.", "/ruleset")
    if type(value["version"]) is not int or not 1 <= value["version"] < 1 << 63:
        raise MalformedValue("Expected a version.", "/version")
    if not isinstance(value["as"], str) or not _READER.fullmatch(value["as"]):
        raise MalformedValue("Expected spectator, referee or a seat.", "/as")
    try:
        datetime.fromisoformat(value["exported_at"])
    except (TypeError, ValueError) as wrong:
        raise MalformedValue("Expected a time.", "/exported_at") from wrong
    return RecordHeader(
        game_id=read_uuid(value, "game_id"),
        ruleset=value["ruleset"],
        version=value["version"],
        head_hash=hex_bytes(value, "head_hash"),
        exported_at=value["exported_at"],
        reader=value["as"],
    )
