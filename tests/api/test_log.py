"""The public log over HTTP: what anybody reads of it, and proofs that hold without asking us again."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from werkzeug.test import TestResponse

from moveledger.audit.checkpoint import Checkpoint, verify_checkpoint
from moveledger.audit.event import read_event
from moveledger.audit.note import WITNESS as WITNESS_KIND
from moveledger.audit.note import SignerKey, VerifierKey, read_note, read_verifier_key, verified_signatures
from moveledger.audit.proofs import is_consistent
from moveledger.audit.publication import Trust
from moveledger.audit.receipt import receipt_holds
from moveledger.audit.tiles import split_hashes
from moveledger.audit.verify import verify_record
from moveledger.rules.merkle import leaf_hash, merkle_root, root_from_path
from moveledger.services.ordering import order_new_events
from tests.api.service import Client, Service, open_service, refused
from tests.house import WITNESS, open_house
from tests.services.logs import Relay, put_leaves

LOG = "/v1/log"


class Log:
    """The service with a relay beside it, and the log's key as a client has it."""

    def __init__(self, service: Service, relay: Relay) -> None:
        self.service, self.relay = service, relay
        self.anybody, self.client = service.anybody, service.client()
        self.key: VerifierKey = read_verifier_key(self.anybody.get(f"{LOG}/key").get_data(as_text=True).strip())

    def seal(self) -> Checkpoint:
        """Order what waits, sign, and read the checkpoint as anybody does."""
        order_new_events(self.relay.tools)
        self.relay.sign()
        return self.head()

    def head(self) -> Checkpoint:
        return verify_checkpoint(self.anybody.get(f"{LOG}/checkpoint").get_data(as_text=True), self.key)

    def note(self) -> str:
        return self.anybody.get(f"{LOG}/checkpoint").get_data(as_text=True)


@pytest.fixture
def log(database: str, redis_url: str, tmp_path: Path) -> Iterator[Log]:
    with open_service(database, redis_url) as service, open_house(database, redis_url, role="relay") as house:
        yield Log(service, Relay(house.tools, tmp_path))


# --- checkpoints and tiles -----------------------------------------------------------------------------


def test_before_the_first_checkpoint_the_log_says_so(log: Log) -> None:
    answer = log.anybody.get(f"{LOG}/checkpoint")
    refused(answer, 404, "not-sealed-yet")
    assert int(answer.headers["Retry-After"]) > 0
    refused(log.anybody.get(f"{LOG}/tile/0/000"), 404, "unknown-tile")
    refused(log.anybody.get(f"{LOG}/consistency?from=0"), 404, "not-sealed-yet")


def test_a_checkpoint_is_text_that_is_not_kept_for_long(log: Log) -> None:
    log.seal()
    answer = log.anybody.get(f"{LOG}/checkpoint")
    assert answer.content_type == "text/plain; charset=utf-8"
    assert answer.headers["Cache-Control"] == "public, max-age=1"
    assert answer.get_data(as_text=True).startswith("moveledger.local/log\n0\n")


def test_events_hashes_are_the_entries_and_the_tiles_hash_to_the_root(log: Log) -> None:
    game = log.client.open_game()
    log.client.play(game["id"], moves=3)
    head = log.seal()
    events = _json(log.client.get(f"/v1/games/{game['id']}/events?limit=100"))["data"]
    assert head.size == len(events)
    entries = log.anybody.get(f"{LOG}/tile/entries/000.p/{head.size}")
    tile = log.anybody.get(f"{LOG}/tile/0/000.p/{head.size}")
    for answer in (entries, tile):
        assert answer.content_type == "application/octet-stream"
        assert answer.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert entries.get_data() == b"".join(b"\0\x20" + bytes.fromhex(event["hash"]) for event in events)
    assert split_hashes(tile.get_data()) == [leaf_hash(bytes.fromhex(event["hash"])) for event in events]
    assert merkle_root(split_hashes(tile.get_data())) == head.root


