"""Moves that their seats have signed: what the fold and the verifier make of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from closed_hands import RULESET
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from moveledger.audit.checks import Report
from moveledger.audit.event import Event
from moveledger.audit.faults import LogFault
from moveledger.audit.game import evolve
from moveledger.audit.signature import SMALL_ORDER, find_key_fault, read_signed
from moveledger.errors import MalformedValue
from moveledger.rules.registry import find_ruleset
from tests.audit.curve import IDENTITY, P, decode, encode, times_eight
from tests.audit.logs import House, first_of, forge, record_of, verify

SHANGRILA = find_ruleset("shangrila@1")
KEYS = {seat: Ed25519PrivateKey.from_private_bytes(bytes([seat + 1]) * 32) for seat in (0, 2)}
STRANGER = Ed25519PrivateKey.from_private_bytes(b"\x09" * 32)
OPEN = House(SHANGRILA, seats=3, keys=KEYS).play(9)


def signatures(report: Report) -> tuple[str, str]:
    """Result and detail of the check."""
    return next((check.result, check.detail) for check in report.checks if check.name == "signatures")


def forged(change: Callable[[Mapping[str, Any]], Mapping[str, Any]], seq: int | None = None) -> list[Event]:
    """The open game with a move's body changed and all hashes made to fit, cut off after it."""
    at = seq or first_of(OPEN.events, "moved")
    return forge(OPEN.events, at, change)[:at]


def test_signed_moves_are_counted_and_hold() -> None:
    report = verify(OPEN.record())
    assert report.valid
    assert signatures(report) == ("pass", "6 of 9 moves signed")


def test_a_game_without_keys_has_no_signatures_and_no_fault() -> None:
    assert signatures(verify(House(RULESET, seats=2).play().record()))[0] == "pass"


def test_a_seat_with_a_key_may_leave_a_move_unsigned() -> None:
    report = verify(record_of(forged(lambda body: {"action": body["action"]})))
    assert report.valid
    assert signatures(report) == ("pass", "0 of 1 moves signed")


def test_a_seat_may_sign_upon_an_earlier_event() -> None:
    seq = first_of(OPEN.events, "moved")
    events = forged(lambda body: {**body, "signed": OPEN.signed(0, body["action"], upon=3)})
    assert (events[-1].seq, verify(record_of(events)).valid) == (seq, True)


@pytest.mark.parametrize(
    "name", ["another's key", "another event", "another hash", "another action", "no key", "later event"]
)
def test_a_wrong_signature_is_found(name: str) -> None:
    seq = first_of(OPEN.events, "moved")

    def change(body: Mapping[str, Any]) -> Mapping[str, Any]:
        right = body["signed"]
        wrong: dict[str, Callable[[], Any]] = {
            "another's key": lambda: OPEN.signed(0, body["action"], upon=seq - 1, key=STRANGER),
            "another event": lambda: {**right, "seq": right["seq"] - 1},
            "another hash": lambda: {**OPEN.signed(0, body["action"], upon=2), "seq": 3},
            "another action": lambda: OPEN.signed(0, {**body["action"], "village": 13}, upon=seq - 1),
            "later event": lambda: OPEN.signed(0, body["action"], upon=seq),
        }
        return {**body, "signed": wrong[name]()}

    if name == "no key":
        at = next(event.seq for event in OPEN.events if event.type == "moved" and event.seat == 1)
        events = forged(lambda body: {**body, "signed": OPEN.signed(1, body["action"], upon=2, key=STRANGER)}, at)
    else:
        events = forged(change)
    report = verify(record_of(events))
    assert not report.valid
    assert report.fault is not None
    assert (report.fault.name, report.fault.seq) == ("signatures", events[-1].seq)
    assert signatures(report)[0] == "fail"


