"""Reading requests: credentials, bodies, query parameters, headers. And writing answers."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeVar, cast
from uuid import UUID

from flask import Response, current_app, g, request
from marshmallow import Schema, ValidationError
from werkzeug.datastructures import LanguageAccept, MIMEAccept
from werkzeug.exceptions import UnsupportedMediaType

from moveledger.audit.lines import MAX_DEPTH, is_shallow
from moveledger.errors import (
    IdempotencyKeyInvalid,
    IdempotencyKeyMissing,
    InvalidInput,
    NotAcceptable,
    Unauthenticated,
    UnknownGame,
    UnknownKey,
    UnreadableRequest,
)
from moveledger.schemas.problems import pointers
from moveledger.services.callers import Anonymous, Caller, identify
from moveledger.services.entrance import find_game_to_act_in, find_game_to_join
from moveledger.services.submission import WriteRequest
from moveledger.services.tools import Tools
from moveledger.services.trails import Asked

T = TypeVar("T")
NDJSON = "application/x-ndjson"
TEXT = "text/plain"
TOO_DEEP = f"Lists and objects of the body are nested more than {MAX_DEPTH} deep."
VARY = "Authorization, Accept, Accept-Language"

_KEY = re.compile(r"[\x21-\x7e]{1,255}")
_ETAG = re.compile(r'(?:W/)?"([^"]*)"')


def tools() -> Tools:
    """The tools of this process."""
    return cast(Tools, current_app.extensions["moveledger"])


def caller() -> Caller:
    """Who is asking. Raises `Unauthenticated`."""
    found: Caller | None = g.get("caller")
    if found is None:
        found = g.caller = identify(tools(), request.headers.get("Authorization"))
    return found


def known_caller() -> Caller:
    """Who is asking, if it is somebody. Raises `Unauthenticated`."""
    found = caller()
    if isinstance(found, Anonymous):
        raise Unauthenticated("This needs an Authorization header: `Bearer mlk_…` or `Bearer mls_…`.")
    return found


def acting_in(game_id: str) -> tuple[Caller, UUID]:
    """Who asks to act in which game. Raises `Unauthenticated`, then `UnknownGame`, then `ScopeMissing` or `NotYourSeat`."""
    who, game = known_caller(), game_id_of(game_id)
    find_game_to_act_in(tools(), who, game)
    return who, game


def joining(game_id: str) -> tuple[Caller, UUID]:
    """Who asks for a seat in which game. Raises `Unauthenticated`, then `UnknownGame`, then `ScopeMissing`."""
    who, game = known_caller(), game_id_of(game_id)
    find_game_to_join(tools(), who, game)
    return who, game


def refuse_invalid_credential() -> None:
    """What each blueprint does before anything else: a credential that is not valid is refused wherever it comes."""
    caller()


# --- reading -------------------------------------------------------------------------------------------


def read_json() -> Any:
    """The body's JSON, of whatever shape. Raises `UnreadableRequest`, and 415 for another type of content."""
    raw = request.get_data(cache=True)
    if request.mimetype != "application/json" and (raw or request.mimetype):
        raise UnsupportedMediaType("Send application/json.")
    if request.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise UnsupportedMediaType("Send the body as it is, without a Content-Encoding.")
    try:
        found = json.loads(raw, parse_constant=_refuse_constant)
    except RecursionError as wrong:
        raise UnreadableRequest(TOO_DEEP) from wrong
    except ValueError as wrong:
        raise UnreadableRequest("The body is not JSON.") from wrong
    if not is_shallow(found, raw):
        raise UnreadableRequest(TOO_DEEP)
    return found


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def load(schema: Schema, body: Any) -> dict[str, Any]:
    """A body by its schema. Raises `InvalidInput` with JSON pointers."""
    try:
        return cast("dict[str, Any]", schema.load(body))
    except ValidationError as wrong:
        raise InvalidInput("The request breaks its schema.", errors=pointers(wrong.messages)) from wrong


def load_query(schema: Schema) -> dict[str, Any]:
    """The query parameters by their schema. Raises `InvalidInput` for unknown, repeated or wrong ones."""
    given = request.args.to_dict(flat=False)
    repeated = [
        {"parameter": name, "detail": "Given more than once."} for name, values in given.items() if len(values) > 1
    ]
    if repeated:
        raise InvalidInput("A query parameter is given more than once.", errors=repeated)
    try:
        return cast("dict[str, Any]", schema.load({name: values[0] for name, values in given.items()}))
    except ValidationError as wrong:
        faults = [
            {"parameter": fault["pointer"].removeprefix("/"), "detail": fault["detail"]}
            for fault in pointers(wrong.messages)
        ]
        raise InvalidInput("A query parameter is wrong.", errors=faults) from wrong


def idempotency_key() -> str:
    """The Idempotency-Key. Raises `IdempotencyKeyMissing`, `IdempotencyKeyInvalid`."""
    key = request.headers.get("Idempotency-Key")
    if key is None:
        raise IdempotencyKeyMissing
    if not _KEY.fullmatch(key):
        raise IdempotencyKeyInvalid
    return key