def test_tiles_are_there_as_far_as_the_checkpoint_goes(log: Log, database: str) -> None:
    put_leaves(database, 600)
    log.relay.sign()
    put_leaves(database, 700)
    for there in ("0/000", "0/001", "0/000.p/255", "0/001.p/1", "0/002.p/88", "0/002.p/1", "1/000.p/2", "1/000.p/1"):
        tile = log.anybody.get(f"{LOG}/tile/{there}")
        assert tile.status_code == 200, there
        assert len(tile.get_data()) == 32 * int(there.partition(".p/")[2] or 256), there
    for there in ("000", "001", "002.p/88"):
        bundle = log.anybody.get(f"{LOG}/tile/entries/{there}")
        assert len(bundle.get_data()) == 34 * int(there.partition(".p/")[2] or 256)
    for not_there in (
        *("0/002.p/89", "0/002", "0/003", "1/000", "1/000.p/3", "1/001", "2/000", "2/000.p/1", "7/000.p/1"),
        *("8/000", "63/000", "64/000", "-1/000", "00/000", "x/000", "0/0", "0/x000/000", "0/000.p/256", "0/000.p/0"),
        *("entries/003", "entries/002.p/89", "entries/x", "data/000"),
    ):
        refused(log.anybody.get(f"{LOG}/tile/{not_there}"), 404, "unknown-tile")


def test_a_partial_tile_is_the_beginning_of_the_full_one_for_ever(log: Log, database: str) -> None:
    put_leaves(database, 88)
    log.relay.sign()
    early = log.anybody.get(f"{LOG}/tile/0/000.p/88").get_data()
    put_leaves(database, 300)
    log.relay.sign()
    assert log.anybody.get(f"{LOG}/tile/0/000.p/88").get_data() == early
    assert log.anybody.get(f"{LOG}/tile/0/000").get_data().startswith(early)


def test_a_tile_far_out_is_named_with_groups_of_digits(log: Log, database: str) -> None:
    put_leaves(database, 256_100)
    while log.relay.sign() is not None:
        pass
    assert len(log.anybody.get(f"{LOG}/tile/0/x001/000.p/100").get_data()) == 3200
    assert len(log.anybody.get(f"{LOG}/tile/entries/x001/000.p/100").get_data()) == 3400
    assert len(log.anybody.get(f"{LOG}/tile/0/999").get_data()) == 8192
    refused(log.anybody.get(f"{LOG}/tile/0/1000.p/100"), 404, "unknown-tile")


# --- proofs --------------------------------------------------------------------------------------------


def test_an_event_is_proved_against_the_checkpoint_that_comes_with_the_proof(log: Log) -> None:
    games = [log.client.open_game() for _ in range(3)]
    for game in games:
        log.client.play(game["id"], moves=2)
    head = log.seal()
    for game in games:
        for event in _json(log.client.get(f"/v1/games/{game['id']}/events?limit=100"))["data"]:
            proof = _json(log.anybody.get(f"/v1/games/{game['id']}/events/{event['seq']}/proof"))
            assert proof.keys() == {"leaf_index", "path", "checkpoint"}
            assert verify_checkpoint(proof["checkpoint"], log.key) == head
            path = [bytes.fromhex(step) for step in proof["path"]]
            leaf = leaf_hash(bytes.fromhex(event["hash"]))
            assert root_from_path(leaf, proof["leaf_index"], head.size, path) == head.root


def test_an_event_that_is_not_sealed_yet_is_told_from_one_that_is_not_there(log: Log) -> None:
    game = log.client.open_game()
    log.seal()
    version = log.client.play(game["id"], moves=1)["version"]
    for is_ordered in (False, True):
        if is_ordered:
            order_new_events(log.relay.tools)
        answer = log.anybody.get(f"/v1/games/{game['id']}/events/{version}/proof")
        refused(answer, 404, "not-sealed-yet")
        assert int(answer.headers["Retry-After"]) > 0
    for seq in (version + 1, 0, "00", "-1", "+1", "1.0", "x", "9" * 30, "٣", "1e3", " 1"):
        refused(log.anybody.get(f"/v1/games/{game['id']}/events/{seq}/proof"), 404, "unknown-version")
    log.seal()
    assert log.anybody.get(f"/v1/games/{game['id']}/events/{version}/proof").status_code == 200


def test_a_private_games_events_are_proved_only_to_those_who_may_see_it(log: Log) -> None:
    game = log.client.open_game(visibility="private")
    log.seal()
    path = f"/v1/games/{game['id']}/events/1/proof"
    assert log.client.get(path).status_code == 200
    refused(log.anybody.get(path), 404, "unknown-game")
    refused(log.anybody.get(f"/v1/games/{UUID(int=7)}/events/1/proof"), 404, "unknown-game")


