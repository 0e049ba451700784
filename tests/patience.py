"""Waiting for what another process does."""

from __future__ import annotations

import time
from collections.abc import Callable


def in_time(condition: Callable[[], object], seconds: float = 60.0) -> bool:
    """Whether a condition came true within so many seconds."""
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.05)
    return True
