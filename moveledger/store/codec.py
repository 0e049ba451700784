"""A folded game as bytes, for snapshots. Always disposable: what cannot be read is folded from the log again."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

from moveledger.audit.fairness import Fairness
from moveledger.audit.game import Game
from moveledger.rules.encoding import canonical, decode, encode
from moveledger.rules.kernel import Outcome, Seat
from moveledger.rules.registry import find_ruleset


def encode_game(game: Game) -> bytes:
    """The canonical JSON of everything that the fold needs to go on."""
    fair = game.fairness
    return canonical(
        {
            "game_id": str(game.game_id),
            "opened": game.opened,
            "fairness": [fair.scheme, fair.seed_commitment.hex(), fair.root.hex(), fair.draws],
            "status": game.status,
            "version": game.version,
            "head_hash": game.head_hash.hex(),
            "players": list(game.players),
            "keys": [_hex(value) for value in game.keys],
            "committed": [_hex(value) for value in game.committed],
            "entropies": [_hex(value) for value in game.entropies],
            "mix": _hex(game.mix),
            "draws": game.draws,
            "left": list(game.left),
            "state": encode(game.state),
            "decisions": list(game.decisions),
            "outcome": encode(game.outcome),
            "adjudicated": encode(game.adjudicated),
            "annulled": game.annulled,
            "owed": game.owed,
            "removed": game.removed,
        }
    )


def decode_game(content: bytes) -> Game:
    """The game that `encode_game` wrote."""
    stored: dict[str, Any] = json.loads(content)
    ruleset = find_ruleset(stored["opened"]["ruleset"])
    scheme, commitment, root, draws = stored["fairness"]
    return Game(
        game_id=UUID(stored["game_id"]),
        ruleset=ruleset,
        options=decode(ruleset.options, stored["opened"]["options"]),
        opened=stored["opened"],
        fairness=Fairness(scheme, bytes.fromhex(commitment), bytes.fromhex(root), draws),
        status=stored["status"],
        version=stored["version"],
        head_hash=bytes.fromhex(stored["head_hash"]),
        players=tuple(stored["players"]),
        keys=tuple(_bytes(value) for value in stored["keys"]),
        committed=tuple(_bytes(value) for value in stored["committed"]),
        entropies=tuple(_bytes(value) for value in stored["entropies"]),
        mix=_bytes(stored["mix"]),
        draws=stored["draws"],
        left=tuple(Seat(seat) for seat in stored["left"]),
        state=decode(ruleset.state, stored["state"]),
        decisions=tuple(stored["decisions"]),
        outcome=_outcome(stored["outcome"]),
        adjudicated=_outcome(stored["adjudicated"]),
        annulled=stored["annulled"],
        owed=stored["owed"],
        removed=stored["removed"],
    )


def _outcome(stored: Any) -> Outcome | None:
    return None if stored is None else decode(Outcome, stored)


def _hex(value: bytes | None) -> str | None:
    return None if value is None else value.hex()


def _bytes(value: str | None) -> bytes | None:
    return None if value is None else bytes.fromhex(value)
