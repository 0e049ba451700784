"""Who may see what: the audience of each input, and the table as an observer sees it."""

from __future__ import annotations

from closed_hands.apply import next_to_get_a_card
from closed_hands.state import Bid, Hand, State
from moveledger.rules.kernel import Draw, Input, Json, Move, Observer, Seat, View


def audience(state: State, given: Input) -> frozenset[Seat] | None:
    """The target is for nobody, a card and a number for their seat; the rest is public."""
    match given:
        case Move(seat, Bid()):
            return frozenset({seat})
        case Draw() if state.target is None:
            return frozenset()
        case Draw() if (seat_dealt := next_to_get_a_card(state)) is not None:
            return frozenset({seat_dealt})
        case _:
            return None


def view(state: State, observer: Observer) -> View:
    """The table: own card and number; everybody's once all have chosen, the target when the game is over."""
    sees_all = state.over or observer.referee
    return {
        "round": state.round,
        "rounds": state.rounds,
        "target": state.target if sees_all else None,
        "tied": list(state.tied),
        "left": list(state.left),
        "seats": [_seat(state, Seat(seat), sees_all or observer.seat == seat) for seat in range(len(state.hands))],
    }


def _seat(state: State, seat: Seat, sees_hand: bool) -> Json:
    hand: Hand = state.hands[seat]
    return {
        "card": hand.card if sees_hand else None,
        "bid": hand.bid if sees_hand or state.tied else None,
        "has_chosen": hand.has_chosen,
        "passed": hand.passed,
        "shown": hand.shown,
        "points": hand.points,
    }
