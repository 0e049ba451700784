"""Logs for tests without a service: a house that opens games, seats players, answers chance and declares the end.

Everything is real: salts, commitments, hashes, fair draws, sealed bodies. `forge` is the dishonest house, which changes
events and makes all hashes anew.
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from io import BytesIO
from typing import Any
from uuid import UUID

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from moveledger.audit.checks import Report
from moveledger.audit.event import (
    HOUSE,
    NIL,
    REFEREE_SEAT,
    SCHEMA,
    ZERO_HASH,
    Event,
    commitment,
    event_hash,
    event_json,
    recorded_at,
)
from moveledger.audit.fairness import FIXED
from moveledger.audit.game import Game, evolve, expected_mix
from moveledger.audit.record import RecordHeader, write_record
from moveledger.audit.signature import signed_text
from moveledger.audit.verify import verify_record
from moveledger.rules import chance
from moveledger.rules.encoding import canonical, encode, read_options, state_hash
from moveledger.rules.kernel import AnyRuleset, Chance, Draw, Leave, Move, Over, Seat, Seats
from moveledger.rules.registry import rules_digest

START_US = 1_796_000_000_000_000
CLIENT = UUID(int=77)


class House:
    """One game, from its opening on. `number` makes its id, its seed and its salts."""

    def __init__(
        self,
        ruleset: AnyRuleset,
        *,
        seats: int,
        number: int = 1,
        given: Mapping[str, Any] | None = None,
        entropy: bool = False,
        scheme: str = chance.SCHEME,
        parent: House | None = None,
        at: int = 0,
        keys: Mapping[int, Ed25519PrivateKey] | None = None,
    ) -> None:
        self.keys = keys or {}
        self.ruleset, self.seats, self.scheme, self.parent, self.at = ruleset, seats, scheme, parent, at
        self.options: Any = parent.options if parent else read_options(ruleset, given or {})
        self.game_id = UUID(int=0x0192_0000_0000_7000_8000_0000_0000_0000 + number)
        self.rng = random.Random(number)
        self.seed = self.rng.randbytes(32)
        self.draws = max(chance.DRAWS, ruleset.draws(self.options, seats))
        self.events: list[Event] = []
        self.games: list[Game] = []
        self._open(entropy)

    @property
    def game(self) -> Game:
        """The game after all events so far."""
        return self.games[-1]

    def recall(self, game_id: UUID, seq: int) -> Game:
        """What `evolve` asks for."""
        house = self if game_id == self.game_id else self.parent
        assert house is not None
        return house.games[seq - 1]

    def add(
        self, type_: str, body: Mapping[str, Any], *, seat: int = HOUSE, sealed: frozenset[int] | None = None
    ) -> None:
        """One more event."""
        last = self.events[-1] if self.events else None
        event = Event(
            game_id=self.game_id,
            seq=len(self.events) + 1,
            type=type_,
            schema=SCHEMA,
            seat=seat,
            client=NIL if seat == HOUSE else CLIENT,
            request_id=f"request-{len(self.events) + 1}",
            recorded_us=(last.recorded_us if last else START_US) + self.rng.randrange(0, 10**8),
            prev_hash=last.hash if last else ZERO_HASH,
            commitment=ZERO_HASH,
            hash=ZERO_HASH,
            sealed=sealed is not None,
            salt=self.rng.randbytes(32),
            body=body,
            sealed_for=sealed,
        )
        event = committed(event)
        self.games.append(evolve(self.games[-1] if self.games else None, event, self.recall))
        self.events.append(event)

    def _open(self, entropy: bool) -> None:
        fairness: dict[str, Any] = {"scheme": self.scheme}
        if self.scheme != FIXED:
            fairness |= {
                "seed_commitment": chance.seed_commitment(self.game_id.bytes, self.ruleset.id, self.seed).hex(),
                "draws_root": chance.draws_root(self.seed, self.draws).hex(),
                "draws": self.draws,
            }
        head = self.parent.events[self.at - 1] if self.parent else None
        body = {
            "ruleset": self.ruleset.id,
            "rules_digest": rules_digest(self.ruleset.id),
            "seats": self.seats,
            "options": encode(self.options),
            "visibility": "public",
            "entropy": "required" if entropy else "none",
            "parent": {"game_id": str(head.game_id), "seq": head.seq, "hash": head.hash.hex()} if head else None,
            "clock": None,
            "rated": False,
            "test": self.scheme == FIXED,
            "tournament": None,
            "fairness": fairness,
        }
        self.add("opened", body)

    def start(self) -> None:
        """Seat everybody, mix in their entropy where it is required, and start."""
        for seat in range(self.seats):
            key = self.keys.get(seat)
            held = {"public_key": key.public_key().public_bytes_raw().hex()} if key else {}
            self.add("seated", {"player": str(UUID(int=100 + seat)), **held}, seat=seat)
        if self.game.opened["entropy"] == "required":
            secrets = [self.rng.randbytes(32) for _ in range(self.seats)]
            for seat, secret in enumerate(secrets):
                self.add(
                    "entropy_committed",
                    {"commitment": chance.entropy_commitment(self.game_id.bytes, seat, secret).hex()},
                    seat=seat,
                )
            for seat, secret in enumerate(secrets):
                self.add("entropy_opened", {"entropy": secret.hex()}, seat=seat)
        self.add("started", {"mix": expected_mix(self.game).hex()})
        self.settle()

    def settle(self) -> None:
        """Answer chance, and declare the end."""
        while isinstance(awaiting := self.ruleset.awaiting(self.game.state), Chance):
            values = self._values(awaiting)
            body = {"index": self.game.draws, "request": chance.request_text(awaiting.request), "values": list(values)}
            if self.scheme != FIXED:
                path = chance.draw_path(self.seed, self.draws, self.game.draws)
                body |= {
                    "secret": chance.draw_secret(self.seed, self.game.draws).hex(),
                    "path": [step.hex() for step in path],
                }
            self.add("drawn", body, sealed=self.ruleset.audience(self.game.state, Draw(values)))
        if isinstance(awaiting, Over):
            self.finish()

    def _values(self, awaiting: Chance) -> tuple[int, ...]:
        index, mixed = self.game.draws, self.game.mix
        assert mixed is not None
        return chance.draw(chance.draw_secret(self.seed, index), mixed, index, awaiting.request)

    def finish(self) -> None:
        """The last event, which opens the seed."""
        outcome = self.game.adjudicated or self.ruleset.outcome(self.game.state)
        body = {"outcome": encode(outcome), "state_hash": state_hash(self.game.state), "seed": self.seed.hex()}
        self.add("finished", body)

    def move(self, seat: Seat, action: Any) -> None:
        """A seat moves, and the house does its part."""
        audience = self.ruleset.audience(self.game.state, Move(seat, action))
        body = {"action": encode(action)}
        if seat in self.keys:
            body["signed"] = self.signed(seat, body["action"])
        self.add("moved", body, seat=seat, sealed=audience)
        self.settle()

    def signed(self, seat: int, action: Any, *, upon: int | None = None, key: Ed25519PrivateKey | None = None) -> Any:
        """What a seat puts beside its action: a signature upon the head, or upon event `upon`, with its key or another."""
        seen = self.events[-1 if upon is None else upon - 1]
        text = signed_text(self.game_id, seat=seat, seq=seen.seq, head_hash=seen.hash, action=action)
        signature = (key or self.keys[seat]).sign(text)
        return {"seq": seen.seq, "head_hash": seen.hash.hex(), "signature": signature.hex()}

    def leave(self, seat: Seat, cause: Any = "resigned") -> None:
        """A seat leaves, and the house does its part."""
        audience = self.ruleset.audience(self.game.state, Leave(seat, cause))
        self.add("left", {"cause": cause}, seat=seat, sealed=audience)
        self.settle()

    def rule(self, ruling: str, **facts: Any) -> None:
        """A ruling, with what it is followed by."""
        self.add("ruled", {"ruling": ruling, "reason": "for a test", **facts}, seat=REFEREE_SEAT)
        match ruling:
            case "abort":
                self.add("aborted", {"reason": "ruling", "seed": self.seed.hex()})
            case "adjudicate":
                self.finish()
            case "remove_seat":
                self.leave(Seat(facts["seat"]), "removed")

    def play(self, moves: int = 10**6) -> House:
        """Random moves, at most so many, until the game is over."""
        if self.game.status == "open":
            self.start()
        while moves and not self.game.over:
            awaiting = self.ruleset.awaiting(self.game.state)
            assert isinstance(awaiting, Seats)
            seat = self.rng.choice(sorted(awaiting.seats))
            self.move(seat, self.rng.choice(list(self.ruleset.legal(self.game.state, seat))))
            moves -= 1
        return self

    def log(self) -> list[Event]:
        """What a record holds: the parent's events as far as they count, then its own."""
        return [*(self.parent.log_to(self.at) if self.parent else []), *self.events]

    def log_to(self, seq: int) -> list[Event]:
        """The same up to an event of its own."""
        return self.log()[: len(self.log()) - len(self.events) + seq]

    def record(self) -> bytes:
        """The record that a spectator gets."""
        return record_of(self.log())


