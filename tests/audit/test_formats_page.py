"""`docs/formats.md` in step with the code: its vectors, its types, its bounds."""

from __future__ import annotations

import re
from pathlib import Path
from uuid import UUID

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from moveledger.audit.event import NIL, TYPES, Event, EventJson, commitment, event_hash
from moveledger.audit.signature import signed_text
from moveledger.audit.verify import ORDER
from moveledger.rules import chance
from moveledger.rules.encoding import canonical
from moveledger.rules.kernel import Seat

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
GAME = UUID("00010203-0405-7607-8809-0a0b0c0d0e0f")
SECRET = b"\x07" * 32
BODY = {"action": {"type": "predict", "kind": "herbs"}}


def vectors() -> dict[str, str]:
    """The rows of the page's last table: what, and the value that the code gives for it."""
    game, key = GAME.bytes, Ed25519PrivateKey.from_private_bytes(b"\x04" * 32)
    opened = {Seat(0): b"\x01" * 32, Seat(2): b"\x02" * 32}
    committed = commitment(b"\x03" * 32, canonical(BODY))
    event = Event(
        GAME, 9, "moved", 1, 2, NIL, "", 1_796_000_000_000_000, b"\x11" * 32, committed, b"", True, None, None
    )
    seed_commitment = chance.seed_commitment(game, "santiiba@1", SECRET)
    root = chance.draws_root(SECRET, 1024)
    mixed = chance.mix(game, seed_commitment, root, opened)
    draws = {
        f"draw {index}, `{text}`": str(
            list(chance.draw(chance.draw_secret(SECRET, index), mixed, index, chance.read_request(text)))
        )
        for index, text in enumerate(["roll:5x6", "pick:3/72", "pick:5/5", "seed:256", "roll:1x2"])
    }
    return {
        "canonical body": canonical(BODY).decode(),
        "commitment": committed.hex(),
        "hash": event_hash(event).hex(),
        "seed_commitment": seed_commitment.hex(),
        "secret 0": chance.draw_secret(SECRET, 0).hex(),
        "draws_root of 1024": root.hex(),
        "commitment of seat 2's entropy": chance.entropy_commitment(game, 2, b"\x02" * 32).hex(),
        "mix": mixed.hex(),
        **draws,
        "public key of the private key of 32 bytes 04": key.public_key().public_bytes_raw().hex(),
        "its signature for seat 2 upon event 8, hash 32 bytes 11, under the action of the first row": key.sign(
            signed_text(GAME, seat=2, seq=8, head_hash=b"\x11" * 32, action=BODY["action"])
        ).hex(),
    }


def rows_after(heading: str) -> dict[str, str]:
    """The two-column rows of a section's table, code quotes around a whole cell taken off."""
    section = PAGE.split(heading)[1].split("\n## ")[0]
    rows = re.findall(r"^\| (.+?) \| `?(.+?)`? \|$", section, re.MULTILINE)
    return {name: value for name, value in rows if name != "what"}


def test_the_vectors_are_what_the_code_gives() -> None:
    assert rows_after("## Vectors") == vectors()


@pytest.mark.parametrize("name", [name for name in TYPES if name not in ("timed", "reseated")])
def test_every_event_type_is_on_the_page_with_its_number(name: str) -> None:
    assert f"| {TYPES[name]} | `{name}` |" in PAGE


def test_every_member_of_an_event_and_every_check_is_on_the_page() -> None:
    assert [name for name in EventJson.__annotations__ if f"`{name}`" not in PAGE] == []
    assert [name for name in ORDER if f"| `{name}` |" not in PAGE] == []
