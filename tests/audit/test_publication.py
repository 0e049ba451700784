"""The check `log`: a record against the public log, with and without a key and a checkpoint from elsewhere."""

from __future__ import annotations

import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from closed_hands import RULESET

from moveledger.audit.checkpoint import Checkpoint
from moveledger.audit.checks import CheckResult, Report
from moveledger.audit.event import Event
from moveledger.audit.note import SignerKey
from moveledger.audit.proofs import consistency_path
from moveledger.audit.publication import Evidence, Growth, Trust
from moveledger.audit.tiles import TileNodes
from moveledger.audit.verify import verify_events, verify_record
from moveledger.cli import main
from moveledger.rules.merkle import audit_path, leaf_hash, tree_levels
from tests.audit.logs import House, forge, record_of, with_digest
from tests.audit.trees import ENTRIES, Tiles

ORIGIN = "log.example/moves"
KEY = SignerKey(ORIGIN, bytes(range(32)))
OTHER = SignerKey(ORIGIN, bytes(range(1, 33)))
FINISHED = House(RULESET, seats=2).play()
RUNNING = House(RULESET, seats=2, number=2).play(2)


class Tree:
    """A public log that has the events of a house among others, every third leaf."""

    def __init__(self, house: House, size: int = 300) -> None:
        hashes = [event.hash for event in house.events]
        self.entries = [hashes[at // 3] if at % 3 == 0 and at // 3 < len(hashes) else ENTRIES[at] for at in range(size)]
        self.levels = tree_levels([leaf_hash(entry) for entry in self.entries])
        self.head = Checkpoint(ORIGIN, size, self.levels[-1][0])
        self.note = KEY.sign_note(self.head.text)

    def nodes(self) -> TileNodes:
        """The nodes, read from tiles."""
        return Tiles(len(self.entries), self.levels[0]).nodes()

    def proof(self, seq: int) -> dict[str, Any]:
        """The proof of an event, as a record holds it."""
        index = (seq - 1) * 3
        return {"seq": seq, "leaf_index": index, "path": [step.hex() for step in audit_path(self.levels, index)]}


TREE = Tree(FINISHED)
LAST = len(FINISHED.events)
PROOF = TREE.proof(LAST)


def record_with(*lines: object, events: list[Event] | None = None) -> bytes:
    """The record of the finished game with these values after its events."""
    plain = record_of(FINISHED.events if events is None else events).splitlines(keepends=True)[:-1]
    return with_digest([*plain, *(json.dumps(line).encode() + b"\n" for line in lines)])


SEALED = record_with({"proof": PROOF}, {"checkpoint": TREE.note})


def check(record: bytes, trust: Trust | None = None) -> CheckResult:
    return log_check(verify_record(BytesIO(record), trust))


def log_check(report: Report) -> CheckResult:
    (found,) = [result for result in report.checks if result.name == "log"]
    assert report.valid is (found.result != "fail")
    assert found.result != "fail" or report.fault == found
    return found


def test_a_record_with_a_proof_of_its_last_event_passes() -> None:
    found = check(SEALED)
    assert found.result == "pass"
    assert "not checked, for want of a key" in found.detail
    assert f"{LAST} events" in found.detail
    assert "300 leaves" in found.detail


def test_with_the_key_the_signature_is_checked() -> None:
    found = check(SEALED, Trust(key=KEY.verifier))
    assert found.result == "pass"
    assert "signed by its key" in found.detail


@pytest.mark.parametrize("lines", [[], [{"checkpoint": TREE.note}], [{"proof": PROOF}]])
def test_without_proof_or_checkpoint_it_is_pending(lines: list[object]) -> None:
    assert check(record_with(*lines)).result == "pending"


def test_a_proof_of_an_earlier_event_leaves_the_rest_pending() -> None:
    found = check(record_with({"proof": TREE.proof(5)}, {"checkpoint": TREE.note}))
    assert found.result == "pending"
    assert f"sealed up to event 5 of {LAST}" in found.detail
    both = record_with({"proof": TREE.proof(5)}, {"proof": PROOF}, {"checkpoint": TREE.note})
    assert check(both).result == "pass"


def test_a_proof_is_of_the_records_own_game_and_covers_the_parents() -> None:
    parent = House(RULESET, seats=2, number=3).play(2)
    child = House(RULESET, seats=2, number=4, parent=parent, at=len(parent.events)).play()
    tree = Tree(child)
    proof = {"proof": tree.proof(len(child.events))}
    assert check(record_with(proof, {"checkpoint": tree.note}, events=child.log())).result == "pass"
    of_parent = Tree(parent)
    wrong = {"proof": of_parent.proof(3)}
    assert check(record_with(wrong, {"checkpoint": of_parent.note}, events=child.log())).result == "fail"


# --- forgeries -----------------------------------------------------------------------------------------


def test_a_house_that_rewrites_a_game_cannot_prove_the_new_one() -> None:
    """All hashes are made anew, so only the public log finds it."""
    events = forge(FINISHED.events, 1, lambda body: {**body, "rated": not body["rated"]})
    report = verify_record(BytesIO(record_with({"proof": PROOF}, {"checkpoint": TREE.note}, events=events)))
    assert [result.name for result in report.checks if result.result == "fail"] == ["log"]
    assert report.fault is not None
    assert report.fault.seq == LAST
    assert "does not lead to the root" in report.fault.detail


STEP = "00" * 32
NO_PATHS: list[object] = [None, "", {}, [1], [None], ["00"], [STEP.upper() + "A"], [STEP] * 65, [[STEP]]]


@pytest.mark.parametrize(
    "proof",
    [
        {**PROOF, "seq": LAST - 1},
        {**PROOF, "seq": 1},
        {**PROOF, "leaf_index": PROOF["leaf_index"] + 1},
        {**PROOF, "leaf_index": 0},
        {**PROOF, "leaf_index": 300},
        {**PROOF, "path": PROOF["path"][:-1]},
        {**PROOF, "path": PROOF["path"][1:]},
        {**PROOF, "path": [*PROOF["path"], STEP]},
        {**PROOF, "path": [STEP, *PROOF["path"][1:]]},
        {**PROOF, "path": PROOF["path"][::-1]},
        {**PROOF, "path": []},
    ],
)
def test_a_changed_proof_fails_and_names_its_event(proof: dict[str, Any]) -> None:
    found = check(record_with({"proof": proof}, {"checkpoint": TREE.note}))
    assert found.result == "fail"
    assert found.seq == proof["seq"]
    assert "does not lead to the root of the checkpoint of log.example/moves, 300 leaves" in found.detail


@pytest.mark.parametrize(
    "proof",
    [
        *(None, 1, "x", [], {}, {**PROOF, "size": 300}, {key: PROOF[key] for key in ("seq", "path")}),
        *({**PROOF, "seq": seq} for seq in (0, -1, LAST + 1, True, "1", None, 2**70)),
        *({**PROOF, "leaf_index": index} for index in (-1, True, "0", None, 2**63)),
        *({**PROOF, "path": path} for path in NO_PATHS),
    ],
)
def test_what_is_no_proof_fails(proof: object) -> None:
    found = check(record_with({"proof": proof}, {"checkpoint": TREE.note}))
    assert found.result == "fail"
    assert "a proof cannot be read" in found.detail


@pytest.mark.parametrize(
    "checkpoint", [None, 1, {}, [], "", "x", TREE.head.text, TREE.note[:-1], TREE.note.replace("300", "0300")]
)
def test_what_is_no_checkpoint_fails(checkpoint: object) -> None:
    found = check(record_with({"proof": PROOF}, {"checkpoint": checkpoint}))
    assert found.result == "fail"
    assert "the checkpoint of the record does not hold" in found.detail


def test_a_checkpoint_that_another_key_signed_fails() -> None:
    forged = record_with({"proof": PROOF}, {"checkpoint": OTHER.sign_note(TREE.head.text)})
    assert check(forged).result == "pass", "without a key nobody can tell"
    found = check(forged, Trust(key=KEY.verifier))
    assert found.result == "fail"
    assert "not signed by log.example/moves+" in found.detail
    unsigned = TREE.note.replace("— log", "— lag")
    assert check(record_with({"proof": PROOF}, {"checkpoint": unsigned}), Trust(key=KEY.verifier)).result == "fail"


def test_a_checkpoint_that_was_moved_fails_under_the_key() -> None:
    for old, new in (("\n300\n", "\n301\n"), ("\n300\n", "\n299\n"), (ORIGIN, "log.example/other")):
        moved = TREE.note.replace(old, new, 1)
        assert check(record_with({"proof": PROOF}, {"checkpoint": moved}), Trust(key=KEY.verifier)).result == "fail"


# --- a checkpoint from elsewhere -----------------------------------------------------------------------


def test_a_checkpoint_from_elsewhere_is_the_one_that_counts() -> None:
    trust = Trust(TREE.note, KEY.verifier)
    assert check(SEALED, trust).result == "pass"
    assert check(record_with({"proof": PROOF}), trust).result == "pass"
    assert check(record_with({"checkpoint": TREE.note}), trust).result == "pending"


def test_two_logs_of_one_size_are_found() -> None:
    shown_to_others = Tree(RUNNING)
    found = check(SEALED, Trust(shown_to_others.note, KEY.verifier))
    assert found.result == "fail"
    assert "two checkpoints of 300 leaves differ" in found.detail
    two = record_with({"proof": PROOF}, {"checkpoint": TREE.note}, {"checkpoint": shown_to_others.note})
    assert check(two).result == "fail"


def test_a_checkpoint_of_another_size_refutes_nothing_and_needs_a_proof_of_growth() -> None:
    later = Tree(FINISHED, 400)
    for key, result in ((KEY.verifier, "pass"), (None, "pending")):
        found = check(SEALED, Trust(later.note, key))
        assert found.result == result
        assert "that it is of one log with the checkpoint of log.example/moves, 400 leaves" in found.detail
        assert "was not shown" in found.detail
    path = consistency_path(later.nodes(), 300, 400)
    for key in (KEY.verifier, None):
        found = check(SEALED, Trust(later.note, key, Growth(300, 400, path)))
        assert found.result == "pass"
        assert "was not shown" not in found.detail
        earlier = record_with({"proof": later.proof(LAST)}, {"checkpoint": later.note})
        assert check(earlier, Trust(TREE.note, key, Growth(300, 400, path))).result == "pass"
        assert check(SEALED, Trust(later.note, key, Growth(300, 400, path[1:]))).result == "fail"
        shown_to_others = Tree(RUNNING, 400)
        found = check(SEALED, Trust(shown_to_others.note, key, Growth(300, 400, path)))
        assert found.result == "fail"
        assert "the proof of growth does not lead from" in found.detail
    assert "was not shown" in check(SEALED, Trust(later.note, KEY.verifier, Growth(299, 400, path))).detail
    forged = record_with({"proof": {**PROOF, "leaf_index": 1}}, {"checkpoint": TREE.note})
    assert check(forged, Trust(later.note, KEY.verifier)).result == "fail"
    both = record_with({"proof": later.proof(LAST)}, {"checkpoint": TREE.note}, {"checkpoint": later.note})
    assert check(both).result == "pass"


def test_a_given_checkpoint_that_is_not_signed_by_the_given_key_fails() -> None:
    found = check(SEALED, Trust(OTHER.sign_note(TREE.head.text), KEY.verifier))
    assert found.result == "fail"
    assert "the checkpoint that was given does not hold" in found.detail


# --- the service's own games, and the command line -----------------------------------------------------


def test_events_of_the_service_are_checked_with_evidence_beside_them() -> None:
    evidence = Evidence([PROOF], [TREE.note])
    trust = Trust(key=KEY.verifier)
    assert log_check(verify_events(FINISHED.events, evidence=evidence, trust=trust)).result == "pass"
    assert log_check(verify_events(FINISHED.events)).result == "pending"
    wrong = Evidence([{**PROOF, "leaf_index": 4}], [TREE.note])
    assert log_check(verify_events(FINISHED.events, evidence=wrong)).result == "fail"


def test_closed_bodies_do_not_keep_a_record_from_being_proved() -> None:
    tree = Tree(RUNNING)
    record = record_with({"proof": tree.proof(len(RUNNING.events))}, {"checkpoint": tree.note}, events=RUNNING.events)
    assert check(record, Trust(key=KEY.verifier)).result == "pass"
    altered = [replace(event, request_id="other") for event in RUNNING.events]
    assert check(record_with({"proof": tree.proof(3)}, {"checkpoint": tree.note}, events=altered)).result == "pending"


def run(tmp_path: Path, *options: str, record: bytes = SEALED) -> Result:
    path = tmp_path / "game.ndjson"
    path.write_bytes(record)
    return CliRunner().invoke(main, ["verify", str(path), *options])


def test_the_command_takes_a_checkpoint_and_a_key(tmp_path: Path) -> None:
    note, key = tmp_path / "checkpoint", tmp_path / "key"
    note.write_text(TREE.note)
    key.write_text(f"{KEY.verifier}\n")
    for options in (
        [],
        ["--key", str(KEY.verifier)],
        ["--key", str(key)],
        ["--checkpoint", str(note), "--key", str(key)],
    ):
        ran = run(tmp_path, *options)
        assert (ran.exit_code, ran.output.splitlines()[-1]) == (0, "valid")
        assert "pass    log" in ran.output
    later = Tree(FINISHED, 400)
    growth = [step.hex() for step in consistency_path(later.nodes(), 300, 400)]
    note.write_text(later.note)
    (tmp_path / "growth").write_text(json.dumps({"from": 300, "to": 400, "path": growth}))
    ran = run(tmp_path, "--checkpoint", str(note), "--consistency", str(tmp_path / "growth"))
    assert "pass    log" in ran.output
    ran = run(tmp_path, "--key", str(OTHER.verifier))
    assert ran.exit_code == 1
    assert ran.output.splitlines()[-1].startswith("INVALID: ")
    assert "log" in ran.output.splitlines()[-1]


@pytest.mark.parametrize(
    "options",
    [["--key", "x"], ["--key", "x" * 5000], ["--checkpoint", "no/such/file"], ["--consistency", "no/such/file"]],
)
def test_a_key_or_checkpoint_that_cannot_be_read_exits_2(tmp_path: Path, options: list[str]) -> None:
    ran = run(tmp_path, *options)
    assert ran.exit_code == 2
    assert "Invalid value for --checkpoint, --key, --consistency" in ran.output


@pytest.mark.parametrize(
    "value", [None, [], {}, {"from": 1, "to": 2}, {"from": "1", "to": 2, "path": []}, {"from": 1, "to": 2, "path": [1]}]
)
def test_a_proof_of_growth_that_is_none_exits_2(tmp_path: Path, value: object) -> None:
    (tmp_path / "growth").write_text(json.dumps(value))
    assert run(tmp_path, "--consistency", str(tmp_path / "growth")).exit_code == 2


def test_a_checkpoint_that_is_none_exits_2(tmp_path: Path) -> None:
    for content in (b"hello", b"\xff\xfe", TREE.head.text.encode()):
        (tmp_path / "note").write_bytes(content)
        assert run(tmp_path, "--checkpoint", str(tmp_path / "note")).exit_code == 2
