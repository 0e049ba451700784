"""What chance is asked, who may see its answer, and what the answer brings about."""

from __future__ import annotations

from dataclasses import replace

from moveledger.rules.desertsons import data, rumours, turn
from moveledger.rules.desertsons.options import Options
from moveledger.rules.desertsons.refusal import refusal
from moveledger.rules.desertsons.state import State, chooser, current_stack, tell
from moveledger.rules.kernel import Awaiting, Chance, Draw, Input, Over, Pick, Seat, Seats


def awaiting(state: State) -> Awaiting:
    """Who acts next: chance, the one seat that chooses, or nobody."""
    match state.phase:
        case "over":
            return Over()
        case "first_seat":
            return Chance(Pick(1, state.seats))
        case "deal" | "draw" | "replace":
            return Chance(Pick(1, current_stack(state)))
        case "rumour":
            return Chance(Pick(1, len(state.pool)))
        case _:
            seat = chooser(state)
            assert seat is not None
            return Seats(frozenset({Seat(seat)}))


def draws(_: Options, __: int) -> int:
    """Twice what a game can ask: the first seat, each tile once, a rumour for each of the rumour symbols."""
    rumour_symbols = sum(part.count("rumour") for parts in data.PART_SYMBOLS for part in parts)
    return 2 * (1 + data.TILES + rumour_symbols)


def audience(state: State, given: Input) -> frozenset[Seat] | None:
    """Nobody may read the draw of a rumour before the end; all else is public (rulings R1, R5).

    Not even its picker, who sees the rumour's value in the view: the draw says which one of those left it is, in their order,
    and with the value that would tell what others have drawn.
    """
    return frozenset() if isinstance(given, Draw) and state.phase == "rumour" else None


# --- chance answers ------------------------------------------------------------------------------------


def answer(state: State, values: tuple[int, ...]) -> State:
    """The state after a draw; refuses one that was not asked for or is out of range."""
    asked = awaiting(state)
    if not isinstance(asked, Chance):
        raise refusal("no_draw_awaited", "Chance is not asked anything now.")
    assert isinstance(asked.request, Pick)
    if len(values) != 1 or not 0 <= values[0] < asked.request.out_of:
        raise refusal("draw_out_of_range", "The draw does not answer what chance was asked.")
    return _draw(state, values[0])


def _draw(state: State, at: int) -> State:
    match state.phase:
        case "first_seat":
            return turn.deal_next(tell(replace(state, first=at, active=at, turban=at), "first_seat", at))
        case "deal":
            return turn.deal_next(_refill(state, at, "dealt"))
        case "replace":
            return turn.after_laying(_refill(state, at, "replaced"))
        case "rumour":
            return rumours.hold_drawn(state, at)
        case _:
            return turn.show_drawn(state, at)


def _refill(state: State, at: int, what: str) -> State:
    assert state.victim is not None
    drawn, tile = turn.take_from_stack(state, at)
    filled = turn.add_to_display(drawn, state.victim, tile)
    return tell(replace(filled, victim=None), what, state.victim, tile=tile)
