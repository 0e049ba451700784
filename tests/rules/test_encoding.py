"""Canonical bytes, as an independent implementation of RFC 8785 makes them, and values to JSON and back."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar, Literal

import pytest
import rfc8785
from hypothesis import given
from hypothesis import strategies as st

from moveledger.errors import MalformedValue
from moveledger.rules.encoding import MAX_INTEGER, canonical, decode, encode, state_hash
from moveledger.rules.kernel import Bounds, Seat

integers = st.integers(-MAX_INTEGER, MAX_INTEGER)
names = st.text(st.characters(max_codepoint=127), max_size=6)
bodies = st.recursive(
    st.none() | st.booleans() | integers | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(names, inner, max_size=5),
    max_leaves=25,
)


# --- canonical bytes -----------------------------------------------------------------------------------


@given(bodies)
def test_the_canonical_bytes_are_those_of_rfc_8785(body: Any) -> None:
    assert canonical(body) == rfc8785.dumps(body)


@given(bodies)
def test_canonical_bytes_are_read_back_as_the_same_body(body: Any) -> None:
    assert json.loads(canonical(body)) == body
    assert canonical(json.loads(canonical(body))) == canonical(body)


def test_control_characters_and_line_separators_are_written_as_rfc_8785_says() -> None:
    text = "".join(map(chr, range(32))) + '"\\/\x7f\u2028\u2029\ufeff😀'
    assert canonical(text) == rfc8785.dumps(text)


def test_the_order_of_members_and_the_kind_of_list_do_not_matter() -> None:
    assert canonical({"b": (1, 2), "a": None}) == canonical({"a": None, "b": [1, 2]}) == b'{"a":null,"b":[1,2]}'


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        (1.0, ""),
        ({"a": [0, 0.5]}, "/a/1"),
        (float("nan"), ""),
        (MAX_INTEGER + 1, ""),
        ([-MAX_INTEGER - 1], "/0"),
        ({"é": 1}, ""),
        ({1: 1}, ""),
        ({"a": {"b": {1, 2}}}, "/a/b"),
        (b"bytes", ""),
        (Ellipsis, ""),
    ],
    ids=repr,
)
def test_what_the_log_must_never_hold_is_refused_with_its_place(body: Any, pointer: str) -> None:
    with pytest.raises(MalformedValue) as refused:
        canonical(body)
    assert refused.value.pointer == pointer


@pytest.mark.parametrize("text", ["\ud800", "a\udfff", "\udc00\ud800"])
def test_half_a_surrogate_pair_is_refused(text: str) -> None:
    with pytest.raises(MalformedValue, match="surrogate"):
        canonical([text])


@pytest.mark.parametrize("number", [MAX_INTEGER, -MAX_INTEGER, 0])
def test_the_greatest_integers_are_written_exactly(number: int) -> None:
    assert canonical(number) == str(number).encode()


# --- values --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Walk:
    type: ClassVar[str] = "walk"
    from_: Annotated[int, Bounds(1, 13)]
    to: Annotated[int, Bounds(1, 13)]


@dataclass(frozen=True, slots=True)
class Wait:
    type: ClassVar[str] = "wait"


@dataclass(frozen=True, slots=True)
class Board:
    seats: tuple[Seat, ...]
    pair: tuple[int, str]
    colour: Literal["red", "blue"]
    level: Literal[1, 2]
    open: bool
    last: Walk | Wait | None
    marks: Annotated[tuple[int, ...], Bounds(0, 3)] = ()
    note: str = field(default="")


walks = st.builds(Walk, st.integers(1, 13), st.integers(1, 13))
boards = st.builds(
    Board,
    seats=st.lists(st.integers(0, 4).map(Seat)).map(tuple),
    pair=st.tuples(integers, st.text(max_size=5)),
    colour=st.sampled_from(["red", "blue"]),
    level=st.sampled_from([1, 2]),
    open=st.booleans(),
    last=st.none() | st.just(Wait()) | walks,
    marks=st.lists(integers, max_size=3).map(tuple),
    note=st.text(max_size=5),
)
BOARD = Board((Seat(0),), (1, "a"), "red", 2, True, Walk(3, 4), (1,), "n")
JSON: dict[str, Any] = {
    "seats": [0],
    "pair": [1, "a"],
    "colour": "red",
    "level": 2,
    "open": True,
    "last": {"type": "walk", "from": 3, "to": 4},
    "marks": [1],
    "note": "n",
}


@given(boards)
def test_a_value_comes_back_from_its_json(board: Board) -> None:
    assert decode(Board, json.loads(canonical(encode(board)))) == board


@given(boards)
def test_equal_values_have_equal_hashes(board: Board) -> None:
    assert state_hash(decode(Board, encode(board))) == state_hash(board)


def test_members_are_named_after_fields_without_the_underscore_that_avoids_a_keyword() -> None:
    assert encode(BOARD) == JSON
    assert decode(Board, JSON) == BOARD


def test_members_with_a_default_may_be_left_out() -> None:
    short = {name: value for name, value in JSON.items() if name not in ("marks", "note")}
    assert decode(Board, short) == Board((Seat(0),), (1, "a"), "red", 2, True, Walk(3, 4))


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"more": 1}, "/more"),
        ({"seats": None}, "/seats"),
        ({"seats": ["0"]}, "/seats/0"),
        ({"seats": [True]}, "/seats/0"),
        ({"seats": [0.0]}, "/seats/0"),
        ({"pair": [1]}, "/pair"),
        ({"pair": [1, 2]}, "/pair/1"),
        ({"pair": "1a"}, "/pair"),
        ({"colour": "green"}, "/colour"),
        ({"colour": ["red"]}, "/colour"),
        ({"level": True}, "/level"),
        ({"level": "2"}, "/level"),
        ({"open": 1}, "/open"),
        ({"open": None}, "/open"),
        ({"last": {}}, "/last/type"),
        ({"last": []}, "/last"),
        ({"last": {"type": "fly"}}, "/last/type"),
        ({"last": {"type": ["walk"]}}, "/last/type"),
        ({"last": {"type": "walk", "from": 0, "to": 4}}, "/last/from"),
        ({"last": {"type": "walk", "from": 1, "to": 14}}, "/last/to"),
        ({"last": {"type": "walk", "from": 1}}, "/last/to"),
        ({"last": {"type": "walk", "from_": 1, "to": 2}}, "/last/from_"),
        ({"last": {"type": "wait", "to": 2}}, "/last/to"),
        ({"marks": [1, 2, 3, 4]}, "/marks"),
    ],
    ids=str,
)
def test_json_of_another_shape_is_refused_with_its_place(change: dict[str, Any], pointer: str) -> None:
    with pytest.raises(MalformedValue) as refused:
        decode(Board, {**JSON, **change})
    assert refused.value.pointer == pointer


@pytest.mark.parametrize("value", [None, [], "board", 5])
def test_what_is_no_object_is_no_dataclass(value: Any) -> None:
    with pytest.raises(MalformedValue):
        decode(Board, value)


@pytest.mark.parametrize("value", [1.5, {1, 2}, frozenset(), [1], {"a": 1}, b"x", Board, Ellipsis], ids=repr)
def test_a_value_without_one_json_form_is_not_encoded(value: Any) -> None:
    with pytest.raises(MalformedValue):
        encode(value)


@pytest.mark.parametrize("hint", [float, set[int], dict[str, int], list[int]], ids=repr)
def test_a_type_without_one_json_form_is_not_decoded(hint: Any) -> None:
    with pytest.raises(TypeError):
        decode(hint, 1)
