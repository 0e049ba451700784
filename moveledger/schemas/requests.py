"""What clients send: bodies and query parameters. Unknown members are refused."""

from __future__ import annotations

import re
from typing import Any

from marshmallow import RAISE, Schema, ValidationError, fields, validate, validates_schema

from moveledger.audit.event import TYPES
from moveledger.audit.signature import find_key_fault
from moveledger.schemas.derive import StrictBoolean, StrictInteger

_DIGITS = re.compile("-?[0-9]{1,20}")


class _Whole(validate.Regexp):
    """A pattern that the whole text has to match: Python's `$` lets a newline follow."""

    def __call__(self, value: Any) -> Any:
        if self.regex.fullmatch(value) is None:
            raise ValidationError(self.error)
        return value


class _Key(_Whole):
    """The same for a public key, which has to be one."""

    def __call__(self, value: Any) -> Any:
        super().__call__(value)
        fault = find_key_fault(bytes.fromhex(value))
        if fault is not None:
            raise ValidationError(fault)


HEX_32 = _Whole(r"^[0-9a-f]{64}$", error="Expected 64 lower-case hex digits.")
KEY = _Key(r"^[0-9a-f]{64}$", error="Expected 64 lower-case hex digits.")


def _no_control(text: str) -> None:
    if any(ord(letter) < 32 or 0xD800 <= ord(letter) < 0xE000 or ord(letter) == 127 for letter in text):
        raise ValidationError("Control characters are not allowed.")


def _text(most: int, **how: Any) -> fields.String:
    return fields.String(validate=[validate.Length(min=1, max=most), _no_control], **how)


class _Strict(Schema):
    class Meta:
        unknown = RAISE


class PlayerInput(_Strict):
    """A player, as the client calls it."""

    id = _text(100, required=True, metadata={"description": "Yours: it means something only to your key"})
    name = _text(100, load_default=None, allow_none=True)
    public_key = fields.String(
        load_default=None,
        allow_none=True,
        validate=KEY,
        metadata={"description": "Ed25519, 64 hex digits: the moves of the seat may be signed with it"},
    )


class NewGameInput(_Strict):
    """A game to be opened."""

    ruleset = _text(80, required=True, metadata={"example": "shangrila@1"})
    seats = StrictInteger(required=True, validate=validate.Range(min=1, max=16))
    players = fields.List(
        fields.Nested(PlayerInput),
        load_default=(),
        validate=validate.Length(max=16),
        metadata={"description": "One a seat, in order: then the game starts at once"},
    )
    options = fields.Dict(keys=fields.String(), load_default=dict)
    visibility = fields.String(load_default="public", validate=validate.OneOf(["public", "unlisted", "private"]))
    entropy = fields.String(load_default="none", validate=validate.OneOf(["none", "required"]))
    external_ref = _text(200, load_default=None, allow_none=True)


class ClaimInput(_Strict):
    """Who takes the seat."""

    player = fields.Nested(PlayerInput, required=True)


class EntropyInput(_Strict):
    """First `commitment`, later `entropy`: 32 bytes in hex each."""

    commitment = fields.String(validate=HEX_32)
    entropy = fields.String(validate=HEX_32)

    @validates_schema
    def one_of_two(self, data: dict[str, Any], **_: Any) -> None:
        """Exactly one of the two is given."""
        if len(data) != 1:
            raise ValidationError("Give either commitment or entropy.")


class ActionField(fields.Raw):
    """An action: which shape it has, the ruleset of the game says."""


class SignedInput(_Strict):
    """A seat's signature under its move, for a seat with a `public_key`: `docs/formats.md` says over which bytes."""

    seq = StrictInteger(required=True, validate=validate.Range(min=1, max=2**53 - 1))
    head_hash = fields.String(required=True, validate=HEX_32)
    signature = fields.String(
        required=True, validate=_Whole(r"^[0-9a-f]{128}$", error="Expected 128 lower-case hex digits.")
    )


class MoveInput(_Strict):
    """A move. `action` has the shape that the game's ruleset says (`action_schema` of GET /v1/rulesets/{id})."""

    seat = StrictInteger(load_default=None, allow_none=True, validate=validate.Range(min=0, max=15))
    action = ActionField(required=True)
    signed = fields.Nested(SignedInput, load_default=None, allow_none=True)


class ResignationInput(_Strict):
    """Who resigns; a seat's token may leave it out."""

    seat = StrictInteger(load_default=None, allow_none=True, validate=validate.Range(min=0, max=15))


class ForkInput(_Strict):
    """Where a fork starts."""

    at = StrictInteger(required=True, validate=validate.Range(min=1, max=2**53))


