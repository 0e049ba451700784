"""How this ruleset says no."""

from __future__ import annotations

from moveledger.errors import IllegalMove


def refusal(reason: str, detail: str) -> IllegalMove:
    """The error of a broken rule; its code is `desertsons.reason`."""
    return IllegalMove(f"desertsons.{reason}", detail)
