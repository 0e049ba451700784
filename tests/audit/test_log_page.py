"""`docs/log.md` in step with the code: its vectors, its example, its settings."""

from __future__ import annotations

import re
from pathlib import Path
from uuid import UUID

from moveledger.audit.checkpoint import Checkpoint, verify_checkpoint
from moveledger.audit.event import NIL, ZERO_HASH, Event
from moveledger.audit.note import WITNESS, SignerKey, read_note, to_base64, verified_signatures, write_note
from moveledger.audit.receipt import receipt_holds, sign_receipt
from moveledger.rules.merkle import audit_path, leaf_hash, tree_levels

PAGES = Path(__file__).parents[2] / "docs"
PAGE = (PAGES / "log.md").read_text(encoding="utf-8")
KEY = SignerKey("log.example/moves", b"\x07" * 32)
WITNESS_KEY = SignerKey("witness.example/w1", b"\x08" * 32, WITNESS)
GAME = UUID("00010203-0405-7607-8809-0a0b0c0d0e0f")
EVENT_HASH = bytes.fromhex("590e4963388bb8642baa59259c888b36603009f1e2eec67262e0c8b663237fda")
ENTRIES = [EVENT_HASH, b"\x01" * 32, b"\x02" * 32]
LEVELS = tree_levels([leaf_hash(entry) for entry in ENTRIES])
HEAD = Checkpoint("log.example/moves", 3, LEVELS[-1][0])
EVENT = Event(
    GAME, 9, "moved", 1, 2, NIL, "", 1_796_000_000_000_000, ZERO_HASH, ZERO_HASH, EVENT_HASH, False, None, None
)


def test_the_vectors_are_what_the_code_gives() -> None:
    rows = dict(re.findall(r"^\| ([^|]+) \| (`[^|]+`) \|$", PAGE.split("## Vectors")[1], re.MULTILINE))
    assert {name: re.findall("`([^`]+)`", value) for name, value in rows.items()} == {
        "vkey": [str(KEY.verifier)],
        "vkey of the witness": [str(WITNESS_KEY.verifier)],
        "leaf hash 0": [LEVELS[0][0].hex()],
        "path of leaf 0": [step.hex() for step in audit_path(LEVELS, 0)],
        "root": [HEAD.root.hex()],
        "receipt": [to_base64(sign_receipt(KEY, EVENT))],
    }


def test_the_example_is_a_checkpoint_with_both_signatures() -> None:
    example = PAGE.split("## A checkpoint")[1].split("```\n")[1]
    lines = [read_note(KEY.sign_note(HEAD.text)).signatures[0].line, WITNESS_KEY.cosign(HEAD.text, 1_796_000_000)]
    assert example == write_note(HEAD.text, lines)
    assert verify_checkpoint(example, KEY.verifier) == HEAD
    assert len(verified_signatures(read_note(example), [KEY.verifier, WITNESS_KEY.verifier])) == 2


def test_the_receipt_of_the_vectors_holds() -> None:
    assert receipt_holds(KEY.verifier, EVENT, sign_receipt(KEY, EVENT))
    assert EVENT_HASH.hex() in (PAGES / "formats.md").read_text(encoding="utf-8")
