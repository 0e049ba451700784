"""The check of the public log: that the events of a record are leaves of a tree that the operator has published."""

from __future__ import annotations

from collections.abc import Iterator

from moveledger.audit.checks import CheckResult
from moveledger.audit.event import Event
from moveledger.audit.faults import Check
from moveledger.audit.record import RecordReader


class Publication:
    """Pending until there is a public log: it counts what the record brings and proves nothing with it."""

    name: Check = "log"

    def __init__(self, reader: RecordReader | None) -> None:
        self._reader = reader

    def see(self, event: Event) -> None:
        """An event by itself says nothing about the public log."""

    def end(self) -> None:
        """Nothing is left to say."""

    def results(self) -> Iterator[CheckResult]:
        """One result, `log`."""
        proofs = len(self._reader.proofs) if self._reader is not None else 0
        yield CheckResult("log", "pending", f"{proofs} proofs, none of them checked" if proofs else "no proofs")
