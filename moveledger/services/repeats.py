"""Knowing a request again."""

from __future__ import annotations

import json
from typing import Any

from moveledger.services.tools import Tools
from moveledger.store.idempotency import RequestKey, find_answer


def fingerprint_of(tools: Tools, route: str, content: Any) -> bytes:
    """A keyed hash of what a request asks, so that a stolen table does not tell it."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    return tools.vault.derive("fingerprint", route.encode(), text)


def find_earlier_answer(tools: Tools, request: RequestKey) -> bytes | None:
    """The answer that was given to this request. Raises `IdempotencyKeyReused`."""
    with tools.database.connection() as connection:
        return find_answer(connection, request)
