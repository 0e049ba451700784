"""What happened, as notes for people. All of it lies open to everybody: the draw of the board is never told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from moveledger.rules.kernel import Draw, Input, Leave, Move, Note, NoteArgument, Observer, Seat, Term
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
from moveledger.rules.tiwanaku.data import CROPS, TERRAIN_OF, UNKNOWN
from moveledger.rules.tiwanaku.options import columns
from moveledger.rules.tiwanaku.score import offer_points, outcome_of
from moveledger.rules.tiwanaku.state import Discovery, Found, Guess, State, Table


def describe(before: State, given: Input, after: State, _observer: Observer) -> tuple[Note, ...]:
    """The notes of one input. Rows and columns are counted from 1 in them, seats from 0 as everywhere."""
    old, new = before.table, after.table
    match given:
        case Draw():
            notes = _drawn(old, new)
        case Move(seat, action):
            notes = _moved(old, new, seat, action)
        case Leave(seat, cause):
            notes = iter((Note(f"left_{cause}", {"seat": seat}),))
        case _:
            assert_never(given)
    return (*notes, *_endings(old, new))


def _drawn(old: Table, new: Table) -> Iterator[Note]:
    if old.phase == "first_seat":
        yield Note("first_seat", {"seat": new.first})
    else:
        yield Note("board_laid", {"count": len(new.land.terrain) - new.land.terrain.count(UNKNOWN)})


def _moved(old: Table, new: Table, seat: Seat, action: Action) -> Iterator[Note]:
    match action:
        case ExploreMove(origin, to):
            yield Note("pawn_moved", {"seat": seat, **_from(origin), **_at(to)})
        case ExploreAdd(to):
            yield Note("pawn_entered", {"seat": seat, **_at(to)})
        case ExploreRemove(origin):
            yield Note("pawn_taken_back", {"seat": seat, **_at(origin)})
        case Divine(at, value):
            yield Note("crop_said", {"seat": seat, "crop": _crop(value), **_at(at)})
        case Stop():
            yield Note("guessing_stopped" if old.phase == "divining" else "pawn_stays", {"seat": seat})
        case Offer(kinds):
            for kind in kinds:
                yield Note("offering_given", {"seat": seat, "crop": _crop(kind)})
            yield Note("offerings_scored", {"seat": seat, "count": len(kinds), "points": offer_points(len(kinds))})
        case Skip():
            yield Note("offering_skipped", {"seat": seat})
        case Pass():
            yield Note("passed", {"seat": seat})
        case _:
            assert_never(action)
    for found in new.found:
        yield from _found(new, found)


def _found(table: Table, found: Found) -> Iterator[Note]:
    match found:
        case Discovery(seat, space, level, points):
            terrain = Term(f"terrain.{TERRAIN_OF[table.land.terrain[space]]}")
            where = _at(divmod(space, columns(table.options)))
            yield Note("terrain_found", {"seat": seat, "terrain": terrain, "level": level, "points": points, **where})
        case Guess(seat, space, _, points, offering):
            key = "guess_right" if points > 0 else "guess_wrong"
            truth = _crop(int(table.land.crops[space]))
            yield Note(key, {"seat": seat, "crop": truth, "points": abs(points)})
            if offering:
                yield Note("offering_gained", {"seat": seat, "crop": truth})
        case _:
            assert_never(found)


def _endings(old: Table, new: Table) -> Iterator[Note]:
    """What the input brought the game nearer to its end."""
    if UNKNOWN in old.land.terrain and UNKNOWN not in new.land.terrain and old.phase != "board":
        yield Note("land_is_known", {"seat": new.current if new.trigger is None else new.trigger})
    if new.final and not old.final and new.trigger is not None:
        yield Note("final_rounds", {"seat": new.trigger})
    for seat, (was, now) in enumerate(zip(old.tribes, new.tribes, strict=True)):
        if now.out and not was.out and seat not in new.left:
            yield Note("out_of_final_rounds", {"seat": seat})
    if new.phase == "final_offer" != old.phase:
        yield Note("last_offering")
    if new.phase == "over":
        yield from _result(new)


def _result(table: Table) -> Iterator[Note]:
    outcome = outcome_of(table)
    if outcome is None:
        return
    yield Note(f"ended_{outcome.reason}")
    for seat, place in enumerate(outcome.placings):
        yield Note("placed", {"seat": seat, "place": place, "score": outcome.scores[seat]})


def _crop(value: int) -> Term:
    return Term(f"crop.{CROPS[value - 1]}")


def _at(at: tuple[int, int]) -> dict[str, NoteArgument]:
    return {"row": at[0] + 1, "column": at[1] + 1}


def _from(at: tuple[int, int]) -> dict[str, NoteArgument]:
    return {"from_row": at[0] + 1, "from_column": at[1] + 1}