# --- records -------------------------------------------------------------------------------------------


def record_of(events: Sequence[Event], ruleset: str | None = None) -> bytes:
    """The record of events, sealed bodies closed unless the game is over."""
    last = events[-1]
    is_over = any(event.type in ("finished", "aborted") for event in events if event.game_id == last.game_id)
    opened = next(event.body for event in events if event.game_id == last.game_id and event.body)
    header = RecordHeader(
        game_id=last.game_id,
        ruleset=ruleset or opened["ruleset"],
        version=last.seq,
        head_hash=last.hash,
        exported_at=recorded_at(last.recorded_us),
        reader="spectator",
    )
    return b"".join(write_record(header, [event_json(e, is_open=is_over or not e.sealed) for e in events]))


def with_digest(lines: Iterable[bytes]) -> bytes:
    """Lines without their last, with a last line that fits them."""
    content = b"".join(lines)
    return content + json.dumps({"sha256": hashlib.sha256(content).hexdigest()}).encode() + b"\n"


def verify(record: bytes) -> Report:
    """The report on a record in memory."""
    return verify_record(BytesIO(record))


# --- the dishonest house -------------------------------------------------------------------------------


def committed(event: Event) -> Event:
    """The event with the commitment and the hash that its members ask for."""
    if event.salt is not None and event.body is not None:
        event = replace(event, commitment=commitment(event.salt, canonical(event.body)))
    return replace(event, hash=event_hash(event))


def rechained(events: Iterable[Event]) -> list[Event]:
    """Events of one game numbered, committed and chained anew."""
    made: list[Event] = []
    for event in events:
        prev_hash = made[-1].hash if made else ZERO_HASH
        made.append(committed(replace(event, seq=len(made) + 1, prev_hash=prev_hash)))
    return made


def forge(events: Sequence[Event], seq: int, change: Callable[[Mapping[str, Any]], Mapping[str, Any]]) -> list[Event]:
    """The log with the body of one event changed and every hash made to fit."""
    body = events[seq - 1].body
    assert body is not None
    forged = replace(events[seq - 1], body={**change(body)})
    return rechained([*events[: seq - 1], forged, *events[seq:]])


def first_of(events: Sequence[Event], type_: str) -> int:
    """The seq of the first event of a type."""
    return next(event.seq for event in events if event.type == type_)
