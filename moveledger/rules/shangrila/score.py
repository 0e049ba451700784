"""The end: scores, tie-breaks and placings."""

from __future__ import annotations

from moveledger.rules.kernel import Outcome, Seat, place_by
from moveledger.rules.shangrila.state import State, score_of, villages_of


def outcome(state: State) -> Outcome | None:
    """Who placed where, once the game is over: masters, then villages with one, then shared (rulings 21, 34, 35).

    Those who left come last, the later before the earlier (ruling X1).
    """
    if state.ended is None:
        return None
    seats = [Seat(number) for number in range(state.seats)]
    scores = tuple(score_of(state, seat) for seat in seats)
    return Outcome(place_by([_rank(state, seat) for seat in seats]), scores, state.ended)


def _rank(state: State, seat: Seat) -> tuple[int, ...]:
    if seat in state.left:
        return (0, state.left.index(seat))
    return (1, score_of(state, seat), villages_of(state, seat))
