"""Verification as a service: what it finds, of whom it tells what, and which games it gets to when."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from moveledger.audit.verify import ORDER
from moveledger.errors import UnknownGame
from moveledger.rules import registry
from moveledger.rules.encoding import canonical
from moveledger.services import verifying
from moveledger.services.callers import Anonymous
from moveledger.services.ordering import order_new_events
from moveledger.services.rulings import Abort, Annul, Rewind
from moveledger.services.tools import Tools
from moveledger.services.verifying import (
    FRESH_US,
    RESAMPLED_US,
    REVISITED_US,
    read_verification,
    ring_for_unverified_games,
    verify_game,
    verify_games,
)
from moveledger.store.database import Connection
from moveledger.store.trails import Verification, find_verification, put_verification
from moveledger.workers.jobs import use_tools
from moveledger.workers.jobs import verify_games as verify_games_job
from tests.house import Clock, House, open_house
from tests.playing import CLOSED_HANDS, SHANGRILA
from tests.services.logs import Relay
from tests.services.refereed import SANTIIBA, RefereedTable, refereed, said
from tests.store.drafts import all_rows, connected


@pytest.fixture
def auditor(shared_database: str, redis_url: str) -> Iterator[House]:
    """A worker with a clock of its own that remembers nothing."""
    with open_house(shared_database, redis_url, role="worker", clock=Clock()) as house:
        yield house


def results(found: Verification) -> dict[str, str]:
    """By check, what it said."""
    return {check["name"]: check["result"] for check in json.loads(found.report)}


def faults(found: Verification) -> list[tuple[str, int | None]]:
    """The checks that failed, and where."""
    return [(check["name"], check.get("seq")) for check in json.loads(found.report) if check["result"] == "fail"]


def read(table: RefereedTable) -> Any:
    """What anybody reads."""
    return read_verification(table.tools, Anonymous(), table.game_id)


class Bell:
    """Remembers what it was rung for."""

    def __init__(self) -> None:
        self.rung: list[UUID] = []

    def __call__(self, job: str, game_ids: Any) -> None:
        if job == "verification":
            self.rung += game_ids

    def since(self) -> list[UUID]:
        """For which games it rang since it was last asked."""
        rung, self.rung = self.rung, []
        return rung


@dataclass(frozen=True, slots=True)
class Service:
    """A service of which a test knows every game: its processes, and the bell that relay and worker ring."""

    api: House
    worker: House
    relay: Tools
    publisher: Relay
    bell: Bell

    def ring(self) -> list[UUID]:
        """The relay orders what is new, the worker looks for what was missed: for which games the worker rang."""
        order_new_events(self.relay)
        self.bell.since()
        count = ring_for_unverified_games(self.worker.tools)
        rung = self.bell.since()
        assert len(rung) == count
        return rung


@pytest.fixture
def alone(database: str, redis_url: str, tmp_path: Path) -> Iterator[Service]:
    """A service with no games."""
    with (
        open_house(database, redis_url) as api,
        open_house(database, redis_url, role="worker", clock=Clock(time.time_ns() // 1000)) as auditor,
        open_house(database, redis_url, role="relay") as relay,
    ):
        bell = Bell()
        worker = replace(auditor, tools=replace(auditor.tools, ring_workers=bell))
        yield Service(api, worker, replace(relay.tools, ring_workers=bell), Relay(relay.tools, tmp_path), bell)


# --- what it says ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", [SHANGRILA, CLOSED_HANDS, SANTIIBA])
def test_a_finished_game_under_a_checkpoint_passes_every_check(alone: Service, ruleset: str) -> None:
    table = refereed(alone.api, ruleset, 3).act(500)
    assert table.game.status == "finished"
    order_new_events(alone.relay)
    alone.publisher.sign()
    found = verify_game(alone.worker.tools, table.game_id)
    assert results(found) == dict.fromkeys(ORDER, "pass")
    assert (found.version, found.complete, found.waits) == (table.game.version, True, False)
    shown = read(table)
    assert shown.keys() == {"version", "verified_at", "checks"}
    assert (shown["version"], [check["name"] for check in shown["checks"]]) == (found.version, list(ORDER))


def test_before_there_is_a_checkpoint_only_the_log_is_pending(house: House, auditor: House) -> None:
    table = refereed(house, CLOSED_HANDS, 2).act(99)
    found = verify_game(auditor.tools, table.game_id)
    assert results(found) == dict.fromkeys(ORDER, "pass") | {"log": "pending"}
    assert found.waits


def test_an_aborted_game_an_annulled_one_a_rewound_one_and_a_fork_pass(house: House, auditor: House) -> None:
    aborted = refereed(house, CLOSED_HANDS, 2).act(1)
    aborted.rule(Abort())
    annulled = refereed(house, CLOSED_HANDS, 2).act(99)
    annulled.rule(Annul())
    rewound = refereed(house, SHANGRILA, 3).act(5)
    rewound.rule(Rewind(rewound.choices()[1], redraw=False))
    fork = annulled.fork(annulled.choices()[0]).act(1)
    for table in (aborted, annulled, rewound.act(1), fork, fork.act(99)):
        found = verify_game(auditor.tools, table.game_id)
        assert faults(found) == []
        assert found.version == table.game.version


def test_a_running_game_is_verified_with_all_that_is_closed_to_others(house: House, auditor: House) -> None:
    table = refereed(house, CLOSED_HANDS, 3).act(1)
    found = verify_game(auditor.tools, table.game_id)
    assert results(found) == dict.fromkeys(ORDER, "pass") | {"outcome": "pending", "log": "pending"}
    assert not found.complete


def test_of_a_running_game_with_hidden_information_the_details_tell_nothing(house: House, auditor: House) -> None:
    """Two games that differ in what is hidden, and in nothing else that a detail might count."""
    tables = [refereed(house, CLOSED_HANDS, 2, options={"rounds": 3}) for _ in range(6)]
    for amount, table in enumerate(tables):
        table.send(0, {"type": "bid", "amount": amount})
        verify_game(auditor.tools, table.game_id)
    shown = [read(table) for table in tables]
    assert len({canonical(found["checks"]) for found in shown}) == 1
    assert not any(digit in check["detail"] for check in shown[0]["checks"] for digit in "0123456789")
    open_game = refereed(house, SHANGRILA, 3).act(2)
    verify_game(auditor.tools, open_game.game_id)
    assert str(open_game.game.version) in read(open_game)["checks"][0]["detail"]
    tables[0].rule(Abort())
    verify_game(auditor.tools, tables[0].game_id)
    assert "bodies" in read(tables[0])["checks"][1]["detail"]


def test_of_a_game_whose_rules_are_not_installed_any_more_what_needs_no_rules_is_verified(
    house: House, auditor: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = refereed(house, CLOSED_HANDS, 3).act(2)
    installed = {name: rules for name, rules in registry.load_rulesets().items() if name != CLOSED_HANDS}
    monkeypatch.setattr(registry, "load_rulesets", lambda: installed)
    found = verify_game(auditor.tools, table.game_id)
    needing = {"rules": "pending", "outcome": "pending"}
    assert results(found).items() >= {**needing, "chain": "pass", "commitments": "pass", "draws": "pass"}.items()
    assert found.version == table.game.version
    told = {check["name"]: check["detail"] for check in json.loads(found.report)}
    assert {told[name] for name in needing} == {f"{CLOSED_HANDS} is not installed here"}
    assert told["chain"] == "see the record when the game is over"
    with auditor.tools.database.connection() as connection:
        assert find_verification(connection, table.game_id) == found


def test_a_private_game_is_verified_for_its_own(house: House, auditor: House) -> None:
    table = refereed(house, SHANGRILA, 3, visibility="private")
    verify_game(auditor.tools, table.game_id)
    with pytest.raises(UnknownGame):
        read(table)
    assert read_verification(house.tools, table.caller, table.game_id)["version"] == table.game.version


# --- a job -------------------------------------------------------------------------------------------------


def test_the_job_verifies_and_a_second_time_does_no_harm(alone: Service) -> None:
    table, clock = refereed(alone.api, CLOSED_HANDS, 2).act(99), alone.worker.clock
    use_tools(alone.worker.tools)
    seen = []
    order_new_events(alone.relay)
    for is_signed, seconds in ((False, 0), (True, 1), (True, 1), (True, FRESH_US / 1e6)):
        if is_signed:
            alone.publisher.sign()
        clock.go_on(seconds=seconds)
        verify_games_job([str(table.game_id)] * 2)
        seen.append(read(table))
    assert seen[0]["checks"] != seen[1]["checks"]
    assert seen[1] == seen[2]
    assert {**seen[3], "verified_at": None} == {**seen[2], "verified_at": None}
    assert seen[3]["verified_at"] > seen[2]["verified_at"]


def test_a_late_job_does_not_put_an_older_version_over_a_newer(house: House, auditor: House) -> None:
    table = refereed(house, SHANGRILA, 3).act(3)
    late = verify_game(auditor.tools, table.game_id)
    table.act(1)
    verify_game(auditor.tools, table.game_id)
    with auditor.tools.database.connection() as connection:
        put_verification(connection, table.game_id, late)
    assert read(table)["version"] == table.game.version


def test_a_game_that_has_gone_on_is_verified_again_however_fresh_the_last_time_was(
    house: House, auditor: House
) -> None:
    table = refereed(house, SHANGRILA, 3).act(1)
    for _ in range(2):
        verify_games(auditor.tools, [table.game_id])
        assert read(table)["version"] == table.act(0).game.version
        table.act(1)


# --- which games -------------------------------------------------------------------------------------------


def test_the_relay_rings_for_games_that_have_ended(alone: Service) -> None:
    finished, running = refereed(alone.api, CLOSED_HANDS, 2).act(99), refereed(alone.api, SHANGRILA, 3)
    order_new_events(alone.relay)
    assert alone.bell.since() == [finished.game_id]
    assert running.game.status == "running"
    finished.rule(Annul())
    order_new_events(alone.relay)
    assert alone.bell.since() == [finished.game_id]


def test_a_lost_job_is_found(alone: Service) -> None:
    finished = [refereed(alone.api, CLOSED_HANDS, 2).act(99) for _ in range(3)]
    assert set(alone.ring()) == {table.game_id for table in finished}
    alone.publisher.sign()
    verify_games(alone.worker.tools, [table.game_id for table in finished])
    assert alone.ring() == []
    finished[1].rule(Annul())
    assert alone.ring() == [finished[1].game_id]


def test_a_lost_job_is_found_even_when_no_relay_runs(alone: Service) -> None:
    finished = refereed(alone.api, CLOSED_HANDS, 2).act(99)
    ring_for_unverified_games(alone.worker.tools)
    assert alone.bell.since() == [finished.game_id]


def test_a_game_that_was_verified_before_its_checkpoint_is_verified_again_as_soon_as_that_is_there(
    alone: Service,
) -> None:
    table, tools = refereed(alone.api, CLOSED_HANDS, 2).act(99), alone.worker.tools
    verify_games(tools, alone.ring())
    assert results(verification_of(tools, table.game_id))["log"] == "pending"
    assert alone.ring() == []
    alone.publisher.sign()
    verify_games(tools, alone.ring())
    assert results(verification_of(tools, table.game_id)) == dict.fromkeys(ORDER, "pass")
    assert alone.ring() == []


def test_between_the_looks_at_all_games_only_those_are_found_that_wait_or_are_in_turn(alone: Service) -> None:
    covered, missed = (refereed(alone.api, CLOSED_HANDS, 2).act(99) for _ in range(2))
    running, tools = refereed(alone.api, SHANGRILA, 3), alone.worker.tools
    order_new_events(alone.relay)
    verify_games(tools, [covered.game_id])
    alone.publisher.sign()
    alone.bell.since()
    assert ring_for_unverified_games(tools, everywhere=False) == 2
    assert set(alone.bell.since()) == {covered.game_id, running.game_id}
    ring_for_unverified_games(tools)
    assert set(alone.bell.since()) == {covered.game_id, running.game_id, missed.game_id}


def test_running_games_come_in_turn_the_longest_unverified_first(
    alone: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(verifying, "SAMPLE", 2)
    running = [refereed(alone.api, SHANGRILA, 3).game_id for _ in range(5)]
    refereed(alone.api, SHANGRILA, 3, named=False)
    seen: list[UUID] = []
    for _ in range(3):
        rung = alone.ring()
        verify_games(alone.worker.tools, rung)
        seen += rung
        alone.worker.clock.go_on(seconds=1)
    assert sorted(seen) == sorted(running)
    assert alone.ring() == []
    alone.worker.clock.go_on(seconds=RESAMPLED_US / 1e6)
    assert sorted(alone.ring()) == sorted(seen[:2])


def test_games_that_are_over_are_revisited_after_a_day(alone: Service) -> None:
    finished = refereed(alone.api, CLOSED_HANDS, 2).act(99).game_id
    order_new_events(alone.relay)
    alone.publisher.sign()
    verify_games(alone.worker.tools, [finished])
    for seconds, expected in ((RESAMPLED_US / 1e6 * 2, []), (REVISITED_US / 1e6, [finished])):
        alone.worker.clock.go_on(seconds=seconds)
        assert alone.ring() == expected


# --- somebody with the rights of a superuser ---------------------------------------------------------------


@contextmanager
def unguarded(database: str) -> Iterator[Connection]:
    """The owner with triggers and checks of the log switched off, for one transaction."""
    with connected(database) as owner, owner.transaction():
        rows = all_rows(owner, "SELECT relid::text FROM pg_partition_tree('ml.events') WHERE isleaf")
        for (name,) in [*rows, ("ml.events",)]:
            owner.execute(f"ALTER TABLE {name} DISABLE TRIGGER USER".encode())
        checks = "SELECT conname FROM pg_constraint WHERE conrelid = 'ml.events'::regclass AND contype = 'c'"
        dropped = [
            (name, definition)
            for name, definition in all_rows(owner, checks.replace("conname", "conname, pg_get_constraintdef(oid)"))
            if "commitment" in definition and "body" in definition
        ]
        for name, _ in dropped:
            owner.execute(f"ALTER TABLE ml.events DROP CONSTRAINT {name}".encode())
        yield owner
        for name, definition in dropped:
            owner.execute(f"ALTER TABLE ml.events ADD CONSTRAINT {name} {definition} NOT VALID".encode())
        for (name,) in [*rows, ("ml.events",)]:
            owner.execute(f"ALTER TABLE {name} ENABLE ALWAYS TRIGGER refuse_change".encode())
            owner.execute(f"ALTER TABLE {name} ENABLE ALWAYS TRIGGER refuse_truncate".encode())


def first_moves(table: RefereedTable) -> tuple[int, bytes]:
    """The seq of the first move, and another body for it: that of the last move but one."""
    moves = [event for event in table.events if event.type == "moved"]
    return moves[0].seq, canonical(said(moves[-2]))


THERE = "WHERE game_id = %(game)s AND seq = %(seq)s"
ALTERATIONS = {
    "the body": (f"UPDATE ml.events SET body = %(body)s {THERE}", "commitments", 0),
    "body and commitment": (
        f"UPDATE ml.events SET body = %(body)s, commitment = sha256('\\x02'::bytea || salt || %(body)s) {THERE}",
        "chain",
        1,
    ),
    "a body that is no JSON": (f"UPDATE ml.events SET body = '{{'::bytea {THERE}", "commitments", 0),
    "the seat": (f"UPDATE ml.events SET seat = 2 - seat {THERE}", "chain", 1),
    "the client": (f"UPDATE ml.events SET client = gen_random_uuid() {THERE}", "chain", 1),
    "the time": (f"UPDATE ml.events SET recorded_us = recorded_us + 1 {THERE}", "chain", 1),
    "the type": (f"UPDATE ml.events SET type = 8 {THERE}", "chain", 1),
    "the schema": (f"UPDATE ml.events SET schema = 2 {THERE}", "chain", 1),
    "an event dropped": (f"DELETE FROM ml.events {THERE}", "chain", 1),
}
"""Statement, the check that fails, and how far after the altered event."""
SWAP = """
UPDATE ml.events a SET body = b.body FROM ml.events b
WHERE a.game_id = %s AND a.seq = %s AND b.game_id = a.game_id AND b.seq = %s
"""


@pytest.mark.parametrize("alteration", ALTERATIONS)
@pytest.mark.parametrize("moves", [4, 500], ids=["running", "finished"])
def test_an_event_altered_with_the_triggers_off_is_found_with_its_seq(
    alone: Service, database: str, alteration: str, moves: int
) -> None:
    """The chain breaks at the event after the altered one, the commitment of a body at its own."""
    statement, check, after = ALTERATIONS[alteration]
    table = refereed(alone.api, SHANGRILA, 3).act(moves)
    seq, body = first_moves(table)
    verify_game(alone.worker.tools, table.game_id)
    with unguarded(database) as owner:
        owner.execute(statement.encode(), {"game": table.game_id, "seq": seq, "body": body})
    found = verify_game(alone.worker.tools, table.game_id)
    assert (check, seq + after) in faults(found), found.report
    shown = read(table)
    assert shown["version"] == found.version
    assert any(check["result"] == "fail" and check["seq"] == seq + after for check in shown["checks"])


@pytest.mark.parametrize("moves", [3, 99], ids=["running", "finished"])
def test_an_altered_sealed_body_is_found_and_told_without_what_is_in_it(
    alone: Service, database: str, moves: int
) -> None:
    table = refereed(alone.api, CLOSED_HANDS, 3, options={"rounds": 2}).act(moves)
    drawn = [event.seq for event in table.events if event.sealed and event.type == "drawn"]
    with unguarded(database) as owner:
        owner.execute(SWAP.encode(), [table.game_id, drawn[1], drawn[2]])
    found = verify_game(alone.worker.tools, table.game_id)
    assert ("commitments", drawn[1]) in faults(found)
    if moves == 3:
        details = {check["detail"] for check in read(table)["checks"]}
        assert details == {"fails at this event", "see the record when the game is over"}


def test_how_soon_it_is_found(alone: Service, database: str) -> None:
    """The next sample in which the game's turn comes: after a minute for a running one where there are few."""
    table, worker = refereed(alone.api, SHANGRILA, 3).act(4), alone.worker
    verify_games(worker.tools, alone.ring())
    assert faults(verification_of(worker.tools, table.game_id)) == []
    seq, body = first_moves(table)
    with unguarded(database) as owner:
        owner.execute(ALTERATIONS["the body"][0].encode(), {"game": table.game_id, "seq": seq, "body": body})
    waited = 0
    while not faults(verification_of(worker.tools, table.game_id)):
        worker.clock.go_on(seconds=5)
        waited += 5
        verify_games(worker.tools, alone.ring())
    assert waited <= RESAMPLED_US / 1e6 + 5


def verification_of(tools: Tools, game_id: UUID) -> Verification:
    """What was kept of a game."""
    with tools.database.connection() as connection:
        found = find_verification(connection, game_id)
    assert found is not None
    return found
