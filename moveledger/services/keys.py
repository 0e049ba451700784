"""API keys: made, listed, revoked. Only `admin` may; the key that `make run` prints is made here too."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import uuid_utils

from moveledger.audit.event import recorded_at
from moveledger.errors import InvalidInput, UnknownKey
from moveledger.services.access import SCOPES, require_scope
from moveledger.services.callers import Caller, key_token
from moveledger.services.tools import Tools
from moveledger.store.idempotency import RequestKey, claim_request, keep_answer
from moveledger.store.keys import KeyRow, find_key, insert_key, list_keys, revoke_key

_NAME = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]{1,100}")
DEVELOPMENT_KEY = UUID("00000000-0000-8000-8000-000000000001")
"""The id of the key with every scope that `moveledger up` makes and prints."""


def create_key(
    tools: Tools, caller: Caller, *, name: str, scopes: list[str], request: RequestKey
) -> tuple[dict[str, Any], bool]:
    """A new API key; its text is shown now and to a repeat of this request. Raises `ScopeMissing`, `InvalidInput`."""
    creator = require_scope(caller, "admin")
    with tools.database.transaction() as connection:
        known = claim_request(connection, request, now_us=tools.clock())
        if known is not None:
            answer = json.loads(known)
            return with_text(tools, answer), True
        row = new_key(tools, name=name, scopes=scopes, created_by=creator.client)
        insert_key(connection, row)
        answer = show_key(row)
        keep_answer(connection, request, json.dumps(answer).encode())
    return with_text(tools, answer), False


def with_text(tools: Tools, answer: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to a key's making with the key's text, which is derived anew each time."""
    return {**answer, "key": key_token(tools.vault, UUID(answer["id"]), 1)}


def new_key(tools: Tools, *, name: str, scopes: list[str], created_by: UUID | None) -> KeyRow:
    """The facts of a new key. Raises `InvalidInput` for a scope that there is not, and for a name that is none."""
    if not _NAME.fullmatch(name):
        detail = "The name of a key is 1 to 100 characters, none of them a control character."
        raise InvalidInput(detail, errors=[{"pointer": "/name", "detail": detail}])
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown:
        detail = f"Unknown scopes: {', '.join(unknown)}."
        raise InvalidInput(detail, errors=[{"pointer": "/scopes", "detail": detail}])
    return KeyRow(
        key_id=UUID(bytes=uuid_utils.uuid7().bytes),
        name=name,
        scopes=frozenset(scopes),
        generation=1,
        created_us=tools.clock(),
        created_by=created_by,
        revoked_us=None,
    )


def issue_key(tools: Tools, *, name: str, scopes: list[str]) -> tuple[UUID, str]:
    """A new key for whoever has the master key (the command line): its id and text."""
    row = new_key(tools, name=name, scopes=scopes, created_by=None)
    with tools.database.connection() as connection:
        insert_key(connection, row)
    return row.key_id, key_token(tools.vault, row.key_id, row.generation)


def ensure_development_key(tools: Tools) -> str:
    """The text of the development key, made the first time."""
    with tools.database.connection() as connection:
        insert_key(
            connection,
            KeyRow(DEVELOPMENT_KEY, "development", frozenset(SCOPES), 1, tools.clock(), None, None),
        )
        row = find_key(connection, DEVELOPMENT_KEY)
    assert row is not None  # inserted above, or there before
    return key_token(tools.vault, DEVELOPMENT_KEY, row.generation)


def find_keys(
    tools: Tools, caller: Caller, *, after: UUID | None, limit: int
) -> tuple[list[dict[str, Any]], UUID | None]:
    """A page of keys, newest first, without their texts. Raises `ScopeMissing`."""
    require_scope(caller, "admin")
    with tools.database.connection() as connection:
        rows = list_keys(connection, after=after, limit=limit + 1)
    return [show_key(row) for row in rows[:limit]], rows[limit - 1].key_id if len(rows) > limit else None


def all_keys(tools: Tools) -> list[dict[str, Any]]:
    """All keys, newest first, without their texts."""
    with tools.database.connection() as connection:
        return [show_key(row) for row in list_keys(connection, after=None, limit=10_000)]


def withdraw_key(tools: Tools, caller: Caller, key_id: UUID) -> None:
    """Revoke a key for a caller. Raises `ScopeMissing`, `UnknownKey`."""
    require_scope(caller, "admin")
    revoke(tools, key_id)


def revoke(tools: Tools, key_id: UUID) -> None:
    """Revoke a key for good, everywhere at once. Raises `UnknownKey`."""
    with tools.database.connection() as connection:
        if find_key(connection, key_id) is None:
            raise UnknownKey
        revoke_key(connection, key_id, now_us=tools.clock())
    tools.cache.set_keys_epoch(tools.entropy(8).hex())


def show_key(row: KeyRow) -> dict[str, Any]:
    """A key's facts, without its text."""
    return {
        "id": str(row.key_id),
        "name": row.name,
        "scopes": sorted(row.scopes),
        "created_at": recorded_at(row.created_us),
        "revoked_at": None if row.revoked_us is None else recorded_at(row.revoked_us),
    }
