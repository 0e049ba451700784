"""Every way by which an observer is told something of a game, as questions to ask.

`test_on_the_wire` holds this list against the API's document: a new path under a game has to come here.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from moveledger.rules.encoding import decode_action, encode
from moveledger.rules.kernel import Move, Seat
from moveledger.rules.registry import LANGUAGES
from tests.rules.playouts import awaited_seats
from tests.sight.scripts import Script
from tests.sight.tables import Question

GAME = "/v1/games/{game}"
LAST_FRAMES = 16
LINES = {"Accept": "application/x-ndjson"}
COVERED = {
    "/v1/games": "list of games",
    "/v1/games/{game_id}": "game",
    "/v1/games/{game_id}/state": "state",
    "/v1/games/{game_id}/events": "events",
    "/v1/games/{game_id}/replay": "replay",
    "/v1/games/{game_id}/audit": "trail",
    "/v1/games/{game_id}/audit/looks": "looks",
    "/v1/games/{game_id}/audit/verification": "verification",
    "/v1/games/{game_id}/events/{seq}/proof": "proof",
    "/v1/games/{game_id}/export": "export",
    "/v1/games/{game_id}/legal-moves": "legal moves",
    "/v1/games/{game_id}/moves": "refused moves",
    "/v1/games/{game_id}/moves/preview": "preview",
    "/v1/games/{game_id}/resignation": "own moves",
    "/v1/games/{game_id}/rulings": "rulings",
    "/v1/games/{game_id}/forks": "forks",
}
"""By path: the channel that asks there."""

OF_SEATS = frozenset({"legal moves", "preview", "refused moves", "stale decision", "repeated moves", "own moves"})
"""The channels through which only a seat is told anything."""

NOTHING_HIDDEN = frozenset(
    {
        "/v1/games/{game_id}/seats/{seat}/claim",  # before the start nothing is hidden
        "/v1/games/{game_id}/seats/{seat}/entropy",
    }
)


@dataclass(frozen=True, slots=True)
class Look:
    """An observer's look at a game: `who` is `anybody`, `key` or a seat's number.

    `moves` have been made; `since` is the version of the look before, 0 for a look at everything; `state` is the first
    game's, from which moves to try are chosen.
    """

    who: str
    script: Script
    moves: int
    since: int
    version: int
    state: Any
    rng: random.Random

    @property
    def seat(self) -> Seat | None:
        """The observer's seat."""
        return Seat(int(self.who)) if self.who.isdigit() else None

    @property
    def is_whole(self) -> bool:
        """Whether this is the look at everything, the last one."""
        return self.since == 0

    @property
    def other(self) -> int:
        """A seat that is not the observer's."""
        return 0 if self.seat is None else (self.seat + 1) % self.script.seats


def questions(look: Look) -> Iterator[Question]:
    """All questions of a look. None of them changes a game."""
    yield from _of_the_game(look)
    yield from _of_the_state(look)
    yield from _of_the_log(look)
    yield from _of_the_replay(look)
    yield from _of_the_audit(look)
    yield from _of_legal_moves(look)
    if look.seat is not None:
        yield from _of_trying(look, look.seat)
        yield from _of_refusals(look, look.seat)


# --- reading -------------------------------------------------------------------------------------------


def _of_the_game(look: Look) -> Iterator[Question]:
    yield Question("game", GAME)
    yield Question("list of games", "/v1/games?external_ref={reference}")


def _of_the_state(look: Look) -> Iterator[Question]:
    yield Question("state", f"{GAME}/state")
    yield Question("state again", f"{GAME}/state")
    yield Question("ETag", f"{GAME}/state", {"If-None-Match": "{etag}"})
    yield Question("state", f"{GAME}/state?as=spectator")
    for at in sorted({look.version, look.rng.randint(max(1, look.since), look.version)}):
        yield Question("state at", f"{GAME}/state?at={at}")
    yield Question("as", f"{GAME}/state?as=referee", is_refused=True)
    if look.seat is not None:
        yield Question("state", f"{GAME}/state?as=seat:{look.seat}")
    if look.who != "key" and look.other != look.seat:
        yield Question("as", f"{GAME}/state?as=seat:{look.other}", is_refused=True)


def _of_the_log(look: Look) -> Iterator[Question]:
    yield Question("events", f"{GAME}/events?after={look.since}&limit=100")
    yield Question("events", f"{GAME}/events?after={look.since}&limit=2&as=spectator")
    yield Question("events NDJSON", f"{GAME}/events?after={look.since}", LINES)
    yield Question("as", f"{GAME}/events?as=referee", is_refused=True)
    if look.is_whole:
        yield Question("export", f"{GAME}/export{look.rng.choice(('', '?as=spectator'))}")
    yield Question("as", f"{GAME}/export?as=referee", is_refused=True)


