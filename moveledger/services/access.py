"""Who may do and see what. A private game that the caller may not see does not exist for it."""

from __future__ import annotations

import re

from moveledger.audit.game import Game
from moveledger.errors import InvalidInput, NotYourSeat, ScopeMissing, Unauthenticated, UnknownGame, UnknownSeat
from moveledger.rules.kernel import REFEREE, SPECTATOR, Observer, Seat
from moveledger.services.callers import Anonymous, Caller, KeyCaller, SeatCaller
from moveledger.services.tools import GameFacts

SCOPES = (
    "games:read",
    "games:write",
    "games:referee",
    "tournaments:write",
    "audit:read",
    "webhooks:write",
    "admin",
)
_AS = re.compile(r"spectator|referee|seat:(0|[1-9]\d?)")


def require_scope(caller: Caller, scope: str) -> KeyCaller:
    """The caller, if it is an API key with this scope (`admin` has them all). Raises `Unauthenticated`, `ScopeMissing`."""
    if isinstance(caller, Anonymous):
        raise Unauthenticated(f"This needs an API key with the scope {scope}.")
    if isinstance(caller, KeyCaller) and has_scope(caller, scope):
        return caller
    raise ScopeMissing(f"This needs an API key with the scope {scope}.", scope=scope)


def has_scope(caller: Caller, scope: str) -> bool:
    """Whether the caller is an API key with this scope, or with `admin`."""
    return isinstance(caller, KeyCaller) and bool({scope, "admin"} & caller.scopes)


def owns_game(caller: Caller, facts: GameFacts) -> bool:
    """Whether the caller opened the game, or is an administrator."""
    return isinstance(caller, KeyCaller) and (caller.client == facts.row.creator or "admin" in caller.scopes)


def require_sight(caller: Caller, facts: GameFacts) -> None:
    """Raises `UnknownGame` when the game does not exist for this caller."""
    if facts.row.visibility != "private" or owns_game(caller, facts) or has_scope(caller, "games:referee"):
        return
    if not (isinstance(caller, SeatCaller) and caller.game_id == facts.game_id):
        raise UnknownGame


def require_actor(caller: Caller, facts: GameFacts) -> None:
    """Raises `Unauthenticated`, `ScopeMissing`, `NotYourSeat` when the caller acts for no seat of this game."""
    if isinstance(caller, SeatCaller):
        if caller.game_id != facts.game_id:
            raise NotYourSeat
        return
    require_scope(caller, "games:write")
    if not owns_game(caller, facts):
        raise NotYourSeat("Only the key that opened a game acts for its seats; others need the seat's token.")


def acting_seat(caller: Caller, facts: GameFacts, seat: int | None, seats: int) -> Seat:
    """The seat that the caller acts for: its own, or, for the key that opened the game, the one that it names.

    Raises what `require_actor` raises, `UnknownSeat`, and `InvalidInput` when no seat is named.
    """
    require_actor(caller, facts)
    if isinstance(caller, SeatCaller):
        if seat not in (None, caller.seat):
            raise NotYourSeat
        return caller.seat
    return _named_seat(seat, seats)


def deciding_seat(caller: Caller, facts: GameFacts, seat: int | None, seats: int) -> Seat:
    """The seat whose choices the caller may look at: those that it acts for, and to a referee every seat's.

    Raises what `acting_seat` raises.
    """
    if has_scope(caller, "games:referee"):
        return _named_seat(seat, seats)
    return acting_seat(caller, facts, seat, seats)


def _named_seat(seat: int | None, seats: int) -> Seat:
    if seat is None:
        raise InvalidInput("Say which seat acts.", errors=[{"pointer": "/seat", "detail": "Missing member."}])
    if not 0 <= seat < seats:
        raise UnknownSeat
    return Seat(seat)


def observer_named(caller: Caller, facts: GameFacts, game: Game, name: str | None) -> Observer:
    """The observer that `as=` names, if the caller may look so; left out, a seat token looks for its seat.

    Raises `InvalidInput`, `UnknownSeat`, `ScopeMissing`, `NotYourSeat`.
    """
    if name is None:
        return own_observer(caller, facts)
    found = _AS.fullmatch(name)
    if found is None:
        raise InvalidInput(
            "`as` is spectator, referee or seat:N.", errors=[{"parameter": "as", "detail": "Unknown observer."}]
        )
    if name == "spectator":
        return SPECTATOR
    if name == "referee":
        if not game.over:
            require_scope(caller, "games:referee")
        return REFEREE
    seat = int(found.group(1))
    if seat >= game.seats:
        raise UnknownSeat
    is_its_seat = isinstance(caller, SeatCaller) and (caller.game_id, caller.seat) == (facts.game_id, seat)
    if not (game.over or is_its_seat or owns_game(caller, facts) or has_scope(caller, "games:referee")):
        raise NotYourSeat("What a seat sees is for its token, the key that opened the game, and referees.")
    return Observer(Seat(seat))


def own_observer(caller: Caller, facts: GameFacts) -> Observer:
    """How a caller looks that does not say: a seat's token for its seat, everybody else as a spectator."""
    if isinstance(caller, SeatCaller) and caller.game_id == facts.game_id:
        return Observer(caller.seat)
    return SPECTATOR


def observer_name(observer: Observer) -> str:
    """`spectator`, `referee` or `seat:N`."""
    if observer.referee:
        return "referee"
    return "spectator" if observer.seat is None else f"seat:{observer.seat}"
