"""Records of whole games, damaged and forged: every one is refused, and no one breaks the verifier.

First by somebody who only has the file; then by a dishonest house, which makes all commitments and hashes anew.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from closed_hands import RULESET
from hypothesis import given, settings
from hypothesis import strategies as st

from moveledger.audit.checks import Report
from moveledger.audit.event import REFEREE_SEAT, Event, event_json
from moveledger.audit.record import NotARecord
from moveledger.audit.verify import verify_events
from moveledger.errors import MalformedValue
from moveledger.rules import chance
from moveledger.rules.encoding import state_hash
from moveledger.rules.kernel import Seat
from moveledger.rules.registry import find_ruleset
from tests.audit.logs import House, first_of, forge, rechained, record_of, verify, with_digest

SHANGRILA = find_ruleset("shangrila@1")
HANDS = House(RULESET, seats=3, entropy=True, number=5).play()
"""A game with everything: entropy, a seed, cards, closed numbers, and a roll in the open."""
BRIDGES = House(SHANGRILA, seats=3, number=8).play(24)
"""A short game, whose end is that two seats leave."""
BRIDGES.leave(Seat(1))
BRIDGES.leave(Seat(0), "timed_out")
RUNNING = House(RULESET, seats=3, number=6).play(2)
GAMES = pytest.mark.parametrize("house", [HANDS, BRIDGES], ids=["closed_hands", "shangrila"])

Body = Mapping[str, Any]


def is_refused(record: bytes) -> bool:
    """Whether the record is invalid with a named check, or none at all."""
    try:
        report = verify(record)
    except NotARecord:
        return True
    return report.fault is not None and bool(report.fault.detail)


def fault(report: Report) -> tuple[str, int | None]:
    """The check that failed first, and at which event."""
    assert report.fault is not None, report
    return report.fault.name, report.fault.seq


def lines_of(house: House) -> list[bytes]:
    return house.record().splitlines(keepends=True)


# --- by somebody who only has the file -----------------------------------------------------------------


@GAMES
def test_a_change_of_any_byte_is_refused(house: House) -> None:
    record, rng = house.record(), random.Random(1)
    places = {*range(30), *range(len(record) - 85, len(record)), *rng.sample(range(len(record)), 300)}
    for place in sorted(places):
        other = record[place] ^ (1 << rng.randrange(8))
        assert is_refused(record[:place] + bytes([other]) + record[place + 1 :]), (place, record[place], other)


@GAMES
def test_a_change_of_any_byte_is_refused_even_when_the_last_line_is_made_anew(house: House) -> None:
    """But for what no hash covers: the id of a request, and when and for whom the record was exported."""
    lines, rng = lines_of(house), random.Random(2)
    for _ in range(150):
        number = rng.randrange(len(lines) - 1)
        line = lines[number]
        place = rng.randrange(len(line) - 1)
        changed = line[:place] + bytes([line[place] ^ (1 << rng.randrange(8))]) + line[place + 1 :]
        if not is_refused(with_digest([*lines[:number], changed, *lines[number + 1 : -1]])):
            before, after = json.loads(line), json.loads(changed)
            differing = {name for name in before if before[name] != after[name]}
            assert differing <= {"request_id", "exported_at", "as"}, (number, differing)


@GAMES
def test_every_event_dropped_is_found_where_it_is_missing(house: House) -> None:
    lines = lines_of(house)
    last = len(house.events)
    for seq in range(1, last + 1):
        name, found = fault(verify(with_digest([*lines[:seq], *lines[seq + 1 : -1]])))
        assert (name, found) == ("chain", seq + 1 if seq < last else last - 1)


@GAMES
def test_every_event_doubled_is_found(house: House) -> None:
    lines = lines_of(house)
    for seq in range(1, len(house.events) + 1):
        assert fault(verify(with_digest([*lines[: seq + 1], *lines[seq:-1]]))) == ("chain", seq)


@GAMES
def test_every_pair_of_events_swapped_is_found(house: House) -> None:
    lines = lines_of(house)
    for seq in range(1, len(house.events)):
        swapped = [*lines[:seq], lines[seq + 1], lines[seq], *lines[seq + 2 : -1]]
        assert fault(verify(with_digest(swapped)))[0] == "chain"


@GAMES
def test_every_body_taken_out_of_a_finished_game_is_found(house: House) -> None:
    for event in house.events:
        events = [replace(e, salt=None, body=None) if e.seq == event.seq else e for e in house.events]
        assert fault(verify_events(events)) == ("commitments", event.seq)
        sealed = [replace(e, sealed=True) if e.seq == event.seq else e for e in events]
        assert fault(verify_events(sealed)) == ("commitments", event.seq)


def test_every_public_body_taken_out_of_a_running_game_is_found() -> None:
    for event in RUNNING.events:
        if not event.sealed:
            events = [replace(e, salt=None, body=None) if e.seq == event.seq else e for e in RUNNING.events]
            assert fault(verify_events(events)) == ("commitments", event.seq)


@GAMES
def test_a_body_from_another_event_is_found(house: House) -> None:
    for one, two in zip(house.events, house.events[1:], strict=False):
        events = [replace(e, salt=two.salt, body=two.body) if e.seq == one.seq else e for e in house.events]
        assert fault(verify_events(events))[0] == "commitments"


@GAMES
def test_a_record_cut_off_anywhere_is_refused(house: House) -> None:
    record, rng = house.record(), random.Random(3)
    assert all(is_refused(record[:place]) for place in rng.sample(range(len(record)), 60))
    lines = lines_of(house)
    assert all(is_refused(with_digest(lines[:count])) for count in range(1, len(lines) - 1))


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"version": 3}, ("chain", len(HANDS.events))),
        ({"head_hash": "00" * 32}, ("chain", len(HANDS.events))),
        ({"game_id": str(BRIDGES.game_id)}, ("chain", len(HANDS.events))),
        ({"ruleset": "shangrila@1"}, ("chain", 1)),
    ],
    ids=str,
)
def test_a_first_line_that_says_something_else_is_found(members: Body, expected: tuple[str, int]) -> None:
    lines = lines_of(HANDS)
    first = json.dumps({**json.loads(lines[0]), **members}).encode() + b"\n"
    assert fault(verify(with_digest([first, *lines[1:-1]]))) == expected


def test_the_first_failing_event_is_named_and_the_other_checks_go_on() -> None:
    events = [replace(e, client=BRIDGES.game_id) if e.seq in (7, 9) else e for e in HANDS.events]
    report = verify_events(events)
    assert fault(report) == ("chain", 7)
    assert {check.name: check.result for check in report.checks}["draws"] == "pass"


def test_events_of_another_game_in_between_are_found() -> None:
    events = [*HANDS.events[:5], BRIDGES.events[5], *HANDS.events[5:]]
    assert fault(verify_events(events))[0] == "chain"
    assert fault(verify_events([*BRIDGES.events, *HANDS.events])) == ("chain", 1)


# --- by the house --------------------------------------------------------------------------------------


@GAMES
def test_an_event_left_out_is_found_though_all_hashes_are_made_anew(house: House) -> None:
    for seq in range(1, len(house.events) + 1):
        report = verify_events(rechained([*house.events[: seq - 1], *house.events[seq:]]))
        assert not report.valid, seq
        assert report.fault is not None
        assert report.fault.name != "chain"


def changed(events: Sequence[Event], seq: int, **members: Any) -> list[Event]:
    """A dishonest house's log in which one event has other members."""
    return rechained([replace(event, **members) if event.seq == seq else event for event in events])


