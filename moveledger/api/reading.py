"""Reading a game: state, events, replay, record."""

from __future__ import annotations

from flask import Response, request
from flask_smorest import Blueprint

from moveledger.api.description import LANGUAGE_HEADER, described
from moveledger.api.requests import (
    NDJSON,
    TEXT,
    accepted,
    asked,
    caller,
    game_id_of,
    json_lines,
    language,
    load_query,
    not_modified,
    page,
    refuse_invalid_credential,
    reply,
    reply_bytes,
    reply_lines,
    reply_text,
    tools,
)
from moveledger.schemas.answers import EventSchema, FrameSchema, StateSchema, page_of
from moveledger.schemas.requests import EventsQuery, ExportQuery, ReplayQuery, StateQuery
from moveledger.services import reading as use_cases
from moveledger.services.logbook import write_logbook

blp = Blueprint("reading", __name__, url_prefix="/v1/games/<game_id>", description="Reading a game")
blp.before_request(refuse_invalid_credential)

STATE, EVENTS, REPLAY, EXPORT = StateQuery(), EventsQuery(), ReplayQuery(), ExportQuery()
JSON = "application/json"
LINES = {NDJSON: {"schema": {"type": "string", "description": "One object a line"}}}
PLAIN = {TEXT: {"schema": {"type": "string", "description": "A log for people, one note a line"}}}
FORMATS = {"json": JSON, "ndjson": NDJSON, "text": TEXT}


@blp.route("/state", methods=["GET"])
@described(blp, answer=StateSchema, query=StateQuery, problems=[304, 403, 404, 422])
def read_state(game_id: str) -> Response:
    """Read how a game stands, now or after any event, as an observer sees it.

    The ETag changes when the game does.
    """
    game = game_id_of(game_id)
    if not request.query_string:
        cached = use_cases.cached_spectator_state(tools(), caller(), game)
        if cached is not None:
            return not_modified(cached[0]) or reply_bytes(cached[1], etag=cached[0])
    query = load_query(STATE)
    look = use_cases.look_at(tools(), caller(), game, asked("state"), query["as_"])
    etag = look.etag if query["at"] is None else f"{look.etag}-{query['at']}"
    unchanged = not_modified(etag)
    if unchanged is not None:
        return unchanged
    if query["at"] is None and look.is_spectator:
        return reply_bytes(use_cases.spectator_state(tools(), look.facts, look.game)[1], etag=etag)
    return reply(use_cases.state_at(tools(), look, query["at"]), etag=etag)


@blp.route("/events", methods=["GET"])
@described(blp, answer=page_of(EventSchema), query=EventsQuery, problems=[403, 404, 406, 422], also=LINES)
def list_events(game_id: str) -> Response:
    """List the events of a game in order, as an observer may see them.

    As `application/x-ndjson`: all of them after `after`, one a line.
    """
    query = load_query(EVENTS)
    look = use_cases.look_at(tools(), caller(), game_id_of(game_id), asked("events"), query["as_"])
    after, limit = query["after"], query["limit"]
    if accepted(JSON, NDJSON) == NDJSON:
        return reply_lines(json_lines(use_cases.stream_events(tools(), look, after=after)))
    last = min(after + limit, look.game.version)
    events = list(use_cases.stream_events(tools(), look, after=after, upto=last))
    return reply(page(events, last if last < look.game.version else None))


@blp.route("/replay", methods=["GET"])
@described(
    blp,
    answer=page_of(FrameSchema),
    query=ReplayQuery,
    headers=[LANGUAGE_HEADER],
    problems=[403, 404, 406, 422],
    also={**LINES, **PLAIN},
)
def replay_game(game_id: str) -> Response:
    """Replay a game: a frame for each event, with the view after it and what happened in words.

    As `application/x-ndjson` (or `format=ndjson`): all frames of the range, one a line. As `text/plain` (or `format=text`): the notes of
    those frames as a log for people.
    """
    query, words = load_query(REPLAY), language()
    look = use_cases.look_at(tools(), caller(), game_id_of(game_id), asked("replay"), query["as_"])
    kind = FORMATS[query["format"]] if query["format"] else accepted(JSON, NDJSON, TEXT)
    last = look.game.version if query["to"] is None else min(query["to"], look.game.version)
    use_cases.require_range(query["from_"], query["to"])
    first = max(query["from_"], query["after"] + 1)
    end = last if kind != JSON else min(first + query["limit"] - 1, last)
    frames = use_cases.stream_frames(tools(), look, first=first, last=end, language=words)
    if kind == TEXT:
        answer = reply_text(write_logbook(look, frames, words))
    elif kind == NDJSON:
        answer = reply_lines(json_lines(frames))
    else:
        answer = reply(page(list(frames), end if end < last else None))
    answer.headers["Content-Language"] = words
    return answer


@blp.route("/export", methods=["GET"])
@described(blp, answer=None, query=ExportQuery, problems=[403, 404, 422], also=LINES)
def export_record(game_id: str) -> Response:
    """Export the record of a game: one file for `moveledger verify`.

    While the game runs, sealed bodies are closed in it unless you may see them.
    """
    look = use_cases.look_at(tools(), caller(), game_id_of(game_id), asked("export"), load_query(EXPORT)["as_"])
    answer = reply_lines(use_cases.export_record(tools(), look))
    answer.headers["Content-Disposition"] = f'attachment; filename="{look.facts.game_id}.ndjson"'
    return answer
