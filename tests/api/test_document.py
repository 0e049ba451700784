"""The OpenAPI document: valid, the same as openapi.yaml, and complete."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from moveledger.rules.registry import load_rulesets
from tests.api.contract import PROBLEM
from tests.api.service import Client, Service

ROOT = Path(__file__).parents[2]
METHODS = ("get", "post", "put", "patch", "delete")


def operations(document: Any) -> Iterator[tuple[str, str, Any]]:
    """Path, method and description of every operation."""
    for path, item in document["paths"].items():
        for method in METHODS:
            if method in item:
                yield path, method, item[method]


def test_openapi_yaml_is_what_the_code_says() -> None:
    """Without the rulesets that only the tests install. Mend by `moveledger openapi > openapi.yaml`."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", "moveledger", "openapi"]
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=True)
    assert done.stdout == (ROOT / "openapi.yaml").read_text(encoding="utf-8")


def test_openapi_yaml_is_a_valid_document() -> None:
    OpenAPIV31SpecValidator(yaml.safe_load((ROOT / "openapi.yaml").read_text(encoding="utf-8"))).validate()


def test_the_running_service_tells_its_document(service: Service, anybody: Client) -> None:
    document: Any = anybody.get("/openapi.json").json
    OpenAPIV31SpecValidator(document).validate()
    written = yaml.safe_load((ROOT / "openapi.yaml").read_text(encoding="utf-8"))
    assert document["paths"].keys() == written["paths"].keys()
    assert len(document["components"]["schemas"]) >= len(written["components"]["schemas"])


def test_every_schema_is_one(service: Service) -> None:
    for schema in service.contract.document["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_every_route_of_the_api_is_documented(service: Service) -> None:
    documented = {(path, method.upper()) for path, method, _ in operations(service.contract.document)}
    routed = {
        (str(rule).replace("<int:", "<").replace("<path:", "<").replace("<", "{").replace(">", "}"), method)
        for rule in service.app.url_map.iter_rules()
        if str(rule).startswith("/v1/")
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert documented == routed


def test_every_operation_has_a_summary_and_tells_its_refusals(service: Service) -> None:
    for path, method, operation in operations(service.contract.document):
        where = f"{method} {path}"
        assert operation["summary"].endswith("."), where
        assert {"401", "503"} <= operation["responses"].keys(), where
        if "{game_id}" in path:
            assert "404" in operation["responses"], where
        if method == "post":
            assert {"400", "403", "413", "415", "422"} <= operation["responses"].keys(), where
            assert operation["requestBody"]["required"], where
        if any(parameter.get("in") == "query" for parameter in operation["parameters"]):
            assert "422" in operation["responses"], where


def test_every_write_but_the_preview_and_a_witness_s_signature_asks_for_an_idempotency_key(service: Service) -> None:
    asking = {
        path
        for path, method, operation in operations(service.contract.document)
        if method == "post"
        and any(
            parameter["name"] == "Idempotency-Key" and parameter["required"] for parameter in operation["parameters"]
        )
    }
    posts = {path for path, method, _ in operations(service.contract.document) if method == "post"}
    assert posts - asking == {"/v1/games/{game_id}/moves/preview", "/v1/log/cosignatures"}


def test_every_refusal_is_documented_as_a_problem(service: Service) -> None:
    document = service.contract.document
    for path, method, operation in operations(document):
        for status, response in operation["responses"].items():
            if status == "default" or int(status) >= 400:
                name = response["$ref"].rsplit("/", 1)[1]
                content = document["components"]["responses"][name]["content"]
                assert content == {PROBLEM: {"schema": {"$ref": "#/components/schemas/Problem"}}}, (path, method)


def test_the_actions_of_every_ruleset_are_in_the_document(service: Service) -> None:
    schemas = service.contract.document["components"]["schemas"]
    action = schemas["MoveInput"]["properties"]["action"]
    names = {choice["$ref"].rsplit("/", 1)[1] for choice in action["anyOf"]}
    tags = {name: {kind["properties"]["type"]["enum"][0] for kind in schemas[name]["oneOf"]} for name in sorted(names)}
    installed: list[Any] = list(load_rulesets().values())
    assert sorted(map(sorted, tags.values())) == sorted(sorted(kind.type for kind in one.actions) for one in installed)
