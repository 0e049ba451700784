"""The relay: gives new events their place in the one order of the log, and rings for the games that grew.

Any number may run; an advisory lock lets one work at a time. It is woken by the clock alone, every 20 to 50 ms.
"""

from __future__ import annotations

import logging
import signal
import threading

from moveledger.errors import StoreUnavailable
from moveledger.services.ordering import order_new_events
from moveledger.services.tools import Tools

IDLE_SECONDS = 0.05
BUSY_SECONDS = 0.02

log = logging.getLogger("moveledger.relay")


def run_relay(tools: Tools) -> None:
    """Relay until SIGTERM or SIGINT. Postgres being away is waited out."""
    stop = threading.Event()
    for signum in (signal.SIGTERM, signal.SIGINT):
        signal.signal(signum, lambda *_: stop.set())
    pause = 0.0
    while not stop.wait(pause):
        try:
            pause = BUSY_SECONDS if order_new_events(tools) else IDLE_SECONDS
        except StoreUnavailable as away:
            log.warning("%s", away)
            pause = 0.5
    tools.close()
