"""What is wrong with a log, and what stands in the way of following it."""

from __future__ import annotations

from typing import Literal, TypeAlias

from moveledger.errors import MoveledgerError

Check: TypeAlias = Literal["chain", "commitments", "draws", "rules", "outcome", "log", "signatures"]


class LogFault(MoveledgerError):
    """The log holds what an honest house would not have written."""

    code = "log-fault"

    def __init__(self, check: Check, seq: int, detail: str) -> None:
        super().__init__(f"event {seq}: {detail}", seq=seq, check=check)
        self.check: Check = check
        self.seq = seq


class ClosedEvent(MoveledgerError):
    """A sealed event whose body this reader may not see stands in the way of the fold."""

    code = "closed-event"

    def __init__(self, seq: int) -> None:
        super().__init__(f"event {seq} is sealed", seq=seq)
        self.seq = seq
