"""Row `chain`: how fast the offline verifier goes through hashes and chain."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from bench.appending import BODY, SALT
from bench.comparison import Bar, Result
from bench.stage import Stage
from moveledger.audit.checks import verify_chain
from moveledger.audit.event import SCHEMA, ZERO_HASH, Event, commitment, event_hash, event_json

EVENTS = 10_000
GAME = UUID("019ad000-0000-7000-8000-000000000002")
CLIENT = UUID("019ad000-0000-7000-8000-000000000001")
START_US = 1_796_000_000_000_000


def verify_events(stage: Stage) -> list[Result]:
    """Events as values, and then as the lines of a record, where most of the time goes into reading JSON."""
    events = _chain()
    lines = [json.dumps(event_json(event, is_open=True), separators=(",", ":")).encode() for event in events]
    bar = Bar("≥", 40_000)
    return [
        Result(
            f"verifier, {EVENTS:,} events, hash and chain only", _rates(events, stage.effort.rounds), bar, unit="/s"
        ),
        Result("the same from the lines of a record", _rates(lines, stage.effort.rounds), bar, unit="/s"),
    ]


def _rates(given: Sequence[Event] | Sequence[bytes], rounds: int) -> list[float]:
    rates = []
    for _ in range(rounds):
        began = time.perf_counter()
        head = verify_chain(given)
        rates.append(EVENTS / (time.perf_counter() - began))
        assert head.seq == EVENTS
    return rates


def _chain() -> list[Event]:
    head, made = ZERO_HASH, []
    for seq in range(1, EVENTS + 1):
        event = Event(
            game_id=GAME,
            seq=seq,
            type="moved",
            schema=SCHEMA,
            seat=seq % 4,
            client=CLIENT,
            request_id=f"request-{seq}",
            recorded_us=START_US + 1_000_003 * seq,
            prev_hash=head,
            commitment=commitment(SALT, BODY),
            hash=ZERO_HASH,
            sealed=False,
            salt=SALT,
            body=json.loads(BODY),
        )
        event = replace(event, hash=event_hash(event))
        made.append(event)
        head = event.hash
    return made
