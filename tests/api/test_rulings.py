"""POST /v1/games/{id}/rulings."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from tests.api.service import CLOSED_HANDS, SHANGRILA, Client, Service, pointers, refused, seq_of
from tests.house import fresh_key

REASON = "a finger slipped"


@pytest.fixture
def referee(service: Service) -> Client:
    """The holder of a fresh key that may rule."""
    return service.client("games:referee")


@pytest.fixture
def game_id(client: Client) -> str:
    """Four moves of Shangri-La."""
    game: Any = client.open_game()
    client.play(game["id"], moves=4)
    return str(game["id"])


def ruling(type_: str, **members: Any) -> dict[str, Any]:
    """The body of a ruling."""
    return {"type": type_, "reason": REASON, **members}


def rule(referee: Client, game_id: str, type_: str, **members: Any) -> Any:
    """A ruling that is accepted."""
    answer = referee.post(f"/v1/games/{game_id}/rulings", ruling(type_, **members))
    assert answer.status_code == 201, answer.get_data()
    return answer.json


def types(answer: Any) -> list[str]:
    """The types of the events that a ruling made."""
    return [event["type"] for event in answer["events"]]


def moved(client: Client, game_id: str) -> list[int]:
    """The seqs of a game's moves."""
    page: Any = client.get(f"/v1/games/{game_id}/events?limit=100").json
    return [event["seq"] for event in page["data"] if event["type"] == "moved"]


def test_a_game_is_rewound(client: Client, anybody: Client, referee: Client, game_id: str) -> None:
    to = moved(client, game_id)[1]
    then: Any = anybody.get(f"/v1/games/{game_id}/state?at={to}").json
    answer = rule(referee, game_id, "rewind", to=to)
    now: Any = anybody.get(f"/v1/games/{game_id}/state").json
    version = answer["version"]
    assert types(answer) == ["ruled"]
    assert (now["version"], now["view"]) == (version, then["view"])
    assert now["awaiting"]["seats"] == then["awaiting"]["seats"]
    assert set(now["awaiting"]["decisions"].values()) == {str(version)}
    seat = now["awaiting"]["seats"][0]
    assert client.legal(game_id, seat)["decision"] == str(version)
    client.play(game_id, moves=2)


def test_a_move_that_answers_what_was_before_the_ruling_is_stale(client: Client, referee: Client, game_id: str) -> None:
    game: Any = client.get(f"/v1/games/{game_id}").json
    seat = game["awaiting"]["seats"][0]
    offered = client.legal(game_id, seat)
    rule(referee, game_id, "rewind", to=moved(client, game_id)[0])
    problem = refused(
        client.post(
            f"/v1/games/{game_id}/moves",
            {"seat": seat, "action": offered["data"][0]},
            headers={"If-Match": f'"{offered["decision"]}"'},
        ),
        412,
        "stale-decision",
    )
    assert problem["missed_events"][-1]["body"] == ruling_in_log("rewind", to=moved(client, game_id)[0])


def ruling_in_log(name: str, **members: Any) -> dict[str, Any]:
    """The body of `ruled`."""
    return {"ruling": name, "reason": REASON, **members}


def test_a_game_is_aborted(client: Client, referee: Client, game_id: str) -> None:
    answer = rule(referee, game_id, "abort")
    game: Any = client.get(f"/v1/games/{game_id}").json
    assert types(answer) == ["ruled", "aborted"]
    assert (game["status"], game["outcome"]) == ("aborted", None)


def test_a_seat_is_removed(client: Client, referee: Client, game_id: str) -> None:
    answer = rule(referee, game_id, "remove_seat", seat=2)
    game: Any = client.get(f"/v1/games/{game_id}").json
    assert types(answer)[:2] == ["ruled", "left"]
    assert [seat["left"] for seat in game["seats"]] == [False, False, True]


