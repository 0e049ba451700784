"""The OpenAPI document: flask-smorest's, with problems as errors and the actions of every installed ruleset."""

from __future__ import annotations

import http
from typing import Any

from flask import Flask
from flask_smorest import Api
from flask_smorest.utils import prepare_response

from moveledger.rules.kernel import AnyRuleset
from moveledger.rules.registry import load_rulesets
from moveledger.schemas.derive import action_json_schema
from moveledger.schemas.problems import ProblemSchema
from moveledger.schemas.requests import ActionField

PROBLEM_TYPE = "application/problem+json"
DESCRIPTION = """Games as event logs that strangers can verify. Moves are safe to send twice: every request that changes
something carries an `Idempotency-Key`. Errors are problems (RFC 9457) with a stable `code`."""


class MoveledgerApi(Api):
    """flask-smorest's Api, its errors documented as problems; they are answered by `api/problems.py`."""

    ERROR_SCHEMA = ProblemSchema

    def _register_error_handlers(self) -> None:
        """Nothing: `register_problems` answers every error."""

    def _register_responses(self) -> None:
        for status in http.HTTPStatus:
            response: dict[str, Any] = {"description": status.phrase}
            if status >= 400:
                response["schema"] = self.ERROR_SCHEMA
            prepare_response(response, self.spec, PROBLEM_TYPE)
            self.spec.components.response(status.name, response, lazy=True)
        fallback: dict[str, Any] = {"description": "A problem", "schema": self.ERROR_SCHEMA}
        prepare_response(fallback, self.spec, PROBLEM_TYPE)
        self.spec.components.response("DEFAULT_ERROR", fallback, lazy=True)


def build_api(app: Flask, public_url: str | None = None) -> MoveledgerApi:
    """The Api of an app, with what every document says, and where a proxy shows it to clients."""
    app.config.update(
        API_TITLE="Moveledger",
        API_VERSION="1",
        OPENAPI_VERSION="3.1.0",
        OPENAPI_URL_PREFIX=None,
    )
    spec_kwargs = {
        "info": {"description": DESCRIPTION, "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}},
        "servers": [{"url": public_url or "/"}],
    }
    api = MoveledgerApi(app, spec_kwargs=spec_kwargs)
    api.spec.components.security_scheme(
        "token",
        {"type": "http", "scheme": "bearer", "description": "An API key (`mlk_…`) or a seat's token (`mls_…`)"},
    )
    names = [_register_actions(api, ruleset) for ruleset in load_rulesets().values()]
    action = {"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in names]} if names else {}
    converter: Any = api.ma_plugin.converter
    converter.add_attribute_function(lambda _, field, **__: action if isinstance(field, ActionField) else {})
    return api


def _register_actions(api: MoveledgerApi, ruleset: AnyRuleset) -> str:
    name = f"{ruleset.key.title().replace('_', '')}{ruleset.version}Action"
    api.spec.components.schema(name, dict(action_json_schema(ruleset)))
    return name
