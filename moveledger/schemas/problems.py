"""The shape of a problem (RFC 9457), and validation messages as JSON pointers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from marshmallow import INCLUDE, Schema, fields

from moveledger.rules.encoding import pointer_step


class FaultSchema(Schema):
    """Where a request is wrong: a JSON pointer into the body, or a parameter's name, and what is wrong there."""

    pointer = fields.String(metadata={"description": "RFC 6901, into the request's body"})
    parameter = fields.String()
    detail = fields.String(required=True)


class ProblemSchema(Schema):
    """RFC 9457. Further members are facts about the occurrence."""

    class Meta:
        unknown = INCLUDE

    type = fields.String(required=True)
    title = fields.String(required=True)
    status = fields.Integer(required=True)
    code = fields.String(required=True, metadata={"description": "Stable; for programs"})
    detail = fields.String()
    request_id = fields.String()
    errors = fields.List(fields.Nested(FaultSchema))


def pointers(messages: Any, at: str = "") -> list[dict[str, str]]:
    """Marshmallow's nested messages as `{pointer, detail}`, one each."""
    if isinstance(messages, Mapping):
        return [
            found
            for key, value in messages.items()
            for found in pointers(value, at if key == "_schema" else f"{at}/{pointer_step(str(key))}")
        ]
    if isinstance(messages, list):
        return [found for message in messages for found in pointers(message, at)]
    return [{"pointer": at, "detail": str(messages)}]
