"""What holds after every input of every game."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from moveledger.rules.encoding import read_options
from moveledger.rules.kernel import Move
from moveledger.rules.tiwanaku import RULESET
from moveledger.rules.tiwanaku.actions import Divine, ExploreAdd, ExploreMove, Offer
from moveledger.rules.tiwanaku.data import PAWNS
from moveledger.rules.tiwanaku.state import State
from tests.rules import playouts
from tests.rules.playouts import Step

OPTIONS = st.fixed_dictionaries(
    {
        "reading": st.sampled_from(["dossier", "seed"]),
        "board": st.sampled_from(["5x5", "5x6", "5x7", "5x8", "5x9"]),
        "start": st.sampled_from(["normal", "logic", "hard"]),
    },
    optional={
        "final_rounds": st.sampled_from(["loop", "single"]),
        "final_offers": st.sampled_from(["each", "last"]),
        "entry": st.sampled_from(["as_step", "then_move"]),
        "offer_after_removal": st.booleans(),
        "tile_totals": st.sampled_from(["public", "hidden"]),
        "start_score": st.integers(0, 50),
        "stall_rounds": st.integers(1, 4),
    },
)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(options=OPTIONS, seats=st.integers(1, 4), seed=st.integers(0, 10_000), leaves=st.sampled_from([0.0, 0.02]))
def test_the_books_balance_after_every_input(options: dict[str, Any], seats: int, seed: int, leaves: float) -> None:
    chosen = read_options(RULESET, options)
    starts = 0
    for step in playouts.play(RULESET, options=chosen, seats=seats, seed=seed, leaves=leaves):
        if step.before.board is None and step.after.board is not None:
            starts = tiles(step.after)
        check_table(step.after, seats)
        check_counts(step.after, starts)
        check_points(step)


def tiles(state: State) -> int:
    return sum(letter != "." for letter in state.table.land.terrain)


def check_table(state: State, seats: int) -> None:
    table, board = state.table, state.board
    pawns = [pawn for tribe in table.tribes for pawn in tribe.pawns]
    assert len(set(pawns)) == len(pawns), "one pawn to a space"
    for at, (letter, crop) in enumerate(zip(table.land.terrain, table.land.crops, strict=True)):
        assert crop == "." or letter != ".", "a crop lies on terrain"
        assert board is None or letter in (".", board.terrain[at])
        assert board is None or crop in (".", board.crops[at])
    for seat, tribe in enumerate(table.tribes):
        assert tribe.supply + len(tribe.pawns) == PAWNS[seats - 1]
        assert tribe.pawns == tuple(sorted(tribe.pawns))
        assert tribe.offerings == tuple(sorted(set(tribe.offerings)))
        assert set(tribe.offerings) <= {1, 2, 3, 4, 5}
        assert all(table.land.terrain[pawn] != "." or pawn == table.entered for pawn in tribe.pawns)
        assert seat not in table.left or (tribe.out and not tribe.pawns)
    assert (table.entered is None) == (table.phase != "entered") or table.phase == "over"


def check_counts(state: State, starts: int) -> None:
    table = state.table
    if table.totals is not None:
        placed = [table.land.terrain.count(letter) for letter in "ESGR"]
        left = [total - laid for total, laid in zip(table.totals, placed, strict=True)]
        assert min(left) >= 0
        assert sum(left) == table.land.terrain.count(".")
    if state.board is not None:
        assert sum(sum(tribe.levels) for tribe in table.tribes) == tiles(state) - starts
        guesses = sum(tribe.right + tribe.wrong for tribe in table.tribes)
        assert guesses == sum(crop != "." for crop in table.land.crops) - starts


def check_points(step: Step) -> None:
    """The only points are those of discoveries, guesses and offerings of the seat that moved."""
    gained = [now.score - was.score for was, now in zip(step.before.table.tribes, step.after.table.tribes, strict=True)]
    if not isinstance(step.input, Move):
        assert not any(gained)
        return
    match step.input.action:
        case ExploreMove() | ExploreAdd() | Divine():
            expected = sum(found.points for found in step.after.table.found)
        case Offer(kinds):
            expected = [0, 0, 1, 3, 6, 10][len(kinds)]
        case _:
            expected = sum(found.points for found in step.after.table.found)
    seat = step.input.seat
    assert gained[seat] == expected
    assert not any(points for other, points in enumerate(gained) if other != seat)


@pytest.mark.parametrize("reading", ["dossier", "seed"])
def test_a_reading_sets_its_column_and_single_options_win(reading: str) -> None:
    options = read_options(RULESET, {"reading": reading, "start_score": 7})
    assert options.start_score == 7
    rest = (options.final_rounds, options.entry, options.offer_after_removal, options.tile_totals, options.stall_rounds)
    assert (
        rest
        == {
            "dossier": ("loop", "as_step", False, "public", 3),
            "seed": ("single", "then_move", True, "hidden", 10),
        }[reading]
    )
    assert read_options(RULESET, {"reading": reading}).start_score == {"dossier": 10, "seed": 0}[reading]
