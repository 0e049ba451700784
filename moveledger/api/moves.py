"""Moves: what is legal, playing one, trying one, resigning."""

from __future__ import annotations

from typing import Any

from flask import Response
from flask_smorest import Blueprint

from moveledger.api.description import DECISION_HEADER, KEY_HEADER, WRITE_PROBLEMS, described
from moveledger.api.requests import (
    acting_in,
    asked,
    caller,
    game_id_of,
    if_match,
    load,
    load_query,
    read_json,
    refuse_invalid_credential,
    reply,
    reply_written,
    tools,
    write_request,
)
from moveledger.schemas.answers import LegalMovesSchema, PreviewSchema, WrittenSchema
from moveledger.schemas.derive import read_action
from moveledger.schemas.requests import LegalMovesQuery, MoveInput, ResignationInput
from moveledger.services import moves as use_cases
from moveledger.services.reading import list_legal_moves

blp = Blueprint("moves", __name__, url_prefix="/v1/games/<game_id>", description="Moves")
blp.before_request(refuse_invalid_credential)

MOVE, RESIGNATION, LEGAL = MoveInput(), ResignationInput(), LegalMovesQuery()
READER = use_cases.MoveReader(read_body=lambda body: load(MOVE, body), read_action=read_action)


@blp.route("/legal-moves", methods=["GET"])
@described(blp, answer=LegalMovesSchema, query=LegalMovesQuery, problems=[403, 404, 409, 422])
def legal_moves(game_id: str) -> Response:
    """List what an awaited seat may do, and the decision that it has to make."""
    query = load_query(LEGAL)
    return reply(list_legal_moves(tools(), caller(), game_id_of(game_id), asked("legal-moves"), **query))


@blp.route("/moves", methods=["POST"])
@described(
    blp,
    answer=WrittenSchema,
    status=201,
    body=MoveInput,
    headers=[KEY_HEADER, DECISION_HEADER],
    problems=[*WRITE_PROBLEMS, 404, 409, 412],
)
def submit_move(game_id: str) -> Response:
    """Play a move.

    The answer holds every event that it made: the move, what chance answered, the end of the game.
    """
    who, game = acting_in(game_id)
    body = read_json()
    request = write_request("moves", body)
    answer, repeated = use_cases.submit_move(tools(), who, game, _wanted(body), request)
    return reply_written(answer, repeated=repeated)


@blp.route("/moves/preview", methods=["POST"])
@described(
    blp,
    answer=PreviewSchema,
    body=MoveInput,
    headers=[DECISION_HEADER],
    problems=[400, 403, 404, 409, 412, 413, 415, 422],
)
def preview_move(game_id: str) -> Response:
    """Judge a move without playing it, by what its seat may know."""
    who, game = acting_in(game_id)
    body = read_json()
    return reply(use_cases.preview_move(tools(), who, game, _wanted(body), asked("preview")))


@blp.route("/resignation", methods=["POST"])
@described(
    blp,
    answer=WrittenSchema,
    status=201,
    body=ResignationInput,
    headers=[KEY_HEADER],
    problems=[*WRITE_PROBLEMS, 404, 409],
)
def resign(game_id: str) -> Response:
    """Leave a game for good.

    What that means for those who stay is said on the ruleset's page.
    """
    who, game = acting_in(game_id)
    body = read_json()
    request = write_request("resignation", body)

    def read_seat() -> int | None:
        seat: int | None = load(RESIGNATION, body)["seat"]
        return seat

    answer, repeated = use_cases.leave_game(tools(), who, game, read_seat, request)
    return reply_written(answer, repeated=repeated)


def _wanted(body: Any) -> use_cases.WantedMove:
    return use_cases.WantedMove(body, READER, if_match())
