"""The public log as anybody reads it: checkpoints, tiles, entries, and proofs that an event is in it or that it has only grown."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from moveledger.audit.note import read_note, write_note
from moveledger.audit.proofs import consistency_path, inclusion_path
from moveledger.audit.tiles import Tile, TileNodes, entry_bundle, tile_in
from moveledger.errors import InvalidInput, NotSealedYet, UnknownTile, UnknownVersion
from moveledger.services.access import require_sight
from moveledger.services.callers import Caller
from moveledger.services.standing import game_facts
from moveledger.services.tools import Tools
from moveledger.store import publication as store
from moveledger.store.database import Connection
from moveledger.store.events import has_event

# --- heads and tiles -----------------------------------------------------------------------------------


def published_note(tools: Tools, *, witnesses: int = 0) -> str:
    """The newest checkpoint that at least so many witnesses have co-signed: its note, their lines after ours.

    Raises `NotSealedYet` when there is none.
    """
    with tools.database.connection() as connection:
        return _whole_note(connection, _head(connection, witnesses=witnesses))


def tile_hashes(tools: Tools, tile: Tile) -> bytes:
    """The hashes of a tile of the published tree. Raises `UnknownTile`."""
    with tools.database.connection() as connection:
        _require_published(connection, tile)
        return store.read_tile_hashes(connection, tile)


def tile_entries(tools: Tools, tile: Tile) -> bytes:
    """The entries under a tile of level 0, each an event's hash. Raises `UnknownTile`."""
    with tools.database.connection() as connection:
        _require_published(connection, tile)
        return entry_bundle(store.entries(connection, tile))


def _require_published(connection: Connection, tile: Tile) -> None:
    last = store.last_checkpoint(connection)
    try:
        there = tile_in(last.size if last else 0, tile.level, tile.index)
    except LookupError as wrong:
        raise UnknownTile from wrong
    if there.width < tile.width:
        raise UnknownTile


# --- proofs --------------------------------------------------------------------------------------------


def prove_event(tools: Tools, caller: Caller, game_id: UUID, seq: int) -> dict[str, Any]:
    """That an event is in the published tree. Raises `UnknownGame`, `UnknownVersion`, `NotSealedYet`."""
    require_sight(caller, game_facts(tools, game_id))
    with tools.database.connection() as connection:
        index = store.leaf_index_of(connection, game_id, seq)
        if index is None and not has_event(connection, game_id, seq):
            raise UnknownVersion
        head = _head(connection)
        if index is None or index >= head.size:
            raise NotSealedYet(
                "The event is in the log, and no checkpoint is signed over it yet: ask again in a moment."
            )
        path = inclusion_path(_nodes(connection, head.size), index, head.size)
        return {"leaf_index": index, "path": _hex(path), "checkpoint": _whole_note(connection, head)}


def sealed_evidence(tools: Tools, game_id: UUID, upto: int) -> tuple[list[dict[str, Any]], list[str]]:
    """What a record up to an event holds of the public log: the proof of its last sealed event, and the checkpoint.

    One proof is enough: an event's hash covers all those before it.
    """
    with tools.database.connection() as connection:
        head = store.last_checkpoint(connection)
        if head is None:
            return [], []
        found = store.last_sealed(connection, game_id, upto=upto, size=head.size)
        if found is None:
            return [], []
        seq, index = found
        path = inclusion_path(_nodes(connection, head.size), index, head.size)
        proof = {"seq": seq, "leaf_index": index, "path": _hex(path)}
        return [proof], [_whole_note(connection, head)]


def prove_growth(tools: Tools, *, old: int, new: int | None) -> dict[str, Any]:
    """That the published tree of `new` leaves (by default all of them) begins with the one of `old`.

    Raises `InvalidInput`, and `NotSealedYet` for a size that no checkpoint has come to.
    """
    with tools.database.connection() as connection:
        size = _head(connection).size
        new = size if new is None else new
        if new > size:
            raise NotSealedYet(f"The newest checkpoint has {size} leaves.")
        if old > new:
            raise InvalidInput("`to` lies before `from`.", errors=[{"parameter": "to", "detail": "Before `from`."}])
        return {"from": old, "to": new, "path": _hex(consistency_path(_nodes(connection, size), old, new))}


def _head(connection: Connection, *, witnesses: int = 0) -> store.SignedHead:
    found = store.last_checkpoint(connection, witnesses=witnesses)
    if found is None:
        raise NotSealedYet("There is no such checkpoint yet.")
    return found


def _nodes(connection: Connection, size: int) -> TileNodes:
    return TileNodes(size, lambda tile: store.read_tile_hashes(connection, tile))


def _whole_note(connection: Connection, head: store.SignedHead) -> str:
    note = read_note(head.note)
    ours = [signature.line for signature in note.signatures]
    return write_note(note.text, [*ours, *store.cosignature_lines(connection, head.number)])


def _hex(path: list[bytes]) -> list[str]:
    return [step.hex() for step in path]
