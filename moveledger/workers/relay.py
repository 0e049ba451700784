"""The relay: gives new events their place in the one order of the log, publishes the log, and rings for the games that grew.

Any number may run; an advisory lock lets one work at a time. It is woken by the clock alone, every 20 to 50 ms. For the
workers it gathers the games that grew and rings for them together, twice a second: a snapshot is only a shorter way, and
made anew at every move of a busy game it would cost more than the move.
"""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from uuid import UUID

from moveledger.errors import PASSING
from moveledger.services.ordering import order_new_events
from moveledger.services.publication import Publisher
from moveledger.services.tools import Bell, Job, Tools
from moveledger.store.last_note import LastNote

IDLE_SECONDS = 0.05
BUSY_SECONDS = 0.02
RING_SECONDS = 0.5

log = logging.getLogger("moveledger.relay")


@dataclass(slots=True)
class Gathering:
    """Games that wait to be rung for: the first after a quiet time at once, more of them `RING_SECONDS` later together."""

    ring: Bell
    _waiting: dict[Job, dict[UUID, None]] = field(default_factory=dict)
    _due: float = 0.0

    def add(self, job: Job, game_ids: Sequence[UUID], *_: str) -> None:
        """Have these games rung for; each waits once for each job, however often it is named."""
        self._waiting.setdefault(job, {}).update(dict.fromkeys(game_ids))

    def ring_when_due(self) -> None:
        """Ring for those who wait, unless the last ring was a moment ago."""
        if self._waiting and time.monotonic() >= self._due:
            for job, game_ids in self._waiting.items():
                self.ring(job, list(game_ids))
            self._waiting.clear()
            self._due = time.monotonic() + RING_SECONDS


def run_relay(tools: Tools, state_folder: Path) -> None:
    """Relay until SIGTERM or SIGINT. Postgres being away is waited out. The last signed note is kept in the state folder."""
    stop = threading.Event()
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, lambda *_: stop.set())
    gathering = Gathering(tools.ring_workers)
    publisher = Publisher(tools, LastNote(state_folder))
    tools = replace(tools, ring_workers=gathering.add)
    pause = 0.0
    while not stop.wait(pause):
        try:
            count = order_new_events(tools)
            publisher.tend(grown=count > 0)
            gathering.ring_when_due()
            pause = BUSY_SECONDS if count else IDLE_SECONDS
        except PASSING as away:
            log.warning("%s", away)
            pause = 0.5
    tools.close()
