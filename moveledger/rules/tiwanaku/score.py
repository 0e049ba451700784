"""Points, and who wins: diversity, crops, offerings, placings (rulings 12 to 14, 20 to 25, 29 and 47)."""

from __future__ import annotations

from dataclasses import replace

from moveledger.rules.kernel import Outcome, place_by
from moveledger.rules.tiwanaku import data
from moveledger.rules.tiwanaku.data import UNKNOWN
from moveledger.rules.tiwanaku.state import Table, Tribe


def with_points(tribe: Tribe, points: int) -> Tribe:
    """The tribe with points won or lost; a score may fall below 0 unless the data set a floor."""
    floor = data.FIGURES.score_floor
    score = tribe.score + points
    return replace(tribe, score=score if floor is None else max(floor, score))


def advance(levels: tuple[int, ...], kind: int) -> tuple[tuple[int, ...], int]:
    """The diversity stones after a discovery of terrain `kind`, and its points: the stones on the new level.

    Where the columns have a top, a stone on it stays and the discovery is worth 1.
    """
    top = data.FIGURES.diversity_top
    if top is not None and levels[kind] >= top:
        return levels, 1
    risen = (*levels[:kind], levels[kind] + 1, *levels[kind + 1 :])
    return risen, risen.count(levels[kind] + 1)


def offer_points(kinds: int) -> int:
    """The points for offerings of that many kinds."""
    return data.FIGURES.offer_points[kinds]


def outcome_of(table: Table) -> Outcome | None:
    """How a finished game ended. Those who left come last, later ones before earlier ones; equal scores share."""
    if table.phase != "over":
        return None
    left = table.left
    keys = [(0, left.index(seat)) if seat in left else (1, tribe.score) for seat, tribe in enumerate(table.tribes)]
    return Outcome(place_by(keys), tuple(tribe.score for tribe in table.tribes), reason_of(table))


def reason_of(table: Table) -> str:
    """Why a finished game ended."""
    stayed = len(table.tribes) - len(table.left)
    if not stayed:
        return "everybody_left"
    if stayed == 1 < len(table.tribes):
        return "last_seat"
    return "stalled" if UNKNOWN in table.land.terrain else "explored"


def standings(table: Table) -> list[int]:
    """The seats in the order of a finished game: by placing, then by right guesses, then by seat (ruling 29)."""
    outcome = outcome_of(table)
    places = outcome.placings if outcome else (1,) * len(table.tribes)
    return sorted(range(len(places)), key=lambda seat: (places[seat], -table.tribes[seat].right, seat))
