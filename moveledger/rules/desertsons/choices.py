"""What a seat may choose off the field: a figure, a symbol, a rumour's place, a bonus turn."""

from __future__ import annotations

from collections.abc import Iterator

from moveledger.rules.desertsons import data
from moveledger.rules.desertsons.actions import (
    Action,
    AssignRumour,
    BuyBonus,
    EndTurn,
    KeepRumour,
    PassPick,
    PeekRumour,
    PickSymbol,
    PlaceFigure,
    RemoveFigure,
    RemoveRumour,
    ReturnRumour,
    SkipFigure,
)
from moveledger.rules.desertsons.data import GOODS, SYMBOLS, Good, Symbol
from moveledger.rules.desertsons.refusal import refusal
from moveledger.rules.desertsons.state import (
    State,
    figures_at_hand,
    figures_on_field,
    picker,
    slots_of,
)

# --- figures -------------------------------------------------------------------------------------------


def laid_parts(state: State) -> range:
    """The numbers of the oasis parts of the tile just laid."""
    return range(len(data.PARTS[state.board[state.laid]])) if state.laid is not None else range(0)


def list_figures(state: State) -> Iterator[Action]:
    """Each figure at hand on each part of the tile just laid, each figure off the field, neither (rulings F1 to F7)."""
    for figure in figures_at_hand(state, state.active):
        for part in laid_parts(state):
            yield PlaceFigure(figure, part)
    for figure in figures_on_field(state, state.active):
        yield RemoveFigure(figure)
    yield SkipFigure()


def check_place_figure(state: State, action: PlaceFigure) -> None:
    """Refuses a figure that is not at hand and a part that the tile does not have."""
    if action.figure not in figures_at_hand(state, state.active):
        raise refusal("figure_not_at_hand", "That figure is not yours or stands on the field.")
    if action.part not in laid_parts(state):
        raise refusal("no_such_part", "The tile just laid has no such oasis part.")


def check_remove_figure(state: State, action: RemoveFigure) -> None:
    """Refuses a figure that is not the seat's own on the field."""
    if action.figure not in figures_on_field(state, state.active):
        raise refusal("figure_not_on_field", "That figure is not yours or not on the field.")


# --- symbols -------------------------------------------------------------------------------------------


def can_take(state: State, seat: int, symbol: Symbol) -> bool:
    """Whether a seat could make use of a symbol now (rulings S8, S9, R4)."""
    return _why_not(state, seat, symbol) is None


def _why_not(state: State, seat: int, symbol: Symbol) -> tuple[str, str] | None:
    match symbol:
        case "camel" | "water":
            has_some = (state.camels if symbol == "camel" else state.water) > 0
            return None if has_some else ("supply_empty", f"No {symbol} is left in the supply.")
        case "rumour":
            some = state.pool or any(state.rumours)
            return None if some else ("no_rumour_left", "No rumour is left to draw or to look at.")
        case "incense" | "myrrh" | "salt" | "gem":
            if not state.goods[GOODS.index(symbol)]:
                return "supply_empty", f"No {symbol} is left in the supply."
            return None if state.traders[seat].space > 0 else ("no_place_for_good", "Every camel is fully laden.")


def list_picks(state: State) -> Iterator[Action]:
    """Each kind of symbol left that the picker could use, then passing (ruling S7)."""
    assert state.scoring is not None
    for symbol in SYMBOLS:
        if symbol in state.scoring.symbols and can_take(state, picker(state), symbol):
            yield PickSymbol(symbol)
    yield PassPick()


def check_pick(state: State, action: PickSymbol) -> None:
    """Refuses a symbol that the oasis does not offer any more, or that the picker cannot use."""
    assert state.scoring is not None
    if action.symbol not in state.scoring.symbols:
        raise refusal("symbol_not_there", "This oasis does not offer that symbol, or not any more.")
    wrong = _why_not(state, picker(state), action.symbol)
    if wrong:
        raise refusal(*wrong)


# --- rumours -------------------------------------------------------------------------------------------


def free_slot(state: State, good: Good) -> int | None:
    """The first free place for a rumour on a good, in `State.rumours` (ruling R6)."""
    return next((slot for slot in slots_of(GOODS.index(good)) if state.rumours[slot] is None), None)


def list_rumour_places(state: State) -> Iterator[Action]:
    """Each good with a free slot, and putting the rumour back where the options allow it (ruling R2)."""
    for good in GOODS:
        if free_slot(state, good) is not None:
            yield AssignRumour(good)
    if state.options.rumour_placement == "may":
        yield ReturnRumour()


def check_assign(state: State, action: AssignRumour) -> None:
    """Refuses a good that has two rumours already."""
    if free_slot(state, action.good) is None:
        raise refusal("no_free_slot", "Two rumours lie on that good already.")


def check_return(state: State, _: ReturnRumour) -> None:
    """Refuses to put a rumour back where it must be placed."""
    if state.options.rumour_placement == "must":
        raise refusal("rumour_must_be_placed", "A rumour that was drawn must be placed on a good.")


def list_peeks(state: State) -> Iterator[Action]:
    """Each rumour that lies on a good (ruling R3)."""
    for good in GOODS:
        for at, slot in enumerate(slots_of(GOODS.index(good))):
            if state.rumours[slot]:
                yield PeekRumour(good, at)


def check_peek(state: State, action: PeekRumour) -> None:
    """Refuses a slot where no rumour lies."""
    slots = slots_of(GOODS.index(action.good))
    if not 0 <= action.slot < len(slots) or state.rumours[slots[action.slot]] is None:
        raise refusal("no_rumour_there", "No rumour lies in that slot.")


def list_verdicts(_: State) -> Iterator[Action]:
    """Keeping or removing the rumour just looked at."""
    yield KeepRumour()
    yield RemoveRumour()


# --- bonus turn ----------------------------------------------------------------------------------------


def list_bonus(_: State) -> Iterator[Action]:
    """Buying a bonus turn or ending the turn; the phase comes about only where a bonus turn can be bought."""
    yield BuyBonus()
    yield EndTurn()
