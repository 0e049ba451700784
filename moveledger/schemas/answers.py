"""What the API answers. These shapes are written into openapi.yaml, and every answer in the tests is held against them."""

from __future__ import annotations

from typing import Any

from marshmallow import INCLUDE, Schema, fields, validate

STATUS = validate.OneOf(["open", "running", "finished", "aborted"])


def _hex(**how: Any) -> fields.String:
    return fields.String(validate=validate.Regexp(r"^[0-9a-f]{64}$"), **{"required": True, **how})


def _optional(field: type[fields.Field[Any]], **how: Any) -> fields.Field[Any]:
    return field(required=True, allow_none=True, **how)


class OutcomeSchema(Schema):
    """How a game ended."""

    placings = fields.List(fields.Integer(), required=True, metadata={"description": "By seat, in the form 1, 1, 3"})
    scores = fields.List(fields.Integer(), required=True, metadata={"description": "By seat"})
    reason = fields.String(required=True)


class AwaitingSchema(Schema):
    """Who has a choice to make, and the token of each choice for `If-Match`."""

    seats = fields.List(fields.Integer(), required=True)
    decisions = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class PlayerSchema(Schema):
    """Who sits there: the service's id, the display name if there is one, and what your key calls it."""

    id = fields.UUID(required=True)
    name = _optional(fields.String)
    external_id = _optional(fields.String)


class SeatSchema(Schema):
    """A seat."""

    seat = fields.Integer(required=True)
    player = fields.Nested(PlayerSchema, required=True, allow_none=True)
    public_key = _hex(allow_none=True, metadata={"description": "With which the seat can sign its moves"})
    left = _optional(fields.Boolean)
    entropy = _optional(fields.String)


class FairnessSchema(Schema):
    """What the house has committed to, and how many draws were made."""

    scheme = fields.String(required=True)
    seed_commitment = _hex()
    draws_root = _hex()
    draws = fields.Integer(required=True)
    mix = _hex(allow_none=True)
    drawn = _optional(fields.Integer)


class ParentSchema(Schema):
    """Where a fork starts from."""

    game_id = fields.UUID(required=True)
    seq = fields.Integer(required=True)
    hash = _hex()


class GameSchema(Schema):
    """A game. Where its ruleset is not installed any more, what only the rules could tell is null."""

    id = fields.UUID(required=True)
    ruleset = fields.String(required=True)
    ruleset_installed = fields.Boolean(required=True)
    status = fields.String(required=True, validate=STATUS)
    version = fields.Integer(required=True)
    head_hash = _hex()
    seats = fields.List(fields.Nested(SeatSchema), required=True)
    options = fields.Dict(required=True)
    visibility = fields.String(required=True)
    entropy = fields.String(required=True)
    awaiting = fields.Nested(AwaitingSchema, required=True, allow_none=True)
    outcome = fields.Nested(OutcomeSchema, required=True, allow_none=True)
    annulled = _optional(fields.Boolean)
    fairness = fields.Nested(FairnessSchema, required=True)
    parent = fields.Nested(ParentSchema, required=True, allow_none=True)
    external_ref = _optional(fields.String)
    created_at = fields.DateTime(required=True)


class NewGameSchema(GameSchema):
    """A game that was just opened, with the tokens of its taken seats."""

    seat_tokens = fields.Dict(keys=fields.String(), values=fields.String(), required=True)


class EventSchema(Schema):
    """An event as its reader may see it; salt and body are null where it is closed."""

    game_id = fields.UUID(required=True)
    seq = fields.Integer(required=True)
    type = fields.String(required=True)
    schema = fields.Integer(required=True)
    seat = fields.Integer(required=True, metadata={"description": "-1 the house, -2 the referee"})
    client = fields.UUID(required=True)
    request_id = fields.String(required=True)
    recorded_at = fields.DateTime(required=True)
    recorded_us = fields.Integer(required=True)
    prev_hash = _hex()
    commitment = _hex()
    hash = _hex()
    sealed = fields.Boolean(required=True)
    salt = _hex(allow_none=True)
    body = fields.Dict(required=True, allow_none=True)


