"""GET /v1/rulesets: what games can be opened, and by which rules."""

from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from moveledger.rules.encoding import encode
from moveledger.rules.registry import LANGUAGES, load_rulesets
from tests.api.service import CLOSED_HANDS, Client, Service, refused


def test_all_that_are_installed_are_listed_in_order(anybody: Client) -> None:
    body: Any = anybody.get("/v1/rulesets").json
    assert [found["id"] for found in body["data"]] == list(load_rulesets())


@pytest.mark.parametrize("ruleset_id", list(load_rulesets()))
def test_each_is_found_as_it_is_listed(anybody: Client, ruleset_id: str) -> None:
    ruleset = load_rulesets()[ruleset_id]
    listed: Any = anybody.get("/v1/rulesets").json
    found: Any = anybody.get(f"/v1/rulesets/{ruleset_id}").json
    assert found in listed["data"]
    assert found["names"].keys() >= set(LANGUAGES)
    assert found["seats"] == {"min": ruleset.seats[0], "max": ruleset.seats[-1]}
    assert (found["hidden"], found["chance"]) == (ruleset.hidden, ruleset.chance)


@pytest.mark.parametrize("ruleset_id", list(load_rulesets()))
def test_its_schemas_take_what_the_service_takes(service: Service, anybody: Client, ruleset_id: str) -> None:
    found: Any = anybody.get(f"/v1/rulesets/{ruleset_id}").json
    ruleset = load_rulesets()[ruleset_id]
    for schema in (found["options_schema"], found["action_schema"]):
        Draft202012Validator.check_schema(schema)
    options: Any = ruleset.options
    Draft202012Validator(found["options_schema"]).validate(encode(options()))
    for preset in found["presets"].values():
        Draft202012Validator(found["options_schema"]).validate(preset)
    wrong: list[Any] = [{"colour": 1}, [], None]
    assert not any(Draft202012Validator(found["options_schema"]).is_valid(value) for value in wrong)
    wrong = [{"type": "nothing"}, {}, [], None]
    assert not any(Draft202012Validator(found["action_schema"]).is_valid(value) for value in wrong)


@pytest.mark.parametrize("ruleset_id", ["chess@1", "closed_hands@2", "closed_hands", "@", "%00", "x" * 3000])
def test_what_is_not_installed_is_not_found(anybody: Client, ruleset_id: str) -> None:
    refused(anybody.get(f"/v1/rulesets/{ruleset_id}"), 404, "unknown-ruleset")


def test_a_game_is_opened_by_what_the_schema_says(client: Client) -> None:
    game = client.open_game(CLOSED_HANDS, seats=4, options={"rounds": 5})
    assert game["options"] == {"rounds": 5}
