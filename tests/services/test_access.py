"""Who may look and act in which game: the table of the design, row by row."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from moveledger.errors import (
    InvalidInput,
    MoveledgerError,
    NotYourSeat,
    ScopeMissing,
    Unauthenticated,
    UnknownGame,
    UnknownSeat,
)
from moveledger.services.access import observer_name
from moveledger.services.callers import Anonymous, Caller
from moveledger.services.games import find_game_resource
from moveledger.services.reading import list_legal_moves, look_at
from tests.house import House
from tests.playing import ASKED, CLOSED_HANDS, Table, new_table

WHO = ("anybody", "stranger", "opener", "admin", "referee", "seat 0", "another game's seat 0")
NAMES = (None, "spectator", "seat:0", "seat:1", "referee")
SPECTATOR_ONLY = ("spectator", "spectator", NotYourSeat, NotYourSeat)
RUNNING: dict[str, tuple[Any, ...]] = {
    "anybody": (*SPECTATOR_ONLY, Unauthenticated),
    "stranger": (*SPECTATOR_ONLY, ScopeMissing),
    "opener": ("spectator", "spectator", "seat:0", "seat:1", ScopeMissing),
    "admin": ("spectator", "spectator", "seat:0", "seat:1", "referee"),
    "referee": ("spectator", "spectator", "seat:0", "seat:1", "referee"),
    "seat 0": ("seat:0", "spectator", "seat:0", NotYourSeat, ScopeMissing),
    "another game's seat 0": (*SPECTATOR_ONLY, ScopeMissing),
}
ADMITTED = ("opener", "admin", "referee", "seat 0")
"""For whom a private game is there."""


class Cast:
    """A game of each visibility, running and over, and everybody who may come to look."""

    def __init__(self, house: House) -> None:
        self.house, self.opener = house, house.key()
        self.games = {
            (visibility, over): self._open(visibility, over=over)
            for visibility in ("public", "unlisted", "private")
            for over in (False, True)
        }
        self.elsewhere = self._open("public", over=False)
        self.others = {"stranger": house.key(), "admin": house.key("admin"), "referee": house.key("games:referee")}

    def _open(self, visibility: str, *, over: bool) -> Table:
        table = new_table(self.house.tools, self.opener, CLOSED_HANDS, 2, visibility=visibility)
        return table.play() if over else table

    def caller(self, who: str, game_id: UUID) -> Caller:
        """The one who is meant, at this game."""
        match who:
            case "anybody":
                return Anonymous()
            case "opener":
                return self.opener
            case "seat 0":
                return self.house.seat(game_id, 0)
            case "another game's seat 0":
                return self.house.seat(self.elsewhere.game_id, 0)
            case _:
                return self.others[who]

    def sees(self, who: str, game_id: UUID, name: str | None) -> Any:
        """As whom the caller looks, or what it is refused with."""
        try:
            return observer_name(look_at(self.house.tools, self.caller(who, game_id), game_id, ASKED, name).observer)
        except MoveledgerError as refused:
            return type(refused)


@pytest.fixture(scope="module")
def cast(session_house: House) -> Cast:
    """Games and callers for all tests here; none of them changes anything."""
    return Cast(session_house)


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("visibility", ["public", "unlisted"])
def test_in_a_running_game_each_looks_as_it_may(cast: Cast, who: str, visibility: str) -> None:
    game = cast.games[visibility, False].game_id
    assert tuple(cast.sees(who, game, name) for name in NAMES) == RUNNING[who]


@pytest.mark.parametrize("who", WHO)
def test_a_private_game_is_there_only_for_those_whom_it_concerns(cast: Cast, who: str) -> None:
    game = cast.games["private", False].game_id
    expected = RUNNING[who] if who in ADMITTED else (UnknownGame,) * len(NAMES)
    assert tuple(cast.sees(who, game, name) for name in NAMES) == expected


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("visibility", ["public", "unlisted", "private"])
def test_once_it_is_over_whoever_may_see_it_looks_as_anybody(cast: Cast, who: str, visibility: str) -> None:
    game = cast.games[visibility, True].game_id
    own = "seat:0" if who == "seat 0" else "spectator"
    expected = (own, *NAMES[1:]) if visibility != "private" or who in ADMITTED else (UnknownGame,) * len(NAMES)
    assert tuple(cast.sees(who, game, name) for name in NAMES) == expected


@pytest.mark.parametrize(
    ("name", "error"),
    [
        ("seat:2", UnknownSeat),
        ("seat:99", UnknownSeat),
        ("seat:00", InvalidInput),
        ("seat:-1", InvalidInput),
        ("seat:100", InvalidInput),
        ("seat", InvalidInput),
        ("Referee", InvalidInput),
        ("spectator ", InvalidInput),
        ("", InvalidInput),
    ],
)
def test_a_name_of_nobody_is_refused_to_everybody_alike(cast: Cast, name: str, error: type[MoveledgerError]) -> None:
    for over in (False, True):
        for who in WHO:
            assert cast.sees(who, cast.games["public", over].game_id, name) is error


@pytest.mark.parametrize("who", WHO)
def test_legal_moves_are_shown_to_who_acts_for_the_seat_and_to_referees(cast: Cast, who: str) -> None:
    game = cast.games["public", False].game_id
    expected = {
        "anybody": (Unauthenticated, Unauthenticated),
        "stranger": (NotYourSeat, NotYourSeat),
        "opener": (0, 1),
        "admin": (0, 1),
        "referee": (0, 1),
        "seat 0": (0, NotYourSeat),
        "another game's seat 0": (NotYourSeat, NotYourSeat),
    }
    found: list[Any] = []
    for seat in (0, 1):
        try:
            answer = list_legal_moves(
                cast.house.tools, cast.caller(who, game), game, ASKED, seat=seat, after=0, limit=1
            )
            found.append(answer["seat"])
        except MoveledgerError as refused:
            found.append(type(refused))
    assert tuple(found) == expected[who]


@pytest.mark.parametrize("who", WHO)
@pytest.mark.parametrize("over", [False, True])
def test_the_resource_of_a_private_game_is_hidden_like_the_rest(cast: Cast, who: str, over: bool) -> None:
    game = cast.games["private", over].game_id
    if who in ADMITTED:
        assert find_game_resource(cast.house.tools, cast.caller(who, game), game)["visibility"] == "private"
    else:
        with pytest.raises(UnknownGame):
            find_game_resource(cast.house.tools, cast.caller(who, game), game)


def test_what_is_hidden_cannot_be_told_from_what_is_not_there(cast: Cast) -> None:
    game = cast.games["private", False].game_id
    problems = set()
    for asked in (game, UUID(int=0)):
        with pytest.raises(UnknownGame) as refused:
            find_game_resource(cast.house.tools, Anonymous(), asked)
        problems.add((refused.value.detail, str(refused.value.facts)))
    assert len(problems) == 1
