"""The scoring of closed oases: figures choose symbols from the tallest down, then go home.

Every function returns a state that awaits the next choice of the scoring or, with `scoring` None, has scored all.
"""

from __future__ import annotations

from dataclasses import replace

from moveledger.rules.desertsons.choices import can_take
from moveledger.rules.desertsons.data import GOODS, OWNER, PART_SYMBOLS, Good, Symbol
from moveledger.rules.desertsons.field import Oasis, closed_parts, find_oasis
from moveledger.rules.desertsons.state import (
    Scoring,
    State,
    change_trader,
    crowned_figure,
    pay_water,
    picker,
    staying_after,
    stays,
    tell,
)

# --- an oasis is opened --------------------------------------------------------------------------------


def begin_scoring(state: State) -> State:
    """Scores, one after the other, the oases that the tile just laid has closed (ruling T6)."""
    parts = closed_parts(state.board, state.laid) if state.laid is not None else ()
    return _score_next(state, parts)


def _score_next(state: State, parts: tuple[int, ...]) -> State:
    if not parts:
        return replace(state, scoring=None)
    assert state.laid is not None
    oasis = find_oasis(state.board, state.laid, parts[0])
    figures = _figures_in(state, oasis)
    if not figures:
        return _score_next(tell(state, "oasis_lapsed", cell=state.laid), parts[1:])
    crowned = crowned_figure(state)
    scoring = Scoring(
        figures=figures,
        queue=figures,
        symbols=_symbols_in(state, oasis),
        crowned=crowned if crowned in figures else None,
        next_parts=parts[1:],
    )
    return _next_figure(_tax(replace(tell(state, "oasis", cell=state.laid), scoring=scoring)))


def _figures_in(state: State, oasis: Oasis) -> tuple[int, ...]:
    """The figures in an oasis, tallest first; the turban makes its wearer the tallest (rulings T1, T2)."""
    inside = [figure.height for figure in state.figures if (figure.cell, figure.part) in oasis.parts]
    crowned = crowned_figure(state)
    return tuple(sorted(inside, key=lambda height: (height != crowned, -height)))


def _symbols_in(state: State, oasis: Oasis) -> tuple[Symbol, ...]:
    return tuple(symbol for cell, part in oasis.parts for symbol in PART_SYMBOLS[state.board[cell] // 4][part])


def _tax(state: State) -> State:
    """From two figures on, the tallest one's owner pays 1 water or does not choose with it (rulings S1 to S4)."""
    scoring = state.scoring
    assert scoring is not None
    due = len(scoring.figures) > 1 and (scoring.symbols or state.options.tax_without_symbols)
    tallest, seat = scoring.figures[0], OWNER[scoring.figures[0]]
    queue = scoring.queue
    if due and state.traders[seat].water > 0:
        state = tell(pay_water(state, seat), "tax_paid", seat, figure=tallest)
    elif due:
        state, queue = tell(state, "tax_unpaid", seat, figure=tallest), queue[1:]
    here = tuple(figure for figure in queue if stays(state, OWNER[figure]))
    return replace(state, scoring=replace(scoring, queue=here))


# --- figures choose ------------------------------------------------------------------------------------


def _next_figure(state: State) -> State:
    """The next figure that could use a symbol chooses; when none is left the oasis is done (rulings S5, S6, S4b)."""
    scoring = state.scoring
    assert scoring is not None
    if not scoring.queue:
        return _finish_oasis(state)
    seat = picker(state)
    if any(can_take(state, seat, symbol) for symbol in scoring.symbols):
        return replace(state, phase="pick")
    return after_pick(tell(state, "no_pick", seat, figure=scoring.queue[0]))


def after_pick(state: State) -> State:
    """The figure that chose is done; the next one follows."""
    scoring = state.scoring
    assert scoring is not None
    return _next_figure(replace(state, peeked=None, scoring=replace(scoring, queue=scoring.queue[1:])))


def drop_figures(state: State, seat: int) -> State:
    """The figures of a seat that has left do not choose any more (ruling Z6)."""
    if state.scoring is None:
        return state
    queue = tuple(figure for figure in state.scoring.queue if OWNER[figure] != seat)
    return replace(state, scoring=replace(state.scoring, queue=queue))


def resume_scoring(state: State) -> State:
    """The scoring goes on with whichever figure is next."""
    return _next_figure(replace(state, peeked=None))


def _finish_oasis(state: State) -> State:
    """All figures go home, the turban goes on if its wearer was there, the next oasis follows (rulings T3 to T5)."""
    scoring = state.scoring
    assert scoring is not None
    home = tuple(figure for figure in state.figures if figure.height not in scoring.figures)
    done = replace(state, figures=home)
    if scoring.crowned is not None and OWNER[scoring.crowned] == state.turban:
        done = pass_turban(done)
    return _score_next(done, scoring.next_parts)


def pass_turban(state: State) -> State:
    """The turban goes clockwise to the next seat that is still in."""
    seat = next(staying_after(state, state.turban))
    return tell(replace(state, turban=seat), "turban", seat)


# --- what a symbol gives -------------------------------------------------------------------------------


def take_symbol(state: State, symbol: Symbol) -> State:
    """One of the symbol is used up and gives its picker what it shows (rulings S10, S11)."""
    scoring = state.scoring
    assert scoring is not None
    seat, at = picker(state), scoring.symbols.index(symbol)
    left = (*scoring.symbols[:at], *scoring.symbols[at + 1 :])
    state = tell(state, "picked", seat, figure=scoring.queue[0], thing=symbol)
    state = replace(state, scoring=replace(scoring, symbols=left))
    trader = state.traders[seat]
    match symbol:
        case "rumour":
            return replace(state, phase="rumour" if state.pool else "peek")
        case "camel":
            given = change_trader(replace(state, camels=state.camels - 1), seat, camels=trader.camels + 1)
        case "water":
            given = change_trader(replace(state, water=state.water - 1), seat, water=trader.water + 1)
        case "incense" | "myrrh" | "salt" | "gem":
            given = _give_good(state, seat, symbol)
    return after_pick(given)


def _give_good(state: State, seat: int, good: Good) -> State:
    kind = GOODS.index(good)
    supply = tuple(count - (at == kind) for at, count in enumerate(state.goods))
    laden = tuple(count + (at == kind) for at, count in enumerate(state.traders[seat].goods))
    return change_trader(replace(state, goods=supply), seat, goods=laden)