class ReceiptSchema(Schema):
    """What a seat keeps of its move."""

    game_id = fields.UUID(required=True)
    seq = fields.Integer(required=True)
    hash = _hex()
    recorded_at = fields.DateTime(required=True)
    signature = _optional(fields.String)


class WrittenSchema(Schema):
    """The events that a request made, and how the game stands after them."""

    game_id = fields.UUID(required=True)
    version = fields.Integer(required=True)
    events = fields.List(fields.Nested(EventSchema), required=True)
    status = fields.String(required=True, validate=STATUS)
    awaiting = fields.Nested(AwaitingSchema, required=True)
    outcome = fields.Nested(OutcomeSchema, required=True, allow_none=True)
    receipt = fields.Nested(ReceiptSchema, required=True)


class RefusalSchema(Schema):
    """Why the rules refuse a move."""

    code = fields.String(required=True)
    detail = fields.String(required=True)


class PreviewSchema(Schema):
    """What would become of a move."""

    game_id = fields.UUID(required=True)
    version = fields.Integer(required=True)
    seat = fields.Integer(required=True)
    decision = fields.String(required=True)
    legal = fields.Boolean(required=True)
    refusal = fields.Nested(RefusalSchema, required=True, allow_none=True)


class ClaimSchema(Schema):
    """A seat taken, with its token."""

    game_id = fields.UUID(required=True)
    seat = fields.Integer(required=True)
    seat_token = fields.String(required=True)
    status = fields.String(required=True, validate=STATUS)
    version = fields.Integer(required=True)


class EntropySchema(Schema):
    """How far the seats have come with their entropy."""

    game_id = fields.UUID(required=True)
    seat = fields.Integer(required=True)
    status = fields.String(required=True, validate=STATUS)
    version = fields.Integer(required=True)
    committed = fields.List(fields.Integer(), required=True)
    opened = fields.List(fields.Integer(), required=True)


class StateSchema(Schema):
    """How a game stands, as its observer sees it."""

    game_id = fields.UUID(required=True)
    version = fields.Integer(required=True)
    as_ = fields.String(data_key="as", required=True)
    status = fields.String(required=True, validate=STATUS)
    awaiting = fields.Nested(AwaitingSchema, required=True)
    view = fields.Dict(required=True)
    outcome = fields.Nested(OutcomeSchema, required=True, allow_none=True)


class NoteSchema(Schema):
    """One sentence about what happened."""

    key = fields.String(required=True)
    arguments = fields.Dict(required=True)
    text = fields.String(required=True)


class FrameSchema(Schema):
    """One picture of a replay."""

    seq = fields.Integer(required=True)
    event = fields.Nested(EventSchema, required=True)
    view = fields.Dict(required=True)
    notes = fields.List(fields.Nested(NoteSchema), required=True)
    rewound_by = fields.Integer(
        required=True, allow_none=True, metadata={"description": "The seq of the rewind that took the event back"}
    )


class TrailEntrySchema(Schema):
    """Who did what, with which credential, when, in which request; of a ruling also what and why."""

    seq = fields.Integer(required=True)
    type = fields.String(required=True)
    seat = fields.Integer(required=True)
    client = fields.UUID(required=True)
    request_id = fields.String(required=True)
    recorded_at = fields.DateTime(required=True)
    sealed = fields.Boolean(required=True)
    ruling = _optional(fields.String)
    reason = _optional(fields.String, metadata={"description": "Of a ruling, and of an end without an outcome"})
    signed = fields.Boolean(required=True, metadata={"description": "Whether it is a move that its seat has signed"})
    prev_hash = _hex()
    commitment = _hex()
    hash = _hex()


class LookSchema(Schema):
    """Somebody looked with a referee's rights."""

    version = fields.Integer(required=True, metadata={"description": "Of the game when it was looked at"})
    client = fields.UUID(required=True)
    observer = fields.String(required=True)
    what = fields.String(required=True)
    request_id = fields.String(required=True)
    looked_at = fields.DateTime(required=True)


