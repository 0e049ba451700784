"""A bot that looks one action ahead: it plays for more masters than the others, from its seat's view alone.

An action is worth the masters that it wins for the seat, less those that it wins for the others on average, and what
it changes in the journeys that could be called next. A `Land` is a village as the bot sees it: by guild, the owner
and whether there is a student, or None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from moveledger.rules.kernel import View

Land: TypeAlias = tuple[tuple[int, bool] | None, ...]

OWN_NEXT = 0.30
"""What a journey that the seat could call next is worth, for each master that it would win."""
OTHERS_NEXT = 0.20
"""The same for one that somebody else could call, and would."""
STUDENT = 0.25
"""What a student is worth by itself, or a tile of it that is lost."""


def greedy(view: View, seat: int, actions: Sequence[Mapping[str, Any]], pick: Callable[[int], int]) -> int:
    """The index of the action with the greatest worth, a tie by `pick`."""
    table = Table(view, seat)
    worths = [table.worth(action) for action in actions]
    most = max(worths)
    best = [at for at, worth in enumerate(worths) if worth > most - 1e-9]
    return best[pick(len(best))]


class Table:
    """What the bot reads off a view: its seat, the villages, and who is joined to whom by a bridge."""

    def __init__(self, view: View, seat: int) -> None:
        seen: Any = view
        self.seat = seat
        self.seats = range(len(seen["seats"]))
        self.literal = seen["options"]["own_master_rule"] == "seed_literal"
        self.guilds: list[str] = seen["guilds"]
        self.lands = {village["id"]: self._read(village["slots"]) for village in seen["villages"]}
        self.roads: dict[int, list[int]] = {number: [] for number in self.lands}
        for bridge in seen["bridges"]:
            if bridge["stands"]:
                self.roads[bridge["a"]].append(bridge["b"])
                self.roads[bridge["b"]].append(bridge["a"])
        self.change = cache(self._change)

    def _read(self, slots: Mapping[str, Any]) -> Land:
        tiles = (slots[guild] for guild in self.guilds)
        return tuple(tile and (tile["owner"], tile["student"]) for tile in tiles)

    def worth(self, action: Mapping[str, Any]) -> float:
        """How much an action is worth, in masters ahead of the others."""
        match action["type"]:
            case "place_initial":
                return self._first(action["village"]) + self.change(action["village"], action["guild"], False)
            case "place_master":
                return 1.0 + self.change(action["village"], action["guild"], False)
            case "recruit":
                return sum(STUDENT + self.change(at["village"], at["guild"], True) for at in action["targets"])
            case "journey":
                return self._journey(action["from"], action["to"])
            case _:
                return 0.0

    def _first(self, village: int) -> float:
        """A village with many roads that is not yet the seat's own has more spaces to grow into."""
        own = sum(tile is not None and tile[0] == self.seat for tile in self.lands[village])
        return 0.3 * len(self.roads[village]) - own

    def _change(self, village: int, guild: str, student: bool) -> float:
        """What a tile of the seat's own on a space changes in the journeys to come."""
        at = self.guilds.index(guild)
        land = self.lands[village]
        changed = (*land[:at], (self.seat, student), *land[at + 1 :])
        return self._prospects({village: changed}) - self._prospects({village: land})

    def _journey(self, source: int, destination: int) -> float:
        """Masters won and lost, and what the two villages are worth before and after."""
        one, two = self.lands[source], self.lands[destination]
        left, reached = self.travel(one, two)
        before = self._prospects({source: one, destination: two})
        after = self._prospects({source: left, destination: reached}, gone=(source, destination))
        tiles = STUDENT * (self._ahead((left, reached), students=True) - self._ahead((one, two), students=True))
        return self._ahead((reached,)) - self._ahead((two,)) + tiles + after - before

    def _ahead(self, lands: Sequence[Land], *, students: bool = False) -> float:
        """How many masters, or students, the seat has in some villages beyond the average of the others."""
        counts = [0 for _ in self.seats]
        for land in lands:
            for tile in land:
                if tile is not None:
                    counts[tile[0]] += tile[1] if students else 1
        return self._lead(counts)

    def _lead(self, counts: Sequence[int]) -> float:
        own = counts[self.seat]
        return own - (sum(counts) - own) / (len(counts) - 1)

    def travel(self, one: Land, two: Land) -> tuple[Land, Land]:
        """The two villages after a journey from `one` to `two`."""
        stronger = strength(one) > strength(two)
        reached = [self._arrive(tile, there, stronger) for tile, there in zip(one, two, strict=True)]
        return tuple(tile and (tile[0], False) for tile in one), tuple(reached)

    def _arrive(
        self, tile: tuple[int, bool] | None, there: tuple[int, bool] | None, stronger: bool
    ) -> tuple[int, bool] | None:
        if tile is None or not tile[1]:
            return there
        if there is None:
            return (tile[0], False)
        if not stronger:
            return there
        if there[0] == tile[0] and not self.literal:
            return (tile[0], True)
        return (tile[0], False)

    def _prospects(self, changed: Mapping[int, Land], gone: tuple[int, int] | None = None) -> float:
        """What the journeys over the bridges of some villages promise, were those villages as given."""
        worth = 0.0
        for village in changed:
            for other in self.roads[village]:
                if gone is not None and village in gone and other in gone:
                    continue
                if other in changed and other < village:
                    continue
                one, two = changed[village], changed.get(other, self.lands[other])
                worth += self._promise(one, two) + self._promise(two, one)
        return worth

    def _promise(self, one: Land, two: Land) -> float:
        """What a journey from one village to another promises the seat, whoever may call it."""
        callers = {tile[0] for tile in one if tile is not None and tile[1]}
        if not callers:
            return 0.0
        counts = self._won(one, two)
        lead = self._lead(counts)
        worth = OWN_NEXT * max(0.0, lead) if self.seat in callers else 0.0
        others = any(caller != self.seat and counts[caller] > 0 for caller in callers)
        return worth + (OTHERS_NEXT * lead if others else 0.0)

    def _won(self, one: Land, two: Land) -> list[int]:
        """By seat, the masters won by a journey, less those lost."""
        stronger = strength(one) > strength(two)
        counts = [0 for _ in self.seats]
        for tile, there in zip(one, two, strict=True):
            if tile is not None and tile[1]:
                if there is None:
                    counts[tile[0]] += 1
                elif stronger and there[0] != tile[0]:
                    counts[tile[0]] += 1
                    counts[there[0]] -= 1
        return counts


def strength(land: Land) -> tuple[int, int]:
    """Tiles, then masters."""
    tiles = [tile for tile in land if tile is not None]
    return len(tiles) + sum(student for _, student in tiles), len(tiles)