def test_growth_is_proved_between_any_two_sizes(log: Log, database: str) -> None:
    heads = []
    for size in (0, 1, 5, 256, 300, 777):
        put_leaves(database, size)
        log.relay.sign()
        heads.append(log.head())
    for old in heads:
        for new in heads:
            answer = log.anybody.get(f"{LOG}/consistency?from={old.size}&to={new.size}")
            if old.size > new.size:
                refused(answer, 422, "validation")
                continue
            proof = _json(answer)
            assert (proof["from"], proof["to"]) == (old.size, new.size)
            path = [bytes.fromhex(step) for step in proof["path"]]
            assert is_consistent(old.size, old.root, new.size, new.root, path)
    assert _json(log.anybody.get(f"{LOG}/consistency?from=5"))["to"] == 777
    refused(log.anybody.get(f"{LOG}/consistency?from=5&to=778"), 404, "not-sealed-yet")
    for query in ("", "?from=-1", "?from=x", "?from=1&to=x", "?to=5", "?from=1&from=2"):
        refused(log.anybody.get(f"{LOG}/consistency{query}"), 422, "validation")


def test_a_credential_that_is_not_valid_is_refused_here_too(log: Log) -> None:
    log.seal()
    stranger = log.anybody.with_token("mlk_nobody")
    for path in ("checkpoint", "key", "tile/0/000", "tile/entries/000", "consistency?from=0"):
        refused(stranger.get(f"{LOG}/{path}"), 401, "unauthenticated")


# --- receipts and records ------------------------------------------------------------------------------


def test_a_receipt_is_signed_by_the_log(log: Log) -> None:
    game = log.client.open_game()
    receipt = log.client.play(game["id"], moves=1)["receipt"]
    events = _json(log.client.get(f"/v1/games/{game['id']}/events?limit=100"))["data"]
    event = read_event(next(event for event in events if event["seq"] == receipt["seq"]))
    assert event.hash.hex() == receipt["hash"]
    signature = base64.b64decode(receipt["signature"])
    assert receipt_holds(log.key, event, signature)
    assert not receipt_holds(log.key, read_event(events[0]), signature)
    seconds = event.recorded_us.to_bytes(8, "big")
    message = b"ml/receipt1" + UUID(game["id"]).bytes + event.seq.to_bytes(8, "big") + event.hash + seconds
    assert log.key.vouches(message, signature)


def test_a_record_brings_its_proof_and_verifies_with_the_key(log: Log) -> None:
    game = log.client.open_game()
    log.client.play(game["id"], moves=4)
    path = f"/v1/games/{game['id']}/export"
    assert _log_check(log.anybody.get(path).get_data(), log.key) == "pending"
    log.seal()
    sealed = log.anybody.get(path).get_data()
    assert _log_check(sealed, log.key) == "pass"
    assert _log_check(sealed, SignerKey("moveledger.local/log", bytes(32)).verifier) == "fail"
    log.client.play(game["id"], moves=1)
    assert _log_check(log.anybody.get(path).get_data(), log.key) == "pending"


def _log_check(record: bytes, key: VerifierKey) -> str:
    report = verify_record(BytesIO(record), Trust(key=key))
    assert [check.name for check in report.checks if check.result == "fail"] in ([], ["log"])
    return next(check.result for check in report.checks if check.name == "log")


# --- witnesses -----------------------------------------------------------------------------------------


def cosign(client: Client, note: str, *lines: str) -> TestResponse:
    """Send a note with more lines under it."""
    return client.ask(
        "POST", f"{LOG}/cosignatures", data=note + "".join(f"{line}\n" for line in lines), content_type="text/plain"
    )


