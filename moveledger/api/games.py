"""Games: open, find, list; seats: claim them and add to the game's chance."""

from __future__ import annotations

from typing import Any

from flask import Response
from flask_smorest import Blueprint

from moveledger.api.description import KEY_HEADER, WRITE_PROBLEMS, described
from moveledger.api.repeats import answer_once, request_key
from moveledger.api.requests import (
    acting_in,
    asked,
    caller,
    cursor,
    game_id_of,
    joining,
    known_caller,
    load,
    load_query,
    page,
    read_json,
    refuse_invalid_credential,
    reply,
    reply_written,
    tools,
    write_request,
)
from moveledger.schemas.answers import ClaimSchema, EntropySchema, GameSchema, NewGameSchema, page_of
from moveledger.schemas.requests import ClaimInput, EntropyInput, GamesQuery, NewGameInput
from moveledger.services import games as use_cases
from moveledger.services.access import require_scope

blp = Blueprint("games", __name__, url_prefix="/v1", description="Games and their seats")
blp.before_request(refuse_invalid_credential)

NEW_GAME, CLAIM, ENTROPY, GAMES = NewGameInput(), ClaimInput(), EntropyInput(), GamesQuery()


@blp.route("/games", methods=["POST"])
@described(
    blp, answer=NewGameSchema, status=201, body=NewGameInput, headers=[KEY_HEADER], problems=[*WRITE_PROBLEMS, 409]
)
def open_game() -> Response:
    """Open a game.

    With a player named for every seat it starts at once; otherwise its seats are open to be claimed.
    """
    require_scope(known_caller(), "games:write")
    body = read_json()
    request = request_key("games", body)

    def work() -> tuple[dict[str, Any], bool]:
        found = load(NEW_GAME, body)
        players = [use_cases.NewPlayer(**player) for player in found.pop("players")]
        wanted = use_cases.NewGame(**found, players=players)
        return use_cases.open_game(tools(), caller(), wanted, request.key, request.request_id)

    answer, repeated = answer_once(request, work, use_cases.with_tokens)
    return reply_written(answer, repeated=repeated, location=f"/v1/games/{answer['id']}")


@blp.route("/games", methods=["GET"])
@described(blp, answer=page_of(GameSchema), query=GamesQuery, problems=[422])
def list_games() -> Response:
    """List games, newest first.

    Public ones, and those of any visibility that your key opened.
    """
    query = load_query(GAMES)
    after, limit = cursor(query.pop("after")), query.pop("limit")
    return reply(page(*use_cases.find_games(tools(), caller(), query, after=after, limit=limit)))


@blp.route("/games/<game_id>", methods=["GET"])
@described(blp, answer=GameSchema, problems=[404])
def find_game(game_id: str) -> Response:
    """Find a game."""
    return reply(use_cases.find_game_resource(tools(), caller(), game_id_of(game_id), asked("game")))


@blp.route("/games/<game_id>/seats/<int:seat>/claim", methods=["POST"])
@described(
    blp, answer=ClaimSchema, status=201, body=ClaimInput, headers=[KEY_HEADER], problems=[*WRITE_PROBLEMS, 404, 409]
)
def claim_seat(game_id: str, seat: int) -> Response:
    """Take an open seat.

    Of two who try, exactly one gets it. The last seat taken starts the game.
    """
    who, game = joining(game_id)
    body = read_json()
    request = write_request(f"claim:{seat}", body)

    def read_player() -> use_cases.NewPlayer:
        return use_cases.NewPlayer(**load(CLAIM, body)["player"])

    answer, repeated = use_cases.claim_seat(tools(), who, game, seat=seat, read_player=read_player, request=request)
    return reply_written(answer, repeated=repeated)


@blp.route("/games/<game_id>/seats/<int:seat>/entropy", methods=["POST"])
@described(
    blp, answer=EntropySchema, status=201, body=EntropyInput, headers=[KEY_HEADER], problems=[*WRITE_PROBLEMS, 404, 409]
)
def give_entropy(game_id: str, seat: int) -> Response:
    """Add a seat's entropy to the game's chance.

    First every seat commits, then every seat opens; the game starts when all have opened.
    """
    who, game = acting_in(game_id)
    body = read_json()
    request = write_request(f"entropy:{seat}", body)

    def read_given() -> dict[str, str]:
        return load(ENTROPY, body)

    answer, repeated = use_cases.give_entropy(tools(), who, game, seat=seat, read_given=read_given, request=request)
    return reply_written(answer, repeated=repeated)