def test_a_game_is_adjudicated_and_annulled(client: Client, referee: Client, game_id: str) -> None:
    answer = rule(referee, game_id, "adjudicate", placings=[1, 1, 3], scores=[4, 4, 2])
    outcome = {"placings": [1, 1, 3], "scores": [4, 4, 2], "reason": "adjudicated"}
    assert (types(answer), answer["outcome"]) == (["ruled", "finished"], outcome)
    assert client.get(f"/v1/games/{game_id}").json["annulled"] is False  # type: ignore[index]  # it is a game
    assert types(rule(referee, game_id, "annul")) == ["ruled"]
    game: Any = client.get(f"/v1/games/{game_id}").json
    assert (game["annulled"], game["status"], game["outcome"]) == (True, "finished", outcome)


@pytest.mark.parametrize(
    ("type_", "members"),
    [
        ("abort", {}),
        ("remove_seat", {"seat": 0}),
        ("rewind", {"to": 6}),
        ("adjudicate", {"placings": [1, 2, 3]}),
    ],
)
def test_the_reason_is_shown_in_events_replay_trail_and_record(
    anybody: Client, referee: Client, game_id: str, type_: str, members: dict[str, Any]
) -> None:
    seq = rule(referee, game_id, type_, **members)["events"][0]["seq"]
    page: Any = anybody.get(f"/v1/games/{game_id}/events?after={seq - 1}&limit=1").json
    frames: Any = anybody.get(f"/v1/games/{game_id}/replay?from={seq}&to={seq}").json
    trail: Any = anybody.get(f"/v1/games/{game_id}/audit?after={seq - 1}&limit=1").json
    assert page["data"][0]["body"]["reason"] == REASON
    assert frames["data"][0]["event"]["body"]["reason"] == REASON
    assert (trail["data"][0]["ruling"], trail["data"][0]["reason"]) == (type_, REASON)
    assert trail["data"][0]["client"] == str(referee.key_id)
    assert REASON.encode() in anybody.get(f"/v1/games/{game_id}/export").get_data()


def test_a_referee_is_shown_no_more_in_the_answer_than_a_spectator(client: Client, referee: Client) -> None:
    """A ruling is no look at the hands."""
    game = client.open_game(CLOSED_HANDS, seats=2)
    answer = rule(referee, game["id"], "remove_seat", seat=0)
    assert answer["status"] == "finished"
    other = client.open_game(CLOSED_HANDS, seats=3)
    answer = rule(referee, other["id"], "remove_seat", seat=0)
    assert all(event["body"] is None for event in answer["events"] if event["sealed"])


# --- who may ------------------------------------------------------------------------------------------------


def test_only_a_key_with_the_scope_rules(service: Service, client: Client, anybody: Client, game_id: str) -> None:
    path, body = f"/v1/games/{game_id}/rulings", ruling("abort")
    refused(anybody.post(path, body), 401, "unauthenticated")
    assert refused(client.post(path, body), 403, "scope-missing")["scope"] == "games:referee"
    refused(service.client("audit:read", "games:write", "games:read").post(path, body), 403, "scope-missing")
    assert service.client("admin").post(path, body).status_code == 201


def test_a_seat_does_not_rule(client: Client) -> None:
    game = client.open_game()
    seat = client.with_token(game["seat_tokens"]["0"])
    refused(seat.post(f"/v1/games/{game['id']}/rulings", ruling("abort")), 403, "scope-missing")


def test_a_private_game_is_ruled_on_and_does_not_exist_for_those_without_the_scope(
    service: Service, client: Client, referee: Client
) -> None:
    game = client.open_game(visibility="private")
    path = f"/v1/games/{game['id']}/rulings"
    refused(service.client().post(path, ruling("abort")), 404, "unknown-game")
    refused(client.post(path, ruling("abort")), 403, "scope-missing")
    rule(referee, game["id"], "abort")


def test_an_unknown_game_is_not_ruled_on(referee: Client) -> None:
    refused(referee.post(f"/v1/games/{uuid4()}/rulings", ruling("abort")), 404, "unknown-game")


