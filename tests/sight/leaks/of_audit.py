"""Leaks by what auditors read and referees ask for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from moveledger.audit.event import Event
from moveledger.errors import NotSealedYet
from moveledger.rules.encoding import state_hash
from moveledger.services import forks, proving, standing, trails, verifying
from tests.sight.leaks.table import Patch, leak, wrap


def hash_of(tools: Any, game_id: UUID) -> str:
    """What nobody may see of a game that runs."""
    return state_hash(standing.current_game(tools, standing.game_facts(tools, game_id)).state)


@leak("a hash of the state among the looks", "services.trails: read_looks", "looks")
def _(patch: Patch) -> None:
    def leaky(read_looks: Any, tools: Any, game_id: UUID, *, after: int, limit: int) -> Any:
        shown, following = read_looks(tools, game_id, after=after, limit=limit)
        return [*shown, {"what": f"state {hash_of(tools, game_id)}"}], following

    wrap(patch, trails, "read_looks", leaky)


@leak("a hash of the state in a verification", "services.verifying: read_verification", "verification")
def _(patch: Patch) -> None:
    def leaky(read_verification: Any, tools: Any, caller: Any, game_id: UUID) -> Any:
        return {**read_verification(tools, caller, game_id), "detail": f"state {hash_of(tools, game_id)}"}

    wrap(patch, verifying, "read_verification", leaky)


@leak("a hash of the state where there is no proof yet", "services.proving: prove_event", "proof")
def _(patch: Patch) -> None:
    def leaky(_: Any, tools: Any, caller: Any, game_id: UUID, seq: int) -> Any:
        raise NotSealedYet(f"state {hash_of(tools, game_id)}")

    wrap(patch, proving, "prove_event", leaky)


# --- the trail -----------------------------------------------------------------------------------------


def tell_in_trail(patch: Patch, told: Callable[[Event], Mapping[str, Any]]) -> None:
    """Show more in the trail."""

    def leaky(read_trail: Any, tools: Any, facts: Any, game: Any, wanted: Any, **which: Any) -> Any:
        shown, following = read_trail(tools, facts, game, wanted, **which)
        known = {event.seq: event for event in standing.events_of(tools, facts)}
        return [{**entry, **told(known[entry["seq"]])} for entry in shown], following

    wrap(patch, trails, "read_trail", leaky)


@leak("bodies in the trail", "services.trails: read_trail", "trail")
def _(patch: Patch) -> None:
    tell_in_trail(patch, lambda event: {"body": event.body})


@leak("what a closed event really is, in the trail", "services.trails: read_trail", "trail", "santiiba")
def _(patch: Patch) -> None:
    def told(event: Event) -> Mapping[str, Any]:
        action = (event.body or {}).get("action", {})
        return {"type": f"{action.get('type')} {action.get('kind')}"} if event.sealed else {}

    tell_in_trail(patch, told)


@leak("reasons made of closed bodies, in a spreadsheet", "services.trails: trail_as_csv", "trail CSV")
def _(patch: Patch) -> None:
    tell_in_trail(patch, lambda event: {"reason": str(event.body)} if event.sealed else {})


@leak("what the checks read, while the game runs", "services.verifying: verify_game", "verification", "tiwanaku")
def _(patch: Patch) -> None:
    def leaky(verify_events: Any, events: Any, **how: Any) -> Any:
        read = list(events)
        report = verify_events(iter(read), **how)
        board = next(event.body["values"] for event in read if event.sealed)
        return replace(report, checks=[replace(check, seq=board[0] % 100) for check in report.checks])

    wrap(patch, verifying, "verify_events", leaky)


# --- forks ---------------------------------------------------------------------------------------------


@leak("a fork of a running game, in which to play on and see", "services.forks: fork_game", "forks")
def _(patch: Patch) -> None:
    def leaky(current_game: Any, tools: Any, facts: Any) -> Any:
        game = current_game(tools, facts)
        return replace(game, ruleset=replace(game.ruleset, hidden=False))

    wrap(patch, forks, "current_game", leaky)
