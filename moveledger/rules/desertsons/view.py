"""What an observer sees: everything but the values of rumours that it has not looked at."""

from __future__ import annotations

from typing import Any, TypeAlias

from moveledger.rules.desertsons import data
from moveledger.rules.desertsons.score import gold, outcome, prices
from moveledger.rules.desertsons.state import (
    News,
    Rumour,
    State,
    chooser,
    crowned_figure,
    current_stack,
    figures_at_hand,
    picker,
    slots_of,
)
from moveledger.rules.encoding import encode
from moveledger.rules.kernel import Observer, View

Plain: TypeAlias = dict[str, Any]


def _sides(mask: int) -> str:
    return "".join(side for at, side in enumerate(data.SIDES) if mask >> at & 1)


def _laid(code: int) -> Plain:
    tile, rotation = divmod(code, 4)
    parts = zip(data.PARTS[code], data.PART_SYMBOLS[tile], strict=True)
    return {
        "tile": data.TILE_NAMES[tile],
        "rotation": rotation,
        "edges": "".join("O" if data.EDGES[code] >> side & 1 else "D" for side in range(4)),
        "parts": [{"edges": _sides(mask), "symbols": list(symbols)} for mask, symbols in parts],
    }


_LAID = tuple(_laid(code) for code in range(4 * len(data.TILE_NAMES)))


def view(state: State, observer: Observer) -> View:
    """All public facts, and the rumours as far as the observer knows them (ruling R5)."""
    return {
        "options": encode(state.options),
        "phase": state.phase,
        "active": state.active,
        "awaited": chooser(state),
        "first": state.first,
        "width": data.WIDTH,
        "board": [None if code == data.EMPTY else _LAID[code] for code in state.board],
        "figures": [
            {"height": f.height, "seat": data.OWNER[f.height], "cell": f.cell, "part": f.part} for f in state.figures
        ],
        "stack": {"left": len(state.stack), "current": current_stack(state), "number": _stack_number(state)},
        "supply": {"water": state.water, "camels": state.camels, "goods": _by_good(state.goods)},
        "rumours": _rumours(state, observer),
        "turban": {"seat": state.turban, "figure": crowned_figure(state)},
        "tile": None if state.tile is None else _LAID[4 * state.tile],
        "laid": state.laid,
        "scoring": _scoring(state),
        "bonus_used": state.bonus_used,
        "idle_turns": state.idle,
        "last_turns": None if state.last_turns is None else list(state.last_turns),
        "seats": [_seat(state, seat) for seat in range(state.seats)],
        "news": [_news(news) for news in state.news],
        "result": _result(state),
    }


def _stack_number(state: State) -> int | None:
    return data.STACK_OF[state.stack[0]] if state.stack and state.options.stacks == "five" else None


def _by_good(counts: tuple[int, ...]) -> Plain:
    return dict(zip(data.GOODS, counts, strict=True))


def _seat(state: State, seat: int) -> Plain:
    trader = state.traders[seat]
    return {
        "left": trader.left or None,
        "caravan": None if trader.left else trader.caravan,
        "water": trader.water,
        "camels": trader.camels,
        "space": trader.space,
        "goods": _by_good(trader.goods),
        "display": [_LAID[4 * tile] for tile in trader.display],
        "figures": list(data.HEIGHTS[seat]),
        "at_hand": figures_at_hand(state, seat),
    }


def _scoring(state: State) -> Plain | None:
    if state.scoring is None:
        return None
    return {
        "figures": [{"height": height, "seat": data.OWNER[height]} for height in state.scoring.figures],
        "waiting": list(state.scoring.queue),
        "symbols": list(state.scoring.symbols),
    }


def _news(news: News) -> Plain:
    members = {name: getattr(news, name) for name in ("what", "seat", "cell", "figure", "thing", "other", "slot")}
    told: Plain = {name: value for name, value in members.items() if value is not None}
    return told if news.tile is None else {**told, "tile": data.TILE_NAMES[news.tile]}


# --- what not everybody knows --------------------------------------------------------------------------


def sees_all(state: State, observer: Observer) -> bool:
    """The referee sees all, and once the game is over so does everybody."""
    return observer.referee or state.phase == "over"


def _rumours(state: State, observer: Observer) -> Plain:
    everything = sees_all(state, observer)
    return {
        "in_pool": len(state.pool),
        "pool": list(state.pool) if everything else None,
        "on_goods": [
            {"good": good, "slots": [_rumour(state.rumours[slot], state, observer) for slot in slots_of(at)]}
            for at, good in enumerate(data.GOODS)
        ],
        "removed": [_rumour(rumour, state, observer) for rumour in state.removed],
        "held": _held(state, observer),
        "looked_at": _looked_at(state),
    }


def _rumour(rumour: Rumour | None, state: State, observer: Observer) -> Plain | None:
    if rumour is None:
        return None
    known = sees_all(state, observer) or observer.seat in rumour.seen_by
    return {"value": rumour.value if known else None, "seen_by": list(rumour.seen_by)}


def _held(state: State, observer: Observer) -> Plain | None:
    if state.held is None:
        return None
    seat = picker(state)
    known = sees_all(state, observer) or observer.seat == seat
    return {"seat": seat, "value": state.held if known else None}


def _looked_at(state: State) -> Plain | None:
    if state.peeked is None:
        return None
    good, slot = divmod(state.peeked, data.RUMOUR_SLOTS)
    return {"seat": picker(state), "good": data.GOODS[good], "slot": slot}


def _result(state: State) -> Plain | None:
    ended = outcome(state)
    if ended is None:
        return None
    return {
        "reason": ended.reason,
        "placings": list(ended.placings),
        "gold": list(gold(state)),
        "prices": _by_good(prices(state)),
    }
