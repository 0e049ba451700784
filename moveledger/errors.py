"""Every error that Moveledger raises on purpose.

One root, a stable `code` (kebab-case; the codes of a game's rules are `ruleset.reason`), and facts that a
client may read. `api/problems.py` gives each class its HTTP status and title; nothing here knows HTTP.
"""

from __future__ import annotations

from typing import Any, ClassVar


class MoveledgerError(Exception):
    """The root. `facts` travel to the client as members of the problem; `retryable` says if waiting can help."""

    code: str = "moveledger"
    retryable: ClassVar[bool] = False

    def __init__(self, detail: str = "", **facts: Any) -> None:
        super().__init__(detail or (type(self).__doc__ or "").splitlines()[0])
        self.facts = facts

    @property
    def detail(self) -> str:
        """One sentence about this occurrence."""
        return str(self.args[0])


# --- what the rules refuse ---------------------------------------------------------------------------


class IllegalMove(MoveledgerError):
    """The rules of the game do not allow this move."""

    def __init__(self, code: str, detail: str, **facts: Any) -> None:
        super().__init__(detail, **facts)
        self.code = code


class MalformedValue(MoveledgerError):
    """A value does not have the shape that its type asks for."""

    code = "validation"

    def __init__(self, detail: str, pointer: str = "") -> None:
        super().__init__(detail, errors=[{"pointer": pointer, "detail": detail}])
        self.pointer = pointer


class InvalidInput(MoveledgerError):
    """The request breaks its schema."""

    code = "validation"


class UnreadableRequest(MoveledgerError):
    """The request cannot be read."""

    code = "unreadable"


class NotAcceptable(MoveledgerError):
    """None of the types that the client accepts can be given."""

    code = "not-acceptable"


class UnknownRuleset(MoveledgerError):
    """No ruleset of that name and version is installed."""

    code = "unknown-ruleset"


# --- who asks ------------------------------------------------------------------------------------------


class Unauthenticated(MoveledgerError):
    """The credential is missing, unknown or revoked."""

    code = "unauthenticated"


class ScopeMissing(MoveledgerError):
    """The credential lacks the scope that this needs."""

    code = "scope-missing"


class NotYourSeat(MoveledgerError):
    """The credential does not act for this seat of this game."""

    code = "not-your-seat"


# --- what is not there ---------------------------------------------------------------------------------


class UnknownGame(MoveledgerError):
    """There is no such game, or it is not for this caller."""

    code = "unknown-game"


class UnknownRulesetPath(MoveledgerError):
    """No ruleset of that name and version is installed here."""

    code = "unknown-ruleset"


class UnknownSeat(MoveledgerError):
    """The game has no such seat."""

    code = "unknown-seat"


class UnknownVersion(MoveledgerError):
    """The game has not come to that version."""

    code = "unknown-version"


class UnknownKey(MoveledgerError):
    """There is no such API key."""

    code = "unknown-key"


class UnknownTile(MoveledgerError):
    """The published tree has no such tile, or not so much of it."""

    code = "unknown-tile"


class UnknownCheckpoint(MoveledgerError):
    """No checkpoint with this text was published here."""

    code = "unknown-checkpoint"


class NotSealedYet(MoveledgerError):
    """No checkpoint is signed over this yet."""

    code = "not-sealed-yet"
    retryable = True


# --- what cannot be done now ---------------------------------------------------------------------------


class NotToMove(MoveledgerError):
    """The seat has no choice to make now."""

    code = "not-to-move"


class GameOver(MoveledgerError):
    """The game has ended."""

    code = "game-over"


class GameNotStarted(MoveledgerError):
    """The game has not started yet."""

    code = "game-not-started"


class SeatTaken(MoveledgerError):
    """Somebody sits there already."""

    code = "seat-taken"


class PlayerSeated(MoveledgerError):
    """The player sits in this game already."""

    code = "player-seated"


class SeatLeft(MoveledgerError):
    """The seat has left the game."""

    code = "seat-left"


