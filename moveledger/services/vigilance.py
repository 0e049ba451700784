"""How the public log is doing, for those who watch over the service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from moveledger.audit.checkpoint import verify_checkpoint
from moveledger.audit.note import UntrustedNote
from moveledger.errors import MalformedValue
from moveledger.services.tools import Tools
from moveledger.store import publication as store


@dataclass(frozen=True, slots=True)
class LogStatus:
    """The state of the log, the leaves under its last checkpoint, and those that wait for one.

    `alarm`: nothing is signed any more, `detail` says why. `other-key`: the last checkpoint is not signed by the key that this
    process signs receipts with, or has another origin. `empty`: nothing has been signed yet.
    """

    state: Literal["ok", "alarm", "other-key", "empty"]
    detail: str | None
    size: int
    waiting: int


def log_status(tools: Tools) -> LogStatus:
    """How the public log is doing. Raises `StoreUnavailable`."""
    with tools.database.connection() as connection:
        alarm = store.present_alarm(connection)
        head = store.last_checkpoint(connection)
        leaves = store.count_leaves(connection)
    size = head.size if head else 0
    if alarm is not None:
        return LogStatus("alarm", alarm, size, max(0, leaves - size))
    if head is None:
        return LogStatus("empty", None, 0, leaves)
    try:
        verify_checkpoint(head.note, tools.signer.verifier)
    except (MalformedValue, UntrustedNote) as wrong:
        return LogStatus("other-key", wrong.detail, size, max(0, leaves - size))
    return LogStatus("ok", None, size, max(0, leaves - size))