class RefusalEntrySchema(Schema):
    """A request on a game that was refused for who sent it, or a ruling that was refused."""

    code = fields.String(required=True)
    method = fields.String(required=True)
    route = fields.String(required=True)
    game_id = _optional(fields.UUID)
    client = _optional(fields.UUID)
    request_id = fields.String(required=True)
    refused_at = fields.DateTime(required=True)


class CheckSchema(Schema):
    """What one check says."""

    name = fields.String(required=True)
    result = fields.String(required=True, validate=validate.OneOf(["pass", "fail", "closed", "pending"]))
    detail = fields.String(required=True)
    seq = fields.Integer(metadata={"description": "The event at which a failed check found its fault"})


class VerificationSchema(Schema):
    """What the checks said last; version 0 before the first time."""

    version = fields.Integer(required=True)
    verified_at = _optional(fields.DateTime)
    checks = fields.List(fields.Nested(CheckSchema), required=True)


class SeatRangeSchema(Schema):
    """How many seats."""

    min = fields.Integer(required=True)
    max = fields.Integer(required=True)


class RulesetSchema(Schema):
    """The rules of a game."""

    id = fields.String(required=True)
    names = fields.Dict(keys=fields.String(), values=fields.String(), required=True)
    seats = fields.Nested(SeatRangeSchema, required=True)
    unofficial_seats = fields.List(fields.Integer(), required=True)
    options_schema = fields.Dict(required=True, metadata={"description": "JSON Schema"})
    action_schema = fields.Dict(required=True, metadata={"description": "JSON Schema, a oneOf"})
    presets = fields.Dict(required=True, metadata={"description": "What `reading` sets at once"})
    hidden = fields.Boolean(required=True)
    chance = fields.Boolean(required=True)
    provenance = fields.Dict(required=True)
    terms = fields.Dict(required=True, metadata={"description": "Names of components: {group: {id: {language: text}}}"})
    rules_digest = _hex()


class KeySchema(Schema):
    """An API key, without its text."""

    id = fields.UUID(required=True)
    name = fields.String(required=True)
    scopes = fields.List(fields.String(), required=True)
    created_at = fields.DateTime(required=True)
    revoked_at = _optional(fields.DateTime)


class NewKeySchema(KeySchema):
    """An API key with its text, which is shown now and to a repeat of the request."""

    key = fields.String(required=True)


class HealthSchema(Schema):
    """Whether the process is up, and what it reaches."""

    class Meta:
        unknown = INCLUDE

    status = fields.String(required=True)


def page_of(schema: type[Schema]) -> type[Schema]:
    """A cursor page of a list."""
    return type(
        schema.__name__.removesuffix("Schema") + "PageSchema",
        (Schema,),
        {
            "data": fields.List(fields.Nested(schema), required=True),
            "has_more": fields.Boolean(required=True),
            "next": fields.String(required=True, allow_none=True),
        },
    )


class LegalMovesSchema(Schema):
    """A page of what a seat may do."""

    version = fields.Integer(required=True)
    seat = fields.Integer(required=True)
    decision = fields.String(required=True)
    data = fields.List(fields.Dict(), required=True)
    has_more = fields.Boolean(required=True)
    next = fields.String(required=True, allow_none=True)


class RulesetListSchema(Schema):
    """All installed rulesets."""

    data = fields.List(fields.Nested(RulesetSchema), required=True)


class ProofSchema(Schema):
    """That an event is a leaf of the public log."""

    leaf_index = fields.Integer(required=True)
    path = fields.List(
        _hex(), required=True, metadata={"description": "From the leaf up to the root (RFC 6962, 2.1.1)"}
    )
    checkpoint = fields.String(
        required=True, metadata={"description": "The signed note of the tree that the path is in"}
    )


class ConsistencySchema(Schema):
    """That a log has only grown."""

    from_ = fields.Integer(data_key="from", required=True)
    to = fields.Integer(required=True)
    path = fields.List(_hex(), required=True, metadata={"description": "As RFC 6962, 2.1.2 orders it"})


class CosignedSchema(Schema):
    """How many co-signatures were new."""

    kept = fields.Integer(required=True)