def draw_with(**members: Any) -> list[Event]:
    return forge(HANDS.events, first_of(HANDS.events, "drawn"), lambda body: {**body, **members})


def flipped(values: Sequence[int]) -> list[int]:
    return [values[0] ^ 1, *values[1:]]


DRAWN = first_of(HANDS.events, "drawn")
CARD = DRAWN + 1
MOVED = first_of(BRIDGES.events, "moved")
LAST = len(HANDS.events)
DRAW_BODY: Body = HANDS.events[DRAWN - 1].body or {}


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (draw_with(values=flipped(DRAW_BODY["values"])), ("draws", DRAWN)),
        (draw_with(values=[*DRAW_BODY["values"], 1]), ("draws", DRAWN)),
        (draw_with(secret="00" * 32), ("draws", DRAWN)),
        (draw_with(path=DRAW_BODY["path"][:-1]), ("draws", DRAWN)),
        (draw_with(path=DRAW_BODY["path"][::-1]), ("draws", DRAWN)),
        (draw_with(path=None), ("draws", DRAWN)),
        (draw_with(path=["x"]), ("draws", DRAWN)),
        (draw_with(index=1), ("draws", DRAWN)),
        (draw_with(index=False), ("draws", DRAWN)),
        (draw_with(index=-1), ("draws", DRAWN)),
        (draw_with(request="roll:1x6"), ("draws", DRAWN)),
        (draw_with(request="seed:1"), ("draws", DRAWN)),
        (draw_with(request=5), ("draws", DRAWN)),
        (forge(HANDS.events, CARD, lambda body: {**body, "index": 0}), ("draws", CARD)),
    ],
)
def test_a_forged_draw_is_found(events: list[Event], expected: tuple[str, int]) -> None:
    assert fault(verify_events(events)) == expected