# --- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, ["/reason", "/type"]),
        ({"type": "pardon", "reason": REASON}, ["/type"]),
        ({"type": "abort"}, ["/reason"]),
        ({"type": "abort", "reason": ""}, ["/reason"]),
        ({"type": "abort", "reason": "r" * 501}, ["/reason"]),
        ({"type": "abort", "reason": "a\nb"}, ["/reason"]),
        ({"type": "abort", "reason": None}, ["/reason"]),
        (ruling("abort", seat=1), ["/seat"]),
        (ruling("abort", colour="red"), ["/colour"]),
        (ruling("abort", to=3, redraw=True), ["/redraw", "/to"]),
        (ruling("annul", placings=[1, 2, 3]), ["/placings"]),
        (ruling("remove_seat"), ["/seat"]),
        (ruling("remove_seat", seat="1"), ["/seat"]),
        (ruling("remove_seat", seat=-1), ["/seat"]),
        (ruling("remove_seat", seat=1, to=2), ["/to"]),
        (ruling("rewind"), ["/to"]),
        (ruling("rewind", to=True), ["/to"]),
        (ruling("rewind", to=5.0), ["/to"]),
        (ruling("rewind", to=10**400), ["/to"]),
        (ruling("rewind", to=5, redraw=1), ["/redraw"]),
        (ruling("rewind", to=5, scores=[1]), ["/scores"]),
        (ruling("adjudicate"), ["/placings"]),
        (ruling("adjudicate", placings=[1, 2]), ["/placings"]),
        (ruling("adjudicate", placings=[1, 1, 2]), ["/placings"]),
        (ruling("adjudicate", placings=[1, "2", 3]), ["/placings/1"]),
        (ruling("adjudicate", placings=[1, 2, 3], scores=[1, 2]), ["/scores"]),
        (ruling("adjudicate", placings=[1, 2, 3], scores=[2**60, 0, 0]), ["/scores/0"]),
        (ruling("adjudicate", placings=[1, 2, 3], seat=0), ["/seat"]),
    ],
)
def test_what_is_wrong_with_a_ruling_is_pointed_at(
    referee: Client, game_id: str, body: dict[str, Any], expected: list[str]
) -> None:
    assert pointers(referee.post(f"/v1/games/{game_id}/rulings", body)) == expected


@pytest.mark.parametrize("body", [[], "abort", 7])
def test_a_ruling_is_an_object(referee: Client, game_id: str, body: Any) -> None:
    refused(referee.post(f"/v1/games/{game_id}/rulings", body), 422, "validation")


@pytest.mark.parametrize("to", [-1, 0, 1, 2, 9, 2**53])
def test_a_rewind_to_where_no_seat_was_awaited_or_nothing_is_yet_is_impossible(
    client: Client, referee: Client, game_id: str, to: int
) -> None:
    version = client.get(f"/v1/games/{game_id}").json["version"]  # type: ignore[index]  # it is a game
    assert version == 9
    refused(referee.post(f"/v1/games/{game_id}/rulings", ruling("rewind", to=to)), 422, "rewind-impossible")


def test_a_rewind_to_where_chance_was_awaited_is_impossible(client: Client, referee: Client) -> None:
    game = client.open_game(CLOSED_HANDS, seats=2)
    client.play(game["id"], moves=1)
    page: Any = client.get(f"/v1/games/{game['id']}/events").json
    between = [event["seq"] for event in page["data"] if event["type"] in ("started", "drawn")][:-1]
    assert len(between) == 3
    for to in between:
        refused(referee.post(f"/v1/games/{game['id']}/rulings", ruling("rewind", to=to)), 422, "rewind-impossible")


