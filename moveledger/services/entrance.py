"""Finding a game for a caller. Whether it is there for it, and what it may do there, is judged before all else of a request."""

from __future__ import annotations

from uuid import UUID

from moveledger.errors import Unauthenticated
from moveledger.services.access import require_actor, require_scope, require_sight
from moveledger.services.callers import Anonymous, Caller, KeyCaller
from moveledger.services.standing import game_facts
from moveledger.services.tools import GameFacts, Tools


def find_visible_game(tools: Tools, caller: Caller, game_id: UUID) -> GameFacts:
    """A game to look at. Raises `UnknownGame`."""
    facts = game_facts(tools, game_id)
    require_sight(caller, facts)
    return facts


def find_game_to_act_in(tools: Tools, caller: Caller, game_id: UUID) -> GameFacts:
    """A game in which the caller acts for some seat. Raises `UnknownGame`, `Unauthenticated`, `ScopeMissing`, `NotYourSeat`."""
    facts = find_visible_game(tools, caller, game_id)
    require_actor(caller, facts)
    return facts


def find_game_to_rule_on(tools: Tools, caller: Caller, game_id: UUID) -> tuple[KeyCaller, GameFacts]:
    """A game and the key that is its referee. Raises `UnknownGame`, `Unauthenticated`, `ScopeMissing`."""
    facts = find_visible_game(tools, caller, game_id)
    return require_scope(caller, "games:referee"), facts


def find_game_to_fork(tools: Tools, caller: Caller, game_id: UUID) -> tuple[KeyCaller, GameFacts]:
    """A game and the key that may open another one out of it. Raises `UnknownGame`, `Unauthenticated`, `ScopeMissing`."""
    facts = find_visible_game(tools, caller, game_id)
    return require_scope(caller, "games:write"), facts


def find_game_to_join(tools: Tools, caller: Caller, game_id: UUID) -> GameFacts:
    """A game whose seats the caller may take. Raises `Unauthenticated`, `UnknownGame`, `ScopeMissing`."""
    if isinstance(caller, Anonymous):
        raise Unauthenticated("Taking a seat needs an API key.")
    facts = find_visible_game(tools, caller, game_id)
    require_scope(caller, "games:write")
    return facts
