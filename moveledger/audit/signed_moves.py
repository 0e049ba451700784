"""The check of the signatures: every one that stands under a move, against its seat's key and the event that it names.

It needs no rules, so it goes on behind closed bodies, where the fold cannot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from moveledger.audit.checks import CheckResult, name_numbers
from moveledger.audit.event import Event, hex_bytes
from moveledger.audit.faults import Check, LogFault
from moveledger.audit.signature import find_fault, read_signed
from moveledger.errors import MalformedValue


class SignedMoves:
    """How many of how many moves are signed, and whether each signature is right."""

    name: Check = "signatures"

    def __init__(self) -> None:
        self._keys: dict[int, bytes] = {}
        self._hashes: list[bytes] = []
        self._moves = 0
        self._signed = 0
        self._closed: list[int] = []

    def see(self, event: Event) -> None:
        """Raises `LogFault` for a signature that is not its seat's, or names an event that is not there."""
        if event.type == "opened":
            self._keys, self._hashes = {}, []
        try:
            self._see(event, event.body)
        except (MalformedValue, KeyError, TypeError) as wrong:
            raise LogFault("signatures", event.seq, f"the body of {event.type} is not well formed: {wrong}") from wrong
        self._hashes.append(event.hash)

    def _see(self, event: Event, body: Mapping[str, Any] | None) -> None:
        if event.type == "moved":
            self._moves += 1
            if body is None:
                self._closed.append(event.seq)
            elif body.get("signed") is not None:
                self._see_signed(event, body)
        elif event.type == "seated" and body is not None and body.get("public_key") is not None:
            self._keys[event.seat] = hex_bytes(body, "public_key")

    def _see_signed(self, event: Event, body: Mapping[str, Any]) -> None:
        fault = find_fault(
            read_signed(body["signed"]),
            public_key=self._keys.get(event.seat),
            game_id=event.game_id,
            seat=event.seat,
            action=body["action"],
            hash_at=lambda seq: self._hashes[seq - 1] if seq <= len(self._hashes) else None,
        )
        if fault is not None:
            raise LogFault("signatures", event.seq, fault)
        self._signed += 1

    def end(self) -> None:
        """Nothing is left to say."""

    def results(self) -> Iterator[CheckResult]:
        """One result, `signatures`."""
        seen = f"{self._signed} of {self._moves} moves signed"
        if self._closed and self._keys:
            yield CheckResult("signatures", "closed", f"{seen}; closed: {name_numbers('event', self._closed)}")
        else:
            yield CheckResult("signatures", "pass", seen if self._keys else f"{seen}: no seat has a key")
