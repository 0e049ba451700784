"""What the rules list as legal, the API reads: actions as JSON, through the schemas that are derived from their hints."""

from __future__ import annotations

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from moveledger.rules.encoding import canonical, encode, read_options
from moveledger.rules.kernel import Move
from moveledger.rules.registry import find_ruleset
from moveledger.schemas.derive import action_json_schema, read_action
from tests.rules.playouts import play

WIDEST: dict[str, dict[str, Any]] = {
    "shangrila@1": {},
    "santiiba@1": {},
    "tiwanaku@1": {"board": "5x9"},
    "desertsons@1": {"stacks": "one"},
    "closed_hands@1": {"rounds": 5},
}


@pytest.mark.parametrize("ruleset_id", WIDEST)
def test_every_action_of_a_game_is_read_as_it_was_written(ruleset_id: str) -> None:
    ruleset = find_ruleset(ruleset_id)
    options = read_options(ruleset, WIDEST[ruleset_id])
    schema = Draft202012Validator(action_json_schema(ruleset))
    for step in play(ruleset, options=options, seats=max(ruleset.seats), seed=9):
        if isinstance(step.input, Move):
            written = json.loads(canonical(encode(step.input.action)))
            assert read_action(ruleset, written) == step.input.action
            schema.validate(written)
