"""Requests that make something other than events: a known Idempotency-Key answers before anything is judged."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from flask import g

from moveledger.api.requests import caller, idempotency_key, tools
from moveledger.services.repeats import find_earlier_answer, fingerprint_of
from moveledger.services.tools import Tools
from moveledger.store.idempotency import RequestKey


@dataclass(frozen=True, slots=True)
class Repeatable:
    """A request and what makes it known again."""

    key: RequestKey
    request_id: str


def request_key(route: str, content: Any) -> Repeatable:
    """What makes this request repeatable. Raises `IdempotencyKeyMissing`."""
    key = idempotency_key()
    fingerprint = fingerprint_of(tools(), route, content)
    return Repeatable(RequestKey(caller().client, route, key, fingerprint), g.request_id)


def answer_once(
    request: Repeatable,
    work: Callable[[], tuple[dict[str, Any], bool]],
    restore: Callable[[Tools, Mapping[str, Any]], dict[str, Any]],
) -> tuple[dict[str, Any], bool]:
    """The earlier answer to this request, `restore`d with what is derived and not stored; or else what `work` answers."""
    known = find_earlier_answer(tools(), request.key)
    return work() if known is None else (restore(tools(), json.loads(known)), True)
