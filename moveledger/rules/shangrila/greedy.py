"""A bot that looks one move ahead: it plays for more masters than the others, from its seat's view alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from moveledger.rules.kernel import View


def greedy(view: View, seat: int, actions: Sequence[Mapping[str, Any]], pick: Callable[[int], int]) -> int:
    """The index of the action with the greatest worth, a tie by `pick`."""
    table = Table(view, seat)
    worths = [table.worth(action) for action in actions]
    best = [at for at, worth in enumerate(worths) if worth == max(worths)]
    return best[pick(len(best))]


class Table:
    """What the bot reads off a view: villages by number, and how many bridges each has left."""

    def __init__(self, view: View, seat: int) -> None:
        seen: Any = view
        self.seat = seat
        self.others = len(seen["seats"]) - 1
        self.literal = seen["options"]["own_master_rule"] == "seed_literal"
        self.villages: dict[int, Any] = {village["id"]: village for village in seen["villages"]}
        standing = [bridge for bridge in seen["bridges"] if bridge["stands"]]
        self.roads: dict[int, int] = {number: self._roads(standing, number) for number in self.villages}

    @staticmethod
    def _roads(standing: list[Any], number: int) -> int:
        return sum(number in (bridge["a"], bridge["b"]) for bridge in standing)

    def worth(self, action: Mapping[str, Any]) -> float:
        """How much an action is worth in masters ahead of the average of the others."""
        match action["type"]:
            case "place_initial":
                return self._first(action)
            case "place_master":
                return 1.0 + self._safety(action["village"])
            case "recruit":
                return sum(0.3 + self._prospect(target) for target in action["targets"])
            case "journey":
                return self._journey(action["from"], action["to"])
            case _:
                return 0.0

    def _first(self, action: Mapping[str, Any]) -> float:
        """A village with many roads, not yet one's own: more spaces to grow into."""
        own = sum(tile is not None and tile["owner"] == self.seat for tile in self._tiles(action["village"]))
        return float(self.roads[action["village"]] - 2.0 * own)

    def _tiles(self, village: int) -> list[Any]:
        return list(self.villages[village]["slots"].values())

    def _safety(self, village: int) -> float:
        """A master is safer where few bridges lead in and the village is strong."""
        return float(0.02 * self.villages[village]["tiles"] - 0.03 * self.roads[village])

    def _prospect(self, target: Mapping[str, Any]) -> float:
        """A student is worth more where it can travel, and where it makes the village strong."""
        return float(0.03 * self.roads[target["village"]] + 0.01 * self.villages[target["village"]]["tiles"])

    def _journey(self, source: int, destination: int) -> float:
        """Own masters gained less what the others gain on average, and what the spent students cost."""
        one, two = self.villages[source], self.villages[destination]
        stronger = (one["tiles"], one["masters"]) > (two["tiles"], two["masters"])
        worth = 0.0
        for guild, tile in one["slots"].items():
            if tile is not None and tile["student"]:
                worth += self._arrival(tile["owner"], two["slots"][guild], stronger)
        return worth

    def _arrival(self, owner: int, there: Any, stronger: bool) -> float:
        spent = self._share(owner) * -0.35
        if there is None:
            return spent + self._share(owner)
        if not stronger:
            return spent
        if there["owner"] == owner and not self.literal:
            return 0.0 if not there["student"] else spent
        lost = 1.0 + (0.35 if there["student"] else 0.0)
        return spent + self._share(owner) - lost * self._share(there["owner"])

    def _share(self, owner: int) -> float:
        return 1.0 if owner == self.seat else -1.0 / self.others
