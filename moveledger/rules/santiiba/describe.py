"""What happened, in sentences for people: keys of `terms.json` and their arguments.

Notes tell only what the observer may know: of a prediction that is not hit, that it was made.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from moveledger.rules.kernel import Draw, Input, Leave, Move, Note, NoteArgument, Observer, Seat, Term
from moveledger.rules.santiiba.actions import Action, Item, Kind, Name, Predict, Stop, Take
from moveledger.rules.santiiba.data import COMPONENTS, INDEX, KINDS, shows_stars
from moveledger.rules.santiiba.score import guards_of, outcome
from moveledger.rules.santiiba.state import Hit, State, Turn, face_of, staying, turn_of


def describe(before: State, given: Input, after: State, observer: Observer) -> tuple[Note, ...]:
    """The notes on one input, in the order in which things happened."""
    return (*_on_input(before, given, after, observer), *_on_turn_end(before, after), *_on_end(after))


def _note(key: str, **arguments: NoteArgument) -> Note:
    return Note(key, arguments)


def _kind(kind: Kind) -> Term:
    return Term(f"kind.{kind}")


def _on_input(before: State, given: Input, after: State, observer: Observer) -> Iterator[Note]:
    match given:
        case Draw():
            yield _on_draw(before, after)
        case Leave(seat, cause):
            yield _note(f"left_{cause}", seat=seat)
        case Move(seat, action):
            yield from _on_action(before, seat, action, after, observer)
        case _:
            assert_never(given)


def _on_draw(before: State, after: State) -> Note:
    turn = turn_of(after)
    if before.phase == "start":
        return _note("starts", seat=turn.seat)
    faces = {kind: Term(f"face.{face_of(turn, kind)}") for kind in KINDS}
    return _note("rolled", seat=turn.seat, **faces)


def _on_action(before: State, seat: Seat, action: Action, after: State, observer: Observer) -> Iterator[Note]:
    match action:
        case Predict(kind):
            if observer.referee or observer.seat == seat:
                yield _note("predicted_kind", seat=seat, kind=_kind(kind))
            else:
                yield _note("predicted", seat=seat)
        case Name(kind):
            yield from _on_naming(before, seat, kind, after)
        case Take(item):
            yield from _on_taking(before, seat, item)
        case Stop():
            yield _note("stopped", seat=seat)
        case _:
            assert_never(action)


# --- a naming ------------------------------------------------------------------------------------------


def _on_naming(before: State, seat: Seat, kind: Kind, after: State) -> Iterator[Note]:
    turn = turn_of(before)
    yield _note("named", seat=seat, kind=_kind(kind), face=Term(f"face.{face_of(turn, kind)}"))
    hits = _new_hits(turn, after)
    if not hits:
        yield _note("nobody_predicted", kind=_kind(kind))
        return
    for hit in hits:
        yield _on_hit(before, hit, after)
    if after.last != before.last and after.last is not None and after.last.ending in ("bust", "cut_short"):
        return
    cards_left = before.piles[INDEX[kind]] - len(hits)
    if shows_stars(face_of(turn, kind)):
        yield _note("must_take_die", seat=seat, kind=_kind(kind))
    elif cards_left > 0:
        yield _note("must_take_card", seat=seat, kind=_kind(kind))
    else:
        yield _note("no_card_left", seat=seat, kind=_kind(kind))


def _new_hits(turn: Turn, after: State) -> tuple[Hit, ...]:
    """The hits that a naming added; the turn that named may have ended and given way to the next."""
    later = after.turn
    if later is not None and later.number == turn.number:
        return later.hits[len(turn.hits) :]
    return () if after.last is None else after.last.hits[len(turn.hits) :]


def _on_hit(before: State, hit: Hit, after: State) -> Note:
    if shows_stars(face_of(turn_of(before), hit.kind)):
        moved = after.seers[hit.seat].position - before.seers[hit.seat].position
        return _note("hit_moves", seat=hit.seat, steps=moved)
    at = INDEX[hit.kind]
    if after.seers[hit.seat].cards[at] > before.seers[hit.seat].cards[at]:
        return _note("hit_takes_card", seat=hit.seat, kind=_kind(hit.kind))
    return _note("hit_gets_nothing", seat=hit.seat, kind=_kind(hit.kind))


def _on_taking(before: State, seat: Seat, item: Item) -> Iterator[Note]:
    turn = turn_of(before)
    kind = turn.pending
    assert kind is not None
    face = face_of(turn, kind)
    yield _note(f"takes_{item}", seat=seat, kind=_kind(kind), face=Term(f"face.{face}"))
    if (item == "card") == shows_stars(face) and len(turn.named) < COMPONENTS.max_named:
        yield _note("must_go_on", seat=seat)


# --- the end of a turn, the end of the game ------------------------------------------------------------


def _on_turn_end(before: State, after: State) -> Iterator[Note]:
    last = after.last
    if last is None or last == before.last:
        return
    match last.ending:
        case "stopped" | "four_named":
            if last.ending == "four_named":
                yield _note("four_named", seat=last.seat)
            yield _note("banked", seat=last.seat, cards=len(last.cards), steps=last.steps)
        case "bust":
            yield _note("bust" if last.cards else "bust_without_bowl", seat=last.seat)
        case "left" | "cut_short":
            yield _note(f"turn_{last.ending}", seat=last.seat)
        case _:
            assert_never(last.ending)


def _on_end(after: State) -> Iterator[Note]:
    found = outcome(after)
    if found is None:
        return
    if after.scorings is not None:
        yield from _on_scoring(after)
    yield _note(f"ended_{found.reason}")
    for at, place in enumerate(found.placings):
        if place == 1:
            yield _note("won", seat=at, position=found.scores[at])


def _on_scoring(after: State) -> Iterator[Note]:
    guarded_by = {guard.guarded: guard.guard for guard in guards_of(after)}
    assert after.scorings is not None
    for seat in staying(after):
        scoring = after.scorings[seat]
        for kind in scoring.lost:
            yield _note("loses_kind", seat=seat, guard=_kind(guarded_by[kind]), kind=_kind(kind))
        yield _note("scored", seat=seat, points=scoring.points, position=scoring.final)
