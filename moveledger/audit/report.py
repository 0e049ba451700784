"""What `moveledger verify` says: a report in words for people, as JSON for machines, and the exit code."""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, cast

from tqdm import tqdm

from moveledger.audit.checkpoint import read_signed_checkpoint
from moveledger.audit.checks import CheckResult, Report
from moveledger.audit.lines import parse_line
from moveledger.audit.note import read_verifier_key
from moveledger.audit.publication import Trust, read_growth
from moveledger.audit.record import NotARecord
from moveledger.audit.verify import verify_record

VALID, INVALID, NOT_A_RECORD = 0, 1, 2
PACKED = b"\x1f\x8b"
"""How a file begins that gzip has packed (RFC 1952, 2.3.1)."""
LONG = 1 << 20
"""Bytes from which on a record is worth a progress bar."""


def check_file(path: str, *, as_json: bool = False, is_quiet: bool = False, trust: Trust | None = None) -> int:
    """Verify the record at `path` (`-` is standard input), which may be compressed with gzip, say what was found, and give the
    exit code.

    0 valid, 1 invalid, 2 not a record or not to be read. Quiet says nothing at all. `trust` is what is known of the public log.
    """
    try:
        with _opened(path, shows_progress=not (as_json or is_quiet)) as stream:
            report = verify_record(_unpacked(stream), trust)
    except (NotARecord, OSError, EOFError, zlib.error) as wrong:
        reason = _reason(path, wrong)
        if not is_quiet:
            _say(
                json.dumps({"error": "not-a-record", "detail": reason})
                if as_json
                else _shown(f"not a record: {reason}")
            )
        return NOT_A_RECORD
    if not is_quiet:
        _say(json.dumps(report_json(report), indent=2) if as_json else describe_report(report))
    return VALID if report.valid else INVALID


def read_trust(checkpoint: str | None, key: str | None, consistency: str | None = None) -> Trust:
    """What a person at the terminal knows of the public log: a file with a note, a vkey, itself or in a file, and a file
    with a consistency proof.

    Raises `MalformedValue`, `OSError`.
    """
    note = None if checkpoint is None else Path(checkpoint).read_text("utf-8")
    if note is not None:
        read_signed_checkpoint(note)
    text = Path(key).read_text("utf-8") if key is not None and Path(key).is_file() else key
    growth = None if consistency is None else read_growth(parse_line(Path(consistency).read_bytes()))
    return Trust(note, None if text is None else read_verifier_key(text.strip()), growth)


def report_json(report: Report) -> dict[str, Any]:
    """`{version, game_id, ruleset, valid, closed, checks: [{name, result, detail, seq?}], fault?}`."""
    found: dict[str, Any] = {
        "version": report.version,
        "game_id": report.game_id,
        "ruleset": report.ruleset,
        "valid": report.valid,
        "closed": report.closed,
        "checks": [check_json(check) for check in report.checks],
    }
    return found if report.fault is None else {**found, "fault": check_json(report.fault)}


def check_json(check: CheckResult) -> dict[str, Any]:
    """One check of a report; `seq` only where the fault is one event's."""
    found = {"name": check.name, "result": check.result, "detail": check.detail}
    return found if check.seq is None else {**found, "seq": check.seq}


def describe_report(report: Report) -> str:
    """The report as lines of text: the verdict last."""
    title = f"game {report.game_id}, {report.ruleset}, version {report.version}" if report.game_id else "a record"
    checks = [f"  {check.result:<8}{check.name:<13}{check.detail}" for check in report.checks]
    return "\n".join(_shown(line) for line in (title, *checks, _verdict(report)))


def _verdict(report: Report) -> str:
    fault = report.fault
    if fault is not None:
        if fault.seq is None:
            return f"INVALID: {fault.name}: {fault.detail}"
        return f"INVALID: event {fault.seq}, {fault.name}: {fault.detail.removeprefix(f'event {fault.seq}: ')}"
    if report.closed:
        return f"valid, as far as it is open: {report.closed} bodies are closed"
    return "valid"


def _reason(path: str, wrong: Exception) -> str:
    """Why a file cannot be read as a record."""
    if isinstance(wrong, NotARecord):
        return wrong.detail
    if isinstance(wrong, OSError) and wrong.strerror:
        return f"{path}: {wrong.strerror}"
    return f"{path}: what gzip has packed there is damaged: {wrong}"


def _shown(line: str) -> str:
    """A line in which a record may have a say: what could steer a terminal, or begin a new line, as an escape."""
    return "".join(sign if sign.isprintable() else repr(sign)[1:-1] for sign in line)


def _say(text: str) -> None:
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def _unpacked(stream: BinaryIO) -> BinaryIO:
    """What is in a file that gzip has packed, as an archive's records are; any other file as it is."""
    peeking = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(cast(io.RawIOBase, stream))
    return cast(BinaryIO, gzip.GzipFile(fileobj=peeking)) if peeking.peek(2)[:2] == PACKED else peeking


@contextmanager
def _opened(path: str, *, shows_progress: bool) -> Iterator[BinaryIO]:
    """The file, under a progress bar on a terminal when it is a long one."""
    if path == "-":
        yield sys.stdin.buffer
        return
    with Path(path).open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if not shows_progress or size < LONG or not sys.stderr.isatty():
            yield file
            return
        with tqdm(total=size, desc="verify", unit="B", unit_scale=True, leave=False, file=sys.stderr) as bar:
            yield io.BufferedReader(_Watched(file, bar))


class _Watched(io.RawIOBase):
    """A file that tells a progress bar how far it has been read."""

    def __init__(self, file: BinaryIO, bar: tqdm[Any]) -> None:
        self._file, self._bar = file, bar

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self._bar.update(len(data))
        return len(data)
