"""What happened, in sentences: the news of a state as notes, with a rumour's value only for those who know it."""

from __future__ import annotations

from moveledger.rules.desertsons import data
from moveledger.rules.desertsons.score import gold, outcome, price_of
from moveledger.rules.desertsons.state import News, State, picker
from moveledger.rules.desertsons.view import sees_all
from moveledger.rules.kernel import Input, Note, NoteArgument, Observer, Term

_GROUPS = {"left": "causes", "over": "endings"}


def describe(_: State, __: Input, after: State, observer: Observer) -> tuple[Note, ...]:
    """One note for each piece of news, and at the end the prices, the gold and the places."""
    notes = tuple(_note(news, after, observer) for news in after.news)
    return (*notes, *_result(after)) if after.phase == "over" else notes


def _note(news: News, after: State, observer: Observer) -> Note:
    told: dict[str, NoteArgument] = {}
    for name in ("seat", "figure", "other"):
        value = getattr(news, name)
        if value is not None:
            told[name] = value
    if news.cell is not None:
        told["cell"] = data.cell_name(news.cell)
    if news.tile is not None:
        told["tile"] = data.TILE_NAMES[news.tile]
    if news.thing is not None:
        told["thing"] = Term(f"{_GROUPS.get(news.what, 'symbols')}.{news.thing}")
    if news.slot is not None:
        told["slot"] = news.slot + 1
    value = _value_known(news, after, observer)
    if value is not None:
        return Note(f"{news.what}_known", {**told, "value": f"{value:+d}"})
    return Note(news.what, told)


def _value_known(news: News, after: State, observer: Observer) -> int | None:
    """The value of the rumour that the news is about, if the observer may know it (ruling R5)."""
    if news.what == "rumour_drawn" and after.held is not None:
        known = sees_all(after, observer) or observer.seat == picker(after)
        return after.held if known else None
    if news.what == "rumour_peeked" and after.peeked is not None:
        rumour = after.rumours[after.peeked]
        assert rumour is not None
        return rumour.value if sees_all(after, observer) or observer.seat in rumour.seen_by else None
    return None


def _result(after: State) -> tuple[Note, ...]:
    ended, scores = outcome(after), gold(after)
    assert ended is not None
    prices = tuple(
        Note("price", {"thing": Term(f"symbols.{good}"), "gold": price_of(after, at)})
        for at, good in enumerate(data.GOODS)
    )
    places = tuple(
        Note("place", {"seat": seat, "gold": scores[seat], "water": after.traders[seat].water, "place": place})
        for seat, place in enumerate(ended.placings)
    )
    return (*prices, *places)
