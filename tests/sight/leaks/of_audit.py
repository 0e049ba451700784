"""Leaks by what auditors read and referees ask for."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from moveledger.errors import NotSealedYet
from moveledger.rules.encoding import state_hash
from moveledger.services import proving, standing, trails, verifying
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
