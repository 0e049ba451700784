"""The state of a game as frozen values, and what follows from it: strengths, open villages, who is still in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from moveledger.rules.kernel import Seat
from moveledger.rules.shangrila.data import BRIDGES_OF, GUILD_INDEX, GUILDS, OUT_WITH_THREE, VILLAGES, Guild
from moveledger.rules.shangrila.options import Options

Phase: TypeAlias = Literal["setup", "main", "over"]
EndReason: TypeAlias = Literal["two_open", "no_bridge", "deadlock", "last_seat"]
FateKind: TypeAlias = Literal["settled", "ousted", "joined", "turned_away", "slot_full"]


@dataclass(frozen=True, slots=True)
class Tile:
    """A master on its space, with or without a student of the same guild and colour on top (ruling 8)."""

    owner: Seat
    student: bool


Slots: TypeAlias = tuple[Tile | None, ...]
EMPTY_VILLAGE: Slots = (None,) * len(GUILDS)


@dataclass(frozen=True, slots=True)
class Strength:
    """How strong a village is: masters and students together, then masters (rulings 3 and 4)."""

    tiles: int
    masters: int


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of the traveller of a guild; `ousted` had a tile there, `returned` tiles went back to it."""

    guild: Guild
    owner: Seat
    kind: FateKind
    ousted: Seat | None
    returned: int


@dataclass(frozen=True, slots=True)
class JourneyReport:
    """The last journey: who called it, the strengths before anyone moved, and each traveller's fate."""

    seat: Seat
    from_: int
    to: int
    source: Strength
    destination: Strength
    source_is_stronger: bool
    fates: tuple[Fate, ...]
    closed: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class State:
    """A game. `board` is by village (1 first) and guild, `supply` by seat and guild, `bridges` the ids that stand.

    `passed` are the seats that passed since the last other action, `left` those who left, in the order of leaving.
    """

    options: Options
    seats: int
    phase: Phase
    turn: Seat
    board: tuple[Slots, ...]
    supply: tuple[tuple[int, ...], ...]
    bridges: tuple[int, ...]
    passed: tuple[Seat, ...]
    left: tuple[Seat, ...]
    last_journey: JourneyReport | None
    ended: EndReason | None


# --- what follows from a state -------------------------------------------------------------------------


def tile_at(state: State, village: int, guild: Guild) -> Tile | None:
    """What lies on the space of `guild` in `village`."""
    return state.board[village - 1][GUILD_INDEX[guild]]


def strength(state: State, village: int) -> Strength:
    """The strength of a village as it stands (rulings 3 and 4)."""
    tiles = [tile for tile in state.board[village - 1] if tile is not None]
    return Strength(len(tiles) + sum(tile.student for tile in tiles), len(tiles))


def masters_in(state: State, village: int, seat: Seat) -> int:
    """How many masters a seat has in a village."""
    return sum(tile is not None and tile.owner == seat for tile in state.board[village - 1])


def has_student_in(state: State, village: int, seat: Seat) -> bool:
    """Whether a seat has a student in a village, and so may send all students there on a journey (ruling 9)."""
    return any(tile is not None and tile.student and tile.owner == seat for tile in state.board[village - 1])


def is_in_play(state: State, village: int) -> bool:
    """Whether a village takes part: with three seats the red-walled one does not (ruling 40)."""
    out = OUT_WITH_THREE if state.seats == 3 and state.options.three_seats == "reduced" else None
    return village in VILLAGES and village != out


def is_open(state: State, village: int) -> bool:
    """Whether a village has a bridge left; one without carries a stone (ruling 15)."""
    return any(bridge in state.bridges for bridge in BRIDGES_OF[village])


def open_villages(state: State) -> list[int]:
    """The villages that still have a bridge, in order."""
    return [village for village in VILLAGES if is_open(state, village)]


def supply_of(state: State, seat: Seat, guild: Guild) -> int:
    """How many tiles of a guild a seat has beside the board (ruling 36)."""
    return state.supply[seat][GUILD_INDEX[guild]]


def seats_in(state: State) -> list[Seat]:
    """The seats that have not left, in order."""
    return [seat for seat in map(Seat, range(state.seats)) if seat not in state.left]


def score_of(state: State, seat: Seat) -> int:
    """A seat's score: its masters in all villages, open or closed (rulings 16 and 21)."""
    return sum(masters_in(state, village, seat) for village in VILLAGES)


def villages_of(state: State, seat: Seat) -> int:
    """In how many villages a seat has a master: the tie-break (ruling 34)."""
    return sum(masters_in(state, village, seat) > 0 for village in VILLAGES)


def students_of(state: State, seat: Seat) -> int:
    """How many students of a seat lie on the board; they score nothing."""
    return sum(tile is not None and tile.student and tile.owner == seat for slots in state.board for tile in slots)


# --- how a state is changed ----------------------------------------------------------------------------


def with_tile(state: State, village: int, guild: Guild, tile: Tile) -> State:
    """The state with `tile` on the space of `guild` in `village`."""
    slots, at = state.board[village - 1], GUILD_INDEX[guild]
    changed = (*slots[:at], tile, *slots[at + 1 :])
    return replace(state, board=(*state.board[: village - 1], changed, *state.board[village:]))


def with_supply(state: State, seat: Seat, guild: Guild, more: int) -> State:
    """The state in which a seat has `more` tiles of a guild beside the board, or fewer if negative."""
    own, at = state.supply[seat], GUILD_INDEX[guild]
    changed = (*own[:at], own[at] + more, *own[at + 1 :])
    return replace(state, supply=(*state.supply[:seat], changed, *state.supply[seat + 1 :]))