def test_a_draw_that_is_answered_again_until_it_pleases_is_found() -> None:
    """The house uses the secret of the next draw, honest in all but its index."""
    card = HANDS.events[CARD - 1].body or {}
    secret = chance.draw_secret(HANDS.seed, card["index"] + 1)
    mixed = HANDS.game.mix or b""
    values = chance.draw(secret, mixed, card["index"], chance.read_request(card["request"]))
    path = [step.hex() for step in chance.draw_path(HANDS.seed, HANDS.draws, card["index"] + 1)]
    forged = {**card, "values": list(values), "secret": secret.hex(), "path": path}
    assert fault(verify_events(forge(HANDS.events, CARD, lambda _: forged))) == ("draws", CARD)


@pytest.mark.parametrize(
    ("type_", "members", "check"),
    [
        ("started", {"mix": "00" * 32}, "draws"),
        ("started", {"mix": "AB" * 32}, "draws"),
        ("started", {"mix": None}, "draws"),
        ("entropy_opened", {"entropy": "00" * 32}, "draws"),
        ("entropy_opened", {"entropy": "00"}, "draws"),
        ("entropy_committed", {"commitment": "00" * 32}, "draws"),
        ("finished", {"seed": "00" * 32}, "draws"),
        ("finished", {"seed": None}, "draws"),
        ("finished", {"state_hash": "00" * 32}, "outcome"),
        ("finished", {"outcome": {"placings": [1, 1, 1], "scores": [0, 0, 0], "reason": "points"}}, "outcome"),
        ("finished", {"outcome": None}, "outcome"),
        ("opened", {"seats": 2}, "rules"),
        ("opened", {"seats": True}, "rules"),
        ("opened", {"seats": 99}, "rules"),
        ("opened", {"options": {"rounds": 5}}, "outcome"),
        ("opened", {"options": {"rounds": 99}}, "rules"),
        ("opened", {"options": {"more": 1}}, "rules"),
        ("opened", {"options": None}, "rules"),
        ("opened", {"ruleset": "nothing@1"}, "rules"),
        ("opened", {"parent": {"game_id": str(BRIDGES.game_id), "seq": 3, "hash": "00" * 32}}, "chain"),
        ("opened", {"entropy": "perhaps"}, "draws"),
        ("opened", {"entropy": []}, "draws"),
        ("opened", {"fairness": None}, "draws"),
        ("opened", {"fairness": {"scheme": "trust-me"}}, "draws"),
        ("opened", {"fairness": {"scheme": "fixed"}}, "draws"),
        ("seated", {"player": None}, "rules"),
        ("seated", {"player": ""}, "rules"),
    ],
    ids=str,
)
def test_a_forged_member_of_the_log_is_found(type_: str, members: Body, check: str) -> None:
    report = verify_events(forge(HANDS.events, first_of(HANDS.events, type_), lambda body: {**body, **members}))
    assert [result.result for result in report.checks if result.name == check] == ["fail"], report


@pytest.mark.parametrize("name", ["seed_commitment", "draws_root", "draws"])
def test_other_commitments_than_those_of_the_seed_are_found(name: str) -> None:
    other = 2048 if name == "draws" else "22" * 32

    def change(body: Body) -> Body:
        return {**body, "fairness": {**body["fairness"], name: other}}

    assert fault(verify_events(forge(HANDS.events, 1, change)))[0] == "draws"


@pytest.mark.parametrize("draws", [0, -1, 2**40, True, "1024", None])
def test_a_count_of_draws_that_nobody_could_check_is_refused(draws: Any) -> None:
    def change(body: Body) -> Body:
        return {**body, "fairness": {**body["fairness"], "draws": draws}}

    report = verify_events(forge(HANDS.events, 1, change))
    assert fault(report) == ("draws", 1)