def write_request(route: str, content: Any) -> WriteRequest:
    """What makes this request repeatable."""
    return WriteRequest(caller().client, route, idempotency_key(), content, g.request_id)


def asked(what: str) -> Asked:
    """What this request looks at, for the trail."""
    return Asked(what, g.request_id)


def if_match() -> str | None:
    """The decision that `If-Match` names. `*` names none in particular."""
    header = request.headers.get("If-Match")
    if header is None or header.strip() == "*":
        return None
    found = _ETAG.fullmatch(header.strip())
    return found.group(1) if found else header.strip()


def game_id_of(text: str) -> UUID:
    """A game's id in a path. Raises `UnknownGame` for what cannot be one."""
    return _uuid(text, UnknownGame)


def key_id_of(text: str) -> UUID:
    """An API key's id in a path. Raises `UnknownKey`."""
    return _uuid(text, UnknownKey)


def _uuid(text: str, error: type[Exception]) -> UUID:
    try:
        found = UUID(text)
    except ValueError as wrong:
        raise error from wrong
    if str(found) != text.lower():
        raise error
    return found


def cursor(text: str | None) -> UUID | None:
    """The UUID in an `after`. Raises `InvalidInput`."""
    if text is None:
        return None
    try:
        return UUID(text)
    except ValueError as wrong:
        raise InvalidInput(
            "`after` is no cursor of this list.", errors=[{"parameter": "after", "detail": "Unknown cursor."}]
        ) from wrong


def language() -> str:
    """The language in which people's texts are wanted, of those that there are; a region or a script asks for its language."""
    from moveledger.rules.registry import LANGUAGES  # noqa: PLC0415 — keeps this module free of rules otherwise

    asked_for = LanguageAccept([(tag.replace("_", "-").partition("-")[0], q) for tag, q in request.accept_languages])
    return asked_for.best_match(LANGUAGES) or LANGUAGES[0]


def accepted(*types: str) -> str:
    """The type to answer with, of those offered; the first if the client does not care. None of them has parameters, so those that
    are asked for (`charset` mostly) do not matter. Raises `NotAcceptable`.
    """
    if not request.accept_mimetypes:
        return types[0]
    found = MIMEAccept([(asked_for.partition(";")[0], q) for asked_for, q in request.accept_mimetypes]).best_match(
        types
    )
    if found is None:
        raise NotAcceptable(f"This is given as {', '.join(types)}.")
    return found


# --- answering -----------------------------------------------------------------------------------------


def reply(
    body: Any, status: int = 200, *, etag: str | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """A JSON answer."""
    text = json.dumps(body, separators=(",", ":"), ensure_ascii=False)
    return reply_bytes(text.encode(), status, etag=etag, headers=headers)


def reply_bytes(
    body: bytes, status: int = 200, *, etag: str | None = None, headers: Mapping[str, str] | None = None
) -> Response:
    """A JSON answer whose bytes are there already."""
    fields = dict(headers or {})
    if etag is not None:
        fields |= {"ETag": f'"{etag}"', "Cache-Control": "no-cache"}
    if request.method in ("GET", "HEAD"):
        fields["Vary"] = VARY
    return Response(body, status, fields, content_type="application/json")


def not_modified(etag: str) -> Response | None:
    """304 when the client has what this ETag stands for."""
    if not request.if_none_match.contains_weak(etag):  # a proxy that compresses makes ETags weak (RFC 9110, 13.1.2)
        return None
    return Response(status=304, headers={"ETag": f'"{etag}"', "Vary": VARY, "Cache-Control": "no-cache"})


def reply_written(answer: Mapping[str, Any], *, repeated: bool, location: str | None = None) -> Response:
    """201 for something made, now or by an earlier request with the same key."""
    headers = {"Idempotent-Replayed": "true"} if repeated else {}
    if location:
        headers["Location"] = location
    return reply(answer, 201, headers=headers)


def page(data: Sequence[Any], following: object | None) -> dict[str, Any]:
    """A cursor page; `following` is where the next one begins, None at the end."""
    return {"data": data, "has_more": following is not None, "next": None if following is None else str(following)}


def reply_lines(lines: Iterator[bytes]) -> Response:
    """NDJSON, streamed."""
    return Response(_begun(lines), content_type=NDJSON, headers={"Vary": VARY})


def _begun(lines: Iterator[T]) -> Iterator[T]:
    """The same, its beginning fetched now: what stands in the way of it is still answered as a problem. A record's first line
    is made without the database, its second is not.
    """
    return itertools.chain(list(itertools.islice(lines, 2)), lines)


def reply_text(lines: Iterator[str]) -> Response:
    """Text for people, streamed."""
    return Response(
        (line.encode() for line in _begun(lines)), content_type=f"{TEXT}; charset=utf-8", headers={"Vary": VARY}
    )


def json_lines(values: Iterator[Any]) -> Iterator[bytes]:
    """Values as NDJSON."""
    return (json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode() + b"\n" for value in values)
