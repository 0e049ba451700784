"""The installed rulesets."""

from __future__ import annotations

import functools
from typing import Any

from flask import Response
from flask_smorest import Blueprint

from moveledger.api.description import described
from moveledger.api.requests import refuse_invalid_credential, reply
from moveledger.errors import UnknownRulesetPath
from moveledger.rules.registry import load_rulesets, load_terms, rules_digest
from moveledger.schemas.answers import RulesetListSchema, RulesetSchema
from moveledger.schemas.derive import action_json_schema, options_json_schema

blp = Blueprint("rulesets", __name__, url_prefix="/v1/rulesets", description="The rules that games are judged by")
blp.before_request(refuse_invalid_credential)


@blp.route("", methods=["GET"])
@described(blp, answer=RulesetListSchema)
def list_rulesets() -> Response:
    """List the installed rulesets."""
    return reply({"data": [show_ruleset(ruleset_id) for ruleset_id in load_rulesets()]})


@blp.route("/<ruleset_id>", methods=["GET"])
@described(blp, answer=RulesetSchema, problems=[404])
def find_ruleset(ruleset_id: str) -> Response:
    """Find a ruleset: its seats, options, actions, and where its figures come from."""
    if ruleset_id not in load_rulesets():
        raise UnknownRulesetPath
    return reply(show_ruleset(ruleset_id))


@functools.cache
def show_ruleset(ruleset_id: str) -> dict[str, Any]:
    """A ruleset's resource."""
    ruleset, terms = load_rulesets()[ruleset_id], load_terms(ruleset_id)
    return {
        "id": ruleset.id,
        "names": terms["names"],
        "seats": {"min": ruleset.seats[0], "max": ruleset.seats[-1]},
        "unofficial_seats": sorted(ruleset.unofficial_seats),
        "options_schema": options_json_schema(ruleset),
        "action_schema": action_json_schema(ruleset),
        "presets": {name: dict(options) for name, options in ruleset.presets.items()},
        "hidden": ruleset.hidden,
        "chance": ruleset.chance,
        "provenance": ruleset.provenance,
        "terms": terms["terms"],
        "rules_digest": rules_digest(ruleset.id),
    }
