"""API keys: made, listed and revoked by an administrator."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from moveledger.services.access import SCOPES
from tests.api.service import Client, Service, parameters, pointers, refused
from tests.house import fresh_key

NOWHERE = "0195b1d0-0000-7000-8000-000000000000"
"""An id that nothing has."""


def test_a_key_is_made_and_works_at_once(admin: Client) -> None:
    answer: Any = admin.post("/v1/keys", {"name": "bots", "scopes": ["games:write"]})
    assert (answer.status_code, answer.json["scopes"], answer.json["revoked_at"]) == (201, ["games:write"], None)
    assert admin.with_token(answer.json["key"]).open_game()["status"] == "running"


def test_a_repeat_shows_the_same_key_again(admin: Client) -> None:
    key, wanted = fresh_key(), {"name": "bots", "scopes": ["games:write"]}
    first, again = (admin.post("/v1/keys", wanted, key=key) for _ in range(2))
    assert (again.json, again.headers["Idempotent-Replayed"]) == (first.json, "true")
    refused(admin.post("/v1/keys", {**wanted, "name": "others"}, key=key), 422, "idempotency-key-reused")


def test_the_list_shows_no_key_s_text(admin: Client) -> None:
    made: Any = [admin.post("/v1/keys", {"name": f"k{at}", "scopes": ["games:read"]}).json for at in range(3)]
    page: Any = admin.get("/v1/keys?limit=2").json
    assert [found["id"] for found in page["data"]] == [made[2]["id"], made[1]["id"]]
    assert page["next"] is not None
    second: Any = admin.get(f"/v1/keys?limit=1&after={page['next']}").json
    assert second["data"][0]["id"] == made[0]["id"]
    assert not any("key" in found for found in page["data"])


def test_a_revoked_key_stays_listed_and_is_revoked_again_without_harm(admin: Client) -> None:
    made: Any = admin.post("/v1/keys", {"name": "gone", "scopes": ["games:read"]}).json
    for _ in range(2):
        answer = admin.ask("DELETE", f"/v1/keys/{made['id']}")
        assert (answer.status_code, answer.get_data()) == (204, b"")
    listed: Any = admin.get("/v1/keys?limit=1").json
    assert listed["data"][0]["revoked_at"] is not None
    refused(admin.with_token(made["key"]).get("/v1/games"), 401, "unauthenticated")


@pytest.mark.parametrize("key_id", [NOWHERE, "x", "%00", NOWHERE.replace("-", "")])
def test_a_key_that_is_not_there_is_not_found(admin: Client, key_id: str) -> None:
    refused(admin.ask("DELETE", f"/v1/keys/{key_id}"), 404, "unknown-key")


def test_only_an_administrator_does_any_of_it(service: Service) -> None:
    other = service.client(*(scope for scope in SCOPES if scope != "admin"))
    for answer in (
        other.post("/v1/keys", {}),
        other.get("/v1/keys"),
        other.ask("DELETE", f"/v1/keys/{uuid4()}"),
        other.ask("DELETE", "/v1/keys/x"),
    ):
        assert refused(answer, 403, "scope-missing")["scope"] == "admin"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, ["/name", "/scopes"]),
        ({"name": "", "scopes": []}, ["/name", "/scopes"]),
        ({"name": "n" * 101, "scopes": ["games:read"]}, ["/name"]),
        ({"name": "n", "scopes": "games:read"}, ["/scopes"]),
        ({"name": "n", "scopes": ["games:read", "everything"]}, ["/scopes"]),
        ({"name": "n", "scopes": [7]}, ["/scopes/0"]),
        ({"name": "n", "scopes": ["\ud800"]}, ["/scopes"]),
        ({"name": "n", "scopes": ["games:read"] * 21}, ["/scopes"]),
        ({"name": "n", "scopes": ["games:read"], "expires": 1}, ["/expires"]),
    ],
)
def test_what_is_wrong_with_a_new_key_is_pointed_at(admin: Client, body: Any, expected: list[str]) -> None:
    assert pointers(admin.post("/v1/keys", body)) == expected


def test_what_is_wrong_with_a_list_is_named(admin: Client) -> None:
    assert parameters(admin.get("/v1/keys?limit=0&colour=red")) == ["colour", "limit"]
    assert parameters(admin.get("/v1/keys?after=x")) == ["after"]
