"""POST /v1/games/{id}/forks."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import pytest

from moveledger.audit.verify import verify_record
from tests.api.service import CLOSED_HANDS, Client, Service, pointers, refused
from tests.house import fresh_key

NOWHERE = "0195b1d0-0000-7000-8000-000000000000"
"""An id that nothing has."""


@pytest.fixture
def parent(client: Client) -> Any:
    """Four moves of Shangri-La."""
    game = client.open_game(external_ref="parent")
    client.play(game["id"], moves=4)
    return client.get(f"/v1/games/{game['id']}").json


@pytest.fixture
def finished(client: Client) -> Any:
    """A whole game of closed hands, which hides its hands while it runs."""
    game: Any = client.open_game(CLOSED_HANDS, seats=2)
    while game["status"] == "running":
        client.play(game["id"], moves=1)
        game = client.get(f"/v1/games/{game['id']}").json
    return game


def moved(client: Client, game: Any) -> list[int]:
    """The seqs of a game's moves after which it went on."""
    page: Any = client.get(f"/v1/games/{game['id']}/events?limit=100").json
    return [event["seq"] for event in page["data"] if event["type"] == "moved"][:-1]


def fork(client: Client, game: Any, at: int) -> Any:
    """A fork that is made."""
    answer = client.post(f"/v1/games/{game['id']}/forks", {"at": at})
    assert answer.status_code == 201, answer.get_data()
    assert answer.headers["Location"] == f"/v1/games/{answer.json['id']}"  # type: ignore[index]  # it is a game
    return answer.json


def test_a_fork_is_a_new_game_that_stands_as_its_parent_stood(client: Client, anybody: Client, parent: Any) -> None:
    at = moved(client, parent)[1]
    then: Any = anybody.get(f"/v1/games/{parent['id']}/state?at={at}").json
    game = fork(client, parent, at)
    now: Any = anybody.get(f"/v1/games/{game['id']}/state").json
    events: Any = anybody.get(f"/v1/games/{parent['id']}/events?after={at - 1}&limit=1").json
    assert game["parent"] == {"game_id": parent["id"], "seq": at, "hash": events["data"][0]["hash"]}
    assert (now["view"], now["awaiting"]["seats"]) == (then["view"], then["awaiting"]["seats"])
    assert (game["ruleset"], game["options"], game["status"]) == (parent["ruleset"], parent["options"], "running")
    assert game["external_ref"] is None
    assert game["seat_tokens"].keys() == {"0", "1", "2"}


def test_the_key_that_forks_plays_on_and_so_do_its_seats(service: Service, client: Client, parent: Any) -> None:
    stranger = service.client()
    game = fork(stranger, parent, moved(client, parent)[0])
    stranger.play(game["id"], moves=3)
    refused(client.post(f"/v1/games/{game['id']}/resignation", {"seat": 0}), 403, "not-your-seat")
    seat = stranger.with_token(game["seat_tokens"]["1"])
    assert seat.post(f"/v1/games/{game['id']}/resignation").status_code == 201
    assert client.get(f"/v1/games/{parent['id']}").json == parent


def test_the_record_of_a_fork_is_verified_by_itself(client: Client, anybody: Client, finished: Any) -> None:
    game = fork(client, finished, moved(client, finished)[0])
    client.play(game["id"], moves=1)
    inner = fork(client, finished, moved(client, finished)[0])
    for record_of in (game, inner):
        record = anybody.get(f"/v1/games/{record_of['id']}/export").get_data()
        assert finished["id"].encode() in record
        assert verify_record(BytesIO(record)).valid


def test_a_running_game_with_hidden_information_is_forked_by_nobody(
    service: Service, client: Client, admin: Client
) -> None:
    game = client.open_game(CLOSED_HANDS, seats=2)
    everybody = [client, admin, service.client("games:write", "games:referee")]
    for asking in everybody:
        refused(asking.post(f"/v1/games/{game['id']}/forks", {"at": game["version"]}), 409, "fork-would-show")


