"""Verification as a service: workers run the offline verifier's checks over stored games, and say what they found."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any
from uuid import UUID

from moveledger.audit.checks import ENDINGS, CheckResult
from moveledger.audit.event import Event, recorded_at
from moveledger.audit.publication import Evidence, Trust
from moveledger.audit.report import check_json
from moveledger.audit.verify import ORDER, verify_events
from moveledger.services.callers import Caller
from moveledger.services.entrance import find_visible_game
from moveledger.services.proving import sealed_evidence
from moveledger.services.reading import all_events
from moveledger.services.standing import game_facts, recall_with
from moveledger.services.tools import GameFacts, Tools
from moveledger.services.unjudged import installed_ruleset
from moveledger.store.events import head_of
from moveledger.store.trails import (
    Verification,
    find_verification,
    games_now_covered,
    games_to_sample,
    games_to_verify,
    put_verification,
)

NEED_RULES = frozenset({"rules", "outcome"})
SAMPLE = 5
"""How many games each round of the rolling sample verifies, besides those that have just ended."""
FRESH_US = 30 * 1_000_000
"""A verification of the same version that is younger is not made again: rings come twice."""
RESAMPLED_US = 60 * 1_000_000
"""After this time a running game may be in the sample again."""
REVISITED_US = 24 * 3600 * 1_000_000
"""The same for a game that is over."""


def verify_games(tools: Tools, game_ids: Sequence[UUID]) -> None:
    """Verify these games as they stand and keep what the checks said. Twice, late or out of order does no harm."""
    for game_id in game_ids:
        if not _is_fresh(tools, game_id):
            verify_game(tools, game_id)


def _is_fresh(tools: Tools, game_id: UUID) -> bool:
    with tools.database.connection() as connection:
        found, head = find_verification(connection, game_id), head_of(connection, game_id)
    return (
        found is not None
        and head is not None
        and not found.waits
        and found.version == head[0]
        and 0 <= tools.clock() - found.verified_us < FRESH_US
    )


def verify_game(tools: Tools, game_id: UUID) -> Verification:
    """Verify one game: chain, commitments, draws, every move by the rules, outcome, and its place in the public log.

    Nothing but the log is asked, and nothing of it believed: an event that somebody with the rights of a superuser has altered
    is a failed check with its seq, whatever the fold makes of it.
    """
    facts = game_facts(tools, game_id)
    seen: list[str] = []
    events = _watched(all_events(tools, facts, is_strict=False), seen)
    proofs, checkpoints = sealed_evidence(tools, game_id, 2**62)
    trust = Trust(key=tools.signer.verifier)
    report = verify_events(
        events, recall=recall_with(tools), evidence=Evidence(proofs, checkpoints), trust=trust, may_be_closed=False
    )
    is_over = not ENDINGS.isdisjoint(seen)
    ruleset = installed_ruleset(facts)
    veiled = not is_over and (ruleset is None or ruleset.hidden)
    covered = proofs[0]["seq"] if proofs else 0
    checks = [_waiting(check, covered, report.version) for check in report.checks]
    checks = [_veiled(check) if veiled else check for check in checks]
    checks = [_unjudged(check, facts) if ruleset is None else check for check in checks]
    found = Verification(
        version=report.version,
        complete=is_over,
        waits=any(check.name == "log" and check.result == "pending" for check in checks),
        verified_us=tools.clock(),
        report=json.dumps([check_json(check) for check in checks]),
    )
    with tools.database.connection() as connection:
        put_verification(connection, game_id, found)
    return found


def _watched(events: Iterable[Event], seen: list[str]) -> Iterator[Event]:
    """The same events, their types noted in `seen`."""
    for event in events:
        seen.append(event.type)
        yield event


def _waiting(check: CheckResult, covered: int, version: int) -> CheckResult:
    """The check of the log, which has not passed before a checkpoint covers the last event."""
    if check.name != "log" or check.result != "pass" or covered >= version:
        return check
    return CheckResult("log", "pending", f"events after {covered} wait for a checkpoint")


def _unjudged(check: CheckResult, facts: GameFacts) -> CheckResult:
    """A check of a game whose rules are not installed here: those that need rules have found nothing, for or against."""
    if check.name not in NEED_RULES:
        return check
    return CheckResult(check.name, "pending", f"{facts.row.ruleset} is not installed here")


def _veiled(check: CheckResult) -> CheckResult:
    """A check of a running game with hidden information: what is wrong is told, but nothing of what stands in it."""
    detail = "fails at this event" if check.result == "fail" else "see the record when the game is over"
    return CheckResult(check.name, check.result, detail, check.seq)


def read_verification(tools: Tools, caller: Caller, game_id: UUID) -> dict[str, Any]:
    """What the checks said last: `{version, verified_at, checks}`; before the first time, all of them pending."""
    find_visible_game(tools, caller, game_id)
    with tools.database.connection() as connection:
        found = find_verification(connection, game_id)
    if found is None:
        waiting = [{"name": name, "result": "pending", "detail": "not verified yet"} for name in ORDER]
        return {"version": 0, "verified_at": None, "checks": waiting}
    return {
        "version": found.version,
        "verified_at": recorded_at(found.verified_us),
        "checks": json.loads(found.report),
    }


def ring_for_unverified_games(tools: Tools, *, limit: int = 200, everywhere: bool = True) -> int:
    """Ring for finished games that a checkpoint covers by now, for a rolling sample of all that have started and, `everywhere`, for
    those that were missed, which takes a look at every game; how many.
    """
    now = tools.clock()
    with tools.database.connection() as connection:
        found = games_now_covered(connection, limit=limit)
        found += games_to_verify(connection, limit=limit) if everywhere else []
        found += games_to_sample(connection, recent_us=now - RESAMPLED_US, old_us=now - REVISITED_US, limit=SAMPLE)
    if found:
        tools.ring_workers("verification", found)
    return len(found)
