"""A credential that is not valid is refused everywhere, and first."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from moveledger.services.keys import issue_key
from tests.api.service import CLOSED_HANDS, Client, Service, refused

INVALID = ["Bearer mlk_nonsense", "Bearer mls_nonsense", "Basic abc", "mlk_", "", "Bearer \u00e4\u00f6\u00fc"]


def operations(service: Service) -> list[tuple[str, str]]:
    """Method and path of every documented operation, its parameters filled with what is not there."""
    paths = service.contract.document["paths"].items()
    return [
        (method.upper(), path.replace("{game_id}", str(uuid4())).replace("{seat}", "0").replace("{key_id}", "x"))
        for path, item in paths
        for method in item
        if method != "parameters"
    ]


@pytest.mark.parametrize("authorization", INVALID)
def test_every_operation_refuses_a_credential_that_is_not_valid(service: Service, authorization: str) -> None:
    for method, path in operations(service):
        answer = service.anybody.ask(
            method, path + "?nonsense=1", data="{", content_type="text/plain", headers={"Authorization": authorization}
        )
        refused(answer, 401, "unauthenticated")


def test_a_revoked_key_is_refused_everywhere_at_once(service: Service, admin: Client) -> None:
    key_id, token = issue_key(service.tools, name="revoked", scopes=["admin"])
    holder = admin.with_token(token)
    assert holder.get("/v1/games?limit=1").status_code == 200
    assert admin.ask("DELETE", f"/v1/keys/{key_id}").status_code == 204
    for method, path in operations(service):
        refused(holder.ask(method, path), 401, "unauthenticated")


def test_reading_needs_no_credential(client: Client, anybody: Client) -> None:
    game = client.open_game(CLOSED_HANDS, seats=2)
    for path in ("", "/state", "/events", "/replay", "/audit", "/export"):
        assert anybody.get(f"/v1/games/{game['id']}{path}").status_code == 200
    for path in ("/v1/games", "/v1/rulesets", f"/v1/rulesets/{CLOSED_HANDS}"):
        assert anybody.get(path).status_code == 200


def test_every_write_needs_one_but_a_witness_s_signature(service: Service) -> None:
    for method, path in operations(service):
        if method != "GET" and path != "/v1/log/cosignatures":
            refused(service.anybody.ask(method, path), 401, "unauthenticated")


def test_a_refusal_says_how_to_come_in(anybody: Client) -> None:
    answer = anybody.post("/v1/games", {})
    assert answer.headers["WWW-Authenticate"] == 'Bearer realm="moveledger"'


@pytest.mark.parametrize("who", ["anybody", "stranger", "opener", "admin", "referee", "seat"])
def test_a_private_game_is_on_no_path_for_whom_it_is_not(service: Service, client: Client, who: str) -> None:
    game = client.open_game(CLOSED_HANDS, seats=2, visibility="private")
    asking: dict[str, Any] = {
        "anybody": service.anybody,
        "stranger": service.client(),
        "opener": client,
        "admin": service.client("admin"),
        "referee": service.client("games:referee"),
        "seat": client.with_token(game["seat_tokens"]["1"]),
    }
    for path in ("", "/state", "/events", "/replay", "/audit", "/export"):
        answer = asking[who].get(f"/v1/games/{game['id']}{path}")
        if who in ("anybody", "stranger"):
            refused(answer, 404, "unknown-game")
        else:
            assert answer.status_code == 200
