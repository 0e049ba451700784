"""Forks: a new game that starts where another one stood."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from moveledger.audit.game import Game
from moveledger.errors import ForkImpossible, ForkWouldShow, UnknownVersion
from moveledger.rules.encoding import encode
from moveledger.services.access import require_scope, require_sight
from moveledger.services.callers import Caller
from moveledger.services.games import NewGame, NewPlayer, Parent, begin_game
from moveledger.services.standing import current_game, game_at, game_facts
from moveledger.services.tools import GameFacts, Tools
from moveledger.store.idempotency import RequestKey


def fork_game(
    tools: Tools, caller: Caller, game_id: UUID, *, at: int, request: RequestKey, request_id: str
) -> tuple[dict[str, Any], bool]:
    """A new game that stands as its parent stood after event `at`, its seats held by the key that forks.

    Its log holds only its own events and names the parent's; what comes after has a fairness secret of its own. Forks are unrated.
    Raises `ScopeMissing`, `UnknownGame`, `ForkWouldShow`, `ForkImpossible`.
    """
    key = require_scope(caller, "games:write")
    facts = game_facts(tools, game_id)
    require_sight(caller, facts)
    parent = current_game(tools, facts)
    if parent.ruleset.hidden and not parent.over:
        raise ForkWouldShow
    base = _base(tools, facts, at)
    wanted = NewGame(
        ruleset=parent.ruleset.id,
        seats=parent.seats,
        players=[NewPlayer(f"fork-{request.key}-{seat}"[:100], f"Seat {seat}") for seat in range(parent.seats)],
        options=encode(parent.options),
        visibility="private" if facts.row.visibility == "private" else "public",
    )
    named = Parent(game_id, at, base.head_hash)
    return begin_game(tools, key, wanted, request, request_id, parent=named)


def _base(tools: Tools, facts: GameFacts, at: int) -> Game:
    try:
        base = game_at(tools, facts, at)
    except UnknownVersion as unknown:
        raise ForkImpossible(f"There is no event {at}.") from unknown
    if base.status != "running" or not base.awaited:
        raise ForkImpossible(f"After event {at} no seat was awaited.")
    return base
