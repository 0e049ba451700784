"""Lines from somebody who is not trusted are read in one way, or not at all."""

from __future__ import annotations

import tracemalloc
from io import BytesIO, RawIOBase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from moveledger.audit.lines import MAX_DEPTH, MAX_LINE, parse_line, read_lines
from moveledger.errors import MalformedValue


class Endless(RawIOBase):
    """A stream that is one line of two hundred million bytes, and tells how much of it was read."""

    def __init__(self) -> None:
        self.given = 0

    def readline(self, size: int | None = -1, /) -> bytes:
        assert size is not None
        assert size > 0, "the line would be read whole"
        self.given += size
        return b" " * min(size, 200_000_000)


def test_lines_come_with_their_line_feeds() -> None:
    assert list(read_lines(BytesIO(b"one\n\ntwo\n"))) == [b"one\n", b"\n", b"two\n"]


def test_a_last_line_without_its_line_feed_is_cut_off() -> None:
    lines = read_lines(BytesIO(b"one\ntwo"))
    assert next(lines) == b"one\n"
    with pytest.raises(MalformedValue, match="cut off"):
        next(lines)


def test_a_line_of_just_the_greatest_length_is_read() -> None:
    longest = b"x" * (MAX_LINE - 1) + b"\n"
    assert list(read_lines(BytesIO(longest))) == [longest]
    with pytest.raises(MalformedValue, match="longer than"):
        list(read_lines(BytesIO(b"x" + longest)))


def test_a_line_of_two_hundred_million_bytes_is_not_read_whole() -> None:
    stream: Any = Endless()
    tracemalloc.start()
    try:
        with pytest.raises(MalformedValue, match="longer than"):
            list(read_lines(stream))
        assert tracemalloc.get_traced_memory()[1] < 4 * MAX_LINE
    finally:
        tracemalloc.stop()
    assert stream.given <= 2 * MAX_LINE


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"a": 1, "a": 1}', "twice"),
        (b'{"b": {"a": 1, "a": 2}}', "twice"),
        (b"1.5", "not an integer"),
        (b"1e3", "not an integer"),
        (b"[NaN]", "not an integer"),
        (b"-Infinity", "not an integer"),
        (b"\xff{}", "UTF-8"),
        (b'"\xed\xa0\x80"', "UTF-8"),
        ('{"a": 1}'.encode("utf-16"), "UTF-8"),
        ("\ufeff{}".encode(), "not JSON"),
        (b'"\\ud800"', "surrogate"),
        (b'{"\\ud800": 1}', "surrogate"),
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"{} {}", "not JSON"),
        (b"{'a': 1}", "not JSON"),
        (b"9" * 5000, "not JSON"),
        (b'"\x01"', "not JSON"),
        (b"[" * 500_000, "too deeply"),
        (b"[" * 100_000 + b"]" * 100_000, "too deeply"),
        (b'{"a":' * 900 + b"1" + b"}" * 900, "too deeply"),
        (b"[" * (MAX_DEPTH + 1) + b"]" * (MAX_DEPTH + 1), "too deeply"),
    ],
    ids=repr,
)
def test_what_could_be_read_in_two_ways_or_breaks_a_reader_is_refused(line: bytes, why: str) -> None:
    with pytest.raises(MalformedValue, match=why):
        parse_line(line)


def test_nesting_is_allowed_up_to_the_bound_and_brackets_in_strings_do_not_count() -> None:
    parse_line(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    assert parse_line(b'"' + b"[" * 10_000 + b'"') == "[" * 10_000
    assert parse_line(b"[" + b"[]," * 10_000 + b"[]]") == [[]] * 10_001


@given(st.binary(max_size=60))
def test_bytes_are_read_or_refused_whatever_they_are(line: bytes) -> None:
    try:
        parse_line(line)
    except MalformedValue:
        return
