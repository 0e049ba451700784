"""The state of a game and the questions about it that every other module asks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from moveledger.rules.desertsons import data
from moveledger.rules.desertsons.data import Symbol
from moveledger.rules.desertsons.options import Options

Phase: TypeAlias = Literal[
    "first_seat",
    "deal",
    "move",
    "explore",
    "draw",
    "place",
    "replace",
    "move_again",
    "figure",
    "pick",
    "rumour",
    "assign",
    "peek",
    "decide",
    "bonus",
    "over",
]
"""`first_seat`, `deal`, `draw`, `replace` and `rumour` await chance; `decide` follows a look at a rumour."""

Ending: TypeAlias = Literal["stack_empty", "idle", "last_seat"]


@dataclass(frozen=True, slots=True)
class Trader:
    """What one seat has. `goods` stand in the order of `data.GOODS`; `left` is 0, or when it left: 1 for the first."""

    caravan: int
    water: int
    camels: int
    goods: tuple[int, ...]
    display: tuple[int, ...]
    left: int = 0

    @property
    def space(self) -> int:
        """How many more goods its camels can carry (ruling S8)."""
        return data.GOODS_PER_CAMEL * self.camels - sum(self.goods)


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure on the field, named by its height, on a part of the tile in a cell."""

    height: int
    cell: int
    part: int


@dataclass(frozen=True, slots=True)
class Rumour:
    """A rumour out of the pool: its value and the seats that have looked at it, ascending (ruling R5)."""

    value: int
    seen_by: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Scoring:
    """The oasis that is scored: its figures, tallest first, those still to choose, the symbols left, and the parts
    of the tile just laid whose oases are scored next. `crowned` is its figure that wore the turban, if any.
    """

    figures: tuple[int, ...]
    queue: tuple[int, ...]
    symbols: tuple[Symbol, ...]
    crowned: int | None
    next_parts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class News:
    """One thing that the last input brought about, for views and notes. It never tells a rumour's value."""

    what: str
    seat: int | None = None
    cell: int | None = None
    tile: int | None = None
    figure: int | None = None
    thing: str | None = None
    other: int | None = None
    slot: int | None = None


@dataclass(frozen=True, slots=True)
class State:
    """A whole game. Only `pool`, the rumours' values and `held` may be hidden from a seat.

    `board` holds a code or `data.EMPTY` for each cell; `stack` the tiles not yet drawn, ascending, for their order is
    not fixed yet; `pool` the rumours not yet drawn, ascending; `rumours` two slots for each good in turn. `tile` is
    drawn and waits to be placed; `laid` is where the last tile of this turn went; `victim` gets a replacement; `held`
    is the rumour that the picker has in hand; `peeked` the slot it looks at. `busy`: this turn has drawn or laid a
    tile. `last_turns` are the seats that still have a last turn, the active one first.
    """

    options: Options
    traders: tuple[Trader, ...]
    stack: tuple[int, ...]
    water: int
    camels: int
    board: tuple[int, ...] = data.START_BOARD
    goods: tuple[int, ...] = (data.GOODS_OF_A_KIND,) * len(data.GOODS)
    pool: tuple[int, ...] = data.RUMOURS
    rumours: tuple[Rumour | None, ...] = (None,) * (data.RUMOUR_SLOTS * len(data.GOODS))
    removed: tuple[Rumour, ...] = ()
    figures: tuple[Figure, ...] = ()
    turban: int = 0
    first: int = 0
    active: int = 0
    phase: Phase = "first_seat"
    tile: int | None = None
    laid: int | None = None
    victim: int | None = None
    scoring: Scoring | None = None
    held: int | None = None
    peeked: int | None = None
    bonus_used: bool = False
    busy: bool = False
    idle: int = 0
    last_turns: tuple[int, ...] | None = None
    ending: Ending | None = None
    news: tuple[News, ...] = ()

    @property
    def seats(self) -> int:
        """How many seats the game began with."""
        return len(self.traders)


# --- questions -----------------------------------------------------------------------------------------


def chooser(state: State) -> int | None:
    """The seat that is awaited: the choosing figure's owner or the active seat; None for chance and the end."""
    match state.phase:
        case "first_seat" | "deal" | "draw" | "replace" | "rumour" | "over":
            return None
        case "pick" | "assign" | "peek" | "decide":
            return picker(state)
        case _:
            return state.active


def picker(state: State) -> int:
    """The owner of the figure whose turn it is to choose a symbol."""
    assert state.scoring is not None
    return data.OWNER[state.scoring.queue[0]]


def stays(state: State, seat: int) -> bool:
    """Whether the seat is still in the game."""
    return not state.traders[seat].left


def staying_after(state: State, seat: int) -> Iterator[int]:
    """The seats still in, clockwise, from the one after `seat` round to `seat` itself if it is still in."""
    around = ((seat + step) % state.seats for step in range(1, state.seats + 1))
    return (other for other in around if stays(state, other))


def figures_at_hand(state: State, seat: int) -> list[int]:
    """The seat's figures that are not on the field, tallest first."""
    out = {figure.height for figure in state.figures}
    return [height for height in data.HEIGHTS[seat] if height not in out]


def figures_on_field(state: State, seat: int) -> list[int]:
    """The seat's figures on the field, tallest first."""
    return sorted((f.height for f in state.figures if data.OWNER[f.height] == seat), reverse=True)


def crowned_figure(state: State) -> int:
    """The figure that wears the turban: its holder's tallest, wherever it is (ruling T1)."""
    return data.HEIGHTS[state.turban][0]


def current_stack(state: State) -> int:
    """How many tiles the stack in use still has: its are the first of `state.stack`."""
    if state.options.stacks == "one":
        return len(state.stack)
    return next(
        (at for at, tile in enumerate(state.stack) if data.STACK_OF[tile] != data.STACK_OF[state.stack[0]]),
        len(state.stack),
    )


def slots_of(good: int) -> range:
    """The places in `state.rumours` that belong to a good."""
    return range(data.RUMOUR_SLOTS * good, data.RUMOUR_SLOTS * (good + 1))


# --- changes -------------------------------------------------------------------------------------------


def change_trader(state: State, seat: int, **changes: Any) -> State:
    """The state in which one seat's things have changed."""
    trader = replace(state.traders[seat], **changes)
    return replace(state, traders=(*state.traders[:seat], trader, *state.traders[seat + 1 :]))


def pay_water(state: State, seat: int) -> State:
    """The seat gives 1 water back to the supply."""
    paid = change_trader(state, seat, water=state.traders[seat].water - 1)
    return replace(paid, water=paid.water + 1)


def tell(state: State, what: str, seat: int | None = None, **facts: Any) -> State:
    """The state with one more piece of news."""
    return replace(state, news=(*state.news, News(what, seat, **facts)))
