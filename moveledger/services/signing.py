"""What is asked of a signed move before it is judged by the rules."""

from __future__ import annotations

from moveledger.audit.game import Game
from moveledger.audit.signature import Signed, find_fault
from moveledger.errors import SignatureInvalid
from moveledger.rules.encoding import encode
from moveledger.rules.kernel import Move
from moveledger.services.tools import GameFacts, Tools
from moveledger.store.events import find_hash


def require_signature(tools: Tools, facts: GameFacts, game: Game, move: Move, signed: Signed) -> None:
    """Raises `SignatureInvalid` unless the seat has a key, the key has signed this move, and what it names is in the log."""
    fault = find_fault(
        signed,
        public_key=game.keys[move.seat],
        game_id=game.game_id,
        seat=move.seat,
        action=encode(move.action),
        hash_at=lambda seq: _hash_at(tools, facts, game, seq),
    )
    if fault is not None:
        raise SignatureInvalid(fault, version=game.version)


def _hash_at(tools: Tools, facts: GameFacts, game: Game, seq: int) -> bytes | None:
    if seq >= game.version:
        return game.head_hash if seq == game.version else None
    with tools.database.connection() as connection:
        return find_hash(connection, facts.game_id, seq)
