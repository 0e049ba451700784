"""The jobs. Each takes ids, may run twice, late and out of order, and is five lines long."""

from __future__ import annotations

from uuid import UUID

from moveledger.services import verifying
from moveledger.services.releases import check_against
from moveledger.services.snapshotting import bring_up_to_date
from moveledger.services.tools import Tools

_TOOLS: list[Tools] = []


def use_tools(tools: Tools) -> None:
    """Give the jobs of this process their tools."""
    _TOOLS[:] = [tools]


def bring_games_up_to_date(game_ids: list[str]) -> None:
    """Write the snapshots and views of these games."""
    bring_up_to_date(_TOOLS[0], [UUID(game_id) for game_id in game_ids])


def verify_games(game_ids: list[str]) -> None:
    """Verify these games and keep what the checks said."""
    verifying.verify_games(_TOOLS[0], [UUID(game_id) for game_id in game_ids])


def check_games_against(game_ids: list[str], run_id: str, against: str) -> None:
    """Replay these games under another version of their rules and keep what differs."""
    check_against(_TOOLS[0], UUID(run_id), [UUID(game_id) for game_id in game_ids], against)
