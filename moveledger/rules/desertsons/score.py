"""Prices, gold and placings."""

from __future__ import annotations

from moveledger.rules.desertsons import data
from moveledger.rules.desertsons.state import State, slots_of
from moveledger.rules.kernel import Outcome, place_by


def prices(state: State) -> tuple[int, ...]:
    """The price of each good: 4 and the rumours that lie on it, never below 0 (ruling R7)."""
    return tuple(price_of(state, good) for good in range(len(data.GOODS)))


def price_of(state: State, good: int) -> int:
    """The price of one good with all its rumours turned up."""
    lying = (state.rumours[slot] for slot in slots_of(good))
    return max(0, data.BASE_PRICE + sum(rumour.value for rumour in lying if rumour))


def gold(state: State) -> tuple[int, ...]:
    """What each seat's goods are worth; nothing else counts."""
    worth = prices(state)
    return tuple(
        sum(count * price for count, price in zip(trader.goods, worth, strict=True)) for trader in state.traders
    )


def outcome(state: State) -> Outcome | None:
    """Most gold wins, then most water, else it is shared; who left comes last, the first to leave at the very end
    (rulings Z4, X1).
    """
    if state.ending is None:
        return None
    scores = gold(state)
    keys = [
        (0, trader.left, 0) if trader.left else (1, scores[seat], trader.water)
        for seat, trader in enumerate(state.traders)
    ]
    return Outcome(place_by(keys), scores, state.ending)
