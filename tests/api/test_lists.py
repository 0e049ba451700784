"""Listing games by what a client may ask for, however strange."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.service import CLOSED_HANDS, Client, open_service, refused
from tests.store.drafts import connected


@pytest.mark.parametrize("name", ["ruleset", "player", "external_ref"])
@pytest.mark.parametrize("value", ["%00", "%0a", "x" * 300, ""])
def test_a_filter_that_no_game_can_have_is_a_fault_of_the_request(client: Client, name: str, value: str) -> None:
    answer = client.get(f"/v1/games?{name}={value}")
    assert answer.status_code == 422
    assert answer.json
    assert answer.json["errors"][0]["parameter"] == name


def test_games_are_found_by_reference_status_ruleset_and_player(client: Client) -> None:
    first = client.open_game(external_ref="table 7")
    client.open_game()
    for query in (
        "external_ref=table%207",
        "status=running&external_ref=table%207",
        "ruleset=shangrila@1&external_ref=table%207",
    ):
        found = client.get(f"/v1/games?{query}").json
        assert found
        assert [game["id"] for game in found["data"]] == [first["id"]]
    by_player = client.get("/v1/games?player=player-0").json
    assert by_player
    assert len(by_player["data"]) == 2
    elsewhere = client.get("/v1/games?external_ref=table%208").json
    assert elsewhere
    assert elsewhere["data"] == []


def test_a_game_whose_ruleset_is_not_installed_any_more_is_listed_with_what_is_known(
    database: str, redis_url: str
) -> None:
    with open_service(database, redis_url) as service:
        client = service.client()
        lost = client.open_game(CLOSED_HANDS, seats=2, external_ref="table 9", entropy="none")
        other = client.open_game()
        client.play(lost["id"], moves=1)
        head: Any = client.get(f"/v1/games/{lost['id']}").json
        with connected(database) as owner:
            owner.execute("UPDATE ml.games SET ruleset = 'closed_hands@0' WHERE game_id = %s", [lost["id"]])
        service.tools.facts.clear()
        service.tools.games.clear()
        page: Any = client.get("/v1/games").json
        assert [game["id"] for game in page["data"]] == [other["id"], lost["id"]]
        assert [game["ruleset_installed"] for game in page["data"]] == [True, False]
        shown = page["data"][1]
        for name in (
            "status",
            "version",
            "head_hash",
            "options",
            "visibility",
            "entropy",
            "external_ref",
            "created_at",
        ):
            assert shown[name] == head[name]
        assert [seat["player"] for seat in shown["seats"]] == [seat["player"] for seat in head["seats"]]
        assert {name: shown[name] for name in ("awaiting", "outcome", "annulled")} == dict.fromkeys(
            ("awaiting", "outcome", "annulled")
        )
        assert shown["ruleset"] == "closed_hands@0"
        assert client.get(f"/v1/games/{lost['id']}").json == shown
        assert client.get("/v1/games?ruleset=closed_hands@0").json == {"data": [shown], "has_more": False, "next": None}
        refused(client.get(f"/v1/games/{lost['id']}/state"), 422, "unknown-ruleset")
