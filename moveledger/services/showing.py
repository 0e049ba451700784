"""How games, moves and events are shown: JSON-ready values, made of what the observer may see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from moveledger.audit.event import Event, EventJson, event_json, may_see, recorded_at
from moveledger.audit.game import Game
from moveledger.audit.note import SignerKey, to_base64
from moveledger.audit.receipt import sign_receipt
from moveledger.rules.encoding import encode
from moveledger.rules.kernel import Observer
from moveledger.services.tools import GameFacts
from moveledger.store.database import Connection
from moveledger.store.games import PlayerRow, find_players


def show_awaiting(game: Game) -> dict[str, Any]:
    """Who has a choice to make, and the token of each choice."""
    seats = sorted(game.awaited)
    return {"seats": seats, "decisions": {str(seat): game.decision(seat) for seat in seats}}


def show_outcome(game: Game) -> Any:
    """Placings and scores by seat and the reason, or null."""
    return encode(game.outcome)


def show_event(event: Event, observer: Observer, *, over: bool) -> EventJson:
    """An event as an observer may see it."""
    return event_json(event, is_open=may_see(event, observer, over=over))


def show_game(connection: Connection, facts: GameFacts, game: Game, *, namespace: UUID | None) -> dict[str, Any]:
    """A game's resource. Players are shown by name; what a key called them only to that key (`namespace`)."""
    ids = [UUID(player) for player in game.players if player is not None]
    players = find_players(connection, ids)
    row, fair = facts.row, game.fairness
    return {
        "id": str(game.game_id),
        "ruleset": row.ruleset,
        "ruleset_installed": True,
        "status": game.status,
        "version": game.version,
        "head_hash": game.head_hash.hex(),
        "seats": [_show_seat(game, seat, players, namespace) for seat in range(game.seats)],
        "options": encode(game.options),
        "visibility": row.visibility,
        "entropy": game.opened.get("entropy", "none"),
        "awaiting": show_awaiting(game),
        "outcome": show_outcome(game),
        "annulled": game.annulled,
        "fairness": {
            "scheme": fair.scheme,
            "seed_commitment": fair.seed_commitment.hex(),
            "draws_root": fair.root.hex(),
            "draws": fair.draws,
            "mix": game.mix.hex() if game.mix else None,
            "drawn": game.draws,
        },
        "parent": game.opened.get("parent"),
        "external_ref": row.external_ref,
        "created_at": recorded_at(row.created_us),
    }


def _show_seat(game: Game, seat: int, players: Mapping[UUID, PlayerRow], namespace: UUID | None) -> dict[str, Any]:
    player_id, key = game.players[seat], game.keys[seat]
    return {
        "seat": seat,
        "player": show_player(UUID(player_id) if player_id else None, players, namespace),
        "public_key": key.hex() if key else None,
        "left": seat in game.left,
        "entropy": "opened" if game.entropies[seat] else "committed" if game.committed[seat] else None,
    }


def show_player(
    player_id: UUID | None, players: Mapping[UUID, PlayerRow], namespace: UUID | None
) -> dict[str, Any] | None:
    """Who sits on a seat, None while it is open."""
    if player_id is None:
        return None
    row = players.get(player_id)
    own = row is not None and row.namespace == namespace
    return {
        "id": str(player_id),
        "name": row.name if row else None,
        "external_id": row.external_id if row and own else None,
    }


def show_receipt(event: Event, signer: SignerKey) -> dict[str, Any]:
    """What a seat keeps of its move: with the log's signature, proof that the event was promised to be in the log."""
    return {
        "game_id": str(event.game_id),
        "seq": event.seq,
        "hash": event.hash.hex(),
        "recorded_at": recorded_at(event.recorded_us),
        "signature": to_base64(sign_receipt(signer, event)),
    }


def show_written(game: Game, events: Sequence[Event], observer: Observer, signer: SignerKey) -> dict[str, Any]:
    """What answers a move: the events that it made, as its seat may see them then, and how the game stands after them."""
    return {
        "game_id": str(game.game_id),
        "version": game.version,
        "events": [show_event(event, observer, over=game.over) for event in events],
        "status": game.status,
        "awaiting": show_awaiting(game),
        "outcome": show_outcome(game),
        "receipt": show_receipt(events[0], signer),
    }
