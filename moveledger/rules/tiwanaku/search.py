"""The depth-first search behind the hidden boards, with a bound on the spaces it visits.

It fills columns from top to bottom, so a space has at most four neighbours that are filled already: the one above, the
one to the left and the two corners to the left. A region is written as one number: a name for it times 32, plus the set
of its crops in five bits. `front` holds, for each row, the region of the row's rightmost filled space; a region is
open as long as a space of it has a free neighbour, and such spaces all lie in `front`.
"""

from __future__ import annotations

from collections.abc import Sequence

from moveledger.rules.tiwanaku.data import ROWS

Order = Sequence[tuple[int, int]]
"""Pairs of a terrain 0..3 and a crop as a bit 1, 2, 4, 8, 16, in the order in which a space tries them."""

CROP_BITS = 31
NOWHERE = (-1, -2, -3)
"""Kinds of the space above, to the left and at the corner between them where there is none: never equal."""


class _Spent(Exception):
    """The bound on visits is reached."""


def search(columns: int, orders: Sequence[Order], visits: int) -> tuple[list[int], list[int]] | None:
    """Terrain and crop (as a bit) of each space, row by row; None when `visits` visits found no board."""
    attempt = _Attempt(columns, orders, visits)
    try:
        if not attempt.fill(0, (0,) * ROWS):
            return None
    except _Spent:
        return None
    by_rows = [column * ROWS + row for row in range(ROWS) for column in range(columns)]
    return [attempt.kinds[at] for at in by_rows], [attempt.crops[at] for at in by_rows]


class _Attempt:
    """One attempt at a board; spaces are numbered column by column."""

    def __init__(self, columns: int, orders: Sequence[Order], visits: int) -> None:
        self.size = columns * ROWS
        self.orders = orders
        self.visits = visits
        self.kinds = [-1] * self.size
        self.crops = [0] * self.size

    def fill(self, at: int, front: tuple[int, ...]) -> bool:
        """Fill the spaces from `at` on; whether that can be done."""
        if at == self.size:
            return True
        self.visits -= 1
        if self.visits < 0:
            raise _Spent
        row = at % ROWS
        kinds = self.kinds
        above, left, corner = NOWHERE
        if row:
            above = kinds[at - 1]
        if at >= ROWS:
            left = kinds[at - ROWS]
            if row:
                corner = kinds[at - ROWS - 1]
        allowed = self._allowed(at, front, above, left, corner)
        if not any(allowed):
            return False
        for kind, crop in self.orders[at]:
            if allowed[kind] & crop:
                kinds[at], self.crops[at] = kind, crop
                if self.fill(at + 1, _extended(front, at, crop, kind == above, kind == left)):
                    return True
        return False

    def _allowed(self, at: int, front: tuple[int, ...], above: int, left: int, corner: int) -> list[int]:
        """For each terrain, the crops that may grow on space `at`, as bits."""
        row = at % ROWS
        region_above, region_left = front[row - 1], front[row]
        forced = self._forced(at, front)
        if above == left != corner:
            forced |= 1 << above
        if forced & (forced - 1):
            return [0]
        free = self._free_crops(at, row)
        allowed = [0, 0, 0, 0]
        for kind in range(4):
            if forced and not forced >> kind & 1:
                continue
            crops = free
            if kind == above:
                crops &= ~region_above
                if kind == left and region_left != region_above:
                    crops = 0 if region_above & region_left & CROP_BITS else crops & ~region_left
            elif kind == left:
                crops &= ~region_left
            elif kind == corner:
                crops = 0
            allowed[kind] = crops
        if at == self.size - 1:
            _keep_completing(allowed, region_above, region_left, above, left)
        return allowed

    def _forced(self, at: int, front: tuple[int, ...]) -> int:
        """The terrains, as bits, of unfinished regions whose last free neighbour is space `at`."""
        row = at % ROWS
        in_last_column = at >= self.size - ROWS
        forced = 0
        if at >= ROWS and _is_unfinished(front[row]):
            elsewhere = front[row + 1 :] if in_last_column else front[:row] + front[row + 1 :]
            if front[row] not in elsewhere:
                forced |= 1 << self.kinds[at - ROWS]
        if in_last_column and row and _is_unfinished(front[row - 1]) and front[row - 1] not in front[row + 1 :]:
            forced |= 1 << self.kinds[at - 1]
        return forced

    def _free_crops(self, at: int, row: int) -> int:
        """The crops, as bits, that no filled neighbour of space `at` grows."""
        crops = self.crops
        taken = crops[at - 1] if row else 0
        if at >= ROWS:
            taken |= crops[at - ROWS]
            if row:
                taken |= crops[at - ROWS - 1]
            if row < ROWS - 1:
                taken |= crops[at - ROWS + 1]
        return CROP_BITS & ~taken


def _is_unfinished(region: int) -> bool:
    """Whether the region's crops are not yet 1..n."""
    held = region & CROP_BITS
    return held & (held + 1) != 0


def _keep_completing(allowed: list[int], region_above: int, region_left: int, above: int, left: int) -> None:
    """On the last space: keep the crops that finish its region."""
    for kind in range(4):
        held = (region_above if kind == above else 0) | (region_left if kind == left else 0)
        allowed[kind] &= sum(bit for bit in (1, 2, 4, 8, 16) if not _is_unfinished(held | bit))


def _extended(front: tuple[int, ...], at: int, crop: int, joins_above: bool, joins_left: bool) -> tuple[int, ...]:
    """`front` after space `at` got `crop`, alone or in the regions that it joins."""
    row = at % ROWS
    region_above = front[row - 1] if joins_above else -1
    region_left = front[row] if joins_left else -1
    held = crop | (region_above & CROP_BITS if joins_above else 0) | (region_left & CROP_BITS if joins_left else 0)
    region = (at + 1) << 5 | held
    if joins_above or joins_left:
        front = tuple([region if one in (region_above, region_left) else one for one in front])
    return (*front[:row], region, *front[row + 1 :])
