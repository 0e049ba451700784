"""The audit of a game: its trail, who looked, what the checks say; and the security trail."""

from __future__ import annotations

from datetime import datetime

from flask import Response
from flask_smorest import Blueprint

from moveledger.api.description import described
from moveledger.api.requests import (
    VARY,
    accepted,
    asked,
    caller,
    game_id_of,
    known_caller,
    load_query,
    page,
    refuse_invalid_credential,
    reply,
    tools,
)
from moveledger.schemas.answers import (
    LookSchema,
    RefusalEntrySchema,
    TrailEntrySchema,
    VerificationSchema,
    page_of,
)
from moveledger.schemas.requests import SecurityTrailQuery, SeqPageQuery, TrailQuery
from moveledger.services import trails, verifying
from moveledger.services.reading import look_at
from moveledger.store.trails import TrailFilter

blp = Blueprint("audit", __name__, url_prefix="/v1", description="What auditors read")
blp.before_request(refuse_invalid_credential)

TRAIL, LOOKS, SECURITY = TrailQuery(), SeqPageQuery(), SecurityTrailQuery()
JSON, CSV = "application/json", "text/csv"


@blp.route("/games/<game_id>/audit", methods=["GET"])
@described(
    blp,
    answer=page_of(TrailEntrySchema),
    query=TrailQuery,
    problems=[404, 406, 422],
    also={CSV: {"schema": {"type": "string"}}},
)
def read_trail(game_id: str) -> Response:
    """Read the audit trail: who did what, with which credential, when, in which request.

    As `text/csv`: all of it, for a spreadsheet.
    """
    query = load_query(TRAIL)
    look = look_at(tools(), caller(), game_id_of(game_id), asked("audit"))
    wanted = TrailFilter(
        seat=query["seat"],
        type=query["type"],
        client=query["client"],
        since_us=_microseconds(query["since"]),
        until_us=_microseconds(query["until"]),
    )
    if accepted(JSON, CSV) == CSV:
        lines = trails.trail_as_csv(tools(), look.facts, look.game, wanted)
        return Response(lines, content_type=f"{CSV}; charset=utf-8", headers={"Vary": VARY})
    after, limit = query["after"], query["limit"]
    return reply(page(*trails.read_trail(tools(), look.facts, look.game, wanted, after=after, limit=limit)))


@blp.route("/games/<game_id>/audit/looks", methods=["GET"])
@described(blp, answer=page_of(LookSchema), query=SeqPageQuery, problems=[404, 422])
def read_looks(game_id: str) -> Response:
    """Read who looked at a game with a referee's rights: at all of it while it ran, or at a private one."""
    query = load_query(LOOKS)
    look = look_at(tools(), caller(), game_id_of(game_id), asked("looks"))
    return reply(page(*trails.read_looks(tools(), look.facts.game_id, after=query["after"], limit=query["limit"])))


@blp.route("/games/<game_id>/audit/verification", methods=["GET"])
@described(blp, answer=VerificationSchema, problems=[404])
def read_verification(game_id: str) -> Response:
    """Read what the checks said of a game, check by check, and at which version."""
    return reply(verifying.read_verification(tools(), caller(), game_id_of(game_id)))


@blp.route("/security-trail", methods=["GET"])
@described(blp, answer=page_of(RefusalEntrySchema), query=SecurityTrailQuery, problems=[403, 422])
def read_security_trail() -> Response:
    """Read refusals, newest first: of credentials on games, and of rulings. Needs the scope `admin`.

    A refusal is kept by its code, without what was sent.
    """
    who, query = known_caller(), load_query(SECURITY)
    found = trails.read_security_trail(
        tools(), who, game_id=query["game_id"], before=query["after"], limit=query["limit"]
    )
    return reply(page(*found))


def _microseconds(moment: datetime | None) -> int | None:
    """Microseconds since 1970."""
    if moment is None:
        return None
    return int(moment.timestamp()) * 1_000_000 + moment.microsecond
