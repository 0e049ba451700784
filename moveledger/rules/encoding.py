"""How frozen values become JSON and bytes, and back: for the log, for snapshots and for hashes.

`encode` and `decode` work from type hints alone: integers, strings, booleans, None, `Literal`, tuples, frozen
dataclasses, and unions of those. A dataclass whose class has a `type` carries it as a member, which is how a union
of dataclasses is told apart. `canonical` gives the bytes of RFC 8785 for what a log body may hold.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
import types
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from moveledger.errors import MalformedValue
from moveledger.rules.kernel import AnyRuleset, Bounds

T = TypeVar("T")
MAX_INTEGER = 2**53 - 1


# --- canonical bytes -----------------------------------------------------------------------------------


def canonical(body: Any) -> bytes:
    """The RFC 8785 bytes of `body`: objects with ASCII keys, lists, strings, integers, booleans, null.

    Raises `MalformedValue` for floats, integers beyond 2^53-1, other keys and lone surrogates: what the log
    must never hold. For such bodies sorted keys and Python's escapes are what RFC 8785 asks for.
    """
    _require_plain(body, "")
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    try:
        return text.encode()
    except UnicodeEncodeError as wrong:
        raise MalformedValue("A string holds half of a surrogate pair.") from wrong


def _require_plain(value: Any, pointer: str) -> None:
    match value:
        case None | bool() | str():
            return
        case int():
            if abs(value) > MAX_INTEGER:
                raise MalformedValue("An integer is beyond 2^53-1.", pointer)
        case list() | tuple():
            for at, item in enumerate(value):
                _require_plain(item, f"{pointer}/{at}")
        case Mapping():
            for key, item in value.items():
                if not isinstance(key, str) or not key.isascii():
                    raise MalformedValue("A member's name is not ASCII text.", pointer)
                _require_plain(item, f"{pointer}/{pointer_step(key)}")
        case _:
            raise MalformedValue(f"A {type(value).__name__} has no place in a body.", pointer)


def pointer_step(name: str) -> str:
    """A member's name inside a JSON pointer (RFC 6901, 3)."""
    return name.replace("~", "~0").replace("/", "~1")


# --- values to JSON ------------------------------------------------------------------------------------


def wire_name(field_name: str) -> str:
    """The member's name on the wire: a field's name without the underscore that avoids a Python keyword."""
    return field_name.rstrip("_")


