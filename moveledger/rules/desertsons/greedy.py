"""A bot that looks one step ahead: it lays tiles where its figures gain, and picks what it lacks.

It reads its seat's view only. Worths are in half gold, so that all of it stays in whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from moveledger.rules.kernel import View

Json = Mapping[str, Any]
SIDES = "NESW"
WATER = 3
"""What 1 water is worth to the bot, in half gold."""


@dataclass(slots=True)
class Oasis:
    """What lies in one oasis: symbols, figures as (height, seat), and how many of its sides face an empty cell."""

    symbols: list[str] = field(default_factory=list)
    figures: list[tuple[int, int]] = field(default_factory=list)
    gaps: int = 0


class Scene:
    """The view of one seat, with all oases found once."""

    def __init__(self, view: View, seat: int) -> None:
        self.view = cast(Any, view)
        self.seat = seat
        self.me = self.view["seats"][seat]
        self.board = self.view["board"]
        self.width: int = self.view["width"]
        self.standing = {(f["cell"], f["part"]): (f["height"], f["seat"]) for f in self.view["figures"]}
        self.oasis_at: dict[tuple[int, int], Oasis] = {}
        for cell, tile in enumerate(self.board):
            for part in range(len(tile["parts"]) if tile else 0):
                if (cell, part) not in self.oasis_at:
                    self._gather(cell, part)

    def beside(self, cell: int, side: int) -> int | None:
        """The cell on that side, None beyond the border."""
        x, y = cell % self.width + (0, 1, 0, -1)[side], cell // self.width + (-1, 0, 1, 0)[side]
        return self.width * y + x if 0 <= x < self.width and 0 <= y < self.width else None

    def _gather(self, cell: int, part: int) -> None:
        oasis, todo = Oasis(), [(cell, part)]
        self.oasis_at[cell, part] = oasis
        while todo:
            at = todo.pop()
            here = self.board[at[0]]["parts"][at[1]]
            oasis.symbols += here["symbols"]
            oasis.figures += [self.standing[at]] if at in self.standing else []
            for side in map(SIDES.index, here["edges"]):
                beside = self.beside(at[0], side)
                joined = self.joined(beside, side)
                oasis.gaps += beside is not None and self.board[beside] is None
                if joined and joined not in self.oasis_at:
                    self.oasis_at[joined] = oasis
                    todo.append(joined)

    def joined(self, beside: int | None, side: int) -> tuple[int, int] | None:
        """The part of the neighbour on that side that touches the common edge."""
        if beside is None or self.board[beside] is None:
            return None
        facing = SIDES[side ^ 2]
        parts = enumerate(self.board[beside]["parts"])
        return next(((beside, at) for at, part in parts if facing in part["edges"]), None)

    # --- what an oasis is worth ---

    def want(self, symbol: str, space: int) -> int:
        """What a symbol is worth to a seat with that much space."""
        supply = self.view["supply"]
        if symbol == "water":
            return WATER if supply["water"] else 0
        if symbol == "camel":
            return (7 if space < 2 else 4) if supply["camels"] else 0
        if symbol == "rumour":
            return 2
        return 8 if space > 0 and supply["goods"][symbol] else 0

    def gain(self, oasis: Oasis) -> int:
        """What the seat gets out of an oasis that is scored as it stands, less half of what the others get."""
        turban, seats, mine, theirs = self.view["turban"]["figure"], self.view["seats"], 0, 0
        order = sorted(oasis.figures, key=lambda figure: (figure[0] != turban, -figure[0]))
        space = {seat: seats[seat]["space"] for _, seat in order}
        left = list(oasis.symbols)
        for at, (_, seat) in enumerate(order):
            if at == 0 and len(order) > 1 and left:
                mine -= WATER if seat == self.seat else 0
                if not seats[seat]["water"]:
                    continue
            best = max(left, key=lambda symbol: self.want(symbol, space[seat]), default=None)
            if best is None:
                break
            left.remove(best)
            worth = self.want(best, space[seat])
            space[seat] += 2 if best == "camel" else -(worth == 8)
            mine, theirs = (mine + worth, theirs) if seat == self.seat else (mine, theirs + worth)
        return 2 * mine - theirs

    def worth(self, oasis: Oasis) -> int:
        """The gain, the less the more is left to discover before it is scored."""
        return self.gain(oasis) * 6 // (6 + 5 * oasis.gaps)

    def with_figure(self, oasis: Oasis) -> tuple[int, int]:
        """The best worth with one more figure of the seat, and which; (0, 0) with none at hand or no use for one."""
        cost = (2, 3, 5, 8)[4 - len(self.me["at_hand"])] if self.me["at_hand"] and oasis.gaps else 0
        found = (0, 0)
        for height in self.me["at_hand"]:
            more = Oasis(oasis.symbols, [*oasis.figures, (height, self.seat)], oasis.gaps)
            found = max(found, (self.worth(more) - self.worth(oasis) - cost, height))
        return found

    # --- what a placement is worth ---

    def laying(self, tile: Json, cell: int, rotation: int) -> int:
        """How much better the seat stands once the tile lies there, with the best figure put on it."""
        total, best_figure = 1 if tile["parts"] else 3, 0
        touched: list[Oasis] = []
        for part in tile["parts"]:
            merged = Oasis(list(part["symbols"]))
            for name in part["edges"]:
                side = (SIDES.index(name) + rotation) % 4
                beside = self.beside(cell, side)
                at = self.joined(beside, side)
                merged.gaps += -1 if at else beside is not None
                if at and not any(self.oasis_at[at] is known for known in touched):
                    found = self.oasis_at[at]
                    touched.append(found)
                    merged.symbols += found.symbols
                    merged.figures += found.figures
                    merged.gaps += found.gaps
            total += self.worth(merged)
            best_figure = max(best_figure, self.with_figure(merged)[0])
        return total + best_figure - sum(self.worth(oasis) for oasis in touched)

    def promise(self, cell: int) -> int:
        """What a drawn tile may bring in an empty cell: the oases with a gap there that are worth something."""
        total = 4
        for side in range(4):
            at = self.joined(self.beside(cell, side), side)
            if at:
                oasis = self.oasis_at[at]
                total += max(0, self.gain(oasis) // (2 * oasis.gaps + 1)) + len(oasis.symbols)
        return total

    def open_cells(self, cell: int) -> list[int]:
        """The empty cells beside a cell."""
        around = (self.beside(cell, side) for side in range(4))
        return [beside for beside in around if beside is not None and self.board[beside] is None]

    def fitting(self, tile: Json, cell: int) -> Iterator[int]:
        """The rotations in which a tile fits in a cell."""
        for rotation in range(4):
            if all(self._matches(tile, cell, rotation, side) for side in range(4)):
                yield rotation

    def _matches(self, tile: Json, cell: int, rotation: int, side: int) -> bool:
        edge, beside = tile["edges"][(side - rotation) % 4], self.beside(cell, side)
        if beside is None:
            return edge == "D" or not self.view["options"]["desert_border"]
        return self.board[beside] is None or bool(self.board[beside]["edges"][side ^ 2] == edge)


# --- one answer for each phase ---------------------------------------------------------------------------


def greedy(view: View, seat: int, actions: Sequence[Json], pick: Callable[[int], int]) -> int:
    """The index of the action that looks best; `pick` breaks ties."""
    if len(actions) == 1:
        return 0
    scene = Scene(view, seat)
    judge = _JUDGES.get(str(view["phase"]), _judge_nothing)
    values = judge(scene, actions)
    best = [at for at, value in enumerate(values) if value == max(values)]
    return best[pick(len(best))]


def _judge_nothing(_: Scene, actions: Sequence[Json]) -> list[int]:
    return [0] * len(actions)


def _judge_moves(scene: Scene, actions: Sequence[Json]) -> list[int]:
    """Where the best tile of the display can go, or where a drawn one promises most; water is dear."""
    worth: dict[int, int] = {}

    def at_best(cell: int) -> int:
        if cell not in worth:
            lays = (scene.laying(t, cell, r) for t in scene.me["display"] for r in scene.fitting(t, cell))
            can_draw = scene.view["stack"]["left"] and len(scene.me["display"]) < 3
            worth[cell] = max([scene.promise(cell) if can_draw else 0, *lays])
        return worth[cell]

    near = _free_cells(scene)
    return [
        max(map(at_best, scene.open_cells(action["cell"])), default=-9) - (0 if action["cell"] in near else 2 * WATER)
        for action in actions
    ]


def _free_cells(scene: Scene) -> set[int]:
    """Cells reached over one white line at most, near enough to what the rules call free."""
    seen = {(scene.me["caravan"], 0)}
    todo = list(seen)
    while todo:
        cell, lines = todo.pop()
        for side in range(4):
            beside = scene.beside(cell, side)
            if beside is None or scene.board[beside] is None:
                continue
            step = (beside, lines + (scene.board[beside]["edges"][side ^ 2] == "O"))
            if step[1] < 2 and step not in seen:
                seen.add(step)
                todo.append(step)
    return {cell for cell, _ in seen}


def _judge_explorations(scene: Scene, actions: Sequence[Json]) -> list[int]:
    """The best tile at hand against what a drawn one promises on average."""
    here = scene.open_cells(scene.me["caravan"])
    values = []
    for action in actions:
        if action["type"] == "draw":
            values.append(max(map(scene.promise, here), default=0))
        elif action["type"] == "no_explore":
            values.append(2)
        else:
            owner = action.get("seat", scene.seat)
            tile = scene.view["seats"][owner]["display"][action["slot"]]
            price = 0 if owner == scene.seat else 2 * WATER
            values.append(scene.laying(tile, action["cell"], action["rotation"]) - price)
    return values


def _judge_placements(scene: Scene, actions: Sequence[Json]) -> list[int]:
    return [scene.laying(scene.view["tile"], action["cell"], action["rotation"]) for action in actions]


def _judge_figures(scene: Scene, actions: Sequence[Json]) -> list[int]:
    """The figure that gains most; one that gains nothing comes home when none is at hand."""
    values = []
    for action in actions:
        if action["type"] == "place_figure":
            worth, height = scene.with_figure(scene.oasis_at[scene.view["laid"], action["part"]])
            values.append(worth if height == action["figure"] else -1)
        elif action["type"] == "remove_figure":
            spot = next(spot for spot, figure in scene.standing.items() if figure[0] == action["figure"])
            idle = not scene.me["at_hand"] and scene.worth(scene.oasis_at[spot]) < 2
            values.append(1 if idle else -1)
        else:
            values.append(0)
    return values


def _judge_picks(scene: Scene, actions: Sequence[Json]) -> list[int]:
    space = scene.me["space"]
    return [scene.want(action["symbol"], space) if action["type"] == "pick" else -1 for action in actions]


def _lead(scene: Scene, good: str) -> int:
    """How many more of a good the seat has than the others on average, times the number of others."""
    others = [trader["goods"][good] for at, trader in enumerate(scene.view["seats"]) if at != scene.seat]
    return int(scene.me["goods"][good] * len(others) - sum(others))


def _judge_rumour_places(scene: Scene, actions: Sequence[Json]) -> list[int]:
    value = scene.view["rumours"]["held"]["value"]
    return [value * _lead(scene, action["good"]) if action["type"] == "assign" else -1 for action in actions]


def _judge_peeks(scene: Scene, actions: Sequence[Json]) -> list[int]:
    return [abs(_lead(scene, action["good"])) for action in actions]


def _judge_verdict(scene: Scene, actions: Sequence[Json]) -> list[int]:
    rumours = scene.view["rumours"]
    good, slot = rumours["looked_at"]["good"], rumours["looked_at"]["slot"]
    lying = next(entry["slots"][slot] for entry in rumours["on_goods"] if entry["good"] == good)
    helps = lying["value"] * _lead(scene, good) >= 0
    return [int((action["type"] == "keep") == helps) for action in actions]


def _judge_bonus(scene: Scene, actions: Sequence[Json]) -> list[int]:
    """One water is kept for the tax, until the last turn makes it worthless."""
    rich = scene.me["water"] > 1 or scene.view["last_turns"] is not None
    return [int((action["type"] == "buy_bonus") == rich) for action in actions]


_JUDGES: Mapping[str, Callable[[Scene, Sequence[Json]], list[int]]] = {
    "move": _judge_moves,
    "explore": _judge_explorations,
    "place": _judge_placements,
    "figure": _judge_figures,
    "pick": _judge_picks,
    "assign": _judge_rumour_places,
    "peek": _judge_peeks,
    "decide": _judge_verdict,
    "bonus": _judge_bonus,
}