def test_draws_root_that_is_not_made_of_the_seed_is_found_when_the_seed_is_opened() -> None:
    """A house that commits to one seed, and to the secrets of another: in a game without draws nothing else shows."""
    root = chance.draws_root(b"\x05" * 32, BRIDGES.draws)
    commitment = chance.seed_commitment(BRIDGES.game_id.bytes, SHANGRILA.id, BRIDGES.seed)
    mixed = chance.mix(BRIDGES.game_id.bytes, commitment, root, {}).hex()

    def opened(body: Body) -> Body:
        return {**body, "fairness": {**body["fairness"], "draws_root": root.hex()}}

    events = forge(BRIDGES.events, 1, opened)
    events = forge(events, first_of(events, "started"), lambda body: {**body, "mix": mixed})
    assert fault(verify_events(events)) == ("draws", len(events))


@pytest.mark.parametrize(
    "change",
    [
        lambda _: {"action": {"type": "journey", "from": 1, "to": 2}},
        lambda _: {"action": {"type": "no_such"}},
        lambda _: {"action": None},
        lambda _: {},
        lambda body: {"action": {**body["action"], "more": 1}},
    ],
)
def test_a_move_that_the_rules_do_not_allow_is_found(change: Callable[[Body], Body]) -> None:
    assert fault(verify_events(forge(BRIDGES.events, MOVED, change))) == ("rules", MOVED)


@pytest.mark.parametrize(
    ("seq", "members"),
    [
        (MOVED, {"seat": (BRIDGES.events[MOVED - 1].seat + 1) % 3}),
        (MOVED, {"seat": 7}),
        (MOVED, {"seat": -1}),
        (MOVED, {"type": "drawn"}),
        (MOVED, {"type": "timed"}),
        (MOVED, {"schema": 2}),
        (1, {"seat": 0}),
        (1, {"type": "seated"}),
        (2, {"seat": 1}),
    ],
    ids=str,
)
def test_an_event_of_another_seat_type_or_schema_is_found(seq: int, members: Body) -> None:
    report = verify_events(changed(BRIDGES.events, seq, **members))
    assert not report.valid
    assert all(check.result != "fail" for check in report.checks if check.name in ("chain", "commitments"))


def test_a_public_event_said_to_be_sealed_is_found_and_so_is_the_contrary() -> None:
    assert fault(verify_events(changed(BRIDGES.events, MOVED, sealed=True))) == ("rules", MOVED)
    assert fault(verify_events(changed(HANDS.events, DRAWN, sealed=False))) == ("rules", DRAWN)
    assert fault(verify_events(changed(HANDS.events, 2, sealed=True))) == ("commitments", 2)


def test_times_that_run_backwards_are_found() -> None:
    earlier = HANDS.events[5].recorded_us - 1
    assert fault(verify_events(changed(HANDS.events, 7, recorded_us=earlier))) == ("chain", 7)


def test_an_end_that_is_not_declared_is_found() -> None:
    report = verify(record_of(BRIDGES.events[:-1]))
    assert fault(report) == ("outcome", len(BRIDGES.events) - 1)


def test_a_draw_that_is_held_back_is_found() -> None:
    seq = first_of(RUNNING.events, "drawn")
    assert fault(verify_events(RUNNING.events[:seq])) == ("draws", seq)
    assert fault(verify_events(RUNNING.events[: seq - 1])) == ("draws", seq - 1)


def with_more(house: House, *more: tuple[str, int, Body]) -> list[Event]:
    """The log with more events at its end."""
    like = house.events[-1]
    added = [replace(like, type=type_, seat=seat, body=body, sealed=False) for type_, seat, body in more]
    return rechained([*house.events, *added])


@pytest.mark.parametrize(
    ("type_", "seat", "body"),
    [
        ("finished", -1, HANDS.events[-1].body),
        ("aborted", -1, {"reason": "late", "seed": HANDS.seed.hex()}),
        ("left", 0, {"cause": "resigned"}),
        ("ruled", REFEREE_SEAT, {"ruling": "rewind", "to": 15, "reason": "late"}),
        ("moved", 0, {"action": {"type": "pass"}}),
    ],
)
def test_nothing_but_an_annulment_follows_the_end(type_: str, seat: int, body: Body) -> None:
    assert fault(verify_events(with_more(HANDS, (type_, seat, body)))) == ("rules", LAST + 1)
    annulled = ("ruled", REFEREE_SEAT, {"ruling": "annul", "reason": "found out"})
    assert verify_events(with_more(HANDS, annulled)).valid
    assert fault(verify_events(with_more(HANDS, annulled, annulled))) == ("rules", LAST + 2)


