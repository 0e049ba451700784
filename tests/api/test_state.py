"""GET /v1/games/{id}/state: now or then, as somebody, with an ETag."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from moveledger.services.snapshotting import bring_up_to_date
from tests.api.service import CLOSED_HANDS, SHANGRILA, Client, Service, parameters, refused
from tests.house import open_house


@pytest.fixture
def hands(client: Client) -> Any:
    """A running game of closed hands in which seat 0 has put its number."""
    game = client.open_game(CLOSED_HANDS, seats=2)
    client.post(f"/v1/games/{game['id']}/moves", {"seat": 0, "action": {"type": "bid", "amount": 3}})
    return client.get(f"/v1/games/{game['id']}").json


def state(game: Any, query: str = "") -> str:
    return f"/v1/games/{game['id']}/state{query}"


def test_it_tells_how_the_game_stands(anybody: Client, hands: Any) -> None:
    body: Any = anybody.get(state(hands)).json
    assert (body["game_id"], body["version"], body["as"]) == (hands["id"], hands["version"], "spectator")
    assert (body["status"], body["awaiting"], body["outcome"]) == ("running", hands["awaiting"], None)
    assert [seat["has_chosen"] for seat in body["view"]["seats"]] == [True, False]


def test_each_observer_sees_its_own(service: Service, client: Client, hands: Any) -> None:
    def bid(answer: Any) -> list[Any]:
        return [seat["bid"] for seat in answer.json["view"]["seats"]]

    token = client.get(state(hands))  # the key looks as a spectator unless it says otherwise
    assert bid(token) == [None, None]
    assert bid(client.get(state(hands, "?as=seat:0"))) == [3, None]
    assert bid(client.get(state(hands, "?as=seat:1"))) == [None, None]
    assert bid(service.client("games:referee").get(state(hands, "?as=referee"))) == [3, None]
    refused(client.get(state(hands, "?as=referee")), 403, "scope-missing")
    refused(service.anybody.get(state(hands, "?as=seat:0")), 403, "not-your-seat")
    refused(service.anybody.get(state(hands, "?as=referee")), 401, "unauthenticated")
    refused(client.get(state(hands, "?as=seat:2")), 404, "unknown-seat")


def test_a_seat_s_token_looks_for_its_seat(client: Client) -> None:
    game = client.open_game(CLOSED_HANDS, seats=2)
    body: Any = client.with_token(game["seat_tokens"]["1"]).get(state(game)).json
    assert body["as"] == "seat:1"
    assert [seat["card"] is None for seat in body["view"]["seats"]] == [True, False]


def test_it_tells_how_the_game_stood_after_any_event(client: Client, anybody: Client) -> None:
    game = client.open_game(SHANGRILA)
    seen = []
    for _ in range(4):
        seen.append(anybody.get(state(game)).json)
        client.play(game["id"], moves=1)
    for then in seen:
        assert then is not None
        assert anybody.get(state(game, f"?at={then['version']}")).json == then


def test_a_version_that_is_not_there_yet_is_not_found(anybody: Client, hands: Any) -> None:
    refused(anybody.get(state(hands, f"?at={hands['version'] + 1}")), 404, "unknown-version")
    refused(anybody.get(state(hands, f"?at={2**53}")), 404, "unknown-version")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("?at=0", ["at"]),
        ("?at=-1", ["at"]),
        ("?at=x", ["at"]),
        ("?at=", ["at"]),
        ("?at=1.5", ["at"]),
        (f"?at={10**30}", ["at"]),
        ("?at=" + "9" * 5000, ["at"]),
        ("?as=nobody", ["as"]),
        ("?as=", ["as"]),
        ("?as=%00", ["as"]),
        ("?as=%ff", ["as"]),
        ("?at=1&at=2", ["at"]),
        ("?colour=red", ["colour"]),
        ("?at=x&colour=red", ["at", "colour"]),
    ],
)
def test_a_wrong_parameter_is_named(anybody: Client, hands: Any, query: str, expected: list[str]) -> None:
    assert parameters(anybody.get(state(hands, query))) == expected


# --- ETags -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("query", ["", "?as=spectator", "?at=3"])
def test_what_has_not_changed_is_not_sent_again(anybody: Client, hands: Any, query: str) -> None:
    first = anybody.get(state(hands, query))
    etag = first.headers["ETag"]
    assert etag.startswith('"')
    for header in (etag, f'"other", {etag}', f"W/{etag}", "*"):
        again = anybody.get(state(hands, query), headers={"If-None-Match": header})
        assert (again.status_code, again.headers["ETag"], again.get_data()) == (304, etag, b"")
        assert again.headers["Vary"] == first.headers["Vary"]
    assert anybody.get(state(hands, query), headers={"If-None-Match": '"other"'}).status_code == 200


def test_a_move_changes_the_etag(client: Client, anybody: Client, hands: Any) -> None:
    before = anybody.get(state(hands)).headers["ETag"]
    client.play(hands["id"], moves=1)
    answer = anybody.get(state(hands), headers={"If-None-Match": before})
    assert (answer.status_code, answer.headers["ETag"] != before) == (200, True)


def test_observers_have_etags_of_their_own(client: Client, hands: Any) -> None:
    etags = [client.get(state(hands, f"?as={name}")).headers["ETag"] for name in ("spectator", "seat:0", "seat:1")]
    assert len(set(etags)) == 3


def test_an_etag_is_the_same_whatever_is_hidden(client: Client) -> None:
    """It is made of game, version and observer: two games with other cards differ in nothing but the id."""
    games = [client.open_game(CLOSED_HANDS, seats=2) for _ in range(3)]
    etags = {client.get(state(game)).headers["ETag"].replace(game["id"], "") for game in games}
    assert len(etags) == 1


# --- the view that workers keep --------------------------------------------------------------------------------


def test_what_a_worker_has_kept_is_what_a_spectator_would_have_been_told(
    service: Service, client: Client, anybody: Client, hands: Any, shared_database: str
) -> None:
    before = anybody.get(state(hands, "?as=spectator"))
    with open_house(shared_database, service_redis(service), role="worker") as worker:
        bring_up_to_date(worker.tools, [UUID(hands["id"])])
    assert service.tools.cache.spectator_view(UUID(hands["id"])) is not None
    kept = anybody.get(state(hands))
    assert (kept.get_data(), kept.headers["ETag"]) == (before.get_data(), before.headers["ETag"])
    assert kept.headers["Vary"] == before.headers["Vary"]
    assert anybody.get(state(hands), headers={"If-None-Match": kept.headers["ETag"]}).status_code == 304
    answer: Any = client.play(hands["id"], moves=1)
    assert anybody.get(state(hands)).json["version"] == answer["version"]  # type: ignore[index]  # a state


def service_redis(service: Service) -> str:
    """Where the service's Redis is."""
    pool = service.tools.cache.client.connection_pool
    return f"unix://{pool.connection_kwargs['path']}?db={pool.connection_kwargs['db']}"


def test_the_view_of_a_private_game_is_kept_for_nobody(service: Service, client: Client, anybody: Client) -> None:
    game = client.open_game(CLOSED_HANDS, seats=2, visibility="private")
    assert client.get(state(game)).status_code == 200
    assert service.tools.cache.spectator_view(UUID(game["id"])) is None
    refused(anybody.get(state(game)), 404, "unknown-game")
