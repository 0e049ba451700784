"""Holds every answer against the OpenAPI document: status, content type, body, and what HTTP asks of each status."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker
from referencing import Registry
from referencing.jsonschema import DRAFT202012
from werkzeug.test import TestResponse

PROBLEM = "application/problem+json"
NDJSON = "application/x-ndjson"
TYPE_PREFIX = "urn:moveledger:problem:"
UNDOCUMENTED = re.compile(r"/(healthz|readyz|metrics|openapi\.json|docs(/.*)?)")
"""Operation is no part of the API's document."""
SAME_FOR_ALL = ("/v1/rulesets", "/v1/log/")
"""Answers that do not depend on who asks, nor in which language."""
CODE = re.compile(r"[a-z][a-z0-9_]*(-[a-z0-9]+)*(\.[a-z0-9_]+)?")
DOCUMENT = "urn:openapi"


class Contract:
    """An OpenAPI document as the judge of answers. Members that a schema does not name are faults."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = closed_document(document)
        self._paths = [(_pattern(path), path) for path in self.document["paths"]]
        resource = DRAFT202012.create_resource(self.document)
        self._registry: Registry[Any] = Registry().with_resource(DOCUMENT, resource)

    def check(self, response: TestResponse) -> None:
        """Fails when an answer is not what the document says of its request."""
        method, path = response.request.method, response.request.path
        where = f"{method} {path} -> {response.status_code} {response.get_data()[:500]!r}"
        assert response.headers["Request-Id"], where
        assert response.headers["X-Content-Type-Options"] == "nosniff", where
        assert response.status_code < 500 or response.status_code == 503, where
        if method != "HEAD" and response.status_code >= 400 and not UNDOCUMENTED.fullmatch(path):
            self._check_problem(response, where)
        template = self._template(path)
        if template is None:
            assert UNDOCUMENTED.fullmatch(path) or response.status_code in (404, 405), f"undocumented path: {where}"
        else:
            self._check_documented(response, self.document["paths"][template], where)

    def _check_documented(self, response: TestResponse, item: Mapping[str, Any], where: str) -> None:
        method = response.request.method.lower()
        operation = item.get("get" if method == "head" else method)
        if operation is None:
            assert response.status_code == 405 or method == "options", where
            documented = {name.upper() for name in item if name != "parameters"}
            assert documented <= set(re.split(r",\s*", response.headers["Allow"])), where
            return
        found = operation["responses"].get(str(response.status_code))
        assert found is not None, f"undocumented status: {where}"
        self._check_headers(response, where)
        self._check_content(response, self._resolved(found).get("content", {}), where)

    def _check_content(self, response: TestResponse, content: Mapping[str, Any], where: str) -> None:
        if response.status_code in (204, 304) or response.request.method == "HEAD":
            assert response.get_data() == b"", where
            return
        kind = response.content_type if response.content_type in content else response.mimetype or ""
        assert kind in content, f"undocumented content type {response.content_type}: {where}"
        if kind == NDJSON:
            schema = content.get("application/json", {}).get("schema")
            items = self._resolved(schema)["properties"]["data"]["items"] if schema else {}
            for line in response.get_data().splitlines(keepends=True):
                assert line.endswith(b"\n"), where
                self.validate(read_json(line), items)
        elif kind.startswith("text/"):
            self.validate(response.get_data().decode(), content[kind]["schema"])
        elif kind.endswith("json"):
            self.validate(read_json(response.get_data()), content[kind]["schema"])

    def _check_headers(self, response: TestResponse, where: str) -> None:
        if response.request.method in ("GET", "HEAD") and response.status_code in (200, 304):
            assert {"Authorization", "Accept", "Accept-Language"} <= set(
                response.headers.get("Vary", "").split(", ")
            ) or response.request.path.startswith(SAME_FOR_ALL), where
        if response.status_code == 304:
            assert response.headers["ETag"], where
        assert response.headers.get("Idempotent-Replayed", "true") == "true", where

    def _check_problem(self, response: TestResponse, where: str) -> None:
        assert response.content_type == PROBLEM, where
        body = read_json(response.get_data())
        self.validate(body, {"$ref": "#/components/schemas/Problem"})
        assert body["status"] == response.status_code, where
        assert CODE.fullmatch(body["code"]), where
        assert body["type"] == f"{TYPE_PREFIX}{body['code']}", where
        assert body["title"], where
        assert body["detail"], where
        assert body["request_id"] == response.headers["Request-Id"], where
        for fault in body.get("errors", []):
            assert len({"pointer", "parameter"} & fault.keys()) == 1, where
        expected = {401: "WWW-Authenticate", 405: "Allow", 503: "Retry-After"}.get(response.status_code)
        assert expected is None or response.headers[expected], where

    def validate(self, value: Any, schema: Mapping[str, Any]) -> None:
        """Fails when a value is not what a schema of the document says."""
        validator = Draft202012Validator(
            {"$id": DOCUMENT + "/use", **_absolute(schema)}, registry=self._registry, format_checker=FormatChecker()
        )
        faults = [f"{fault.json_path}: {fault.message[:300]}" for fault in validator.iter_errors(value)]
        assert not faults, faults

    def _template(self, path: str) -> str | None:
        return next((template for pattern, template in self._paths if pattern.fullmatch(path)), None)

    def _resolved(self, node: Mapping[str, Any]) -> Mapping[str, Any]:
        while "$ref" in node:
            found: Any = self.document
            for name in node["$ref"].removeprefix("#/").split("/"):
                found = found[name]
            node = found
        return node


def read_json(text: bytes) -> Any:
    """JSON as RFC 8259 has it: UTF-8, and no NaN."""

    def refuse(name: str) -> Any:
        raise AssertionError(f"{name} is no JSON")

    return json.loads(text.decode(), parse_constant=refuse)


def closed_document(document: Mapping[str, Any]) -> dict[str, Any]:
    """A document whose schemas of objects, where they do not say otherwise, allow only the members that they name."""
    found: dict[str, Any] = json.loads(json.dumps(document))
    for schema in found["components"]["schemas"].values():
        _close(schema)
    return found


def _close(schema: Any) -> None:
    if not isinstance(schema, dict):
        return
    if "properties" in schema:
        schema.setdefault("additionalProperties", False)
    for inner in [
        *schema.get("properties", {}).values(),
        *[part for name in ("anyOf", "oneOf", "allOf") for part in schema.get(name, [])],
        schema.get("items"),
        schema.get("additionalProperties"),
    ]:
        _close(inner)


def _absolute(node: Any) -> Any:
    """A schema of the document for use outside of it: its references name the document."""
    if isinstance(node, dict):
        return {
            key: DOCUMENT + value if key == "$ref" and isinstance(value, str) else _absolute(value)
            for key, value in node.items()
        }
    return [_absolute(item) for item in node] if isinstance(node, list) else node


def _pattern(template: str) -> re.Pattern[str]:
    parts = re.split(r"(\{[^}]+\})", template)
    return re.compile("".join(map(_part, parts)))


def _part(part: str) -> str:
    """A parameter is what stands between two slashes; only the name of a tile has slashes of its own."""
    if not part.startswith("{"):
        return re.escape(part)
    return ".+" if part == "{name}" else "[^/]+"
