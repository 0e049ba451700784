"""Forks: a new game that starts where another one stood."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from moveledger.audit.game import Game
from moveledger.errors import ForkImpossible, ForkWouldShow, UnknownVersion
from moveledger.rules.encoding import encode
from moveledger.services.callers import Caller
from moveledger.services.entrance import find_game_to_fork
from moveledger.services.games import NewGame, NewPlayer, Parent, begin_game
from moveledger.services.standing import current_game, game_at, game_facts
from moveledger.services.tools import GameFacts, Tools
from moveledger.store.idempotency import RequestKey
from moveledger.store.sealing import digest_id

MOST_GENERATIONS = 16
"""A fork of a fork of a fork … is folded, exported and verified with all of their logs: so many at most lie before it."""


def fork_game(
    tools: Tools, caller: Caller, game_id: UUID, *, at: int, request: RequestKey, request_id: str
) -> tuple[dict[str, Any], bool]:
    """A new game that stands as its parent stood after event `at`, its seats held by the key that forks.

    Its log holds only its own events and names the parent's; what comes after has a fairness secret of its own. Forks are unrated,
    and seen by whom their parent is. Raises `UnknownGame`, `ScopeMissing`, `ForkWouldShow`, `ForkImpossible`.
    """
    key, facts = find_game_to_fork(tools, caller, game_id)
    parent = current_game(tools, facts)
    if parent.ruleset.hidden and not parent.over:
        raise ForkWouldShow
    if _generations(tools, parent) == MOST_GENERATIONS:
        raise ForkImpossible(f"A fork has at most {MOST_GENERATIONS} games before it.")
    base = _base(tools, facts, at)
    wanted = NewGame(
        ruleset=parent.ruleset.id,
        seats=parent.seats,
        players=_players(request, parent.seats),
        options=encode(parent.options),
        visibility=facts.row.visibility,
    )
    named = Parent(game_id, at, base.head_hash)
    return begin_game(tools, key, wanted, request, request_id, parent=named)


def _generations(tools: Tools, game: Game) -> int:
    """How many games the game's own log and those of its parents go through."""
    count, named = 1, game.opened.get("parent")
    while named is not None:
        count, named = count + 1, current_game(tools, game_facts(tools, UUID(named["game_id"]))).opened.get("parent")
    return count


def _players(request: RequestKey, seats: int) -> list[NewPlayer]:
    """Players of their own for each fork: who sat at the parent's table has no part in it."""
    name = digest_id(b"fork", request.route.encode(), request.key.encode())
    return [NewPlayer(f"fork-{name}-{seat}", f"Seat {seat}") for seat in range(seats)]


def _base(tools: Tools, facts: GameFacts, at: int) -> Game:
    try:
        base = game_at(tools, facts, at)
    except UnknownVersion as unknown:
        raise ForkImpossible(f"There is no event {at}.") from unknown
    if base.status != "running" or not base.awaited:
        raise ForkImpossible(f"After event {at} no seat was awaited.")
    return base
