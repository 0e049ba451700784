"""What the offline verifier says of honest games."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from closed_hands import RULESET
from closed_hands.state import Bid

from moveledger.audit.checks import Report, verify_chain
from moveledger.audit.fairness import FIXED
from moveledger.audit.faults import LogFault
from moveledger.audit.verify import ORDER, verify_events
from moveledger.rules.kernel import AnyRuleset, Seat
from moveledger.rules.registry import find_ruleset
from tests.audit.logs import House, record_of, verify

SHANGRILA = find_ruleset("shangrila@1")


def results(report: Report) -> dict[str, str]:
    return {check.name: check.result for check in report.checks}


def detail(report: Report, name: str) -> str:
    return next(check.detail for check in report.checks if check.name == name)


@pytest.mark.parametrize("ruleset", [RULESET, SHANGRILA], ids=lambda ruleset: ruleset.id)
@pytest.mark.parametrize("entropy", [False, True])
def test_a_finished_game_passes_every_check(ruleset: AnyRuleset, entropy: bool) -> None:
    for seats in ruleset.seats:
        house = House(ruleset, seats=seats, entropy=entropy, number=seats).play()
        report = verify(house.record())
        assert report.valid
        assert results(report) == dict.fromkeys(ORDER, "pass") | {"log": "pending"}
        assert (report.version, report.game_id) == (len(house.events), str(house.game_id))
        assert (report.ruleset, report.closed, report.fault) == (ruleset.id, 0, None)


def test_the_checks_come_in_one_order() -> None:
    report = verify(House(RULESET, seats=2).play().record())
    assert tuple(check.name for check in report.checks) == ORDER


def test_every_version_of_a_game_without_secrets_passes() -> None:
    house = House(SHANGRILA, seats=3).play(12)
    for version in range(1, len(house.events) + 1):
        report = verify(record_of(house.events[:version]))
        assert report.valid, report
        assert results(report)["outcome"] == "pending"


def test_a_running_game_with_closed_bodies_is_valid_and_says_which_are_closed() -> None:
    house = House(RULESET, seats=2).play(1)
    report = verify(house.record())
    closed = [event.seq for event in house.events if event.sealed]
    assert report.valid
    assert report.closed == len(closed) == 4
    assert results(report) == {
        "chain": "pass",
        "commitments": "closed",
        "draws": "closed",
        "rules": "closed",
        "outcome": "pending",
        "log": "pending",
        "signatures": "pass",
    }
    for name in ("commitments", "draws", "rules"):
        assert ", ".join(map(str, closed[:3])) in detail(report, name)
    assert "draws 0, 1, 2" in detail(report, "draws")


def test_the_referee_who_sees_all_bodies_gets_a_running_game_checked_whole() -> None:
    report = verify_events(House(RULESET, seats=2).play(1).events)
    assert results(report) == dict.fromkeys(ORDER, "pass") | {"outcome": "pending", "log": "pending"}


def test_draws_after_a_closed_one_are_still_proved() -> None:
    """The index counts closed draws, so an open roll later in the game has its place."""
    house = next(
        house
        for number in range(60)
        if (house := House(RULESET, seats=4, number=number, given={"rounds": 5}).play(16)).game.status == "running"
        and any(event.type == "drawn" and not event.sealed for event in house.events)
    )
    report = verify(house.record())
    assert report.valid
    assert "0 of" not in detail(report, "draws")


def test_the_draws_of_a_test_game_are_never_called_proved() -> None:
    report = verify(House(RULESET, seats=2, scheme=FIXED).play().record())
    assert report.valid
    assert results(report)["draws"] == "closed"
    assert "test game" in detail(report, "draws")


def test_an_aborted_game_opens_its_seed_and_has_no_outcome() -> None:
    house = House(RULESET, seats=3).play(2)
    house.rule("abort")
    report = verify(house.record())
    assert report.valid
    assert report.closed == 0
    assert "aborted" in detail(report, "outcome")
    assert "opened seed" in detail(report, "draws")


def test_a_game_that_is_aborted_before_it_starts_is_valid() -> None:
    house = House(RULESET, seats=3)
    house.add("aborted", {"reason": "entropy-late", "seed": house.seed.hex()})
    assert verify(house.record()).valid


def test_departures_removals_and_adjudications_are_judged() -> None:
    house = House(RULESET, seats=4).play(2)
    house.leave(Seat(3))
    house.rule("remove_seat", seat=2)
    house.rule("adjudicate", outcome={"placings": [1, 1, 3, 4], "scores": [1, 1, 0, 0], "reason": "agreed"})
    report = verify(house.record())
    assert report.valid
    assert "agreed" in detail(report, "outcome")


def test_an_annulled_game_is_valid_and_says_so() -> None:
    house = House(RULESET, seats=2).play()
    house.rule("annul")
    report = verify(house.record())
    assert report.valid
    assert "annulled" in detail(report, "outcome")


def test_other_sources_of_the_rules_are_told_and_are_no_fault() -> None:
    house = House(SHANGRILA, seats=3)
    opened = dict(house.events[0].body or {})
    report = verify_events([house.events[0]])
    assert "other sources" not in detail(report, "rules")
    house.events.clear()
    house.games.clear()
    house.add("opened", {**opened, "rules_digest": "00"})
    report = verify_events(house.events)
    assert report.valid
    assert "other sources" in detail(report, "rules")


# --- rewinds -------------------------------------------------------------------------------------------


def test_a_rewind_goes_on_from_the_earlier_state() -> None:
    house = House(SHANGRILA, seats=3).play(90)
    for back in (3, 70, 1):
        house.rule("rewind", to=house.game.version - back)
        house.play(5)
    house.play()
    assert len(house.events) > 140
    assert verify(house.record()).valid


def test_a_rewind_across_a_draw_draws_anew_under_a_new_index() -> None:
    house = House(RULESET, seats=2, given={"rounds": 3}).play(1)
    seq = house.game.version
    house.play(3)
    house.rule("rewind", to=seq, redraw=True)
    house.play()
    report = verify(house.record())
    assert report.valid
    assert house.game.draws > 7


def test_a_long_chain_of_rewinds_costs_little() -> None:
    """Each rewind goes back past the one before; going back must not fold them one inside the other."""
    house = House(SHANGRILA, seats=3).play(60)
    for _ in range(300):
        house.rule("rewind", to=house.game.version - 2)
    assert verify(house.record()).valid


# --- forks ---------------------------------------------------------------------------------------------


def fork(parent: House, at: int, number: int) -> House:
    return House(parent.ruleset, seats=parent.seats, number=number, parent=parent, at=at)


def test_the_record_of_a_fork_holds_its_parent_and_is_valid() -> None:
    parent = House(SHANGRILA, seats=3).play(20)
    child = fork(parent, 15, 2).play()
    report = verify(child.record())
    assert report.valid, report
    assert (report.game_id, report.version) == (str(child.game_id), len(child.events))


def test_the_record_of_a_fork_of_a_fork_holds_both() -> None:
    first = House(SHANGRILA, seats=3).play(20)
    second = fork(first, 18, 2).play(10)
    third = fork(second, second.game.version - 2, 3).play()
    assert len({event.game_id for event in third.log()}) == 3
    assert verify(third.record()).valid


def test_a_fork_whose_parent_is_elsewhere_is_verified_with_the_parent_recalled() -> None:
    parent = House(SHANGRILA, seats=3).play(20)
    child = fork(parent, 15, 2).play()
    assert verify_events(child.events, recall=child.recall).valid
    report = verify_events(child.events)
    assert report.fault is not None
    assert (report.fault.name, report.fault.seq) == ("chain", 1)


def test_a_fork_of_a_game_with_closed_bodies_is_followed_as_far_as_they_are_open() -> None:
    parent = House(RULESET, seats=3, given={"rounds": 4}).play(2)
    child = fork(parent, parent.game.version, 2)
    child.start()
    closed = [replace(event, salt=None, body=None) if event.sealed else event for event in child.log()]
    report = verify_events(closed)
    assert report.valid, report
    assert results(report)["rules"] == "closed"


def test_a_fork_in_which_the_parents_last_event_is_missing_is_refused() -> None:
    parent = House(SHANGRILA, seats=3).play(20)
    child = fork(parent, 15, 2).play()
    log = child.log()
    for events in (log[:14] + log[15:], log[15:], parent.events[:16] + child.events):
        assert not verify_events(events).valid


# --- the chain by itself -------------------------------------------------------------------------------


def test_the_chain_alone_is_verified_from_events_and_from_lines() -> None:
    house = House(RULESET, seats=2).play()
    head = verify_chain(house.events)
    assert (head.seq, head.hash) == (len(house.events), house.events[-1].hash)
    assert verify_chain(house.record().splitlines(keepends=True)[1:-1]) == head


@pytest.mark.parametrize("given", [[], [b"{}"], [b"\xff"]], ids=repr)
def test_a_chain_of_nothing_or_of_no_events_is_a_fault(given: list[Any]) -> None:
    with pytest.raises(LogFault):
        verify_chain(given)


def test_no_events_at_all_are_a_fault_and_no_crash() -> None:
    report = verify_events([])
    assert report.fault is not None
    assert report.fault.name == "chain"


def test_a_bid_that_was_made_is_what_the_body_says() -> None:
    house = House(RULESET, seats=2)
    house.start()
    house.move(Seat(1), Bid(4))
    assert house.events[-1].body == {"action": {"type": "bid", "amount": 4}}
    assert house.events[-1].sealed_for == frozenset({1})
