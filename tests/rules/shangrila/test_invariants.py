"""What holds after every input of every game."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from moveledger.rules.encoding import read_options
from moveledger.rules.kernel import Move, Seat
from moveledger.rules.shangrila import RULESET
from moveledger.rules.shangrila.data import BRIDGES_OF, GUILDS, TILES_PER_GUILD, VILLAGES
from moveledger.rules.shangrila.state import State, is_open, open_villages, score_of, strength
from tests.rules.playouts import Step, play

CHOICES: dict[str, list[Any]] = {
    "setup": ["free", "layout"],
    "recruit": ["one_or_two", "two"],
    "own_master_rule": ["stay", "seed_literal"],
    "setup_caps": [True, False],
    "three_seats": ["reduced", "full"],
    "end": ["two_open", "no_bridge"],
}
OPTIONS = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in CHOICES.items()})


@settings(max_examples=60, deadline=None)
@given(options=OPTIONS, seats=st.sampled_from([3, 4]), seed=st.integers(0, 10**6), leaves=st.sampled_from([0, 0.01]))
def test_every_input_keeps_the_invariants(options: dict[str, object], seats: int, seed: int, leaves: float) -> None:
    chosen = read_options(RULESET, options)
    for step in play(RULESET, options=chosen, seats=seats, seed=seed, bound=600, leaves=leaves):
        no_tile_is_lost_or_made(step.after)
        bridges_and_stones_agree(step.after)
        masters_never_fall(step)
        the_source_of_a_journey_keeps_its_masters(step)
        assert all(0 <= count <= TILES_PER_GUILD for own in step.after.supply for count in own)


def no_tile_is_lost_or_made(state: State) -> None:
    """Of each guild and seat six tiles, on the board or beside it; a student shares its master's owner by its type."""
    for seat in range(state.seats):
        for at, _ in enumerate(GUILDS):
            tiles = [slots[at] for slots in state.board]
            laid = sum(1 + tile.student for tile in tiles if tile is not None and tile.owner == seat)
            assert laid + state.supply[seat][at] == TILES_PER_GUILD


def bridges_and_stones_agree(state: State) -> None:
    """Never exactly one village open, and two open mean one bridge."""
    for village in VILLAGES:
        assert is_open(state, village) == bool(set(BRIDGES_OF[village]) & set(state.bridges))
    here = len(open_villages(state))
    assert here != 1
    if here == 2:
        assert len(state.bridges) == 1


def masters_never_fall(step: Step) -> None:
    """A village that has had a master has one, and the number of masters never falls."""
    for village in VILLAGES:
        assert strength(step.after, village).masters >= min(1, strength(step.before, village).masters)
    seats = [Seat(seat) for seat in range(step.before.seats)]
    assert sum(score_of(step.after, seat) for seat in seats) >= sum(score_of(step.before, seat) for seat in seats)


def the_source_of_a_journey_keeps_its_masters(step: Step) -> None:
    if isinstance(step.input, Move) and step.input.action.type == "journey":
        source = step.input.action.from_ - 1
        before, after = step.before.board[source], step.after.board[source]
        assert [tile and tile.owner for tile in before] == [tile and tile.owner for tile in after]
        assert not any(tile is not None and tile.student for tile in after)