def test_a_finished_game_is_forked_by_anybody_with_a_key_for_writing(
    service: Service, client: Client, anybody: Client, finished: Any
) -> None:
    at = moved(client, finished)[0]
    path = f"/v1/games/{finished['id']}/forks"
    assert fork(service.client(), finished, at)["status"] == "running"
    refused(anybody.post(path, {"at": at}), 401, "unauthenticated")
    problem = refused(service.client("games:read", "games:referee").post(path, {"at": at}), 403, "scope-missing")
    assert problem["scope"] == "games:write"


def test_a_seat_forks_nothing(client: Client) -> None:
    game = client.open_game()
    seat = client.with_token(game["seat_tokens"]["0"])
    refused(seat.post(f"/v1/games/{game['id']}/forks", {"at": game["version"]}), 403, "scope-missing")


def test_a_private_game_is_forked_by_its_key_and_is_not_there_for_others(service: Service, client: Client) -> None:
    game = client.open_game(visibility="private")
    refused(service.client().post(f"/v1/games/{game['id']}/forks", {"at": game["version"]}), 404, "unknown-game")
    refused(service.client("games:read").post(f"/v1/games/{game['id']}/forks", {"at": 1}), 404, "unknown-game")
    made = fork(client, game, game["version"])
    assert made["visibility"] == "private"
    refused(service.client().get(f"/v1/games/{made['id']}"), 404, "unknown-game")


@pytest.mark.parametrize("game_id", [NOWHERE, "1"])
def test_what_is_no_game_is_not_forked(client: Client, game_id: str) -> None:
    refused(client.post(f"/v1/games/{game_id}/forks", {"at": 5}), 404, "unknown-game")


def test_a_fork_starts_from_an_event_after_which_a_seat_was_awaited(client: Client, finished: Any) -> None:
    page: Any = client.get(f"/v1/games/{finished['id']}/events?limit=100").json
    before_a_choice = [event["seq"] for event in page["data"] if event["type"] in ("opened", "seated", "started")]
    version = finished["version"]
    for at in (*before_a_choice, version, version + 1, 2**53):
        refused(client.post(f"/v1/games/{finished['id']}/forks", {"at": at}), 422, "fork-impossible")


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, ["/at"]),
        ({"at": 0}, ["/at"]),
        ({"at": -1}, ["/at"]),
        ({"at": "5"}, ["/at"]),
        ({"at": 5.0}, ["/at"]),
        ({"at": True}, ["/at"]),
        ({"at": None}, ["/at"]),
        ({"at": 10**400}, ["/at"]),
        ({"at": 5, "seats": 2}, ["/seats"]),
    ],
)
def test_what_is_wrong_with_a_fork_is_pointed_at(
    client: Client, parent: Any, body: dict[str, Any], expected: list[str]
) -> None:
    assert pointers(client.post(f"/v1/games/{parent['id']}/forks", body)) == expected


def test_a_repeat_is_answered_with_the_same_game_and_tokens(client: Client, parent: Any) -> None:
    path, key, at = f"/v1/games/{parent['id']}/forks", fresh_key(), moved(client, parent)[0]
    first, again = (client.post(path, {"at": at}, key=key) for _ in range(2))
    assert (again.status_code, again.json) == (201, first.json)
    assert again.headers["Idempotent-Replayed"] == "true"
    assert again.headers["Location"] == first.headers["Location"]
    refused(client.post(path, {"at": at + 1}, key=key), 422, "idempotency-key-reused")
    refused(client.post(path, {"nonsense": True}, key=key), 422, "idempotency-key-reused")


def test_a_fork_needs_a_key_of_its_own_and_takes_the_longest(client: Client, parent: Any) -> None:
    path, body = f"/v1/games/{parent['id']}/forks", {"at": moved(client, parent)[0]}
    refused(client.ask("POST", path, body), 400, "idempotency-key-missing")
    assert client.post(path, body, key="k" * 255).status_code == 201
