"""Verification as a service: workers run the offline verifier's checks over stored games, and say what they found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from uuid import UUID

from moveledger.audit.checks import CheckResult
from moveledger.audit.event import recorded_at
from moveledger.audit.report import check_json
from moveledger.audit.verify import ORDER, verify_events
from moveledger.services.access import require_sight
from moveledger.services.callers import Caller
from moveledger.services.reading import all_events
from moveledger.services.standing import current_game, game_facts, recall_with
from moveledger.services.tools import Tools
from moveledger.store.trails import (
    Verification,
    find_verification,
    games_to_verify,
    put_verification,
    running_games_to_sample,
)

SAMPLE = 20
"""How many running games each round of the rolling sample verifies."""


def verify_games(tools: Tools, game_ids: Sequence[UUID]) -> None:
    """Verify these games as they stand and keep what the checks said. Twice, late or out of order does no harm."""
    for game_id in game_ids:
        verify_game(tools, game_id)


def verify_game(tools: Tools, game_id: UUID) -> Verification:
    """Verify one game: chain, commitments, draws, every move by the rules, outcome, and its place in the public log."""
    facts = game_facts(tools, game_id)
    game = current_game(tools, facts, certain=True)
    report = verify_events(all_events(tools, facts, after=0, upto=game.version), recall=recall_with(tools))
    veiled = game.ruleset.hidden and not game.over
    checks = [_veiled(check) if veiled else check for check in report.checks]
    found = Verification(
        version=game.version,
        complete=game.over and all(check.result != "pending" for check in checks),
        verified_us=tools.clock(),
        report=json.dumps([check_json(check) for check in checks]),
    )
    with tools.database.connection() as connection:
        put_verification(connection, game_id, found)
    return found


def _veiled(check: CheckResult) -> CheckResult:
    """A check of a running game with hidden information: what is wrong is told, but nothing of what stands in it."""
    detail = "fails at this event" if check.result == "fail" else "see the record when the game is over"
    return CheckResult(check.name, check.result, detail, check.seq)


def read_verification(tools: Tools, caller: Caller, game_id: UUID) -> dict[str, Any]:
    """What the checks said last: `{version, verified_at, checks}`; before the first time, all of them pending."""
    facts = game_facts(tools, game_id)
    require_sight(caller, facts)
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


def ring_for_unverified_games(tools: Tools, *, limit: int = 200) -> int:
    """Ring for finished games that were missed, and for a rolling sample of running ones; how many."""
    with tools.database.connection() as connection:
        found = games_to_verify(connection, limit=limit) + running_games_to_sample(connection, limit=SAMPLE)
    if found:
        tools.ring_workers("verification", found)
    return len(found)
