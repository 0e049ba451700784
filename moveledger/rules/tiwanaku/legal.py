"""What a seat may do, and why it may not. Everything here reads the table alone, never the hidden board."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, combinations, pairwise
from typing import NoReturn

from moveledger.errors import IllegalMove
from moveledger.rules.kernel import LegalActions, Seat
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
from moveledger.rules.tiwanaku.data import UNKNOWN
from moveledger.rules.tiwanaku.movement import destinations, entries, hopeful
from moveledger.rules.tiwanaku.options import columns
from moveledger.rules.tiwanaku.spaces import Grid, grid_of
from moveledger.rules.tiwanaku.state import State, Table

UNASKED = ("first_seat", "board", "over")
"""Phases in which no seat has a choice."""

EXPLORING = ("action", "entered")
DIVINING = ("action", "divining", "final")
OFFERING = ("offer", "final_offer")


def legal(state: State, seat: Seat) -> LegalActions[Action]:
    """The actions of a seat, in a fixed order; none when it is not awaited."""
    table = state.table
    return LegalActions(generate=lambda: _actions(table, seat), check=lambda action: check(table, seat, action))


# --- the list ------------------------------------------------------------------------------------------


def _actions(table: Table, seat: int) -> Iterator[Action]:
    if table.phase in UNASKED or seat != table.current:
        return
    grid = grid_of(columns(table.options))
    match table.phase:
        case "action":
            some = False
            for action in chain(_moves(table, seat, grid), _entries(table, seat, grid), _guesses(table, seat, grid)):
                some = True
                yield action
            if not some:
                yield Pass()
        case "entered":
            yield from _walks(table, seat, grid)
            yield Stop()
        case "divining":
            yield from _guesses(table, seat, grid)
            yield Stop()
        case "final":
            yield from _guesses(table, seat, grid)
            yield Pass()
        case "offer" | "final_offer":
            yield from _offers(table, seat)
            yield Skip()
        case _:
            return


def _walks(table: Table, seat: int, grid: Grid) -> Iterator[Action]:
    for pawn in table.tribes[seat].pawns:
        for space in destinations(table, seat, pawn):
            yield ExploreMove(grid.at(pawn), grid.at(space))


def _moves(table: Table, seat: int, grid: Grid) -> Iterator[Action]:
    yield from _walks(table, seat, grid)
    for pawn in table.tribes[seat].pawns:
        yield ExploreRemove(grid.at(pawn))


def _entries(table: Table, seat: int, grid: Grid) -> Iterator[Action]:
    for space in entries(table, seat):
        yield ExploreAdd(grid.at(space))


def _guesses(table: Table, seat: int, grid: Grid) -> Iterator[Action]:
    for pawn in hopeful(table, seat):
        for value in range(1, 6):
            yield Divine(grid.at(pawn), value)


def _offers(table: Table, seat: int) -> Iterator[Action]:
    held = table.tribes[seat].offerings
    for count in range(1, len(held) + 1):
        for kinds in combinations(held, count):
            yield Offer(kinds)


# --- the check -----------------------------------------------------------------------------------------


def check(table: Table, seat: int, action: object) -> None:
    """Nothing when the seat may do this now; else raises `IllegalMove` with the code of what forbids it."""
    if table.phase in UNASKED or seat != table.current:
        _refuse("not_your_turn", "This seat has no choice to make now.")
    match action:
        case ExploreMove(origin, to):
            _check_phase(table, EXPLORING, "no_exploring_now", "Now no pawn can be moved.")
            _check_move(table, seat, _space(table, origin), _space(table, to))
        case ExploreAdd(to):
            _check_phase(table, ("action",), "no_entering_now", "Now no pawn can enter.")
            _check_entry(table, seat, _space(table, to))
        case ExploreRemove(origin):
            _check_phase(table, ("action",), "no_removing_now", "Now no pawn can be taken back.")
            _check_own(table, seat, _space(table, origin))
        case Divine(at, value):
            _check_phase(table, DIVINING, "no_divining_now", "Now no crop can be divined.")
            _check_guess(table, seat, _space(table, at), value)
        case Stop():
            _check_phase(table, ("entered", "divining"), "nothing_to_stop", "Nothing is under way that could stop.")
        case Offer(kinds):
            _check_phase(table, OFFERING, "no_offering_now", "Offerings are made at the end of an action.")
            _check_offer(table, seat, kinds)
        case Skip():
            _check_phase(table, OFFERING, "nothing_to_skip", "No offering is asked for now.")
        case Pass():
            _check_phase(table, ("action", "final"), "no_passing_now", "Now nobody can pass.")
            _check_pass(table, seat)
        case _:
            _refuse("unknown_action", "This is no action of this game.")


def _check_phase(table: Table, phases: tuple[str, ...], code: str, detail: str) -> None:
    if table.phase not in phases:
        _refuse(code, detail)


def _check_own(table: Table, seat: int, origin: int) -> None:
    if origin not in table.tribes[seat].pawns:
        _refuse("no_pawn_of_yours", "No pawn of this seat stands there.")


def _check_move(table: Table, seat: int, origin: int, to: int) -> None:
    _check_own(table, seat, origin)
    if to == origin:
        _refuse("back_to_start", "A pawn cannot stop where it began.")
    _check_vacant(table, seat, to)
    if to not in destinations(table, seat, origin):
        _refuse("out_of_reach", "The pawn cannot get there.")


def _check_entry(table: Table, seat: int, to: int) -> None:
    if not table.tribes[seat].supply:
        _refuse("no_pawn_left", "This seat has no pawn in its supply.")
    _check_vacant(table, seat, to)
    grid = grid_of(columns(table.options))
    if table.options.entry == "then_move":
        if to not in grid.edge:
            _refuse("not_at_the_edge", "A pawn enters on a space of the edge.")
    elif to not in destinations(table, seat, None):
        _refuse("out_of_reach", "A pawn that enters cannot get there.")


def _check_vacant(table: Table, seat: int, to: int) -> None:
    for other, tribe in enumerate(table.tribes):
        if to in tribe.pawns:
            if other == seat:
                _refuse("own_pawn_there", "A pawn must go on from a space with a pawn of its own seat.")
            _refuse("other_pawn_there", "A pawn of another seat stands there.")


def _check_guess(table: Table, seat: int, at: int, value: int) -> None:
    _check_own(table, seat, at)
    if table.land.crops[at] != UNKNOWN:
        _refuse("crop_is_known", "A crop lies on this space already.")
    if table.land.terrain[at] == UNKNOWN:
        _refuse("no_terrain_there", "No terrain lies on this space yet.")
    if not 1 <= value <= 5:
        _refuse("no_such_crop", "Crops have the values 1 to 5.")


def _check_offer(table: Table, seat: int, kinds: tuple[int, ...]) -> None:
    if not kinds:
        _refuse("nothing_offered", "An offering names at least one kind.")
    if any(one >= two for one, two in pairwise(kinds)):
        _refuse("kinds_out_of_order", "Each kind is named once, in rising order.")
    if not set(kinds) <= set(table.tribes[seat].offerings):
        _refuse("kind_not_held", "This seat does not hold an offering of each of these kinds.")


def _check_pass(table: Table, seat: int) -> None:
    if table.phase == "action" and next(_actions(table, seat)) != Pass():
        _refuse("must_act", "A seat that can act must act.")


def _space(table: Table, at: tuple[int, int]) -> int:
    number = grid_of(columns(table.options)).number(*at)
    if number is None:
        _refuse("off_the_board", "The board has no such space.")
    return number


def _refuse(reason: str, detail: str) -> NoReturn:
    raise IllegalMove(f"tiwanaku.{reason}", detail)
