"""API keys."""

from __future__ import annotations

from typing import Any

from flask import Response
from flask_smorest import Blueprint

from moveledger.api.description import KEY_HEADER, WRITE_PROBLEMS, described
from moveledger.api.repeats import answer_once, request_key
from moveledger.api.requests import (
    cursor,
    key_id_of,
    known_caller,
    load,
    load_query,
    page,
    read_json,
    refuse_invalid_credential,
    reply,
    reply_written,
    tools,
)
from moveledger.schemas.answers import KeySchema, NewKeySchema, page_of
from moveledger.schemas.requests import NewKeyInput, PageQuery
from moveledger.services import keys as use_cases
from moveledger.services.access import require_scope

blp = Blueprint("keys", __name__, url_prefix="/v1/keys", description="API keys; all of it needs the scope `admin`")
blp.before_request(refuse_invalid_credential)

NEW_KEY, PAGE = NewKeyInput(), PageQuery()


@blp.route("", methods=["POST"])
@described(blp, answer=NewKeySchema, status=201, body=NewKeyInput, headers=[KEY_HEADER], problems=WRITE_PROBLEMS)
def create_key() -> Response:
    """Make an API key. Its text is shown now, and again to a repeat of this request."""
    who = known_caller()
    require_scope(who, "admin")
    body = read_json()
    request = request_key("keys", body)

    def work() -> tuple[dict[str, Any], bool]:
        return use_cases.create_key(tools(), who, **load(NEW_KEY, body), request=request.key)

    answer, repeated = answer_once(request, work, use_cases.with_text)
    return reply_written(answer, repeated=repeated)


@blp.route("", methods=["GET"])
@described(blp, answer=page_of(KeySchema), query=PageQuery, problems=[403, 422])
def list_keys() -> Response:
    """List API keys, newest first, without their texts."""
    who, query = known_caller(), load_query(PAGE)
    return reply(page(*use_cases.find_keys(tools(), who, after=cursor(query["after"]), limit=query["limit"])))


@blp.route("/<key_id>", methods=["DELETE"])
@described(blp, answer=None, status=204, problems=[403, 404])
def revoke_key(key_id: str) -> Response:
    """Revoke an API key, everywhere and for good."""
    who = known_caller()
    require_scope(who, "admin")
    use_cases.withdraw_key(tools(), who, key_id_of(key_id))
    return Response(status=204)
