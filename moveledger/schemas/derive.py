"""Turns a rules dataclass (an action, a set of options) into its marshmallow schema, and into JSON Schema.

Type hints say everything: `Literal` is a choice, `Annotated[…, Bounds]` a range, tuples are lists, nested dataclasses
nested objects. A schema built here loads straight into the dataclass.
"""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from apispec import APISpec
from apispec.ext.marshmallow import MarshmallowPlugin
from marshmallow import RAISE, Schema, ValidationError, fields, post_load, validate

from moveledger.errors import InvalidInput
from moveledger.rules.encoding import wire_name
from moveledger.rules.kernel import AnyRuleset, Bounds
from moveledger.schemas.problems import pointers


class StrictInteger(fields.Integer):
    """An integer that is written as one: no text, no true, no 1.0."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if type(value) is not int:
            raise self.make_error("invalid")
        return super()._deserialize(value, attr, data, **kwargs)


class StrictBoolean(fields.Boolean):
    """true or false and nothing else."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if type(value) is not bool:
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


@functools.cache
def schema_of(cls: Any) -> type[Schema]:
    """The schema of a rules dataclass; loading gives an instance of it."""
    hints = get_type_hints(cls, include_extras=True)
    members: dict[str, Any] = {}
    for field in dataclasses.fields(cls):
        has_default = field.default is not dataclasses.MISSING
        extra = {"load_default": field.default} if has_default else {"required": True}
        wire = wire_name(field.name)
        members[field.name] = _field(hints[field.name], data_key=wire, **extra)
    tag = getattr(cls, "type", None)
    if isinstance(tag, str):
        members["type"] = fields.String(required=True, validate=validate.Equal(tag), metadata={"enum": [tag]})

    def build(_: Schema, data: dict[str, Any], **__: Any) -> Any:
        return cls(**{name: _frozen(value) for name, value in data.items() if name != "type"})

    members["build"] = post_load(build)
    members["Meta"] = type("Meta", (), {"unknown": RAISE})
    return type(f"{cls.__name__}Schema", (Schema,), members)


def _field(hint: Any, **extra: Any) -> fields.Field[Any]:
    origin, args = get_origin(hint), get_args(hint)
    if hasattr(hint, "__supertype__"):
        return _field(hint.__supertype__, **extra)
    if origin is Annotated:
        return _bounded(args[0], next((arg for arg in args[1:] if isinstance(arg, Bounds)), None), extra)
    if origin is Literal:
        kind = StrictInteger if all(type(arg) is int for arg in args) else fields.String
        return kind(validate=validate.OneOf(args), **extra)
    if origin in (Union, types.UnionType):
        inner = [arg for arg in args if arg is not type(None)]
        return _field(inner[0], allow_none=True, **extra)
    if origin is tuple:
        if args[-1] is Ellipsis:
            return fields.List(_field(args[0]), **extra)
        if len(set(args)) > 1:
            places = [_field(arg) for arg in args]
            return fields.Tuple(places, error_messages={"invalid": "Not a valid list."}, **extra)
        return fields.List(_field(args[0]), **{**extra, "validate": validate.Length(equal=len(args))})
    if hint is int:
        return StrictInteger(**extra)
    if hint is bool:
        return StrictBoolean(**extra)
    if hint is str:
        return fields.String(**extra)
    return fields.Nested(schema_of(hint), **extra)


def _bounded(hint: Any, bounds: Bounds | None, extra: dict[str, Any]) -> fields.Field[Any]:
    if bounds is None:
        return _field(hint, **extra)
    check: Any = validate.Length if get_origin(hint) is tuple or hint is str else validate.Range
    return _field(hint, validate=check(min=bounds.least, max=bounds.most), **extra)


def _frozen(value: Any) -> Any:
    return tuple(_frozen(item) for item in value) if isinstance(value, list) else value


# --- actions -------------------------------------------------------------------------------------------


def read_action(ruleset: AnyRuleset, value: Any) -> Any:
    """The action that a client sent, by the ruleset's schemas. Raises `InvalidInput` with JSON pointers under `/action`."""
    if not isinstance(value, Mapping):
        raise _wrong("/action", "Expected an object.")
    by_tag: dict[str, Any] = {action.type: action for action in ruleset.actions}
    tag = value.get("type")
    if not isinstance(tag, str) or tag not in by_tag:
        raise _wrong("/action/type", f"Expected one of {', '.join(by_tag)}.")
    try:
        return _loader(by_tag[tag]).load(value)
    except ValidationError as wrong:
        raise InvalidInput("The action breaks its schema.", errors=pointers(wrong.messages, "/action")) from wrong


@functools.cache
def _loader(action: Any) -> Schema:
    return schema_of(action)()


def _wrong(pointer: str, detail: str) -> InvalidInput:
    return InvalidInput("The action breaks its schema.", errors=[{"pointer": pointer, "detail": detail}])


# --- JSON Schema ---------------------------------------------------------------------------------------


def action_json_schema(ruleset: AnyRuleset) -> Mapping[str, Any]:
    """JSON Schema of all actions of a ruleset: a oneOf told apart by `type`."""
    actions: tuple[Any, ...] = ruleset.actions
    return {
        "oneOf": [json_schema(action) for action in actions],
        "discriminator": {"propertyName": "type"},
    }


def options_json_schema(ruleset: AnyRuleset) -> Mapping[str, Any]:
    """JSON Schema of a ruleset's options, with their defaults."""
    options: Any = ruleset.options
    return json_schema(options)


@functools.cache
def json_schema(cls: Any) -> Mapping[str, Any]:
    """JSON Schema of a rules dataclass, nested ones written out; unknown members are refused."""
    plugin = MarshmallowPlugin(schema_name_resolver=lambda _: "")
    APISpec(title="", version="", openapi_version="3.1.0", plugins=[plugin])
    assert plugin.converter is not None  # made by APISpec
    converter: Any = plugin.converter
    converter.add_attribute_function(_tuple_schema)
    return {**_plain(converter.schema2jsonschema(schema_of(cls))), "additionalProperties": False}


def _tuple_schema(converter: Any, field: Any, **_: Any) -> Mapping[str, Any]:
    """A list in which each place has a range of its own, which apispec leaves without a schema."""
    if not isinstance(field, fields.Tuple):
        return {}
    places = [converter.field2property(place) for place in field.tuple_fields]
    return {"type": "array", "prefixItems": places, "minItems": len(places), "maxItems": len(places)}


def _plain(value: Any) -> Any:
    """JSON-ready: tuples made lists."""
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list | tuple) else value
