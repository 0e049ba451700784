"""Requests that schemathesis makes up from the document, good and bad: every answer is a documented one, and no 5xx."""

from __future__ import annotations

import json
from contextlib import suppress
from itertools import cycle
from typing import Any
from urllib.parse import quote, urlencode

import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.core import NotSet
from schemathesis.core.control import SkipTest

from tests.api.service import CLOSED_HANDS, Client, Service

HOW_MANY = 3
"""Requests for each operation and mode."""


def test_whatever_is_asked_is_answered_as_documented(service: Service, client: Client) -> None:
    """The contract that every client holds answers against is the judge here too."""
    ids = cycle([client.open_game(CLOSED_HANDS, seats=2)["id"] for _ in range(3)] + ["nothing"])
    for mode in GenerationMode:
        schema: Any = schemathesis.openapi.from_dict(service.contract.document)
        schema.config.generation.update(modes=[mode])
        for result in schema.get_all_operations():
            ask_for(result.ok(), client, mode, ids)


def ask_for(operation: Any, client: Client, mode: GenerationMode, ids: Any) -> None:
    """Ask for one operation a number of times, in the same way in every run."""

    @settings(
        max_examples=HOW_MANY,
        derandomize=True,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode), key=st.uuids())
    def ask(case: Any, key: Any) -> None:
        send(client, case, next(ids), str(key))

    with suppress(SkipTest):  # nothing about this operation can be wrong
        ask()


def send(client: Client, case: Any, game_id: str, key: str) -> None:
    """Send a request that was made up, about a game that there is."""
    parameters = {**(case.path_parameters or {}), "game_id": game_id}
    path = case.path
    for name, value in parameters.items():
        path = path.replace(f"{{{name}}}", quote(str(value), safe=""))
    headers = {name: str(value) for name, value in (case.headers or {}).items() if name != "Authorization"}
    query = urlencode(case.query or {}, doseq=True, errors="replace")
    content = {} if isinstance(case.body, NotSet) else content_of(case.body)
    client.ask(case.method, f"{path}?{query}", headers={"Idempotency-Key": key, **headers}, **content)


def content_of(body: Any) -> dict[str, Any]:
    """A body as it is sent: as JSON, or as it is when it is bytes already."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return {"data": data, "content_type": "application/json"}
