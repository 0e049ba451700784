"""What the relay does for the public log: extend the tree over newly ordered events, sign its head, publish it.

A note is kept before it is published: in the relay's state folder first, then in the database, where readers find it.
What was signed is a promise, so nothing is signed that does not extend it: when the tree and the promise do not agree
(a database that was restored to an earlier time, a leaf that was altered), signing stops and an alarm is raised, while
the ordering of events goes on.
"""

from __future__ import annotations

import logging
import time

from moveledger.audit.checkpoint import Checkpoint, verify_checkpoint
from moveledger.audit.note import SignerKey, UntrustedNote
from moveledger.errors import PASSING, MalformedValue
from moveledger.services.growth import Contradiction, GrowingTree, read_promise
from moveledger.services.patrol import Patrol
from moveledger.services.tools import Tools
from moveledger.store import publication as store
from moveledger.store.database import Connection
from moveledger.store.last_note import LastNote

MOST = 1 << 16
"""How many leaves one checkpoint adds at most."""
BETWEEN_NOTES_S = 0.5
BETWEEN_LOOKS_S = 1.0
"""How often a relay that has ordered nothing itself looks whether another has."""
BETWEEN_STRIDES_S = 10.0
"""How often the patrol goes on: it comes round a million leaves in five minutes."""
BETWEEN_ALARMS_S = 60.0
REST_S = 5.0
"""How long signing rests after something that nobody foresaw, a full disk for one."""

log = logging.getLogger("moveledger.log")


class Publisher:
    """The one who signs, in one relay. Call `tend` again and again: it does what is due and never waits."""

    def __init__(self, tools: Tools, last_note: LastNote) -> None:
        self.alarm: str | None = None
        self._tools, self._last_note = tools, last_note
        self._patrol, self._is_checked = Patrol(), False
        self._is_due = True
        self._signed_at = self._looked_at = self._strode_at = self._cried_at = self._rests_until = float("-inf")

    def tend(self, *, grown: bool) -> Checkpoint | None:
        """A step of the check on start, or a new checkpoint where leaves have come, which is answered.

        Raises `StoreUnavailable`, `Contended`. Whatever else goes wrong is logged: the ordering of events must go on.
        """
        self._is_due = self._is_due or grown
        if time.monotonic() < self._rests_until:
            return None
        try:
            return self._tend()
        except PASSING:
            raise
        except Exception:
            log.exception("the public log could not be signed, which is tried again")
            self._rests_until = time.monotonic() + REST_S
            return None

    def _tend(self) -> Checkpoint | None:
        try:
            if self.alarm is None:
                self._look_around()
                if self._is_checked and self._is_time():
                    return self._publish()
        except Contradiction as found:
            self.alarm = str(found)
        if self.alarm is not None:
            self._cry(self.alarm)
        return None

    def _look_around(self) -> None:
        """A step of the patrol: at once until its first round is done, which is the check on start, and then now and then.

        Raises `Contradiction`.
        """
        if self._is_checked and time.monotonic() - self._strode_at < BETWEEN_STRIDES_S:
            return
        self._strode_at = time.monotonic()
        with self._tools.database.connection() as connection:
            last = store.last_checkpoint(connection)
            is_round = self._patrol.step(connection, last.size if last else 0)
            if is_round and not self._is_checked:
                self._end_check(connection, last)
                self._is_checked = True

    def _end_check(self, connection: Connection, last: store.SignedHead | None) -> None:
        """Whether the tree extends what was signed. Raises `Contradiction`."""
        promise = read_promise(self._last_note.read())
        tree = GrowingTree(connection, last)
        if promise is not None:
            tree.require_promise(promise)
        if store.present_alarm(connection) is not None:
            store.add_alarm(connection, None, raised_us=self._tools.clock())

    def _is_time(self) -> bool:
        now = time.monotonic()
        if now - self._looked_at >= BETWEEN_LOOKS_S:
            self._is_due, self._looked_at = True, now
        return self._is_due and now - self._signed_at >= BETWEEN_NOTES_S

    def _publish(self) -> Checkpoint | None:
        with self._tools.database.transaction() as connection:
            if not store.take_turn(connection):
                return None
            last = store.last_checkpoint(connection)
            promise = read_promise(self._last_note.read())
            checkpoint = self._extend(connection, last, promise)
        self._is_due = checkpoint is not None
        if checkpoint is not None:
            self._signed_at = time.monotonic()
        return checkpoint

    def _extend(
        self, connection: Connection, last: store.SignedHead | None, promise: Checkpoint | None
    ) -> Checkpoint | None:
        """Sign and keep the tree as far as it has grown; None when there is nothing new. Raises `Contradiction`."""
        signer = self._tools.signer
        tree = GrowingTree(connection, last)
        if promise is not None:
            tree.require_promise(promise)
        tree.grow(MOST)
        checkpoint = tree.head(signer.verifier.name)
        if last is not None and last.size == tree.size and _has_signed(signer, last.note):
            return None
        note = signer.sign_note(checkpoint.text)
        store.add_tiles(connection, tree.full)
        store.add_checkpoint(connection, size=tree.size, root=checkpoint.root, note=note, signed_us=self._tools.clock())
        self._last_note.keep(note)  # the last thing before the transaction ends, which publishes the note
        return checkpoint

    def _cry(self, alarm: str) -> None:
        """Say the alarm, now and every minute again, and keep it where the API finds it."""
        if time.monotonic() - self._cried_at < BETWEEN_ALARMS_S:
            return
        self._cried_at = time.monotonic()
        log.critical("the public log is not signed any more: %s", alarm)
        with self._tools.database.connection() as connection:
            if store.present_alarm(connection) != alarm:
                store.add_alarm(connection, alarm, raised_us=self._tools.clock())


def _has_signed(signer: SignerKey, note: str) -> bool:
    try:
        verify_checkpoint(note, signer.verifier)
    except (MalformedValue, UntrustedNote):
        return False
    return True
