"""The relay: gives new events their place in the one order of the log, rings for the games that grew, and signs the log.

Any number may run; advisory locks let one work at a time. It is woken by the clock alone, every 20 to 50 ms.
"""

from __future__ import annotations

import logging
import signal
import threading
from pathlib import Path

from moveledger.errors import StoreUnavailable
from moveledger.services.ordering import order_new_events
from moveledger.services.publication import Publisher
from moveledger.services.tools import Tools
from moveledger.store.last_note import LastNote

IDLE_SECONDS = 0.05
BUSY_SECONDS = 0.02

log = logging.getLogger("moveledger.relay")


def run_relay(tools: Tools, state_folder: Path) -> None:
    """Relay until SIGTERM or SIGINT. Postgres being away is waited out. The last signed note is kept in the state folder."""
    publisher = Publisher(tools, LastNote(state_folder))
    stop = threading.Event()
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, lambda *_: stop.set())
    pause = 0.0
    while not stop.wait(pause):
        try:
            count = order_new_events(tools)
            publisher.tend(grown=count > 0)
            pause = BUSY_SECONDS if count else IDLE_SECONDS
        except StoreUnavailable as away:
            log.warning("%s", away)
            pause = 0.5
    tools.close()
