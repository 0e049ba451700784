"""`moveledger verify FILE`: what it says, and its exit code."""

from __future__ import annotations

import gzip
import io
import json
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from closed_hands import RULESET

from moveledger.audit import report as report_module
from moveledger.cli import main
from tests.audit.logs import House, first_of, forge, record_of, with_digest

FINISHED = House(RULESET, seats=2).play()
RUNNING = House(RULESET, seats=2).play(1)
LINES = FINISHED.record().splitlines(keepends=True)


def run(tmp_path: Path, record: bytes, *options: str) -> Result:
    path = tmp_path / "game.ndjson"
    path.write_bytes(record)
    return CliRunner().invoke(main, ["verify", str(path), *options], catch_exceptions=False)


def test_a_valid_record_exits_0(tmp_path: Path) -> None:
    ran = run(tmp_path, FINISHED.record())
    assert ran.exit_code == 0
    assert ran.output.splitlines()[-1] == "valid"


def test_a_record_as_it_lies_in_an_archive_is_read_as_well(tmp_path: Path) -> None:
    packed = gzip.compress(FINISHED.record())
    ran = run(tmp_path, packed)
    assert (ran.exit_code, ran.output) == (0, run(tmp_path, FINISHED.record()).output)
    piped = CliRunner().invoke(main, ["verify", "-"], input=packed, catch_exceptions=False)
    assert (piped.exit_code, piped.output) == (0, ran.output)
    forged = run(tmp_path, gzip.compress(with_digest([*LINES[:7], *LINES[8:-1]])))
    assert (forged.exit_code, forged.output.splitlines()[-1]) == (1, "INVALID: event 8, chain: expected event 7")


def test_a_packed_record_that_is_damaged_is_not_to_be_read(tmp_path: Path) -> None:
    packed = gzip.compress(FINISHED.record())
    middle = len(packed) // 2
    for damaged in (
        packed[:-9],
        packed[:middle],
        packed[:5],
        packed[:-8] + bytes(8),
        packed + b"more",
        packed[:middle] + bytes(40) + packed[middle + 40 :],
    ):
        ran = run(tmp_path, damaged)
        assert ran.exit_code == 2, ran.output
        assert ran.output.startswith("not a record: ")
        assert len(ran.output.splitlines()) == 1


def test_closed_bodies_are_counted_and_still_exit_0(tmp_path: Path) -> None:
    ran = run(tmp_path, RUNNING.record())
    assert ran.exit_code == 0
    assert ran.output.splitlines()[-1] == "valid, as far as it is open: 4 bodies are closed"


def test_an_invalid_record_exits_1_and_names_event_and_check(tmp_path: Path) -> None:
    ran = run(tmp_path, with_digest([*LINES[:7], *LINES[8:-1]]))
    assert ran.exit_code == 1
    assert ran.output.splitlines()[-1] == "INVALID: event 8, chain: expected event 7"


def test_a_record_damaged_outside_its_events_names_the_check(tmp_path: Path) -> None:
    ran = run(tmp_path, FINISHED.record()[:-9] + b"0" * 5 + FINISHED.record()[-4:])
    assert ran.exit_code == 1
    assert ran.output.splitlines()[-1].startswith("INVALID: chain: line ")


@pytest.mark.parametrize("content", [b"", b"hello\n", b"{}\n", b"\x00" * 2_000_000])
def test_what_is_no_record_exits_2(tmp_path: Path, content: bytes) -> None:
    ran = run(tmp_path, content)
    assert ran.exit_code == 2
    assert ran.output.startswith("not a record: ")


def test_a_first_line_that_cannot_be_read_exits_1(tmp_path: Path) -> None:
    ran = run(tmp_path, with_digest([LINES[0].replace(b"head_hash", b"tail_hash"), *LINES[1:-1]]))
    assert ran.exit_code == 1
    assert ran.output.startswith("a record\n")


@pytest.mark.parametrize("path", ["no/such/file", "."])
def test_a_file_that_cannot_be_opened_exits_2(path: str) -> None:
    ran = CliRunner().invoke(main, ["verify", path])
    assert ran.exit_code == 2
    assert ran.output.startswith(f"not a record: {path}: ")


def test_the_report_comes_as_json_too(tmp_path: Path) -> None:
    ran = run(tmp_path, with_digest([*LINES[:7], *LINES[8:-1]]), "--json")
    said = json.loads(ran.output)
    assert ran.exit_code == 1
    assert list(said) == ["version", "game_id", "ruleset", "valid", "closed", "checks", "fault"]
    assert said["fault"] == {"name": "chain", "result": "fail", "detail": "event 8: expected event 7", "seq": 8}
    assert said["checks"][0] == said["fault"]
    assert json.loads(run(tmp_path, FINISHED.record(), "--json").output)["valid"] is True
    assert json.loads(run(tmp_path, b"", "--json").output)["error"] == "not-a-record"


def test_quiet_says_nothing(tmp_path: Path) -> None:
    for record, code in ((FINISHED.record(), 0), (with_digest(LINES[:3]), 1), (b"", 2)):
        ran = run(tmp_path, record, "--quiet")
        assert (ran.exit_code, ran.output) == (code, "")


def test_a_record_comes_from_standard_input() -> None:
    ran = CliRunner().invoke(main, ["verify", "-"], input=FINISHED.record())
    assert ran.exit_code == 0


def test_a_record_cannot_steer_the_terminal_or_write_a_verdict_of_its_own(tmp_path: Path) -> None:
    seq = first_of(FINISHED.events, "drawn")
    events = forge(FINISHED.events, seq, lambda body: {**body, "values": ["\x1b[2J\u202e\nvalid"]})
    ran = run(tmp_path, record_of(events, ruleset="\nvalid"))
    assert ran.exit_code == 1
    assert "valid" not in ran.output.splitlines()
    assert all(sign.isprintable() or sign == "\n" for sign in ran.output)


class Terminal(io.StringIO):
    """Standard error, as a terminal has it."""

    def isatty(self) -> bool:
        return True


def test_a_long_record_has_a_progress_bar_on_a_terminal_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_module, "LONG", 1000)
    path = tmp_path / "game.ndjson"
    path.write_bytes(FINISHED.record())
    for terminal, as_json, shows in (
        (Terminal(), False, True),
        (Terminal(), True, False),
        (io.StringIO(), False, False),
    ):
        monkeypatch.setattr(sys, "stderr", terminal)
        assert report_module.check_file(str(path), as_json=as_json) == 0
        assert ("verify" in terminal.getvalue()) is shows
