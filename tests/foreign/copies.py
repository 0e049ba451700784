"""A copy of the public log in a folder, fetched as anybody fetches it, for tools that are not ours."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from moveledger.audit.checkpoint import Checkpoint, read_signed_checkpoint
from moveledger.audit.proofs import inclusion_path
from moveledger.audit.tiles import LEVELS, WIDTH, TileNodes, tile_in
from moveledger.services.ordering import order_new_events
from tests.api.service import Client, open_service
from tests.audit.trees import ENTRIES
from tests.house import open_house
from tests.services.logs import Relay, put_leaves

SIZES = [40, 255, 256, 257, 66_000]
"""How many leaves the checkpoints have. The first leaves are the events of a game, the others of none."""


@dataclass(frozen=True, slots=True)
class Published:
    """A log over HTTP, its checkpoints by size, the events of its game, and all entries."""

    client: Client
    notes: dict[int, str]
    events: list[Any]
    entries: list[bytes]

    def get(self, path: str) -> bytes:
        """What is served under the log's prefix."""
        answer = self.client.get(f"/v1/log/{path}")
        assert answer.status_code == 200, answer.get_data()
        return answer.get_data()

    def head(self, size: int) -> Checkpoint:
        """The checkpoint of that size."""
        return read_signed_checkpoint(self.notes[size])[0]

    def event_proofs(self) -> list[dict[str, Any]]:
        """The proofs of the game's events as the API gives them, each with its entry."""
        paths = [f"/v1/games/{event['game_id']}/events/{event['seq']}/proof" for event in self.events]
        found: list[Any] = [self.client.get(path).json for path in paths]
        return [{**proof, "entry": event["hash"]} for event, proof in zip(self.events, found, strict=True)]

    def leaf_proof(self, index: int, size: int) -> dict[str, Any]:
        """The proof of any leaf, made from the tiles that are served."""
        nodes = TileNodes(size, lambda tile: self.get(tile.path))
        path = [step.hex() for step in inclusion_path(nodes, index, size)]
        return {"entry": self.entries[index].hex(), "leaf_index": index, "path": path}

    def growth(self, old: int, new: int) -> Any:
        """The consistency proof between two sizes."""
        return self.client.get(f"/v1/log/consistency?from={old}&to={new}").json

    def write_copy(self, folder: Path, size: int) -> None:
        """All files of the log as it is at a size: key, checkpoint, tiles, entries."""
        _write(folder / "key", self.get("key"))
        _write(folder / "checkpoint", self.notes[size].encode())
        for level in range(LEVELS):
            for index in range(-(-(size >> 8 * level) // WIDTH)):
                tile = tile_in(size, level, index)
                _write(folder / tile.path, self.get(tile.path))
                if level == 0:
                    _write(folder / f"tile/entries/{tile.name}", self.get(f"tile/entries/{tile.name}"))


@contextmanager
def publish_log(database: str, redis_url: str, folder: Path) -> Iterator[Published]:
    """A log with a checkpoint at each of `SIZES`."""
    with open_service(database, redis_url) as service, open_house(database, redis_url, role="relay") as house:
        client, relay, notes = service.client(), Relay(house.tools, folder), dict[int, str]()
        game = client.open_game()
        client.play(game["id"], moves=10)
        order_new_events(house.tools)
        for size in SIZES:
            put_leaves(database, size)
            while (signed := relay.sign()) is not None:
                assert signed.size <= size
            notes[size] = service.anybody.get("/v1/log/checkpoint").get_data(as_text=True)
        answer: Any = client.get(f"/v1/games/{game['id']}/events?limit=100").json
        hashes = [bytes.fromhex(event["hash"]) for event in answer["data"]]
        yield Published(service.anybody, notes, answer["data"], hashes + ENTRIES[len(hashes) : SIZES[-1]])


def write_proofs(folder: Path, inclusion: list[dict[str, Any]], consistency: list[dict[str, Any]]) -> None:
    """Proofs in the form that the checker in Go reads."""
    _write(folder / "proofs.json", json.dumps({"inclusion": inclusion, "consistency": consistency}).encode())


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
