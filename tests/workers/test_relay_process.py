"""The relay as a process of its own: a move is under a checkpoint within a second, and a restart changes nothing."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import pytest

from moveledger.audit.checkpoint import Checkpoint, read_signed_checkpoint
from tests.api.service import Client, open_service
from tests.workers.process import running


def head(client: Client) -> Checkpoint | None:
    answer = client.get("/v1/log/checkpoint")
    return read_signed_checkpoint(answer.get_data(as_text=True))[0] if answer.status_code == 200 else None


def wait_for_proof(client: Client, game_id: str, version: int, *, patience: float) -> float:
    """How long it takes until an event is proved."""
    began = time.monotonic()
    while client.get(f"/v1/games/{game_id}/events/{version}/proof").status_code != 200:
        assert time.monotonic() - began < patience
        time.sleep(0.01)
    return time.monotonic() - began


def test_every_move_is_under_a_checkpoint_within_a_second(database: str, redis_url: str, tmp_path: Path) -> None:
    with open_service(database, redis_url) as service, running("relay", database, redis_url, tmp_path):
        client = service.client()
        game = client.open_game()
        wait_for_proof(client, game["id"], game["version"], patience=30)
        took = []
        for _ in range(6):
            version = client.play(game["id"], moves=1)["version"]
            took.append(wait_for_proof(client, game["id"], version, patience=10))
        assert max(took) < 1.0, took


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_relay_that_ends_is_followed_by_one_that_goes_on(
    database: str, redis_url: str, tmp_path: Path, number: signal.Signals
) -> None:
    with open_service(database, redis_url) as service:
        client = service.client()
        game = client.open_game()
        with running("relay", database, redis_url, tmp_path) as relay:
            wait_for_proof(client, game["id"], game["version"], patience=30)
            before = head(client)
            version = client.play(game["id"], moves=4)["version"]
            relay.send_signal(number)
            relay.wait(30)
        with running("relay", database, redis_url, tmp_path):
            wait_for_proof(client, game["id"], version, patience=30)
        after = head(client)
        assert before is not None
        assert after is not None
        assert before.size < after.size == version
        assert service.anybody.get("/readyz").get_json()["log"] == "ok"
    assert (tmp_path / "relay.log").read_text() == ""
