"""One decorator that writes an endpoint into openapi.yaml. Views read and write by `api/requests.py`; of what is here only
`refuse_unknown_parameters` runs at a request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from flask import current_app, request
from flask_smorest import Blueprint
from marshmallow import Schema

from moveledger.api.requests import caller, load_query
from moveledger.schemas.requests import NoQuery

F = TypeVar("F", bound=Callable[..., Any])

KEY_HEADER = {
    "in": "header",
    "name": "Idempotency-Key",
    "required": True,
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
    "description": "Yours, fresh for each request; a repeat with the same key is answered as the first time.",
}
DECISION_HEADER = {
    "in": "header",
    "name": "If-Match",
    "schema": {"type": "string"},
    "description": 'The decision that the move answers, as in `"12"`; 412 if the game has gone on since.',
}
LANGUAGE_HEADER = {
    "in": "header",
    "name": "Accept-Language",
    "schema": {"type": "string"},
    "description": "en, de, fr, nl",
}


def described(
    blp: Blueprint,
    *,
    answer: type[Schema] | None,
    status: int = 200,
    body: type[Schema] | Mapping[str, Any] | None = None,
    query: type[Schema] | None = None,
    headers: Sequence[dict[str, Any]] = (),
    problems: Sequence[int] = (),
    also: dict[str, Any] | None = None,
) -> Callable[[F], F]:
    """Document a view: what it takes, what it answers, and with which statuses it refuses.

    A body that is not JSON, and further content types of the answer (`also`), are given as OpenAPI content objects.
    """
    doc: dict[str, Any] = {"parameters": [*headers, *([{"in": "query", "schema": query}] if query else [])]}
    if body is not None:
        content = body if isinstance(body, Mapping) else {"application/json": {"schema": body}}
        doc["requestBody"] = {"required": True, "content": content}
    if also:
        doc["responses"] = {
            status: {"content": also}
        }  # by number, as flask-smorest has it: a text would replace its own
    doc["security"] = [{}, {"token": []}]

    def decorate(view: F) -> F:
        found: Any = blp.response(status, answer)(view)
        for refused in sorted({*problems, 400, 401, 422, 503}):
            found = blp.alt_response(refused, _NAMES[refused])(found)
        # What runs is the view itself: it answers with a Response, on which a dozen wrappers would do nothing, at a price.
        if query is None:
            _WITHOUT_QUERY.add(view)
        view._apidoc = blp.doc(**doc)(found)._apidoc  # type: ignore[attr-defined]  # where flask-smorest keeps it
        return view

    return decorate


_WITHOUT_QUERY: set[Callable[..., Any]] = set()
"""The views that are described without a query schema. One with a schema asks `load_query` itself."""
NO_QUERY = NoQuery()


def refuse_unknown_parameters() -> None:
    """What the application does before each view: a query parameter that no view could ask for is refused, after a credential
    that is not valid. Raises `Unauthenticated`, `InvalidInput`.
    """
    if request.query_string and current_app.view_functions.get(request.endpoint or "") in _WITHOUT_QUERY:
        caller()
        load_query(NO_QUERY)


_NAMES = {
    304: "NOT_MODIFIED",
    400: "BAD_REQUEST",
    401: "UNAUTHORIZED",
    403: "FORBIDDEN",
    404: "NOT_FOUND",
    406: "NOT_ACCEPTABLE",
    409: "CONFLICT",
    412: "PRECONDITION_FAILED",
    413: "REQUEST_ENTITY_TOO_LARGE",
    415: "UNSUPPORTED_MEDIA_TYPE",
    422: "UNPROCESSABLE_ENTITY",
    503: "SERVICE_UNAVAILABLE",
}
WRITE_PROBLEMS = (400, 403, 413, 415, 422)
