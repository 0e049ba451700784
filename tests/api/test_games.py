"""POST and GET /v1/games, GET /v1/games/{id}."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.service import CLOSED_HANDS, SHANGRILA, Client, Service, pointers, refused
from tests.house import fresh_key

NOWHERE = "0195b1d0-0000-7000-8000-000000000000"
"""An id that nothing has."""


def test_a_game_with_all_seats_named_starts_at_once(client: Client) -> None:
    answer = client.post(
        "/v1/games", {"ruleset": SHANGRILA, "seats": 3, "players": [{"id": f"p{seat}"} for seat in range(3)]}
    )
    game: Any = answer.json
    assert answer.status_code == 201
    assert answer.headers["Location"] == f"/v1/games/{game['id']}"
    assert game["status"] == "running"
    assert game["awaiting"] == {"seats": [0], "decisions": {"0": str(game["version"])}}
    assert game["seat_tokens"].keys() == {"0", "1", "2"}
    assert [seat["player"]["external_id"] for seat in game["seats"]] == ["p0", "p1", "p2"]


def test_a_game_without_players_waits_for_them(client: Client) -> None:
    game = client.open_game(named=False)
    assert (game["status"], game["version"], game["seat_tokens"]) == ("open", 1, {})
    assert [seat["player"] for seat in game["seats"]] == [None, None, None]


def test_opening_asks_for_a_key_with_the_scope(service: Service, anybody: Client) -> None:
    wanted = {"ruleset": SHANGRILA, "seats": 3}
    refused(anybody.post("/v1/games", wanted), 401, "unauthenticated")
    problem = refused(service.client("games:read").post("/v1/games", wanted), 403, "scope-missing")
    assert problem["scope"] == "games:write"


def test_a_seat_token_opens_no_game(client: Client) -> None:
    token = client.open_game()["seat_tokens"]["0"]
    refused(client.with_token(token).post("/v1/games", {"ruleset": SHANGRILA, "seats": 3}), 403, "scope-missing")


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"seats": 2}, ["/seats"]),
        ({"seats": "3"}, ["/seats"]),
        ({"seats": 3.0}, ["/seats"]),
        ({"seats": True}, ["/seats"]),
        ({"seats": 10**400}, ["/seats"]),
        ({"players": [{"id": "a"}]}, ["/players"]),
        ({"players": [{"id": "a"}, {"id": "a"}, {"id": "b"}]}, ["/players"]),
        ({"players": [{"id": ""}, {"id": "b"}, {"id": "c"}]}, ["/players/0/id"]),
        ({"players": [{"id": "a", "name": "n" * 101}, {"id": "b"}, {"id": "c"}]}, ["/players/0/name"]),
        ({"players": [{"id": "a\x00"}, {"id": "b\ud800"}, {"id": "c"}]}, ["/players/0/id", "/players/1/id"]),
        ({"players": [{"id": "a", "seat": 0}, {"id": "b"}, {"id": "c"}]}, ["/players/0/seat"]),
        ({"options": {"setup": "nowhere"}}, ["/options/setup"]),
        ({"options": {"colour": "red"}}, ["/options/colour"]),
        ({"options": {"a/b~c": 1}}, ["/options/a~1b~0c"]),
        ({"options": []}, ["/options"]),
        ({"visibility": "secret"}, ["/visibility"]),
        ({"entropy": "some"}, ["/entropy"]),
        ({"external_ref": "r" * 201}, ["/external_ref"]),
        ({"external_ref": 7}, ["/external_ref"]),
        ({"colour": "red", "size": 1}, ["/colour", "/size"]),
    ],
)
def test_what_is_wrong_with_a_new_game_is_pointed_at(
    client: Client, members: dict[str, Any], expected: list[str]
) -> None:
    wanted = {"ruleset": SHANGRILA, "seats": 3, **members}
    assert pointers(client.post("/v1/games", wanted)) == expected


def test_an_unknown_ruleset_is_refused_with_those_there_are(client: Client) -> None:
    problem = refused(client.post("/v1/games", {"ruleset": "chess@1", "seats": 2}), 422, "unknown-ruleset")
    assert SHANGRILA in problem["installed"]


def test_a_repeated_opening_is_answered_with_the_same_game_and_tokens(client: Client) -> None:
    key, wanted = fresh_key(), {"ruleset": CLOSED_HANDS, "seats": 2, "players": [{"id": "a"}, {"id": "b"}]}
    first, again = (client.post("/v1/games", wanted, key=key) for _ in range(2))
    assert "Idempotent-Replayed" not in first.headers
    assert again.headers["Idempotent-Replayed"] == "true"
    assert (again.status_code, again.json) == (first.status_code, first.json)
    assert again.headers["Location"] == first.headers["Location"]


def test_a_repeat_answers_as_the_first_time_whatever_has_happened_since(client: Client) -> None:
    key, wanted = fresh_key(), {"ruleset": CLOSED_HANDS, "seats": 2, "players": [{"id": "a"}, {"id": "b"}]}
    first: Any = client.post("/v1/games", wanted, key=key).json
    client.play(first["id"], moves=1)
    assert client.post("/v1/games", wanted, key=key).json == first


def test_a_key_with_another_body_is_refused_even_when_that_body_is_wrong(client: Client) -> None:
    key = fresh_key()
    client.post("/v1/games", {"ruleset": SHANGRILA, "seats": 3}, key=key)
    others: list[Any] = [{"ruleset": SHANGRILA, "seats": 4}, {"nonsense": True}, []]
    for body in others:
        refused(client.post("/v1/games", body, key=key), 422, "idempotency-key-reused")


def test_the_same_key_from_another_caller_is_another_request(service: Service) -> None:
    key, wanted = fresh_key(), {"ruleset": SHANGRILA, "seats": 3}
    games: list[Any] = [service.client().post("/v1/games", wanted, key=key).json for _ in range(2)]
    assert games[0]["id"] != games[1]["id"]


def test_a_game_is_found_by_anybody_without_what_its_key_called_the_players(client: Client, anybody: Client) -> None:
    game = client.open_game()
    own: Any = client.get(f"/v1/games/{game['id']}").json
    seen: Any = anybody.get(f"/v1/games/{game['id']}").json
    assert own == {name: value for name, value in game.items() if name != "seat_tokens"}
    assert [seat["player"]["external_id"] for seat in seen["seats"]] == [None, None, None]


@pytest.mark.parametrize("game_id", [NOWHERE, "1", "%00", "x" * 300, NOWHERE.replace("-", "")])
def test_what_is_no_game_is_not_found(anybody: Client, game_id: str) -> None:
    refused(anybody.get(f"/v1/games/{game_id}"), 404, "unknown-game")


def test_the_list_is_newest_first_in_pages(service: Service) -> None:
    client = service.client()
    ids = [client.open_game(external_ref="list-in-pages")["id"] for _ in range(5)]
    seen, after = [], ""
    for expected in (2, 2, 1):
        page: Any = client.get(f"/v1/games?external_ref=list-in-pages&limit=2{after}").json
        assert len(page["data"]) == expected
        assert page["has_more"] == (page["next"] is not None)
        seen += [game["id"] for game in page["data"]]
        after = f"&after={page['next']}"
    assert not page["has_more"]
    assert seen == ids[::-1]


def test_the_list_is_filtered(client: Client) -> None:
    first = client.open_game(CLOSED_HANDS, seats=2, external_ref="filtered")
    second = client.open_game(SHANGRILA, external_ref="filtered", named=False)
    for query, expected in [
        ("status=open", [second]),
        ("status=running", [first]),
        ("ruleset=closed_hands@1", [first]),
        ("player=player-0", [first]),
        ("player=nobody", []),
    ]:
        page: Any = client.get(f"/v1/games?external_ref=filtered&{query}").json
        assert [game["id"] for game in page["data"]] == [game["id"] for game in expected]


def test_the_list_knows_players_only_by_the_names_of_the_asking_key(service: Service) -> None:
    game = service.client().open_game(CLOSED_HANDS, seats=2, external_ref="namespaces")
    page: Any = service.client().get("/v1/games?external_ref=namespaces&player=player-0").json
    assert page["data"] == []
    page = service.client().get("/v1/games?external_ref=namespaces").json
    assert [found["id"] for found in page["data"]] == [game["id"]]


def test_the_list_shows_private_and_unlisted_games_only_to_their_key(service: Service, admin: Client) -> None:
    client = service.client()
    for visibility in ("private", "unlisted"):
        client.open_game(CLOSED_HANDS, seats=2, visibility=visibility, external_ref="hidden-ones")
    counts = [
        len(asking.get("/v1/games?external_ref=hidden-ones").json["data"])  # type: ignore[index]  # it is a page
        for asking in (client, service.client(), service.anybody, service.client("games:referee"), admin)
    ]
    assert counts == [2, 0, 0, 0, 2]
