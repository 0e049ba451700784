"""What differs between any two games, and is blanked before two answers are compared: this, and nothing more.

| blanked | where |
|---|---|
| the game's id, its `external_ref`, the clients that stand for its seats' tokens | wherever the exact text occurs |
| times | of events, trail, receipts, records, games, looks and verifications; the seconds in a log for people |
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

PLAIN_HASH = "[0-9a-f]{64}"
PLAIN_TIME = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"
HASH, TIME = f'"{PLAIN_HASH}"', f'"{PLAIN_TIME}"'
SECOND = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d"
INSTANT = r"\b\d{16}\b"
TEXT, NUMBER, TRUTH = '"[^"\\\\]*"', r"-?\d+", "(?:true|false)"
PATH = rf"\[(?:{HASH}(?:, ?{HASH})*)?\]"


def _written(*members: tuple[str, str], before: str = "", after: str = r"\}") -> str:
    """The pattern of members as they follow each other in JSON, with or without spaces."""
    return before + ", ?".join(f'"{name}": ?{value}' for name, value in members) + after


_HASHES = (("prev_hash", HASH), ("commitment", HASH), ("hash", HASH))
_EVENT = (("recorded_at", TIME), ("recorded_us", INSTANT), *_HASHES, ("sealed", TRUTH))
_DRAW = (("index", NUMBER), ("request", TEXT), ("values", r"\[[\d, ]*\]"), ("secret", HASH), ("path", PATH))
_TOLD = (("signed", TRUTH), ("ruling", f"(?:null|{TEXT})"), ("reason", f"(?:null|{TEXT})"))
_FAIR = (("seed_commitment", HASH), ("draws_root", HASH), ("draws", NUMBER), ("mix", HASH), ("drawn", NUMBER))
SHAPES = (
    # events: closed, of which nothing may follow, and open
    _written(*_EVENT, ("salt", "null"), ("body", "null")),
    _written(*_EVENT, ("salt", HASH), after=r'(?=, ?"body": ?\{)'),
    # bodies: of draws, as they are written and as they are read again; of `opened`, of `started`
    _written(*_DRAW, before=r'"body": ?\{'),
    _written(*sorted(_DRAW), before=r'"body": ?\{'),
    _written(("draws_root", HASH), ("scheme", TEXT), ("seed_commitment", HASH)),
    _written(("mix", HASH), before=r'"body": ?\{'),
    # the trail: as JSON, as CSV
    _written(("recorded_at", TIME), ("sealed", TRUTH), *_TOLD, *_HASHES),
    rf"{PLAIN_TIME},{TRUTH},{TRUTH},[^,\n]*,[^,\n]*,{PLAIN_HASH},{PLAIN_HASH},{PLAIN_HASH}\r\n",
    # looks with a referee's eyes, what the checks said, receipts
    _written(("request_id", TEXT), ("looked_at", TIME)),
    _written(("verified_at", TIME), ("checks", r"\["), after=""),
    _written(("seq", NUMBER), ("hash", HASH), ("recorded_at", TIME), ("signature", f"(?:null|{TEXT})")),
    # the first and the last line of a record
    _written(("head_hash", HASH), ("exported_at", TIME), ("as", TEXT)),
    _written(("sha256", HASH), before=r"\{", after=r"\}\n"),
    # a game
    _written(("head_hash", HASH), ("seats", r"\["), after=""),
    _written(*_FAIR),
    _written(("created_at", TIME)),
    # a line of a log for people
    rf"^[ ~] {{0,4}}\d+  {SECOND}  ",
)
_SHAPES = re.compile("|".join(SHAPES), re.MULTILINE)
_SIGNATURE = rf'(?<="signature":){TEXT}|(?<="signature": ){TEXT}'
_VALUES = re.compile("|".join((HASH, PLAIN_HASH, TIME, PLAIN_TIME, SECOND, INSTANT, _SIGNATURE)))


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
