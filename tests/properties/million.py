"""A million draws and their chi-squared statistics: `python -m tests.properties.million`. Takes about a minute.

The tests do the same with thousands; this is for whoever wants to see it done in full.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from itertools import permutations

from moveledger.rules.kernel import Pick, Request, Roll, Seed
from tests.properties.test_uniformity import answers, bound, chi_squared

Cells = Iterable[Hashable]
TABLE: list[tuple[str, Request, int, Callable[[list[tuple[int, ...]]], Cells], list[Hashable]]] = [
    ("one die of 6", Roll(1, 6), 250_000, lambda drawn: drawn, [(n,) for n in range(1, 7)]),
    ("faces of five dice", Roll(5, 6), 200_000, lambda drawn: (n for draw in drawn for n in draw), [*range(1, 7)]),
    ("pairs of dice", Roll(2, 6), 150_000, lambda drawn: drawn, [(a, b) for a in range(1, 7) for b in range(1, 7)]),
    ("one of 17", Pick(1, 17), 150_000, lambda drawn: drawn, [(n,) for n in range(17)]),
    ("three of 72, the last", Pick(3, 72), 100_000, lambda drawn: (draw[2] for draw in drawn), [*range(72)]),
    ("orders of four", Pick(4, 4), 100_000, lambda drawn: drawn, [*permutations(range(4))]),
    ("low bytes of a seed", Seed(256), 50_000, lambda drawn: (n & 255 for draw in drawn for n in draw), [*range(256)]),
]


def main() -> None:
    """Draw and say, row by row, the statistic and what a fair source exceeds once in a million."""
    total = 0
    for name, request, count, cells_of, possible in TABLE:
        found, limit = chi_squared(cells_of(answers(request, count)), possible), bound(len(possible) - 1)
        total += count
        verdict = "holds" if found < limit else "FAILS"
        print(
            f"{name:<24}{count:>9} draws  chi2 {found:9.1f}  df {len(possible) - 1:>4}  bound {limit:9.1f}  {verdict}"
        )
    print(f"{total} draws")


if __name__ == "__main__":
    main()
