"""The reducer: what a move, a draw and a departure make of a state."""

from __future__ import annotations

from typing import assert_never

from moveledger.errors import IllegalMove
from moveledger.rules.chance import fits_request
from moveledger.rules.kernel import Awaiting, Chance, Draw, Input, Leave, Move, Over, Pick, Seat, Seats, Seed
from moveledger.rules.tiwanaku.actions import (
    Action,
    Divine,
    ExploreAdd,
    ExploreMove,
    ExploreRemove,
    Offer,
    Pass,
    Skip,
    Stop,
)
from moveledger.rules.tiwanaku.board import Layout, lay_out
from moveledger.rules.tiwanaku.data import LETTERS, PAWNS, UNKNOWN
from moveledger.rules.tiwanaku.divining import divine, offer, withdraw
from moveledger.rules.tiwanaku.exploring import enter, explore, stay, take_back
from moveledger.rules.tiwanaku.legal import check
from moveledger.rules.tiwanaku.options import Options, columns
from moveledger.rules.tiwanaku.spaces import grid_of
from moveledger.rules.tiwanaku.state import Land, State, Table, Tribe
from moveledger.rules.tiwanaku.turns import begin_turn, end_turn, lay, leave


def setup(options: Options, seats: int) -> State:
    """A fresh game: nothing lies on the board; chance is asked for the first seat, then for the board."""
    size = grid_of(columns(options)).size
    tribe = Tribe(options.start_score, PAWNS[seats - 1], (), (0, 0, 0, 0), (), 0, 0, False)
    table = Table(
        options=options,
        phase="first_seat" if seats > 1 else "board",
        first=0,
        current=0,
        land=Land(UNKNOWN * size, UNKNOWN * size),
        totals=None,
        tribes=(tribe,) * seats,
        entered=None,
        trigger=None,
        final=False,
        idle=0,
        left=(),
        found=(),
    )
    return State(table, None)


def awaiting(state: State) -> Awaiting:
    """Whom the state waits for."""
    match state.table.phase:
        case "first_seat":
            return Chance(Pick(1, len(state.table.tribes)))
        case "board":
            return Chance(Seed(256))
        case "over":
            return Over()
        case _:
            return Seats(frozenset({Seat(state.table.current)}))


def audience(state: State, given: Input) -> frozenset[Seat] | None:
    """The draw that the board is made of is for nobody; all else is public."""
    return frozenset() if isinstance(given, Draw) and state.table.phase == "board" else None


def draws(_options: Options, _seats: int) -> int:
    """A game takes two draws; the rest is room for rewinds."""
    return 64


def apply(state: State, given: Input) -> State:
    """The state after an input; raises `IllegalMove` when the rules refuse it."""
    match given:
        case Move(seat, action):
            check(state.table, seat, action)
            return _moved(lay(state, found=()), action)
        case Draw(values):
            return _drawn(state, values)
        case Leave(seat, _):
            return _left(state, seat)
        case _:
            assert_never(given)


def _left(state: State, seat: int) -> State:
    if not isinstance(awaiting(state), Seats):
        raise IllegalMove("tiwanaku.no_leaving_now", "Nobody can leave while no seat is awaited.")
    if seat not in range(len(state.table.tribes)) or seat in state.table.left:
        raise IllegalMove("tiwanaku.not_in_the_game", "This seat is not in the game.")
    return leave(state, seat)


# --- chance --------------------------------------------------------------------------------------------


def _drawn(state: State, values: tuple[int, ...]) -> State:
    asked = awaiting(state)
    if not isinstance(asked, Chance) or not fits_request(values, asked.request):
        raise IllegalMove("tiwanaku.no_such_draw", "Chance was not asked for this.")
    if state.table.phase == "first_seat":
        return lay(state, phase="board", first=values[0], current=values[0])
    options = state.table.options
    return deal(state, lay_out(values, options.board, options.start))


def deal(state: State, layout: Layout) -> State:
    """The state in which a board is laid with its starting tiles and the first seat begins (rulings 37 and 38)."""
    land = layout.land
    earth, sand, grass, rock = (land.terrain.count(letter) for letter in LETTERS)
    totals = (earth, sand, grass, rock) if state.table.options.tile_totals == "public" else None
    laid = lay(state, land=land.shown(frozenset(layout.starts)), totals=totals)
    return begin_turn(State(laid.table, land), state.table.first)


# --- moves ---------------------------------------------------------------------------------------------


def _moved(state: State, action: Action) -> State:
    match action:
        case ExploreMove(origin, to):
            return explore(state, _number(state, origin), _number(state, to))
        case ExploreAdd(to):
            return enter(state, _number(state, to))
        case ExploreRemove(origin):
            return take_back(state, _number(state, origin))
        case Divine(at, value):
            return divine(state, _number(state, at), value)
        case Stop():
            return stay(state)
        case Offer(kinds):
            return end_turn(offer(state, kinds))
        case Skip():
            return end_turn(state)
        case Pass():
            return end_turn(withdraw(state) if state.table.final else state)
        case _:
            assert_never(action)


def _number(state: State, at: tuple[int, int]) -> int:
    return at[0] * columns(state.table.options) + at[1]
