"""The fresh state: an empty board, or one of the start layouts, and the caps under which the first masters go down."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from moveledger.errors import IllegalMove
from moveledger.rules.kernel import Seat
from moveledger.rules.shangrila.data import (
    BRIDGES,
    CAPS,
    GUILDS,
    START_LAYOUTS,
    TILES_PER_GUILD,
    VILLAGES,
    Caps,
    Guild,
)
from moveledger.rules.shangrila.options import Options
from moveledger.rules.shangrila.state import (
    EMPTY_VILLAGE,
    State,
    Tile,
    is_in_play,
    is_open,
    masters_in,
    strength,
    supply_of,
    tile_at,
    with_supply,
    with_tile,
)

SEATS = range(3, 5)
NO_CAPS = Caps(total=len(GUILDS), own=len(GUILDS))


def open_game(options: Options, seats: int) -> State:
    """The state before the first move; seat 0 starts (ruling 33). Refuses other than three or four (ruling 41)."""
    if seats not in SEATS:
        raise IllegalMove("shangrila.seat_count", "This game seats three or four.")
    empty = State(
        options=options,
        seats=seats,
        phase="setup",
        turn=Seat(0),
        board=(EMPTY_VILLAGE,) * len(VILLAGES),
        supply=((TILES_PER_GUILD,) * len(GUILDS),) * seats,
        bridges=(),
        passed=(),
        left=(),
        last_journey=None,
        ended=None,
    )
    state = replace(empty, bridges=_first_bridges(empty))
    return _lay_out(state) if options.setup == "layout" else state


def _first_bridges(state: State) -> tuple[int, ...]:
    """A bridge on every road whose two villages are in play (ruling 40)."""
    return tuple(bridge.id for bridge in BRIDGES if is_in_play(state, bridge.a) and is_in_play(state, bridge.b))


def _lay_out(state: State) -> State:
    """The state with the first masters laid as the start layout says; the game goes on with the first turn."""
    for village, guild, number in START_LAYOUTS[state.seats]:
        state = put_master(state, village=village, guild=guild, seat=Seat(number))
    return replace(state, phase="main")


def put_master(state: State, *, village: int, guild: Guild, seat: Seat) -> State:
    """The state with a new master of `seat`, taken from its supply."""
    return with_supply(with_tile(state, village, guild, Tile(seat, student=False)), seat, guild, -1)


# --- the first masters ---------------------------------------------------------------------------------


def guilds_to_place(state: State, seat: Seat) -> list[Guild]:
    """The guilds of which a seat has not yet placed its first master, in any order it likes (ruling 30)."""
    return [guild for guild in GUILDS if supply_of(state, seat, guild) == TILES_PER_GUILD]


def caps_in_force(state: State, seat: Seat) -> Caps:
    """The caps on this placement: as published, without the own cap, or none, the first that leaves a space.

    Rulings 27 and 29: a cap gives way only for a placement that it would make impossible.
    """
    if not state.options.setup_caps:
        return NO_CAPS
    full = CAPS[state.seats]
    for caps in (full, Caps(full.total, NO_CAPS.own)):
        if next(placements(state, seat, caps), None) is not None:
            return caps
    return NO_CAPS


def placements(state: State, seat: Seat, caps: Caps) -> Iterator[tuple[int, Guild]]:
    """The spaces where a seat may lay one of its first masters under `caps`, by village and guild."""
    guilds = guilds_to_place(state, seat)
    for village in VILLAGES:
        if not is_open(state, village) or strength(state, village).masters >= caps.total:
            continue
        if masters_in(state, village, seat) < caps.own:
            yield from ((village, guild) for guild in guilds if tile_at(state, village, guild) is None)