def test_the_fold_itself_refuses_a_forged_signature() -> None:
    seq = first_of(OPEN.events, "moved")
    events = forged(lambda body: {**body, "signed": OPEN.signed(0, body["action"], upon=seq - 1, key=STRANGER)})
    with pytest.raises(LogFault) as caught:
        evolve(OPEN.games[seq - 2], events[-1], OPEN.recall)
    assert (caught.value.check, caught.value.seq) == ("signatures", seq)


def test_signatures_behind_closed_bodies_are_checked_as_far_as_they_are_open() -> None:
    house = House(RULESET, seats=2, keys={0: KEYS[0], 1: KEYS[2]}).play(1)
    result, detail = signatures(verify(house.record()))
    assert (result, detail.split(";")[0]) == ("closed", "0 of 1 moves signed")
    assert signatures(verify(house.play().record()))[0] == "pass"


@pytest.mark.parametrize(
    "signed",
    [
        None, [], "", {}, {"seq": 1}, {"seq": 0, "head_hash": "00" * 32, "signature": "00" * 64},
        {"seq": True, "head_hash": "00" * 32, "signature": "00" * 64},
        {"seq": 1, "head_hash": "00" * 31, "signature": "00" * 64},
        {"seq": 1, "head_hash": "00" * 32, "signature": "00" * 64 + "\n"},
        {"seq": 1, "head_hash": "00" * 32, "signature": "00" * 64, "more": 1},
    ],
)  # fmt: skip
def test_a_signature_that_is_not_well_formed_cannot_be_read(signed: Any) -> None:
    with pytest.raises(MalformedValue):
        read_signed(signed)


@pytest.mark.parametrize("signed", [[], 1, {"seq": 1}, {"seq": [], "head_hash": {}, "signature": 7}])
def test_a_record_with_such_a_signature_fails_without_a_traceback(signed: Any) -> None:
    report = verify(record_of(forged(lambda body: {**body, "signed": signed})))
    assert signatures(report)[0] == "fail"


# --- keys that are none --------------------------------------------------------------------------------

NON_CANONICAL = [
    *((P + more).to_bytes(32, "little") for more in range(19)),
    *((P + more + (1 << 255)).to_bytes(32, "little") for more in range(19)),
    (1 + (1 << 255)).to_bytes(32, "little"),
    (P - 1 + (1 << 255)).to_bytes(32, "little"),
]
"""All of them: y that is not below p, and the two in which x is 0 and said to be odd."""


def test_the_points_of_small_order_are_eight_and_no_others() -> None:
    points = [decode(encoded) for encoded in SMALL_ORDER]
    assert len({point for point in points if point is not None}) == 8
    for encoded, point in zip(sorted(SMALL_ORDER), map(decode, sorted(SMALL_ORDER)), strict=True):
        assert point is not None
        assert (times_eight(point), encode(point)) == (IDENTITY, encoded)


def test_a_key_of_small_order_or_in_another_encoding_than_its_own_is_none() -> None:
    for key in (*SMALL_ORDER, *NON_CANONICAL):
        assert find_key_fault(key) is not None, key.hex()
    for key in NON_CANONICAL:
        point = decode(key)
        assert point is None or encode(point) != key


def test_a_key_as_keys_are_made_is_one() -> None:
    keys = [Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32) for number in range(100)]
    assert {find_key_fault(key.public_key().public_bytes_raw()) for key in keys} == {None}


@pytest.mark.parametrize("key", [sorted(SMALL_ORDER)[0], sorted(SMALL_ORDER)[5], NON_CANONICAL[1]], ids=bytes.hex)
def test_a_seat_that_is_given_no_real_key_is_found(key: bytes) -> None:
    """Under a key of small order there are signatures that hold for any move: nobody would have to sign."""
    seq = first_of(OPEN.events, "seated")
    events = forge(OPEN.events, seq, lambda body: {**body, "public_key": key.hex()})
    report = verify(record_of(events[:seq]))
    assert report.fault is not None
    assert (report.fault.name, report.fault.seq) == ("signatures", seq)
