"""Positions laid out by hand: `healer R+` is a master of Red (seat 0) with a student; B, Y, V are seats 1, 2, 3."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, cast

import pytest

from moveledger.errors import IllegalMove
from moveledger.rules.encoding import read_options
from moveledger.rules.kernel import Move, Seat
from moveledger.rules.shangrila import RULESET
from moveledger.rules.shangrila.actions import Action, Journey, PlaceInitial, PlaceMaster, Recruit, Target
from moveledger.rules.shangrila.apply import apply
from moveledger.rules.shangrila.data import BRIDGE_BETWEEN, GUILD_INDEX, GUILDS, TILES_PER_GUILD, Guild
from moveledger.rules.shangrila.opening import open_game
from moveledger.rules.shangrila.state import Slots, State, Tile

RED, BLUE, YELLOW, VIOLET = (Seat(number) for number in range(4))
COLOURS = "RBYV"
SHORT = {"dragon": "dragon_breeder", "priest": "prayer_miller", "yeti": "yeti_whisperer"}


def full_guild(name: str) -> Guild:
    return cast("Guild", SHORT.get(name, name))


def slots_of(text: str) -> Slots:
    """`healer R+, yeti B` as the seven spaces of a village."""
    slots: list[Tile | None] = [None] * len(GUILDS)
    for entry in filter(None, text.split(", ")):
        name, mark = entry.split(" ")
        slots[GUILD_INDEX[full_guild(name)]] = Tile(Seat(COLOURS.index(mark[0])), student=mark.endswith("+"))
    return tuple(slots)


def text_of(state: State, village: int) -> str:
    """The spaces of a village in the notation of `slots_of`, by guild."""
    long = {full: short for short, full in SHORT.items()}
    return ", ".join(
        f"{long.get(guild, guild)} {COLOURS[tile.owner]}{'+' if tile.student else ''}"
        for guild, tile in zip(GUILDS, state.board[village - 1], strict=True)
        if tile is not None
    )


def position(
    villages: Mapping[int, str],
    *,
    seats: int = 4,
    turn: Seat = RED,
    bridges: Iterable[tuple[int, int]] | None = None,
    phase: str = "main",
    **options: Any,
) -> State:
    """A state with these villages; supplies hold what does not lie on the board, `bridges` stand (None: all)."""
    state = open_game(read_options(RULESET, options), seats)
    board = tuple(slots_of(villages.get(village, "")) for village in range(1, 14))
    standing = state.bridges if bridges is None else tuple(sorted(BRIDGE_BETWEEN[ends] for ends in bridges))
    return replace(
        state, board=board, supply=_supplies(board, seats), bridges=standing, turn=turn, phase=cast("Any", phase)
    )


def _supplies(board: tuple[Slots, ...], seats: int) -> tuple[tuple[int, ...], ...]:
    left = [[TILES_PER_GUILD] * len(GUILDS) for _ in range(seats)]
    for slots in board:
        for at, tile in enumerate(slots):
            if tile is not None:
                left[tile.owner][at] -= 1 + tile.student
    assert all(count >= 0 for own in left for count in own), "more tiles than there are"
    return tuple(tuple(own) for own in left)


def supply(state: State, seat: Seat, guild: str) -> int:
    return state.supply[seat][GUILD_INDEX[full_guild(guild)]]


def returned(before: State, after: State) -> dict[str, int]:
    """What came back to the supplies, as `{"healer B": 2}`."""
    long = {full: short for short, full in SHORT.items()}
    return {
        f"{long.get(guild, guild)} {COLOURS[seat]}": after.supply[seat][at] - before.supply[seat][at]
        for seat in range(before.seats)
        for at, guild in enumerate(GUILDS)
        if after.supply[seat][at] != before.supply[seat][at]
    }


def play(state: State, *actions: Action) -> State:
    """The actions in turn, each by the seat that is awaited."""
    for action in actions:
        state = apply(state, Move(state.turn, action))
    return state


def listed(state: State, seat: Seat | None = None) -> list[Action]:
    return list(RULESET.legal(state, state.turn if seat is None else seat))


def refusal(state: State, action: object, seat: Seat | None = None) -> str:
    """The reason for which the action is refused, the ruleset's name left out; it is not listed then either."""
    mover = state.turn if seat is None else seat
    with pytest.raises(IllegalMove) as refused:
        apply(state, Move(mover, action))
    assert action not in RULESET.legal(state, mover)
    assert action not in listed(state, mover)
    return refused.value.code.removeprefix("shangrila.")


def allowed(state: State, action: Action) -> bool:
    """Whether the awaited seat may take an action: `in` and the list must agree."""
    legal = RULESET.legal(state, state.turn)
    assert (action in legal) == (action in list(legal))
    return action in legal


def initial(village: int, guild: str) -> PlaceInitial:
    return PlaceInitial(village, full_guild(guild))


def master(village: int, guild: str) -> PlaceMaster:
    return PlaceMaster(village, full_guild(guild))


def recruit(*targets: tuple[int, str]) -> Recruit:
    return Recruit(tuple(Target(village, full_guild(guild)) for village, guild in targets))


def journey(start: int, to: int) -> Journey:
    return Journey(start, to)
