"""The public log, as C2SP's tlog-tiles has it: checkpoint, tiles, entries; and proofs for those who hold no tiles."""

from __future__ import annotations

import re

from flask import Response, request
from flask_smorest import Blueprint
from werkzeug.exceptions import UnsupportedMediaType

from moveledger.api.description import WRITE_PROBLEMS, described
from moveledger.api.requests import caller, game_id_of, load_query, refuse_invalid_credential, reply, tools
from moveledger.audit.tiles import Tile, read_tile
from moveledger.errors import CosignatureRefused, MalformedValue, UnknownTile, UnknownVersion
from moveledger.schemas.answers import ConsistencySchema, CosignedSchema, ProofSchema
from moveledger.schemas.requests import CheckpointQuery, ConsistencyQuery
from moveledger.services import proving
from moveledger.services.witnessing import keep_cosignatures

blp = Blueprint("log", __name__, url_prefix="/v1", description="The public log")
blp.before_request(refuse_invalid_credential)

NOTE = "text/plain; charset=utf-8"
HASHES = "application/octet-stream"
FOR_EVER = "public, max-age=31536000, immutable"
A_MOMENT = "public, max-age=1"
CHECKPOINT, CONSISTENCY = CheckpointQuery(), ConsistencyQuery()
TEXT = {NOTE: {"schema": {"type": "string"}}}
BYTES = {HASHES: {"schema": {"type": "string", "format": "binary"}}}


@blp.route("/log/checkpoint", methods=["GET"])
@described(blp, answer=None, query=CheckpointQuery, problems=[404, 422], also=TEXT)
def read_checkpoint() -> Response:
    """Read the newest checkpoint: a C2SP signed note of the log's name, its size and its root.

    With `witnesses`: the newest that so many have co-signed.
    """
    note = proving.published_note(tools(), witnesses=load_query(CHECKPOINT)["witnesses"])
    return _reply(note.encode(), NOTE, A_MOMENT)


@blp.route("/log/key", methods=["GET"])
@described(blp, answer=None, also=TEXT)
def read_key() -> Response:
    """Read the key that signs checkpoints and receipts, as a C2SP vkey. Compare it with what you were told elsewhere."""
    return _reply(f"{tools().signer.verifier}\n".encode(), NOTE, A_MOMENT)


@blp.route("/log/tile/<level>/<path:name>", methods=["GET"])
@described(blp, answer=None, problems=[404], also=BYTES)
def read_tile_hashes(level: str, name: str) -> Response:
    """Read a tile of the tree: up to 256 hashes of 32 bytes. `name` is like `x001/234` or, partial, `x001/234.p/8`."""
    return _reply(proving.tile_hashes(tools(), _tile(level, name)), HASHES, FOR_EVER)


@blp.route("/log/tile/entries/<path:name>", methods=["GET"])
@described(blp, answer=None, problems=[404], also=BYTES)
def read_tile_entries(name: str) -> Response:
    """Read the entries under a tile of level 0: events' hashes, each after its length in two bytes."""
    return _reply(proving.tile_entries(tools(), _tile("0", name)), HASHES, FOR_EVER)


@blp.route("/log/consistency", methods=["GET"])
@described(blp, answer=ConsistencySchema, query=ConsistencyQuery, problems=[404, 422])
def prove_consistency() -> Response:
    """Prove that the log of `to` leaves begins with the one of `from` (RFC 6962, 2.1.2)."""
    query = load_query(CONSISTENCY)
    return reply(proving.prove_growth(tools(), old=query["from_"], new=query["to"]))


@blp.route("/log/cosignatures", methods=["POST"])
@described(blp, answer=CosignedSchema, body=TEXT, problems=[404, *WRITE_PROBLEMS])
def add_cosignatures() -> Response:
    """Give a checkpoint with the co-signatures of witnesses under it (`text/plain`); those of witnesses known here are kept.

    It needs no key, a witness's signature is one; and no Idempotency-Key, for it is kept once.
    """
    if request.mimetype != "text/plain":
        raise UnsupportedMediaType("Send text/plain.")
    try:
        text = request.get_data().decode()
    except UnicodeDecodeError as wrong:
        raise CosignatureRefused("A note is UTF-8.") from wrong
    return reply({"kept": keep_cosignatures(tools(), text)})


@blp.route("/games/<game_id>/events/<seq>/proof", methods=["GET"])
@described(blp, answer=ProofSchema, problems=[404])
def prove_event(game_id: str, seq: str) -> Response:
    """Prove that an event is in the public log, and with it all events of the game before it."""
    game = game_id_of(game_id)
    if not seq.isascii() or not seq.isdigit() or not 0 < len(seq) < 17 or seq.startswith("0"):
        raise UnknownVersion
    return reply(proving.prove_event(tools(), caller(), game, int(seq)))


def _tile(level: str, name: str) -> Tile:
    if not re.fullmatch("[0-7]", level):
        raise UnknownTile
    try:
        return read_tile(int(level), name)
    except MalformedValue as wrong:
        raise UnknownTile(wrong.detail) from wrong


def _reply(body: bytes, content_type: str, caching: str) -> Response:
    return Response(body, content_type=content_type, headers={"Cache-Control": caching})