def test_a_rewind_across_draws_asks_for_a_word(client: Client, referee: Client) -> None:
    game = client.open_game(CLOSED_HANDS, seats=2)
    to = game["version"]
    drawn = client.get(f"/v1/games/{game['id']}").json["fairness"]["drawn"]  # type: ignore[index]  # it is a game
    client.play(game["id"], moves=2)
    problem = refused(
        referee.post(f"/v1/games/{game['id']}/rulings", ruling("rewind", to=to, redraw=False)), 422, "redraw-not-said"
    )
    after: Any = client.get(f"/v1/games/{game['id']}").json
    assert problem["draws"] == after["fairness"]["drawn"] - drawn
    answer = rule(referee, game["id"], "rewind", to=to, redraw=True)
    assert answer["events"][0]["body"] == ruling_in_log("rewind", to=to, redraw=True)


def test_a_game_that_is_over_is_only_annulled_and_once(client: Client, referee: Client, game_id: str) -> None:
    path = f"/v1/games/{game_id}/rulings"
    to = moved(client, game_id)[0]
    refused(referee.post(path, ruling("annul")), 409, "game-not-finished")
    rule(referee, game_id, "adjudicate", placings=[1, 2, 3])
    refused(referee.post(path, ruling("abort")), 409, "game-over")
    refused(referee.post(path, ruling("remove_seat", seat=0)), 409, "game-over")
    refused(referee.post(path, ruling("adjudicate", placings=[3, 2, 1])), 409, "game-over")
    refused(referee.post(path, ruling("rewind", to=to)), 422, "rewind-impossible")
    rule(referee, game_id, "annul")
    refused(referee.post(path, ruling("annul")), 409, "game-not-finished")


def test_a_seat_that_is_not_there_is_not_removed(referee: Client, client: Client, game_id: str) -> None:
    path = f"/v1/games/{game_id}/rulings"
    refused(referee.post(path, ruling("remove_seat", seat=3)), 404, "unknown-seat")
    rule(referee, game_id, "remove_seat", seat=1)
    refused(referee.post(path, ruling("remove_seat", seat=1)), 409, "seat-left")


def test_a_game_that_waits_for_players_is_only_aborted(client: Client, referee: Client) -> None:
    game = client.open_game(SHANGRILA, named=False)
    path = f"/v1/games/{game['id']}/rulings"
    refused(referee.post(path, ruling("remove_seat", seat=0)), 409, "game-not-started")
    refused(referee.post(path, ruling("adjudicate", placings=[1, 2, 3])), 409, "game-not-started")
    refused(referee.post(path, ruling("rewind", to=1)), 422, "rewind-impossible")
    rule(referee, game["id"], "abort")


def test_a_ruling_needs_a_key_of_its_own(referee: Client, game_id: str) -> None:
    path = f"/v1/games/{game_id}/rulings"
    refused(referee.ask("POST", path, ruling("abort")), 400, "idempotency-key-missing")


def test_a_repeat_is_answered_as_the_first_time(client: Client, referee: Client, game_id: str) -> None:
    path, key, body = f"/v1/games/{game_id}/rulings", fresh_key(), ruling("rewind", to=moved(client, game_id)[0])
    first = referee.post(path, body, key=key)
    client.play(game_id, moves=1)
    rule(referee, game_id, "abort")
    again = referee.post(path, body, key=key)
    assert (again.status_code, again.json) == (201, first.json)
    assert again.headers["Idempotent-Replayed"] == "true"
    refused(referee.post(path, ruling("abort"), key=key), 422, "idempotency-key-reused")


def test_the_rewound_part_stays_among_the_events(client: Client, referee: Client, game_id: str) -> None:
    before: Any = client.get(f"/v1/games/{game_id}/events?limit=100").json
    rule(referee, game_id, "rewind", to=moved(client, game_id)[0])
    after: Any = client.get(f"/v1/games/{game_id}/events?limit=100").json
    assert after["data"][:-1] == before["data"]
    assert seq_of(after["data"]) == list(range(1, len(after["data"]) + 1))