class EntropyOutOfTurn(MoveledgerError):
    """The seat's entropy cannot be committed or opened now."""

    code = "entropy-out-of-turn"


class EntropyMismatch(MoveledgerError):
    """The opened entropy is not what the seat committed to."""

    code = "entropy-mismatch"


class CosignatureRefused(MoveledgerError):
    """The note does not hold a valid co-signature of a witness that is known here."""

    code = "cosignature-refused"


class SignatureInvalid(MoveledgerError):
    """The signature under the move does not hold."""

    code = "signature-invalid"


class GameNotFinished(MoveledgerError):
    """Only a finished game can be annulled, and once."""

    code = "game-not-finished"


class RewindImpossible(MoveledgerError):
    """The game cannot be rewound to there."""

    code = "rewind-impossible"


class RedrawNotSaid(MoveledgerError):
    """Draws lie between here and there: say `redraw: true`, they will be drawn anew."""

    code = "redraw-not-said"


class ForkImpossible(MoveledgerError):
    """The game cannot be forked there."""

    code = "fork-impossible"


class ForkWouldShow(MoveledgerError):
    """A running game with hidden information is not forked: playing on would show it."""

    code = "fork-would-show"


class StaleDecision(MoveledgerError):
    """The game has gone on since the decision that the request names."""

    code = "stale-decision"


class Contended(MoveledgerError):
    """Others were faster, several times in a row."""

    code = "contended"
    retryable = True


# --- requests that may be repeated ---------------------------------------------------------------------


class IdempotencyKeyMissing(MoveledgerError):
    """The request changes something and has no Idempotency-Key header."""

    code = "idempotency-key-missing"


class IdempotencyKeyReused(MoveledgerError):
    """The Idempotency-Key belongs to another request."""

    code = "idempotency-key-reused"


class IdempotencyKeyInvalid(MoveledgerError):
    """The Idempotency-Key is not 1 to 255 visible ASCII characters."""

    code = "idempotency-key-invalid"


# --- what is away --------------------------------------------------------------------------------------


class StoreUnavailable(MoveledgerError):
    """The database does not answer."""

    code = "store-unavailable"
    retryable = True


PASSING = (StoreUnavailable, Contended)
"""What the database refuses now and may take in a moment: whoever works on by himself waits and goes on."""


class MasterKeyChanged(MoveledgerError):
    """The master key is being changed, or was changed since this process started."""

    code = "master-key-changed"
    retryable = True


# --- archives, on the command line ----------------------------------------------------------------------


class ArchiveFault(MoveledgerError):
    """An archive, or a game of it, is not imported. Only commands of an operator come upon these."""

    code = "archive-fault"


class NotAnArchive(ArchiveFault):
    """The folder has no manifest that can be read."""

    code = "not-an-archive"


class ArchiveDamaged(ArchiveFault):
    """A file of the archive is not what the manifest says."""

    code = "archive-damaged"


class RecordInvalid(ArchiveFault):
    """The verifier finds a fault in the record."""

    code = "record-invalid"


class RecordUnfinished(ArchiveFault):
    """The game was going on when it was exported: its seed, and what was sealed in it, are not in the record."""

    code = "record-unfinished"


class ParentMissing(ArchiveFault):
    """The game that this one is a fork of is not here."""

    code = "parent-missing"


class GameExists(ArchiveFault):
    """The game is here already, with another log."""

    code = "game-exists"


class ImportRefused(ArchiveFault):
    """The log does not take the game."""

    code = "import-refused"


# --- what an operator has to mend ---------------------------------------------------------------------


class ConfigurationFault(MoveledgerError):
    """A value that Moveledger is started with is missing or wrong."""

    code = "configuration"


class ServerFault(MoveledgerError):
    """A server that Moveledger starts itself does not come up."""

    code = "embedded-server"


class EditedMigration(MoveledgerError):
    """A migration that was applied has been edited since."""

    code = "edited-migration"


class WrongMasterKey(MoveledgerError):
    """The MASTER_KEY is not the one that this database was sealed with."""

    code = "wrong-master-key"
