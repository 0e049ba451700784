"""Games whose rules are not installed here any more. Nobody can say how they stand; what is known without rules is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from moveledger.audit.event import recorded_at
from moveledger.audit.fairness import read_fairness
from moveledger.errors import UnknownGame, UnknownRuleset
from moveledger.rules.kernel import AnyRuleset
from moveledger.rules.registry import find_ruleset
from moveledger.services.showing import show_player
from moveledger.services.tools import GameFacts
from moveledger.store.database import Connection
from moveledger.store.events import head_of, load_events
from moveledger.store.games import find_players, listed_status, seated_players


@dataclass(frozen=True, slots=True)
class Unjudged:
    """What the tables and the log say of such a game: its listed status, its head, who sits where, the body of its opening."""

    status: str
    version: int
    head_hash: bytes
    players: Mapping[int, UUID]
    opened: Mapping[str, Any]

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.status in ("finished", "aborted")


def installed_ruleset(facts: GameFacts) -> AnyRuleset | None:
    """The ruleset of a game, None when it is not installed here."""
    try:
        return find_ruleset(facts.row.ruleset)
    except UnknownRuleset:
        return None


def read_unjudged(connection: Connection, facts: GameFacts) -> Unjudged:
    """A game without its rules. Raises `UnknownGame`."""
    head, status = head_of(connection, facts.game_id), listed_status(connection, facts.game_id)
    opening = load_events(connection, facts.game_id, data_key=facts.data_key, most=1)
    if head is None or status is None or not opening:
        raise UnknownGame
    players = seated_players(connection, facts.game_id)
    return Unjudged(status, *head, players, opening[0].body or {})


def show_unjudged(
    connection: Connection, facts: GameFacts, game: Unjudged, *, namespace: UUID | None
) -> dict[str, Any]:
    """The game's resource, null where only its rules could tell."""
    row, opened, fair = facts.row, game.opened, read_fairness(game.opened)
    players = find_players(connection, list(game.players.values()))
    return {
        "id": str(row.game_id),
        "ruleset": row.ruleset,
        "ruleset_installed": False,
        "status": game.status,
        "version": game.version,
        "head_hash": game.head_hash.hex(),
        "seats": [
            {
                "seat": seat,
                "player": show_player(game.players.get(seat), players, namespace),
                "public_key": None,
                "left": None,
                "entropy": None,
            }
            for seat in range(opened["seats"])
        ],
        "options": opened["options"],
        "visibility": row.visibility,
        "entropy": opened.get("entropy", "none"),
        "awaiting": None,
        "outcome": None,
        "annulled": None,
        "fairness": {
            "scheme": fair.scheme,
            "seed_commitment": fair.seed_commitment.hex(),
            "draws_root": fair.root.hex(),
            "draws": fair.draws,
            "mix": None,
            "drawn": None,
        },
        "parent": opened.get("parent"),
        "external_ref": row.external_ref,
        "created_at": recorded_at(row.created_us),
    }
