"""What happened, as notes; closed things only to those who may see them."""

from __future__ import annotations

from closed_hands.apply import next_to_get_a_card, outcome
from closed_hands.state import Bid, State
from moveledger.rules.kernel import Draw, Input, Leave, Move, Note, Observer, Seat, Term


def describe(before: State, given: Input, after: State, observer: Observer) -> tuple[Note, ...]:
    """The notes on one input."""
    return (*_input(before, given, after, observer), *_points(before, after), *_end(after))


def _input(before: State, given: Input, after: State, observer: Observer) -> list[Note]:
    match given:
        case Move(seat, Bid(amount)):
            if observer.referee or observer.seat == seat:
                return [Note("bid_open", {"seat": _name(seat), "amount": amount})]
            return [Note("bid", {"seat": _name(seat)})]
        case Move(seat, _):
            return [Note("passed", {"seat": _name(seat)})]
        case Leave(seat, _):
            return [Note("left", {"seat": _name(seat)})]
        case Draw(values):
            return _draw(before, values, after, observer)


def _draw(before: State, values: tuple[int, ...], after: State, observer: Observer) -> list[Note]:
    if before.target is None:
        return [Note("target_open", {"target": after.target or 0})] if observer.referee else [Note("target")]
    seat = next_to_get_a_card(before)
    if seat is None:
        return [Note("rolled", {"dice": ", ".join(map(str, values))})]
    if observer.referee or observer.seat == seat:
        return [Note("card_open", {"seat": _name(seat), "card": after.hands[seat].card or 0})]
    return [Note("card", {"seat": _name(seat)})]


def _points(before: State, after: State) -> list[Note]:
    pairs = zip(before.hands, after.hands, strict=True)
    return [Note("point", {"seat": _name(seat)}) for seat, (old, new) in enumerate(pairs) if new.points > old.points]


def _end(after: State) -> list[Note]:
    ended = outcome(after)
    if ended is None:
        return []
    return [Note("score", {"seat": _name(seat), "place": place}) for seat, place in enumerate(ended.placings)]


def _name(seat: int | Seat) -> Term:
    return Term(f"seat.{seat}")