@pytest.mark.parametrize(
    ("seat", "body"),
    [
        (REFEREE_SEAT, {"ruling": "reroll"}),
        (REFEREE_SEAT, {"ruling": None}),
        (REFEREE_SEAT, {}),
        (-1, {"ruling": "rewind", "to": 5}),
        (0, {"ruling": "rewind", "to": 5}),
        (REFEREE_SEAT, {"ruling": "rewind", "to": 1}),
        (REFEREE_SEAT, {"ruling": "rewind", "to": 0}),
        (REFEREE_SEAT, {"ruling": "rewind", "to": 10**9}),
        (REFEREE_SEAT, {"ruling": "rewind", "to": "5"}),
        (REFEREE_SEAT, {"ruling": "rewind", "to": True}),
        (REFEREE_SEAT, {"ruling": "annul"}),
        (REFEREE_SEAT, {"ruling": "adjudicate", "outcome": {"placings": [1], "scores": [0], "reason": "x"}}),
        (REFEREE_SEAT, {"ruling": "adjudicate", "outcome": "me"}),
        (REFEREE_SEAT, {"ruling": "adjudicate"}),
    ],
    ids=str,
)
def test_a_ruling_that_no_referee_can_give_is_found(seat: int, body: Body) -> None:
    house = House(SHANGRILA, seats=3, number=9).play(8)
    report = verify_events(with_more(house, ("ruled", seat, body)))
    assert not report.valid
    assert report.fault is not None
    assert report.fault.seq == len(house.events) + 1


@pytest.mark.parametrize(
    "ruling",
    [
        {"ruling": "abort"},
        {"ruling": "remove_seat", "seat": 0},
        {"ruling": "adjudicate", "outcome": {"placings": [1, 2, 3], "scores": [0, 0, 0], "reason": "x"}},
    ],
    ids=str,
)
def test_a_ruling_is_followed_by_what_it_says(ruling: Body) -> None:
    house = House(SHANGRILA, seats=3, number=9).play(8)
    next_move = House(SHANGRILA, seats=3, number=9).play(9).events[-1]
    events = with_more(house, ("ruled", REFEREE_SEAT, ruling), ("moved", next_move.seat, next_move.body or {}))
    assert fault(verify_events(events)) == ("rules", len(house.events) + 2)


def ruled_out(seat: int) -> House:
    """A game that goes on when a referee has removed a seat."""
    house = House(SHANGRILA, seats=3, number=9).play(8)
    house.rule("remove_seat", seat=seat)
    return house


@pytest.mark.parametrize("other", [0, 2])
def test_another_seat_removed_than_the_one_that_was_ruled_is_found(other: int) -> None:
    events = ruled_out(1).events
    assert verify_events(events).valid
    seq = first_of(events, "ruled")
    assert fault(verify_events(changed(events, seq + 1, seat=other))) == ("rules", seq + 1)
    assert fault(verify_events(forge(events, seq, lambda body: {**body, "seat": other}))) == ("rules", seq + 1)


@pytest.mark.parametrize("seat", [7, -1, None, "1", True])
def test_a_removal_of_what_is_no_seat_is_found(seat: Any) -> None:
    events = ruled_out(1).events
    seq = first_of(events, "ruled")
    assert fault(verify_events(forge(events, seq, lambda body: {**body, "seat": seat}))) == ("rules", seq)


@pytest.mark.parametrize("cause", ["resigned", "timed_out"])
def test_a_removal_that_is_said_to_be_something_else_is_found(cause: str) -> None:
    events = ruled_out(1).events
    left = first_of(events, "left")
    assert fault(verify_events(forge(events, left, lambda body: {**body, "cause": cause}))) == ("rules", left)


def test_a_removal_that_nobody_ruled_is_found() -> None:
    left = first_of(BRIDGES.events, "left")
    assert fault(verify_events(forge(BRIDGES.events, left, lambda body: {"cause": "removed"}))) == ("rules", left)


