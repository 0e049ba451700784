"""POST /v1/games/{id}/moves and what belongs to it: legal moves, previews, resignation."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from tests.api.service import CLOSED_HANDS, SHANGRILA, Client, Service, pointers, refused
from tests.house import fresh_key

PASS = {"type": "pass"}


@pytest.fixture
def hands(client: Client) -> Any:
    """A running game of closed hands; both seats are awaited."""
    return client.open_game(CLOSED_HANDS, seats=2)


def moves(game: Any) -> str:
    return f"/v1/games/{game['id']}/moves"


def test_a_move_answers_with_the_events_it_made(client: Client, hands: Any) -> None:
    client.post(moves(hands), {"seat": 0, "action": PASS})
    answer: Any = client.post(moves(hands), {"seat": 1, "action": PASS})
    body = answer.json
    assert answer.status_code == 201
    assert [event["type"] for event in body["events"]] == ["moved", "drawn", "drawn"]
    assert (body["game_id"], body["version"], body["status"]) == (hands["id"], hands["version"] + 4, "running")
    assert body["receipt"]["hash"] == body["events"][0]["hash"]
    assert body["awaiting"]["seats"] == [0, 1]


def test_a_repeat_carries_its_mark_and_the_same_answer(client: Client, hands: Any) -> None:
    key, body = fresh_key(), {"seat": 0, "action": PASS}
    first, again = (client.post(moves(hands), body, key=key) for _ in range(2))
    assert "Idempotent-Replayed" not in first.headers
    assert (again.status_code, again.headers["Idempotent-Replayed"], again.json) == (201, "true", first.json)
    refused(client.post(moves(hands), {"seat": 1, "action": PASS}, key=key), 422, "idempotency-key-reused")


@pytest.mark.parametrize(("ruleset", "seats"), [(SHANGRILA, 3), (CLOSED_HANDS, 2)])
def test_a_repeat_is_answered_byte_for_byte_as_the_first_time(client: Client, ruleset: str, seats: int) -> None:
    game, types = client.open_game(ruleset, seats=seats), set()
    for _ in range(8):
        at: Any = client.get(f"/v1/games/{game['id']}").json
        if not at["awaiting"]["seats"]:
            break
        seat, key = at["awaiting"]["seats"][0], fresh_key()
        body = {"seat": seat, "action": client.legal(game["id"], seat)["data"][-1]}
        first, again = (client.post(moves(game), body, key=key) for _ in range(2))
        assert (again.headers["Idempotent-Replayed"], again.get_data()) == ("true", first.get_data())
        made: Any = first.json
        types |= {event["type"] for event in made["events"]}
    assert types >= ({"moved", "drawn"} if ruleset == CLOSED_HANDS else {"moved"})


def test_a_repeated_resignation_is_answered_byte_for_byte_as_the_first_time(client: Client, hands: Any) -> None:
    key, path = fresh_key(), f"/v1/games/{hands['id']}/resignation"
    first, again = (client.post(path, {"seat": 0}, key=key) for _ in range(2))
    assert (again.headers["Idempotent-Replayed"], again.get_data()) == ("true", first.get_data())


def test_the_request_s_id_stands_on_its_events(client: Client, hands: Any) -> None:
    answer: Any = client.post(moves(hands), {"seat": 0, "action": PASS}, headers={"Request-Id": "from-the-client.1"})
    assert answer.headers["Request-Id"] == "from-the-client.1"
    assert {event["request_id"] for event in answer.json["events"]} == {"from-the-client.1"}


# --- the order of judgement ----------------------------------------------------------------------------------


def test_each_refusal_comes_before_all_that_follow_it(service: Service, client: Client, hands: Any) -> None:
    """A request in which everything is wrong is told one thing after the other, as each is mended."""
    used = fresh_key()
    client.post(moves(hands), {"seat": 0, "action": PASS}, key=used)
    client.play(hands["id"], moves=3)
    private = client.open_game(CLOSED_HANDS, seats=2, visibility="private")
    stranger = service.client()
    broken: dict[str, Any] = {"data": "{", "content_type": "application/json"}

    def send(asking: Client, path: str, headers: dict[str, str] | None = None, **body: Any) -> Any:
        return asking.ask("POST", path, headers={"If-Match": '"1"', **(headers or {})}, **(body or broken))

    wrong = {"seat": 0, "action": {"type": "nothing"}}
    refused(send(client.with_token("mlk_nonsense"), f"/v1/games/{uuid4()}/moves"), 401, "unauthenticated")
    refused(send(service.anybody, f"/v1/games/{uuid4()}/moves"), 401, "unauthenticated")
    refused(send(client, f"/v1/games/{uuid4()}/moves"), 404, "unknown-game")
    refused(send(stranger, moves(private)), 404, "unknown-game")
    refused(send(stranger, moves(hands)), 403, "not-your-seat")
    refused(send(service.client("games:read"), moves(hands)), 403, "scope-missing")
    refused(send(client, moves(hands)), 400, "unreadable")
    refused(send(client, moves(hands), body=wrong), 400, "idempotency-key-missing")
    refused(send(client, moves(hands), {"Idempotency-Key": used}, body=wrong), 422, "idempotency-key-reused")
    refused(send(client, moves(hands), {"Idempotency-Key": fresh_key()}, body=wrong), 422, "validation")
    legal = {"seat": 0, "action": PASS}
    refused(send(client, moves(hands), {"Idempotency-Key": fresh_key()}, body=legal), 412, "stale-decision")
    refused(client.post(moves(hands), legal), 409, "game-over")


@pytest.mark.parametrize("path", ["/moves", "/moves/preview", "/resignation", "/seats/0/claim", "/seats/0/entropy"])
def test_who_may_not_is_told_so_before_anything_of_the_request_is_read(
    service: Service, client: Client, path: str
) -> None:
    broken: dict[str, Any] = {"data": "{", "content_type": "text/plain"}
    private = client.open_game(CLOSED_HANDS, seats=2, visibility="private")
    hands = client.open_game(CLOSED_HANDS, seats=2)
    refused(service.anybody.ask("POST", f"/v1/games/{hands['id']}{path}", **broken), 401, "unauthenticated")
    refused(client.ask("POST", f"/v1/games/{uuid4()}{path}", **broken), 404, "unknown-game")
    refused(service.client().ask("POST", f"/v1/games/{private['id']}{path}", **broken), 404, "unknown-game")
    elsewhere = client.with_token(private["seat_tokens"]["0"])
    answer = elsewhere.ask("POST", f"/v1/games/{hands['id']}{path}", **broken)
    refused(answer, 403, "scope-missing" if path.endswith("claim") else "not-your-seat")
    refused(elsewhere.ask("POST", f"/v1/games/{uuid4()}{path}", **broken), 404, "unknown-game")


def test_the_turn_is_judged_before_the_rules(client: Client) -> None:
    game = client.open_game()
    problem = refused(client.post(moves(game), {"seat": 1, "action": PASS}), 409, "not-to-move")
    assert problem["awaited"] == [0]
    problem = client.post(moves(game), {"seat": 0, "action": PASS}).json
    assert problem
    assert problem["status"] == 422
    assert problem["code"].startswith("shangrila.")


def test_a_game_that_waits_for_players_takes_no_move(client: Client) -> None:
    game = client.open_game(CLOSED_HANDS, seats=2, named=False)
    refused(client.post(moves(game), {"seat": 0, "action": PASS}), 409, "game-not-started")
    refused(client.post(f"/v1/games/{game['id']}/resignation", {"seat": 0}), 409, "game-not-started")


# --- decisions -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ['"{}"', "{}", 'W/"{}"', ' "{}" '])
def test_the_present_decision_is_taken_in_any_form(client: Client, hands: Any, form: str) -> None:
    decision = hands["awaiting"]["decisions"]["0"]
    answer = client.post(moves(hands), {"seat": 0, "action": PASS}, headers={"If-Match": form.format(decision)})
    assert answer.status_code == 201


def test_any_decision_will_do_for_a_star(client: Client, hands: Any) -> None:
    assert client.post(moves(hands), {"seat": 0, "action": PASS}, headers={"If-Match": "*"}).status_code == 201


def test_a_stale_decision_is_refused_with_what_was_missed(client: Client, hands: Any) -> None:
    stale = hands["awaiting"]["decisions"]["0"]
    client.play(hands["id"], moves=2)
    answer = client.post(moves(hands), {"seat": 0, "action": PASS}, headers={"If-Match": f'"{stale}"'})
    problem = refused(answer, 412, "stale-decision")
    now: Any = client.get(f"/v1/games/{hands['id']}").json
    assert (problem["decision"], problem["version"]) == (now["awaiting"]["decisions"]["0"], now["version"])
    assert [event["seq"] for event in problem["missed_events"]] == list(range(int(stale) + 1, now["version"] + 1))


# --- legal moves -----------------------------------------------------------------------------------------------


def test_legal_moves_come_in_pages_with_the_decision(client: Client) -> None:
    game = client.open_game()
    path = f"/v1/games/{game['id']}/legal-moves?seat=0"
    whole: Any = client.get(f"{path}&limit=100").json
    seen: list[Any] = []
    page: Any = {"next": "0"}
    while page["next"] is not None:
        page = client.get(f"{path}&limit=10&after={page['next']}").json
        assert page["decision"] == game["awaiting"]["decisions"]["0"]
        seen += page["data"]
    assert seen == whole["data"]
    assert len(seen) > 10


def test_every_legal_move_is_one_of_the_ruleset_s_schema(service: Service, client: Client) -> None:
    game = client.open_game(CLOSED_HANDS, seats=2)
    schema: Any = client.get(f"/v1/rulesets/{CLOSED_HANDS}").json
    for action in client.legal(game["id"], 0)["data"]:
        service.contract.validate(action, schema["action_schema"])


def test_legal_moves_are_for_who_acts_for_the_seat(service: Service, client: Client, hands: Any) -> None:
    path = f"/v1/games/{hands['id']}/legal-moves"
    refused(service.anybody.get(f"{path}?seat=0"), 401, "unauthenticated")
    refused(service.client().get(f"{path}?seat=0"), 403, "not-your-seat")
    seated = client.with_token(hands["seat_tokens"]["1"])
    assert seated.get(path).json["seat"] == 1  # type: ignore[index]  # it is a page
    refused(seated.get(f"{path}?seat=0"), 403, "not-your-seat")
    refused(client.get(path), 422, "validation")
    refused(client.get(f"{path}?seat=2"), 404, "unknown-seat")
    client.post(moves(hands), {"seat": 1, "action": PASS})
    refused(seated.get(path), 409, "not-to-move")


def test_where_nobody_may_move_legal_moves_are_refused_as_a_move_is(client: Client, hands: Any) -> None:
    open_game = client.open_game(seats=3, players=[])
    refused(client.get(f"/v1/games/{open_game['id']}/legal-moves?seat=0"), 409, "game-not-started")
    client.post(f"/v1/games/{hands['id']}/resignation", {"seat": 1})
    refused(client.get(f"/v1/games/{hands['id']}/legal-moves?seat=0"), 409, "game-over")


# --- previews and resignation ----------------------------------------------------------------------------------


def test_a_preview_judges_and_plays_nothing(client: Client) -> None:
    game = client.open_game()
    action = client.legal(game["id"], 0)["data"][0]
    good: Any = client.post(f"{moves(game)}/preview", {"seat": 0, "action": action}).json
    bad: Any = client.post(f"{moves(game)}/preview", {"seat": 0, "action": PASS}).json
    assert (good["legal"], good["refusal"]) == (True, None)
    assert bad["legal"] is False
    assert bad["refusal"]["code"].startswith("shangrila.")
    assert client.get(f"/v1/games/{game['id']}").json["version"] == game["version"]  # type: ignore[index]  # a game


def test_a_preview_needs_no_idempotency_key(client: Client, hands: Any) -> None:
    answer = client.ask("POST", f"{moves(hands)}/preview", {"seat": 0, "action": PASS})
    assert answer.status_code == 200


def test_a_preview_is_refused_for_a_stale_decision(client: Client, hands: Any) -> None:
    answer = client.post(f"{moves(hands)}/preview", {"seat": 0, "action": PASS}, headers={"If-Match": '"1"'})
    refused(answer, 412, "stale-decision")


def test_a_seat_resigns_by_its_token_and_the_other_wins(client: Client, hands: Any) -> None:
    seated = client.with_token(hands["seat_tokens"]["1"])
    answer: Any = seated.post(f"/v1/games/{hands['id']}/resignation", {}).json
    assert (answer["status"], answer["outcome"]["placings"]) == ("finished", [1, 2])
    refused(seated.post(f"/v1/games/{hands['id']}/resignation", {}), 409, "game-over")


def test_who_has_left_is_told_so(client: Client) -> None:
    game = client.open_game(CLOSED_HANDS, seats=3)
    path = f"/v1/games/{game['id']}/resignation"
    client.post(path, {"seat": 2})
    refused(client.post(path, {"seat": 2}), 409, "seat-left")
    assert pointers(client.post(path, {"seat": -1})) == ["/seat"]
    assert pointers(client.post(path, {"seat": 1, "why": "tired"})) == ["/why"]
