"""Listing games by what a client may ask for, however strange."""

from __future__ import annotations

import pytest

from tests.api.service import Client


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