class RulingInput(_Strict):
    """A referee's decision. `to` and `redraw` belong to `rewind`, `seat` to `remove_seat`, `placings` and `scores` to `adjudicate`."""

    type = fields.String(
        required=True, validate=validate.OneOf(["abort", "remove_seat", "rewind", "adjudicate", "annul"])
    )
    reason = _text(500, required=True)
    to = StrictInteger(validate=validate.Range(min=-(2**53), max=2**53))
    redraw = StrictBoolean()
    seat = StrictInteger(validate=validate.Range(min=0, max=15))
    placings = fields.List(StrictInteger(validate=validate.Range(min=1, max=16)), validate=validate.Length(max=16))
    scores = fields.List(
        StrictInteger(validate=validate.Range(min=-(2**31), max=2**31)), validate=validate.Length(max=16)
    )

    @validates_schema
    def members_of_its_type(self, data: dict[str, Any], **_: Any) -> None:
        """Each type has its members, and only those."""
        required, optional = RULING_MEMBERS.get(data.get("type", ""), (set(), set()))
        given = data.keys() - {"type", "reason"}
        errors = {name: ["Missing data for required field."] for name in sorted(required - given)}
        errors |= {name: ["Unknown field."] for name in sorted(given - required - optional)}
        if errors:
            raise ValidationError(errors)


RULING_MEMBERS: dict[str, tuple[set[str], set[str]]] = {
    "abort": (set(), set()),
    "remove_seat": ({"seat"}, set()),
    "rewind": ({"to"}, {"redraw"}),
    "adjudicate": ({"placings"}, {"scores"}),
    "annul": (set(), set()),
}


class NewKeyInput(_Strict):
    """An API key to be made."""

    name = _text(100, required=True)
    scopes = fields.List(fields.String(), required=True, validate=validate.Length(min=1, max=20))


# --- queries -------------------------------------------------------------------------------------------


class _Number(fields.Integer):
    """A whole number in a query string: ASCII digits, where Python would take `1_0`, ` 5` and `٣` too."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        if not isinstance(value, str) or _DIGITS.fullmatch(value) is None:
            raise self.make_error("invalid")
        return super()._deserialize(value, attr, data, **kwargs)


class NoQuery(_Strict):
    """No parameter at all."""


class PageQuery(_Strict):
    """Which part of a list."""

    limit = _Number(load_default=25, validate=validate.Range(min=1, max=100))
    after = fields.String(load_default=None, metadata={"description": "`next` of the page before"})


class SeqPageQuery(_Strict):
    """Which part of a list in order of seq."""

    limit = _Number(load_default=25, validate=validate.Range(min=1, max=100))
    after = _Number(load_default=0, validate=validate.Range(min=0, max=2**53))


class GamesQuery(PageQuery):
    """Which games."""

    status = fields.String(load_default=None, validate=validate.OneOf(["open", "running", "finished", "aborted"]))
    ruleset = _text(80, load_default=None)
    player = _text(100, load_default=None, metadata={"description": "An id that your key gave"})
    external_ref = _text(200, load_default=None)


class _As(_Strict):
    as_ = fields.String(
        data_key="as", load_default=None, metadata={"description": "`spectator`, `seat:2` or `referee`"}
    )


class StateQuery(_As):
    """The state of when, and as who sees it."""

    at = _Number(load_default=None, validate=validate.Range(min=1, max=2**53))


class EventsQuery(SeqPageQuery, _As):
    """Which events, and as who sees them."""


class ReplayQuery(SeqPageQuery, _As):
    """Which frames, and as who sees them."""

    from_ = _Number(data_key="from", load_default=1, validate=validate.Range(min=1, max=2**53))
    to = _Number(load_default=None, validate=validate.Range(min=1, max=2**53))
    format = fields.String(
        load_default=None,
        validate=validate.OneOf(["json", "ndjson", "text"]),
        metadata={"description": "The same as `Accept`, for a browser's address line"},
    )


class LegalMovesQuery(SeqPageQuery):
    """Whose legal moves, and which part of them."""

    seat = _Number(load_default=None, validate=validate.Range(min=0, max=15))


class TrailQuery(SeqPageQuery):
    """Which entries of a game's trail."""

    seat = _Number(load_default=None, validate=validate.Range(min=-2, max=15))
    type = fields.String(load_default=None, validate=validate.OneOf(sorted(TYPES)))
    client = fields.UUID(load_default=None)
    since = fields.AwareDateTime(load_default=None, format="iso", metadata={"description": "RFC 3339"})
    until = fields.AwareDateTime(load_default=None, format="iso", metadata={"description": "RFC 3339, not included"})


class SecurityTrailQuery(_Strict):
    """Which refusals."""

    limit = _Number(load_default=25, validate=validate.Range(min=1, max=100))
    after = _Number(load_default=None, validate=validate.Range(min=1, max=2**53))
    game_id = fields.UUID(load_default=None)


class ExportQuery(_As):
    """As who sees it."""


class CheckpointQuery(_Strict):
    """Which checkpoint."""

    witnesses = _Number(load_default=0, validate=validate.Range(min=0, max=16))


class ConsistencyQuery(_Strict):
    """Between which sizes; `to` is that of the newest checkpoint if left out."""

    from_ = _Number(data_key="from", required=True, validate=validate.Range(min=0, max=2**53))
    to = _Number(load_default=None, validate=validate.Range(min=0, max=2**53))