def test_a_witness_follows_the_log_and_its_cosignature_stands_under_ours(log: Log, database: str) -> None:
    put_leaves(database, 10)
    log.relay.sign()
    seen = log.head()
    put_leaves(database, 25)
    log.relay.sign()
    note, head = log.note(), log.head()
    proof = _json(log.anybody.get(f"{LOG}/consistency?from={seen.size}&to={head.size}"))
    assert is_consistent(seen.size, seen.root, head.size, head.root, [bytes.fromhex(step) for step in proof["path"]])
    line = WITNESS.cosign(read_note(note).text, log.service.tools.clock() // 1_000_000)
    answer = cosign(log.anybody, note, line)
    assert answer.json == {"kept": 1}
    assert log.note() == f"{note}{line}\n"
    assert len(verified_signatures(read_note(log.note()), [log.key, WITNESS.verifier])) == 2
    assert cosign(log.anybody, note, line).json == {"kept": 0}
    assert cosign(log.anybody, note, WITNESS.cosign(head.text, 5)).json == {"kept": 0}
    put_leaves(database, 30)
    log.relay.sign()
    assert log.head().size == 30
    witnessed = log.anybody.get(f"{LOG}/checkpoint?witnesses=1").get_data(as_text=True)
    assert witnessed == f"{note}{line}\n"
    refused(log.anybody.get(f"{LOG}/checkpoint?witnesses=2"), 404, "not-sealed-yet")


def test_only_a_known_witness_of_a_published_checkpoint_is_taken(log: Log, database: str) -> None:
    put_leaves(database, 10)
    log.relay.sign()
    note = log.note()
    text = read_note(note).text
    stranger = SignerKey("witness.example/w2", bytes(32), WITNESS_KIND)
    namesake = SignerKey(WITNESS.verifier.name, bytes(32), WITNESS_KIND)
    late = WITNESS.cosign(text, log.service.tools.clock() // 1_000_000 + 3600)
    wrong = WITNESS.cosign(text.replace("10\n", "11\n"), 7)
    for lines in ([], [stranger.cosign(text, 7)], [namesake.cosign(text, 7)], [late], [wrong], ["— x"]):
        refused(cosign(log.anybody, note, *lines), 422, "cosignature-refused")
    other = SignerKey(log.key.name, bytes(32)).sign_note(text.replace("10\n", "11\n"))
    forged = cosign(log.anybody, other, WITNESS.cosign(read_note(other).text, 7))
    refused(forged, 404, "unknown-checkpoint")
    for data in (b"", b"\xff\xfe", b"hello", text.encode()):
        answer = log.anybody.ask("POST", f"{LOG}/cosignatures", data=data, content_type="text/plain")
        refused(answer, 422, "cosignature-refused")
    assert log.note() == note
    good = WITNESS.cosign(text, 7)
    assert cosign(log.anybody, note, stranger.cosign(text, 7), good).json == {"kept": 1}
    assert log.note() == f"{note}{good}\n"


# --- operation -----------------------------------------------------------------------------------------


def test_readiness_and_metrics_tell_how_the_log_is_doing(log: Log, database: str) -> None:
    assert _json(log.anybody.get("/readyz"))["log"] == "empty"
    put_leaves(database, 10)
    log.relay.sign()
    put_leaves(database, 12)
    assert _json(log.anybody.get("/readyz"))["log"] == "ok"
    metrics = log.anybody.get("/metrics").get_data(as_text=True)
    for line in ("moveledger_log_alarm 0.0", "moveledger_log_size 10.0", "moveledger_log_waiting 2.0"):
        assert line in metrics
    log.relay.last_note.keep("no note")
    log.relay.sign()
    ready = log.anybody.get("/readyz")
    assert (ready.status_code, _json(ready)["status"], _json(ready)["log"]) == (200, "ready", "alarm")
    assert "cannot be read" in _json(ready)["log_detail"]
    assert "moveledger_log_alarm 1.0" in log.anybody.get("/metrics").get_data(as_text=True)


def test_with_an_alarm_games_go_on_and_events_are_ordered(log: Log) -> None:
    game = log.client.open_game()
    head = log.seal()
    log.relay.last_note.keep("no note")
    log.client.play(game["id"], moves=2)
    assert order_new_events(log.relay.tools) > 0
    log.relay.sign()
    assert log.relay.alarm is not None
    log.client.play(game["id"], moves=2)
    assert order_new_events(log.relay.tools) > 0
    assert log.head() == head
    assert log.anybody.get(f"/v1/games/{game['id']}/events/1/proof").status_code == 200


def _json(answer: TestResponse) -> Any:
    return answer.json
