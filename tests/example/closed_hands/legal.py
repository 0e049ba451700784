"""What a seat may do, and why not."""

from __future__ import annotations

from collections.abc import Iterator

from closed_hands.state import HIGHEST_BID, Action, Bid, Pass, State
from moveledger.errors import IllegalMove
from moveledger.rules.kernel import LegalActions, Seat


def is_awaited(state: State, seat: Seat) -> bool:
    """Whether the seat has to bid now: all cards are dealt, no dice are to be rolled, and it has not chosen yet."""
    dealt = all(state.hands[other].card is not None for other in state.present)
    return not state.over and dealt and not state.tied and seat in state.present and not state.hands[seat].has_chosen


def legal(state: State, seat: Seat) -> LegalActions[Action]:
    """The legal actions of a seat: numbers from the lowest, then to pass."""

    def generate() -> Iterator[Action]:
        if is_awaited(state, seat):
            yield from (Bid(n) for n in range(HIGHEST_BID + 1) if n != state.hands[seat].shown)
            yield Pass()

    return LegalActions(generate=generate, check=lambda action: check(state, seat, action))


def check(state: State, seat: Seat, action: Action) -> None:
    """Raises `IllegalMove` for an action that the seat may not take now."""
    if not is_awaited(state, seat):
        raise IllegalMove("closed_hands.not_to_move", "This seat has no choice to make now.")
    match action:
        case Pass():
            return
        case Bid(amount):
            if not 0 <= amount <= HIGHEST_BID:
                raise IllegalMove("closed_hands.no_such_number", f"A number is 0 to {HIGHEST_BID}.")
            if amount == state.hands[seat].shown:
                raise IllegalMove("closed_hands.same_number", "The seat put this number in the round before.")
        case _:
            raise IllegalMove("closed_hands.no_such_action", "This game has no such action.")