@pytest.mark.parametrize("placings", [(1, 2, 2), (1, 1, 3), (1, 1, 1), (3, 1, 2), (2, 1, 2)], ids=str)
def test_adjudicated_placings_in_the_form_of_a_competition_are_valid(placings: tuple[int, ...]) -> None:
    house = House(SHANGRILA, seats=3, number=9).play(8)
    house.rule("adjudicate", outcome={"placings": list(placings), "scores": [0, 0, 0], "reason": "agreed"})
    assert verify(house.record()).valid


@pytest.mark.parametrize(
    "placings",
    [(1, 1, 2), (2, 2, 3), (0, 1, 2), (1, 3, 3), (2, 3, 4), (1, 2, 4), (-1, 2, 3), (True, 2, 3), (1, 2, "3")],
    ids=str,
)
def test_adjudicated_placings_of_another_form_are_found(placings: tuple[Any, ...]) -> None:
    house = House(SHANGRILA, seats=3, number=9).play(8)
    outcome = {"placings": list(placings), "scores": [0, 0, 0], "reason": "agreed"}
    finished = {"outcome": outcome, "state_hash": state_hash(house.game.state), "seed": house.seed.hex()}
    ruled = ("ruled", REFEREE_SEAT, {"ruling": "adjudicate", "outcome": outcome, "reason": "for a test"})
    report = verify_events(with_more(house, ruled, ("finished", -1, finished)))
    assert report.fault is not None
    assert report.fault.seq == len(house.events) + 1
    assert report.fault.name in ("outcome", "rules")


def test_a_rewind_across_a_draw_that_does_not_say_so_is_found() -> None:
    house = House(RULESET, seats=2, given={"rounds": 3}, number=3).play(1)
    seq = house.game.version
    house.play(3)
    events = with_more(house, ("ruled", REFEREE_SEAT, {"ruling": "rewind", "to": seq, "reason": "dice"}))
    assert fault(verify_events(events)) == ("draws", len(house.events) + 1)


def test_a_fault_in_the_parents_log_of_a_fork_is_told_as_such() -> None:
    parent = House(SHANGRILA, seats=3, number=9).play(8)
    child = House(SHANGRILA, seats=3, number=10, parent=parent, at=parent.game.version).play(4)
    seq = first_of(parent.events, "moved")
    broken = [replace(event, salt=bytes(32)) if event is parent.events[seq - 1] else event for event in child.log()]
    report = verify_events(broken)
    assert fault(report) == ("commitments", seq)
    assert report.fault is not None
    assert report.fault.detail.startswith("in the log of game 1 of 2 in this record, event ")


def test_a_fault_is_told_in_few_words_whatever_the_record_says() -> None:
    events = draw_with(request="x" * 900_000)
    assert all(len(check.detail) <= 1000 for check in verify_events(events).checks)


# --- whatever it is ------------------------------------------------------------------------------------

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=5) | st.just("00" * 32),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_a_body_of_any_shape_gives_a_report(data: st.DataObject) -> None:
    house = data.draw(st.sampled_from([HANDS, RUNNING]))
    event = data.draw(st.sampled_from(house.events))
    name = data.draw(st.sampled_from([*(event.body or {}), "more"]))
    whole = data.draw(st.booleans())
    value = data.draw(PLAIN)
    body: Body = {"a": value} if whole else {**(event.body or {}), name: value}
    try:
        events = forge(house.events, event.seq, lambda _: body)
    except MalformedValue:  # such a body cannot even be committed to
        return
    report = verify_events(events)
    assert {check.result for check in report.checks} <= {"pass", "fail", "closed", "pending"}


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_a_line_of_any_shape_gives_a_report(data: st.DataObject) -> None:
    lines = lines_of(RUNNING)
    number = data.draw(st.integers(1, len(lines) - 2))
    value = json.loads(lines[number])
    name = data.draw(st.sampled_from([*value, "more"]))
    value[name] = data.draw(PLAIN)
    line = json.dumps(value, ensure_ascii=data.draw(st.booleans())).encode("utf-8", "surrogatepass") + b"\n"
    verify(with_digest([*lines[:number], line, *lines[number + 1 : -1]]))


def test_a_body_that_is_nested_beyond_all_measure_gives_a_report() -> None:
    body: Any = []
    for _ in range(100_000):
        body = [body]
    events = [replace(HANDS.events[0], body={"deep": body}), *HANDS.events[1:]]
    assert not verify_events(events).valid


def test_the_json_of_an_event_cannot_be_mistaken_for_another_kind_of_line() -> None:
    assert all(len(event_json(event, is_open=True)) == 15 for event in HANDS.events)
