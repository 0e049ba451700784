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


class UnknownRuleset(MoveledgerError):
    """No ruleset of that name and version is installed."""

    code = "unknown-ruleset"


# --- what an operator has to mend ---------------------------------------------------------------------


class ConfigurationFault(MoveledgerError):
    """A value that Moveledger is started with is missing or wrong."""

    code = "configuration"


class ServerFault(MoveledgerError):
    """A server that Moveledger starts itself does not come up."""

    code = "embedded-server"