def encode(value: Any) -> Any:
    """The JSON form of a frozen value. Sets and floats are refused: they have no one order, no one text."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, tuple):
        return [encode(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        members = [(wire, getattr(value, name)) for name, wire in _members(type(value))]
        body = {wire: encode(item) for wire, item in members}
        tag = getattr(type(value), "type", None)
        return body if not isinstance(tag, str) else {"type": tag, **body}
    raise MalformedValue(f"A {type(value).__name__} has no JSON form.")


@functools.cache
def _members(cls: type[Any]) -> tuple[tuple[str, str], ...]:
    return tuple((field.name, wire_name(field.name)) for field in dataclasses.fields(cls))


# --- JSON to values ------------------------------------------------------------------------------------

Decoder = Callable[[Any, str], Any]


def decode(cls: type[T], value: Any) -> T:
    """The value of type `cls` whose JSON form is `value`; raises `MalformedValue` with a JSON pointer."""
    hint: Any = cls
    found: T = _decoder(hint)(value, "")
    return found


def decode_action(ruleset: AnyRuleset, value: Any) -> Any:
    """The action of `ruleset` whose JSON form is `value`; raises `MalformedValue`."""
    return _decode_union(ruleset.actions)(value, "")


@functools.cache
def _decoder(hint: Any) -> Decoder:
    origin, args = get_origin(hint), get_args(hint)
    if hasattr(hint, "__supertype__"):
        return _decoder(hint.__supertype__)
    if origin is Annotated:
        return _bounded(_decoder(args[0]), next((a for a in args[1:] if isinstance(a, Bounds)), None))
    if origin is Literal:
        return _literal(args)
    if origin in (Union, types.UnionType):
        return _union(args)
    if origin is tuple:
        return _tuple(args)
    if hint in (int, str, bool):
        return _plain(hint)
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return _dataclass(hint)
    raise TypeError(f"{hint!r} cannot be decoded")


def _plain(cls: type[Any]) -> Decoder:
    def read(value: Any, pointer: str) -> Any:
        if type(value) is not cls:
            raise MalformedValue(f"Expected {cls.__name__}.", pointer)
        return value

    return read


def _literal(choices: tuple[Any, ...]) -> Decoder:
    allowed = {(type(choice), choice) for choice in choices}

    def read(value: Any, pointer: str) -> Any:
        if not isinstance(value, bool | int | str) or (type(value), value) not in allowed:
            raise MalformedValue(f"Expected one of {', '.join(map(str, choices))}.", pointer)
        return value

    return read


def _bounded(inner: Decoder, bounds: Bounds | None) -> Decoder:
    if bounds is None:
        return inner

    def read(value: Any, pointer: str) -> Any:
        found = inner(value, pointer)
        size = found if isinstance(found, int) else len(found)
        if not bounds.least <= size <= bounds.most:
            raise MalformedValue(f"Expected {bounds.least} to {bounds.most}.", pointer)
        return found

    return read


def _tuple(args: tuple[Any, ...]) -> Decoder:
    if len(args) == 2 and args[1] is Ellipsis:
        item = _decoder(args[0])

        def read_all(value: Any, pointer: str) -> Any:
            if not isinstance(value, list):
                raise MalformedValue("Expected a list.", pointer)
            return tuple(item(entry, f"{pointer}/{at}") for at, entry in enumerate(value))

        return read_all
    items = tuple(_decoder(arg) for arg in args)

    def read_each(value: Any, pointer: str) -> Any:
        if not isinstance(value, list) or len(value) != len(items):
            raise MalformedValue(f"Expected a list of {len(items)}.", pointer)
        return tuple(one(entry, f"{pointer}/{at}") for at, (one, entry) in enumerate(zip(items, value, strict=True)))

    return read_each


def _union(args: tuple[Any, ...]) -> Decoder:
    optional = type(None) in args
    rest = tuple(arg for arg in args if arg is not type(None))
    inner = _decoder(rest[0]) if len(rest) == 1 else _decode_union(rest)

    def read(value: Any, pointer: str) -> Any:
        return None if optional and value is None else inner(value, pointer)

    return read


@functools.cache
def _decode_union(classes: tuple[type[Any], ...]) -> Decoder:
    hints: tuple[Any, ...] = classes
    by_tag: dict[str, Decoder] = {hint.type: _decoder(hint) for hint in hints}

    def read(value: Any, pointer: str) -> Any:
        if not isinstance(value, Mapping):
            raise MalformedValue("Expected an object.", pointer)
        tag = value.get("type")
        if not isinstance(tag, str) or tag not in by_tag:
            raise MalformedValue(f"Expected one of {', '.join(sorted(by_tag))}.", f"{pointer}/type")
        return by_tag[tag](value, pointer)

    return read


def _dataclass(cls: type[Any]) -> Decoder:
    hints = get_type_hints(cls, include_extras=True)
    tag = getattr(cls, "type", None)
    fields = [(f.name, wire_name(f.name), _decoder(hints[f.name]), _default(f)) for f in dataclasses.fields(cls)]
    known = {wire for _, wire, _, _ in fields} | ({"type"} if isinstance(tag, str) else set())

    def read(value: Any, pointer: str) -> Any:
        if not isinstance(value, Mapping):
            raise MalformedValue("Expected an object.", pointer)
        if isinstance(tag, str) and value.get("type") != tag:
            raise MalformedValue(f"Expected {tag}.", f"{pointer}/type")
        for name in value:
            if name not in known:
                raise MalformedValue("Unknown member.", f"{pointer}/{pointer_step(str(name))}")
        found = {}
        for name, wire, read_field, has_default in fields:
            if wire in value:
                found[name] = read_field(value[wire], f"{pointer}/{wire}")
            elif not has_default:
                raise MalformedValue("Missing member.", f"{pointer}/{wire}")
        return cls(**found)

    return read


def _default(field: dataclasses.Field[Any]) -> bool:
    return field.default is not dataclasses.MISSING or field.default_factory is not dataclasses.MISSING


# --- options and states --------------------------------------------------------------------------------


def read_options(ruleset: AnyRuleset, given: Mapping[str, Any]) -> Any:
    """The options of a game: the ruleset's defaults, then the preset that `reading` names, then what was given.

    Raises `MalformedValue` for an unknown option or a value out of range.
    """
    reading = given.get("reading")
    preset = ruleset.presets.get(reading, {}) if isinstance(reading, str) else {}
    return decode(ruleset.options, {**preset, **given})


def state_hash(state: Any) -> str:
    """SHA-256, in hex, of a state's canonical bytes: the same in every process and on every machine."""
    return hashlib.sha256(canonical(encode(state))).hexdigest()
