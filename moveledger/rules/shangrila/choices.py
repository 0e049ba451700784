"""What the board offers a seat in the main phase, apart from passing: new masters, students and journeys."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations

from moveledger.rules.kernel import Seat
from moveledger.rules.shangrila.actions import Action, Journey, PlaceMaster, Recruit, Target
from moveledger.rules.shangrila.data import BRIDGE_BETWEEN, GUILDS, NEIGHBOURS
from moveledger.rules.shangrila.state import (
    State,
    has_student_in,
    masters_in,
    open_villages,
    supply_of,
    tile_at,
)


def main_actions(state: State, seat: Seat) -> Iterator[Action]:
    """Every action of the main phase but the pass, in a fixed order."""
    return chain(new_masters(state, seat), recruits(state, seat), journeys(state, seat))


def is_stuck(state: State, seat: Seat) -> bool:
    """Whether a seat can do nothing, and so passes (rulings 22, 23 and 25)."""
    return next(main_actions(state, seat), None) is None


def new_masters(state: State, seat: Seat) -> Iterator[PlaceMaster]:
    """The new masters that a seat could place: open villages where it has a master already."""
    guilds = [guild for guild in GUILDS if supply_of(state, seat, guild) > 0]
    for village in open_villages(state):
        if masters_in(state, village, seat) > 0:
            yield from (PlaceMaster(village, guild) for guild in guilds if tile_at(state, village, guild) is None)


def targets(state: State, seat: Seat) -> list[Target]:
    """The own masters in open villages that could take a student (rulings 7, 8 and 15)."""
    return [
        Target(village, guild)
        for village in open_villages(state)
        for guild, tile in zip(GUILDS, state.board[village - 1], strict=True)
        if tile is not None and tile.owner == seat and not tile.student and supply_of(state, seat, guild) > 0
    ]


def pairs(state: State, seat: Seat, among: list[Target]) -> Iterator[tuple[Target, Target]]:
    """The pairs of targets that a seat has tiles for: two of a guild take two tiles (ruling 6)."""
    for one, two in combinations(among, 2):
        if one.guild != two.guild or supply_of(state, seat, one.guild) > 1:
            yield one, two


def must_recruit_two(state: State, seat: Seat) -> bool:
    """Whether a single student is too few: only with `recruit: two`, where two are possible (ruling 5)."""
    if state.options.recruit == "one_or_two":
        return False
    return next(pairs(state, seat, targets(state, seat)), None) is not None


def recruits(state: State, seat: Seat) -> Iterator[Recruit]:
    """Single students, then pairs, each pair once."""
    among = targets(state, seat)
    if not must_recruit_two(state, seat):
        yield from (Recruit((target,)) for target in among)
    yield from (Recruit(pair) for pair in pairs(state, seat, among))


def journeys(state: State, seat: Seat) -> Iterator[Journey]:
    """The journeys that a seat could call: from villages with a student of its own, over standing bridges."""
    for village in open_villages(state):
        if has_student_in(state, village, seat):
            yield from (
                Journey(village, to) for to in NEIGHBOURS[village] if BRIDGE_BETWEEN[village, to] in state.bridges
            )
