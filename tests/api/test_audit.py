"""GET /v1/games/{id}/audit, /audit/looks, /audit/verification, and GET /v1/security-trail."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import pytest

from moveledger.audit.verify import ORDER
from moveledger.services.verifying import verify_game
from moveledger.store.embedded import Servers
from tests.api.service import CLOSED_HANDS, Client, Service, parameters, refused
from tests.house import open_house
from tests.store.drafts import all_rows, connected

CSV = {"Accept": "text/csv"}


@pytest.fixture
def referee(service: Service) -> Client:
    """The holder of a fresh key that may rule and see all."""
    return service.client("games:referee")


@pytest.fixture
def hands(client: Client) -> Any:
    """A running game of closed hands with a move in it."""
    game = client.open_game(CLOSED_HANDS, seats=2)
    client.play(game["id"], moves=1)
    return game


def trail(client: Client, game: Any, query: str = "") -> list[Any]:
    """The first page of a game's trail."""
    page: Any = client.get(f"/v1/games/{game['id']}/audit?limit=100{query}").json
    return list(page["data"])


def looks(client: Client, game: Any) -> list[Any]:
    """Who has looked at a game."""
    page: Any = client.get(f"/v1/games/{game['id']}/audit/looks?limit=100").json
    return list(page["data"])


# --- the trail ---------------------------------------------------------------------------------------------


def test_the_trail_is_filtered(client: Client, anybody: Client, referee: Client, hands: Any) -> None:
    referee.post(f"/v1/games/{hands['id']}/rulings", {"type": "abort", "reason": "rain"})
    whole = trail(anybody, hands)
    ruled = next(entry for entry in whole if entry["type"] == "ruled")
    moment = ruled["recorded_at"]
    wanted: list[tuple[str, Callable[[Any], bool]]] = [
        ("&seat=0", lambda entry: entry["seat"] == 0),
        ("&seat=-2", lambda entry: entry["seat"] == -2),
        ("&type=drawn", lambda entry: entry["type"] == "drawn"),
        ("&type=reseated", lambda entry: False),
        (f"&client={client.key_id}", lambda entry: entry["client"] == str(client.key_id)),
        (f"&client={referee.key_id}&type=ruled", lambda entry: entry["type"] == "ruled"),
        (f"&since={moment}", lambda entry: entry["recorded_at"] >= moment),
        (f"&until={moment}", lambda entry: entry["recorded_at"] < moment),
        (f"&since={moment}&until={moment}", lambda entry: False),
        ("&since=2000-01-01T00:00:00%2B05:00&seat=1", lambda entry: entry["seat"] == 1),
    ]
    for query, fits in wanted:
        assert trail(anybody, hands, query) == [entry for entry in whole if fits(entry)], query


def test_the_filtered_trail_comes_in_pages(anybody: Client, hands: Any) -> None:
    found, after = [], "0"
    while after:
        page: Any = anybody.get(f"/v1/games/{hands['id']}/audit?type=drawn&limit=1&after={after}").json
        assert page["has_more"] == (page["next"] is not None)
        found += page["data"]
        after = page["next"]
    assert found == trail(anybody, hands, "&type=drawn")
    assert len(found) == 3


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("seat=-3", ["seat"]),
        ("seat=x", ["seat"]),
        ("type=moves", ["type"]),
        ("client=me", ["client"]),
        ("since=yesterday", ["since"]),
        ("since=2026-01-01T00:00:00", ["since"]),
        ("until=1", ["until"]),
        ("limit=0&after=-1", ["after", "limit"]),
        ("colour=red", ["colour"]),
        ("seat=1&seat=2", ["seat"]),
    ],
)
def test_a_wrong_filter_is_pointed_at(anybody: Client, hands: Any, query: str, expected: list[str]) -> None:
    assert parameters(anybody.get(f"/v1/games/{hands['id']}/audit?{query}")) == expected