def _of_the_replay(look: Look) -> Iterator[Question]:
    """All frames in one language, the last ones in every language."""
    whole = look.rng.choice(LANGUAGES)
    for language in LANGUAGES if look.is_whole else [whole]:
        first = 1 + (look.since if language == whole else max(look.since, look.version - LAST_FRAMES))
        yield Question(f"replay {language}", f"{GAME}/replay?from={first}", {"Accept-Language": language, **LINES})
    language = look.rng.choice(LANGUAGES)
    yield Question("replay", f"{GAME}/replay?from={look.since + 1}&limit=3", {"Accept-Language": language})
    yield Question("replay text", f"{GAME}/replay?from={look.since + 1}&format=text", {"Accept-Language": language})
    yield Question("as", f"{GAME}/replay?as=referee", is_refused=True)


def _of_the_audit(look: Look) -> Iterator[Question]:
    yield Question("trail", f"{GAME}/audit?after={look.since}&limit=100")
    yield Question("trail", f"{GAME}/audit?type=moved&seat={look.other}&limit=5")
    yield Question("trail CSV", f"{GAME}/audit", {"Accept": "text/csv"})
    yield Question("looks", f"{GAME}/audit/looks")
    yield Question("verification", f"{GAME}/audit/verification")
    yield Question("proof", f"{GAME}/events/{look.rng.randint(1, look.version)}/proof")
    key = {"Idempotency-Key": "refused"}
    yield Question("forks", f"{GAME}/forks", key, {"at": look.version}, "POST", is_refused=True)
    ruling = {"type": "rewind", "to": 1, "reason": "to look again"}
    yield Question("rulings", f"{GAME}/rulings", key, ruling, "POST", is_refused=True)


# --- moves ---------------------------------------------------------------------------------------------


def _of_legal_moves(look: Look) -> Iterator[Question]:
    """A seat's own; nobody without a seat has any. The key that opened the game acts for all seats: not as a spectator."""
    yield Question("legal moves", f"{GAME}/legal-moves?limit=100")
    if look.seat is not None:
        yield Question("legal moves", f"{GAME}/legal-moves?seat={look.seat}&limit=2&after=1")
    if look.who != "key" and look.other != look.seat:
        yield Question("other's legal moves", f"{GAME}/legal-moves?seat={look.other}", is_refused=True)


def _of_trying(look: Look, seat: Seat) -> Iterator[Question]:
    path = f"{GAME}/moves/preview"
    for action in [*_legal_actions(look, seat), *_strange_actions(look)]:
        yield Question("preview", path, body={"action": action}, method="POST")
    stale = {"If-Match": '"1"'}
    yield Question("preview", path, stale, {"action": _strange_actions(look)[0]}, "POST", is_refused=True)
    if look.other != seat:
        other = {"seat": look.other, "action": _strange_actions(look)[0]}
        yield Question("preview", path, body=other, method="POST", is_refused=True)


def _of_refusals(look: Look, seat: Seat) -> Iterator[Question]:
    """Each kind of refusal that a seat's move can meet, and the answer to a request that was made before."""
    path, strange = f"{GAME}/moves", _strange_actions(look)
    key = {"Idempotency-Key": "refused"}
    legal = look.script.ruleset.legal(look.state, seat)
    for action in strange:
        if decode_action(look.script.ruleset, action) not in legal:
            yield Question("refused moves", path, key, {"action": action}, "POST", is_refused=True)
    yield Question("stale decision", path, {**key, "If-Match": '"1"'}, {"action": strange[0]}, "POST", is_refused=True)
    if look.other != seat:
        yield Question("refused moves", path, key, {"seat": look.other, "action": strange[0]}, "POST", is_refused=True)
    for body in ({"action": {"type": "nonsense"}}, {"action": None, "seat": 99}, {}, b"{"):
        yield Question("refused moves", path, key, body, "POST", is_refused=True)
    yield Question("refused moves", path, {}, {"action": strange[0]}, "POST", is_refused=True)
    made = [(at, move) for at, move in enumerate(look.script.moves[: look.moves]) if move.seat == seat]
    for at, move in made[-1:]:
        if isinstance(move, Move):
            again, body = {"Idempotency-Key": f"move-{at}"}, {"action": encode(move.action)}
            yield Question("repeated moves", path, again, body, "POST")
            yield Question("refused moves", path, again, {**body, "seat": seat}, "POST", is_refused=True)


def _legal_actions(look: Look, seat: Seat) -> list[Any]:
    """Some of what the seat may do: two of each type of action."""
    if seat not in awaited_seats(look.script.ruleset, look.state):
        return []
    by_type: dict[str, list[Any]] = {}
    for action in islice(look.script.ruleset.legal(look.state, seat), 300):
        by_type.setdefault(action.type, []).append(encode(action))
    return [action for actions in by_type.values() for action in look.rng.sample(actions, min(2, len(actions)))]


def _strange_actions(look: Look) -> list[Any]:
    """Actions from all over the game, most of which nobody may do now."""
    by_type: dict[str, Any] = {}
    for move in look.script.moves:
        if isinstance(move, Move):
            by_type.setdefault(move.action.type, encode(move.action))
    return list(by_type.values())[:6]
