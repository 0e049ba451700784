"""Which events a rewind has taken back. They stay in the log and in the replay, and are marked there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from moveledger.services.tools import GameFacts, Tools
from moveledger.store.events import load_rulings


def rewound_events(tools: Tools, facts: GameFacts, *, upto: int) -> Mapping[int, int]:
    """By seq, the rewind that took each event back, as of event `upto`; what stands is not in it."""
    with tools.database.connection() as connection:
        rulings = load_rulings(connection, facts.game_id)
    return mark_rewound((seq, body["to"]) for seq, body in rulings if body["ruling"] == "rewind" and seq <= upto)


def mark_rewound(rewinds: Iterable[tuple[int, int]]) -> dict[int, int]:
    """The same from the rewinds themselves, (seq, to) in order.

    A game stands on a line of events: before a rewind comes the event that it goes back to. A rewind into a part that
    was taken back lets the line through that part stand again.
    """
    marks: dict[int, int] = {}
    before: dict[int, int] = {}
    for seq, to in rewinds:
        before[seq] = to
        for gone in range(to + 1, seq):
            marks.setdefault(gone, seq)
        at = to
        while at > 0:
            marks.pop(at, None)
            at = before.get(at, at - 1)
    return marks