def test_the_trail_is_given_as_csv(anybody: Client, referee: Client, hands: Any) -> None:
    reason = 'she said "no", twice'
    referee.post(f"/v1/games/{hands['id']}/rulings", {"type": "abort", "reason": reason})
    for query in ("", "&type=ruled", "&seat=0"):
        answer = anybody.get(f"/v1/games/{hands['id']}/audit?limit=1{query}", headers=CSV)
        rows = list(csv.DictReader(io.StringIO(answer.get_data().decode(), newline="")))
        assert (answer.status_code, answer.mimetype) == (200, "text/csv")
        assert rows == [{name: cell(value) for name, value in entry.items()} for entry in trail(anybody, hands, query)]
    refused(anybody.get(f"/v1/games/{hands['id']}/audit", headers={"Accept": "text/plain"}), 406, "not-acceptable")


def cell(value: Any) -> str:
    """How CSV writes what JSON says."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def test_the_trail_of_a_private_game_is_not_there_for_others(service: Service, client: Client) -> None:
    game = client.open_game(CLOSED_HANDS, seats=2, visibility="private")
    for path in ("audit", "audit/looks", "audit/verification"):
        refused(service.client().get(f"/v1/games/{game['id']}/{path}"), 404, "unknown-game")
        refused(service.anybody.get(f"/v1/games/{game['id']}/{path}"), 404, "unknown-game")
        assert client.get(f"/v1/games/{game['id']}/{path}").status_code == 200


# --- looks -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["state", "events", "replay", "export"])
def test_a_referees_look_is_kept_with_who_looked_when_and_in_which_request(
    client: Client, anybody: Client, referee: Client, hands: Any, what: str
) -> None:
    version = client.get(f"/v1/games/{hands['id']}").json["version"]  # type: ignore[index]  # it is a game
    headers = {"Request-Id": f"look-at-{what}"}
    assert referee.get(f"/v1/games/{hands['id']}/{what}?as=referee", headers=headers).status_code == 200
    assert referee.get(f"/v1/games/{hands['id']}/{what}?as=seat:1", headers=headers).status_code == 200
    found = looks(anybody, hands)
    for look in found:
        assert look.pop("looked_at")
    expected = {"version": version, "client": str(referee.key_id), "what": what, "request_id": f"look-at-{what}"}
    assert found == [{**expected, "observer": name} for name in ("referee", "seat:1")]


def test_a_look_is_kept_even_when_nothing_has_changed_since_the_last(referee: Client, hands: Any) -> None:
    path = f"/v1/games/{hands['id']}/state?as=referee"
    etag = referee.get(path).headers["ETag"]
    assert referee.get(path, headers={"If-None-Match": etag}).status_code == 304
    assert [look["what"] for look in looks(referee, hands)] == ["state", "state"]


def test_who_may_not_look_is_refused_and_leaves_no_look(
    service: Service, client: Client, anybody: Client, hands: Any
) -> None:
    path = f"/v1/games/{hands['id']}/state"
    refused(anybody.get(f"{path}?as=referee"), 401, "unauthenticated")
    refused(client.get(f"{path}?as=referee"), 403, "scope-missing")
    refused(service.client().get(f"{path}?as=seat:0"), 403, "not-your-seat")
    assert looks(client, hands) == []


def test_what_players_see_of_their_own_game_is_no_look(client: Client, anybody: Client, hands: Any) -> None:
    seat = client.with_token(hands["seat_tokens"]["0"])
    for path in ("state?as=seat:0", "events?as=seat:1", "replay?as=seat:0", "export?as=seat:1", "legal-moves?seat=1"):
        assert client.get(f"/v1/games/{hands['id']}/{path}").status_code == 200
    for path in ("state", "events", "state?as=seat:0", "audit"):
        assert seat.get(f"/v1/games/{hands['id']}/{path}").status_code == 200
    assert looks(anybody, hands) == []


def test_an_administrator_who_looks_into_hands_leaves_a_trace(admin: Client, anybody: Client, hands: Any) -> None:
    admin.get(f"/v1/games/{hands['id']}/state?as=seat:0")
    admin.get(f"/v1/games/{hands['id']}/legal-moves?seat=1")
    assert [(look["what"], look["observer"]) for look in looks(anybody, hands)] == [
        ("state", "seat:0"),
        ("legal-moves", "seat:1"),
    ]


def test_an_administrator_who_tries_a_move_in_anothers_game_leaves_a_trace(
    admin: Client, client: Client, anybody: Client, hands: Any
) -> None:
    path, body = f"/v1/games/{hands['id']}/moves/preview", {"seat": 1, "action": {"type": "pass"}}
    for own in (client, client.with_token(hands["seat_tokens"]["1"])):
        assert own.post(path, body).status_code == 200
    assert looks(anybody, hands) == []
    assert admin.post(path, body).status_code == 200
    refused(admin.post(path, body, headers={"If-Match": '"1"'}), 412, "stale-decision")
    refused(admin.post(path, {"seat": 7, "action": {"type": "pass"}}), 404, "unknown-seat")
    assert [(look["what"], look["observer"]) for look in looks(anybody, hands)] == [("preview", "seat:1")] * 2


def test_an_administrator_who_is_told_what_a_seat_has_missed_leaves_a_trace(
    admin: Client, anybody: Client, hands: Any
) -> None:
    path, body = f"/v1/games/{hands['id']}/moves", {"seat": 1, "action": {"type": "pass"}}
    refused(admin.post(path, body, headers={"If-Match": '"1"'}), 412, "stale-decision")
    assert [(look["what"], look["observer"]) for look in looks(anybody, hands)] == [("moves", "seat:1")]


def test_an_administrator_whose_move_for_a_seat_the_rules_refuse_leaves_a_trace(
    admin: Client, client: Client, anybody: Client, hands: Any
) -> None:
    """Which moves are refused tells of a hand as much as which are legal: here, that seat 1 put this number before."""
    path = f"/v1/games/{hands['id']}/moves"
    assert client.post(path, {"seat": 1, "action": {"type": "bid", "amount": 3}}).status_code == 201
    for asking in (client, admin):
        answer = asking.post(path, {"seat": 1, "action": {"type": "bid", "amount": 3}})
        refused(answer, 422, "closed_hands.same_number")
    assert [(look["what"], look["client"]) for look in looks(anybody, hands)] == [("moves", str(admin.key_id))]


def test_a_referees_look_at_a_private_game_is_kept_whatever_it_looks_at(client: Client, referee: Client) -> None:
    game = client.open_game(CLOSED_HANDS, seats=2, visibility="private")
    for path in ("", "/state", "/events", "/audit"):
        assert referee.get(f"/v1/games/{game['id']}{path}").status_code == 200
    assert [look["what"] for look in looks(client, game)] == ["game", "state", "events", "audit"]


def test_when_the_game_is_over_looks_are_not_kept(anybody: Client, referee: Client, hands: Any) -> None:
    referee.post(f"/v1/games/{hands['id']}/rulings", {"type": "abort", "reason": "rain"})
    for path in ("state?as=referee", "replay?as=seat:1", "export?as=referee"):
        assert referee.get(f"/v1/games/{hands['id']}/{path}").status_code == 200
        assert anybody.get(f"/v1/games/{hands['id']}/{path}").status_code == 200
    assert looks(anybody, hands) == []


# --- the security trail ------------------------------------------------------------------------------------


def kept(admin: Client, game_id: str) -> list[dict[str, Any]]:
    """What the security trail keeps of a game, oldest first, without times."""
    page: Any = admin.get(f"/v1/security-trail?limit=100&game_id={game_id}").json
    return [{name: value for name, value in entry.items() if name != "refused_at"} for entry in page["data"][::-1]]


def test_every_refused_credential_on_a_game_is_kept(
    service: Service, client: Client, anybody: Client, admin: Client, hands: Any
) -> None:
    game_id, path = hands["id"], f"/v1/games/{hands['id']}"
    stranger, other = service.client(), client.open_game(CLOSED_HANDS, seats=2)
    elsewhere = client.with_token(other["seat_tokens"]["0"])
    reader = service.client("games:read")
    move = {"seat": 0, "action": {"type": "pass"}}
    asked = [
        (client.with_token("mlk_nonsense").get(path), 401, "unauthenticated", "GET", "", None),
        (client.with_token("mlk_" + "A" * 46).get(f"{path}/state"), 401, "unauthenticated", "GET", "/state", None),
        (
            client.with_token(hands["seat_tokens"]["0"][:-1]).post(f"{path}/moves", move),
            401,
            "unauthenticated",
            "POST",
            "/moves",
            None,
        ),
        (reader.post(f"{path}/moves", move), 403, "scope-missing", "POST", "/moves", reader.key_id),
        (stranger.post(f"{path}/moves", move), 403, "not-your-seat", "POST", "/moves", stranger.key_id),
        (elsewhere.post(f"{path}/resignation"), 403, "not-your-seat", "POST", "/resignation", "of a seat"),
        (stranger.get(f"{path}/state?as=seat:0"), 403, "not-your-seat", "GET", "/state", stranger.key_id),
        (stranger.get(f"{path}/state?as=referee"), 403, "scope-missing", "GET", "/state", stranger.key_id),
        (client.post(f"{path}/rulings", {}), 403, "scope-missing", "POST", "/rulings", client.key_id),
    ]
    found = kept(admin, game_id)
    assert len(found) == len(asked)
    for entry, (answer, status, code, method, route, who) in zip(found, asked, strict=True):
        assert answer.status_code == status
        assert entry["client"] is not None if who == "of a seat" else entry["client"] == (who and str(who))
        assert {**entry, "client": None} == {
            "code": code,
            "method": method,
            "route": f"/v1/games/<game_id>{route}",
            "game_id": game_id,
            "client": None,
            "request_id": answer.headers["Request-Id"],
        }


def test_who_asks_for_a_private_game_with_a_key_that_may_not_see_it_is_kept(
    service: Service, client: Client, admin: Client
) -> None:
    game = client.open_game(CLOSED_HANDS, seats=2, visibility="private")
    stranger = service.client()
    refused(stranger.get(f"/v1/games/{game['id']}"), 404, "unknown-game")
    assert [(entry["code"], entry["client"]) for entry in kept(admin, game["id"])] == [
        ("unknown-game", str(stranger.key_id))
    ]


def test_a_revoked_key_is_kept_as_one_that_is_not_known(
    service: Service, client: Client, admin: Client, hands: Any
) -> None:
    gone = service.client()
    assert admin.ask("DELETE", f"/v1/keys/{gone.key_id}").status_code == 204
    refused(gone.get(f"/v1/games/{hands['id']}"), 401, "unauthenticated")
    assert [(entry["code"], entry["client"]) for entry in kept(admin, hands["id"])] == [("unauthenticated", None)]


def test_every_refused_ruling_is_kept_whatever_it_was_refused_for(
    client: Client, referee: Client, admin: Client, hands: Any
) -> None:
    path = f"/v1/games/{hands['id']}/rulings"
    asked: list[tuple[Any, int]] = [
        ({"type": "annul", "reason": "secret thoughts"}, 409),
        ({"type": "rewind", "to": 1, "reason": "secret thoughts"}, 422),
        ({"type": "rewind", "to": 10**6, "reason": "secret thoughts"}, 422),
        ({"type": "remove_seat", "seat": 7, "reason": "secret thoughts"}, 404),
        ({"type": "pardon", "reason": "secret thoughts"}, 422),
    ]
    for body, status in asked:
        assert referee.post(path, body).status_code == status
    assert referee.ask("POST", path, asked[0][0]).status_code == 400
    found = kept(admin, hands["id"])
    assert [entry["code"] for entry in found] == [
        "game-not-finished",
        "rewind-impossible",
        "rewind-impossible",
        "unknown-seat",
        "validation",
        "idempotency-key-missing",
    ]
    assert {entry["client"] for entry in found} == {str(referee.key_id)}
    assert "secret thoughts" not in str(found)
    referee.post(path, {"type": "abort", "reason": "rain"})
    assert len(kept(admin, hands["id"])) == 6


def test_refusals_that_say_nothing_of_a_credential_are_not_kept(
    client: Client, anybody: Client, admin: Client, hands: Any
) -> None:
    path = f"/v1/games/{hands['id']}"
    refused(client.post(f"{path}/moves", {"seat": 0, "action": {}}), 422, "validation")
    refused(client.get(f"{path}/state?at=999"), 404, "unknown-version")
    refused(client.post(f"{path}/resignation", {"seat": 5}), 404, "unknown-seat")
    refused(anybody.get(f"{path}/state?as=referee"), 401, "unauthenticated")
    assert kept(admin, hands["id"]) == []


def test_no_token_and_nothing_that_was_sent_is_in_any_table(
    service: Service, client: Client, referee: Client, shared_database: str, hands: Any
) -> None:
    tokens = [client.token, referee.token, *hands["seat_tokens"].values(), "mlk_" + "B" * 46, "mls_nonsense"]
    for token in tokens:
        asking = client.with_token(token)
        asking.get(f"/v1/games/{hands['id']}/state?as=referee")
        asking.post(f"/v1/games/{hands['id']}/rulings", {"type": "abort", "reason": "q7"}, key=f"key-q7-{token}")
    with connected(shared_database) as owner:
        for table in ("security_trail", "looks"):
            text = str(all_rows(owner, f"SELECT t::text FROM ml.{table} t WHERE game_id = %s", hands["id"]))
            assert hands["id"] in text
            assert "q7" not in text
            for token in tokens:
                assert token is not None
                assert token not in text
                assert token[4:24] not in text


def test_the_security_trail_is_for_administrators(service: Service, client: Client, anybody: Client) -> None:
    refused(anybody.get("/v1/security-trail"), 401, "unauthenticated")
    refused(client.get("/v1/security-trail"), 403, "scope-missing")
    problem = refused(service.client("games:referee", "audit:read").get("/v1/security-trail"), 403, "scope-missing")
    assert problem["scope"] == "admin"


def test_the_security_trail_comes_in_pages_newest_first(client: Client, admin: Client, hands: Any) -> None:
    for _ in range(5):
        client.post(f"/v1/games/{hands['id']}/rulings", {})
    whole: Any = admin.get(f"/v1/security-trail?game_id={hands['id']}").json
    assert [entry["refused_at"] for entry in whole["data"]] == sorted(
        (entry["refused_at"] for entry in whole["data"]), reverse=True
    )
    found, after = [], ""
    for expected in (2, 2, 1):
        page: Any = admin.get(f"/v1/security-trail?game_id={hands['id']}&limit=2{after}").json
        assert len(page["data"]) == expected
        found += page["data"]
        after = f"&after={page['next']}"
    assert (found, page["has_more"]) == (whole["data"], False)
    assert parameters(admin.get("/v1/security-trail?after=0&limit=x&game_id=1")) == ["after", "game_id", "limit"]


# --- the verification --------------------------------------------------------------------------------------


def test_a_game_that_was_not_verified_yet_says_so(anybody: Client, hands: Any) -> None:
    found: Any = anybody.get(f"/v1/games/{hands['id']}/audit/verification").json
    assert (found["version"], found["verified_at"]) == (0, None)
    assert [(check["name"], check["result"]) for check in found["checks"]] == [(name, "pending") for name in ORDER]


def test_what_the_checks_said_is_read_by_anybody_at_which_version(
    servers: Servers, client: Client, anybody: Client, hands: Any, shared_database: str
) -> None:
    with open_house(shared_database, servers.redis_url(), role="worker") as worker:
        verify_game(worker.tools, UUID(hands["id"]))
    version = client.get(f"/v1/games/{hands['id']}").json["version"]  # type: ignore[index]  # it is a game
    found: Any = anybody.get(f"/v1/games/{hands['id']}/audit/verification").json
    assert found["version"] == version
    assert found["verified_at"]
    assert [check["name"] for check in found["checks"]] == list(ORDER)
    client.play(hands["id"], moves=1)
    assert anybody.get(f"/v1/games/{hands['id']}/audit/verification").json == found


def test_an_unknown_game_has_no_trail(anybody: Client) -> None:
    for path in ("audit", "audit/looks", "audit/verification"):
        refused(anybody.get(f"/v1/games/{uuid4()}/{path}"), 404, "unknown-game")
