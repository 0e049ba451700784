"""Every error's HTTP status and title: the one table. `docs/problems.md` has a section for each code.

No answer carries a driver's or a library's words; what is not foreseen is logged with the request's id and answered
as `internal`.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from flask import Flask, Response, current_app, g, request
from werkzeug.exceptions import HTTPException

from moveledger import errors
from moveledger.services.trails import note_refusal

TYPE_PREFIX = "urn:moveledger:problem:"
RETRY_SECONDS = 2

log = logging.getLogger("moveledger.api")

STATUSES: Mapping[type[errors.MoveledgerError], tuple[int, str]] = {
    errors.MalformedValue: (422, "The request breaks its schema"),
    errors.InvalidInput: (422, "The request breaks its schema"),
    errors.IllegalMove: (422, "The rules refuse this move"),
    errors.UnknownRuleset: (422, "No such ruleset"),
    errors.IdempotencyKeyReused: (422, "The Idempotency-Key belongs to another request"),
    errors.RewindImpossible: (422, "The game cannot be rewound to there"),
    errors.RedrawNotSaid: (422, "Draws lie between"),
    errors.ForkImpossible: (422, "The game cannot be forked there"),
    errors.SignatureInvalid: (422, "The signature does not hold"),
    errors.EntropyMismatch: (422, "The entropy is not what was committed to"),
    errors.CosignatureRefused: (422, "The co-signature is refused"),
    errors.UnreadableRequest: (400, "The request cannot be read"),
    errors.IdempotencyKeyMissing: (400, "An Idempotency-Key is needed"),
    errors.IdempotencyKeyInvalid: (400, "The Idempotency-Key is not well formed"),
    errors.Unauthenticated: (401, "The credential is not valid"),
    errors.ScopeMissing: (403, "The key lacks a scope"),
    errors.NotYourSeat: (403, "Not your seat"),
    errors.UnknownGame: (404, "No such game"),
    errors.UnknownRulesetPath: (404, "No such ruleset"),
    errors.UnknownSeat: (404, "No such seat"),
    errors.UnknownVersion: (404, "No such version"),
    errors.UnknownKey: (404, "No such key"),
    errors.UnknownTile: (404, "No such tile"),
    errors.UnknownCheckpoint: (404, "No such checkpoint"),
    errors.NotSealedYet: (404, "Not sealed yet"),
    errors.NotAcceptable: (406, "None of the accepted types can be given"),
    errors.NotToMove: (409, "Not this seat's turn"),
    errors.GameOver: (409, "The game is over"),
    errors.GameNotStarted: (409, "The game has not started"),
    errors.SeatTaken: (409, "The seat is taken"),
    errors.PlayerSeated: (409, "The player sits elsewhere in this game"),
    errors.SeatLeft: (409, "The seat has left the game"),
    errors.EntropyOutOfTurn: (409, "No entropy is taken now"),
    errors.GameNotFinished: (409, "The game has not finished"),
    errors.ForkWouldShow: (409, "A fork would show hidden things"),
    errors.Contended: (409, "Others were faster"),
    errors.StaleDecision: (412, "The decision is stale"),
    errors.StoreUnavailable: (503, "The database is away"),
    errors.MasterKeyChanged: (503, "The master key has been changed"),
}
HTTP_CODES: Mapping[int, str] = {
    400: "unreadable",
    404: "not-found",
    405: "method-not-allowed",
    413: "body-too-large",
    415: "unsupported-media-type",
    500: "internal",
}


def register_problems(app: Flask) -> None:
    """Answer every error as a problem."""
    app.register_error_handler(errors.MoveledgerError, _answer_known)
    app.register_error_handler(HTTPException, _answer_http)
    app.register_error_handler(Exception, _answer_unforeseen)


def problem(status: int, code: str, title: str, detail: str, facts: Mapping[str, Any]) -> Response:
    """A response of type application/problem+json. `facts` become members beside the standard ones, never in their place."""
    body = {
        "type": f"{TYPE_PREFIX}{code}",
        "title": title,
        "status": status,
        "code": code,
        "detail": detail,
        "request_id": g.get("request_id", ""),
    }
    text = json.dumps(body | {name: fact for name, fact in facts.items() if name not in body})
    return Response(text, status, content_type="application/problem+json")


def _answer_known(error: errors.MoveledgerError) -> Response:
    found = next((STATUSES[cls] for cls in type(error).__mro__ if cls in STATUSES), None)
    if found is None:
        return _answer_unforeseen(error)
    status, title = found
    if isinstance(error, CREDENTIAL_REFUSALS) or (_is_ruling() and status < 500):
        _note_refusal(error)
    response = problem(status, error.code, title, error.detail, error.facts)
    if status == 401:
        response.headers["WWW-Authenticate"] = 'Bearer realm="moveledger"'
    if error.retryable:
        response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


CREDENTIAL_REFUSALS = (errors.Unauthenticated, errors.ScopeMissing, errors.NotYourSeat, errors.UnknownGame)
"""What the security trail keeps when it concerns a game; a private game is `UnknownGame` to whom it is not for. A request without
a credential is no attempt and is not kept.
"""


def _is_ruling() -> bool:
    """Whether this is a ruling, of which every refusal is kept, whatever its reason."""
    return request.endpoint == "rulings.rule"


def _note_refusal(error: errors.MoveledgerError) -> None:
    """Keep a refusal in the security trail; the answer does not wait on it: with the database away or busy it is only logged."""
    game_id = _game_in_path()
    if game_id is None or "Authorization" not in request.headers:
        return
    facts = {
        "code": error.code,
        "method": request.method,
        "route": str(request.url_rule),
        "game_id": game_id,
        "request_id": g.request_id,
    }
    try:
        note_refusal(current_app.extensions["moveledger"], g.get("caller"), facts)
    except errors.PASSING:
        log.warning("refusal not kept: %s", facts)


def _game_in_path() -> UUID | None:
    try:
        return UUID((request.view_args or {})["game_id"])
    except (KeyError, ValueError):
        return None


def _answer_http(error: HTTPException) -> Response:
    status = error.code or 500
    code = HTTP_CODES.get(status, "http-error")
    response = problem(status, code, error.name, error.description or error.name, {})
    for name, value in error.get_headers():
        if name in ("Allow", "Retry-After", "Location"):
            response.headers[name] = value
    return response


def _answer_unforeseen(error: Exception) -> Response:
    log.error("request %s failed", g.get("request_id", ""), exc_info=error)
    return problem(500, "internal", "Something went wrong here", "The fault is ours and was logged.", {})
