"""Lines of JSON from somebody who is not trusted: bounded in length and depth, and never read in two ways."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, BinaryIO, NoReturn

from moveledger.errors import MalformedValue

MAX_LINE = 1 << 20
"""Bytes of the longest line that is read, its line feed counted."""
MAX_DEPTH = 64
"""How deep lists and objects may be nested, in one line as in the body of a request."""


def read_lines(stream: BinaryIO) -> Iterator[bytes]:
    """The lines of a stream with their line feeds, one in memory at a time.

    Raises `MalformedValue` for a line longer than `MAX_LINE`, of which no more than that is read, and for a last
    line that is cut off before its line feed.
    """
    while line := stream.readline(MAX_LINE + 1):
        if len(line) > MAX_LINE:
            raise MalformedValue(f"A line is longer than {MAX_LINE} bytes.")
        if not line.endswith(b"\n"):
            raise MalformedValue("The last line is cut off.")
        yield line


def parse_line(line: bytes) -> Any:
    """The value of one line: UTF-8 JSON without floats, without a member named twice, without deep nesting.

    Raises `MalformedValue`, whatever the bytes are.
    """
    try:
        value = _DECODER.decode(line.decode())
    except UnicodeDecodeError as wrong:
        raise MalformedValue("A line is not UTF-8.") from wrong
    except RecursionError as wrong:
        raise MalformedValue("A line is nested too deeply.") from wrong
    except ValueError as wrong:
        raise MalformedValue(f"A line is not JSON: {wrong}") from wrong
    if not is_shallow(value, line):
        raise MalformedValue("A line is nested too deeply.")
    if b"\\u" in line:
        _require_text(value)
    return value


def is_shallow(value: Any, text: bytes) -> bool:
    """Whether what was read from a text is nested no deeper than `MAX_DEPTH`, so that it can be gone through again anywhere."""
    if text.count(b"[") + text.count(b"{") <= MAX_DEPTH:
        return True
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [item for item in level if isinstance(item, dict | list)]
        if not level:
            return True
        level = [child for item in level for child in (item.values() if isinstance(item, dict) else item)]
    return False


def _require_text(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError as wrong:
        raise MalformedValue("A string holds half of a surrogate pair.") from wrong


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise MalformedValue("An object names a member twice.")
    return members


def _refuse_number(text: str) -> NoReturn:
    raise MalformedValue(f"{text[:20]} is not an integer.")


_DECODER = json.JSONDecoder(object_pairs_hook=_distinct, parse_float=_refuse_number, parse_constant=_refuse_number)
