"""What referees and other people do to a game from outside: rulings and forks. Nothing of it edits a log."""

from __future__ import annotations

from typing import Any

from flask import Response
from flask_smorest import Blueprint

from moveledger.api.description import KEY_HEADER, WRITE_PROBLEMS, described
from moveledger.api.repeats import answer_once, request_key
from moveledger.api.requests import (
    game_id_of,
    known_caller,
    load,
    read_json,
    refuse_invalid_credential,
    reply_written,
    tools,
    write_request,
)
from moveledger.schemas.answers import NewGameSchema, WrittenSchema
from moveledger.schemas.requests import ForkInput, RulingInput
from moveledger.services import rulings as use_cases
from moveledger.services.entrance import find_game_to_fork, find_game_to_rule_on
from moveledger.services.forks import fork_game as fork
from moveledger.services.games import with_tokens

blp = Blueprint("rulings", __name__, url_prefix="/v1/games/<game_id>", description="Rulings and forks")
blp.before_request(refuse_invalid_credential)

RULING, FORK = RulingInput(), ForkInput()


@blp.route("/rulings", methods=["POST"])
@described(
    blp,
    answer=WrittenSchema,
    status=201,
    body=RulingInput,
    headers=[KEY_HEADER],
    problems=[*WRITE_PROBLEMS, 404, 409],
)
def rule(game_id: str) -> Response:
    """Rule on a game, as its referee.

    `abort` ends it, `remove_seat` takes a seat out, `rewind` lets it stand as it stood after event `to`, `adjudicate` ends it with
    placings, `annul` says that a finished game does not count. Each is an event with its reason.
    """
    who, game = known_caller(), game_id_of(game_id)
    find_game_to_rule_on(tools(), who, game)
    body = read_json()
    request = write_request("rulings", body)

    def read_ruling() -> use_cases.Ruling:
        return _ruling(load(RULING, body))

    answer, repeated = use_cases.rule(tools(), who, game, read_ruling, request)
    return reply_written(answer, repeated=repeated)


@blp.route("/forks", methods=["POST"])
@described(
    blp, answer=NewGameSchema, status=201, body=ForkInput, headers=[KEY_HEADER], problems=[*WRITE_PROBLEMS, 404, 409]
)
def fork_game(game_id: str) -> Response:
    """Open a new game that stands as this one stood after event `at`.

    Its log holds only its own events and names its parent's. The key that forks acts for all its seats.
    """
    who, parent = known_caller(), game_id_of(game_id)
    find_game_to_fork(tools(), who, parent)
    body = read_json()
    request = request_key(f"forks:{parent}", body)

    def work() -> tuple[dict[str, Any], bool]:
        return fork(tools(), who, parent, at=load(FORK, body)["at"], request=request.key, request_id=request.request_id)

    answer, repeated = answer_once(request, work, with_tokens)
    return reply_written(answer, repeated=repeated, location=f"/v1/games/{answer['id']}")


def _ruling(found: dict[str, Any]) -> use_cases.Ruling:
    wanted: use_cases.Wanted
    match found["type"]:
        case "abort":
            wanted = use_cases.Abort()
        case "remove_seat":
            wanted = use_cases.RemoveSeat(found["seat"])
        case "rewind":
            wanted = use_cases.Rewind(found["to"], redraw=found.get("redraw", False))
        case "adjudicate":
            scores = found.get("scores")
            wanted = use_cases.Adjudicate(tuple(found["placings"]), None if scores is None else tuple(scores))
        case _:
            wanted = use_cases.Annul()
    return use_cases.Ruling(wanted, found["reason"])
