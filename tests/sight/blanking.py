"""What differs between any two games, and is blanked before two answers are compared: this, and nothing more.

| blanked | where |
|---|---|
| the game's id, its `external_ref`, the clients that stand for its seats' tokens | wherever the exact text occurs |
| times | `recorded_at` `recorded_us` of events, trail and receipts, `exported_at` of records, `created_at` of games |
| hashes | `prev_hash` `hash` of events, trail and receipts, `head_hash` of games and records, a record's last line |
| commitments | `commitment` of events and trail; `seed_commitment` `draws_root` `mix` of a game and of its first events |
| salts | `salt` of an event whose body is open to the reader, never of a closed one |
| secrets and paths | `secret` `path` of a draw whose body is open to the reader |
| signatures | `signature` of receipts |

Blanking works on the text and keeps every other byte, and the length. A value is blanked only where the text around it is
what such an object is written as, whole: a new member in a closed event, a salt beside a closed body or a hash in an ETag
stays, and is a difference. Request ids, Idempotency-Keys, keys and players are the same in both games and never blanked.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from uuid import UUID

from moveledger.services.callers import seat_client

HASH = '"[0-9a-f]{64}"'
TIME = r'"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"'
INSTANT = r"\b\d{16}\b"
TEXT, NUMBER, TRUTH = '"[^"\\\\]*"', r"-?\d+", "(?:true|false)"
PATH = rf"\[(?:{HASH}(?:, ?{HASH})*)?\]"


def _written(before: str, *members: tuple[str, str], after: str = "") -> str:
    """The pattern of members as they follow each other in JSON, with or without spaces."""
    return before + ", ?".join(f'"{name}": ?{value}' for name, value in members) + after


_HEAD = (("recorded_at", TIME), ("recorded_us", INSTANT), ("prev_hash", HASH), ("commitment", HASH), ("hash", HASH))
_DRAW = (("index", NUMBER), ("request", TEXT), ("values", r"\[[\d, ]*\]"), ("secret", HASH), ("path", PATH))
SHAPES = (
    # events: closed, of which nothing may follow, and open
    _written("", *_HEAD, ("sealed", TRUTH), ("salt", "null"), ("body", "null"), after=r"\}"),
    _written("", *_HEAD, ("sealed", TRUTH), ("salt", HASH), after=r'(?=, ?"body": ?\{)'),
    # bodies: of draws, as they are written and as they are read again; of `opened`, of `started`
    _written(r'"body": ?\{', *_DRAW, after=r"\}"),
    _written(r'"body": ?\{', *sorted(_DRAW), after=r"\}"),
    _written("", ("draws_root", HASH), ("scheme", TEXT), ("seed_commitment", HASH), after=r"\}"),
    _written(r'"body": ?\{', ("mix", HASH), after=r"\}"),
    # the trail
    _written(
        "",
        ("recorded_at", TIME),
        ("sealed", TRUTH),
        ("signed", TRUTH),
        ("ruling", f"(?:null|{TEXT})"),
        ("reason", f"(?:null|{TEXT})"),
        ("prev_hash", HASH),
        ("commitment", HASH),
        ("hash", HASH),
        after=r"\}",
    ),
    # receipts
    _written(
        "", ("seq", NUMBER), ("hash", HASH), ("recorded_at", TIME), ("signature", f"(?:null|{TEXT})"), after=r"\}"
    ),
    # the first and the last line of a record
    _written("", ("head_hash", HASH), ("exported_at", TIME), ("as", TEXT), after=r"\}"),
    _written(r"\{", ("sha256", HASH), after=r"\}\n"),
    # a game
    _written("", ("head_hash", HASH), ("seats", r"\[")),
    _written(
        "",
        ("seed_commitment", HASH),
        ("draws_root", HASH),
        ("draws", NUMBER),
        ("mix", HASH),
        ("drawn", NUMBER),
        after=r"\}",
    ),
    _written("", ("created_at", TIME), after=r"\}"),
)
_SHAPES = re.compile("|".join(SHAPES))
_VALUES = re.compile(f'({HASH})|({TIME})|({INSTANT})|(?<="signature":)({TEXT})')


@dataclass(frozen=True, slots=True)
class Names:
    """What one game is called by, and with what it is blanked: texts of the same length."""

    texts: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, game_id: str, *, seats: int, external_ref: str) -> Names:
        """The names of a game: its id, its reference, and the client of each seat's first token."""
        clients = [str(seat_client(UUID(game_id), seat, 1)) for seat in range(seats)]
        named = {game_id: "game", external_ref: "reference"}
        named |= {client: f"client {seat}" for seat, client in enumerate(clients)}
        return cls(tuple((text, f"{blank:~^{len(text)}}") for text, blank in named.items()))

    def blank(self, text: str) -> str:
        """The text without the game's names."""
        for name, blank in self.texts:
            text = text.replace(name, blank)
        return text


def blank_body(body: bytes, names: Names) -> str:
    """An answer's body without what differs between any two games."""
    return _SHAPES.sub(_blank_shape, names.blank(body.decode()))


def _blank_shape(found: re.Match[str]) -> str:
    return _VALUES.sub(lambda value: "~" * len(value.group()), found.group())
