"""Guesses: what they win and lose, and when they end. On the board 5x5-01, (2,2) grows 1, (3,2) 5 and (1,2) 5."""

from __future__ import annotations

from dataclasses import replace

import pytest

from moveledger.rules.kernel import SPECTATOR, Move, Seat, Term
from moveledger.rules.tiwanaku import RULESET
from moveledger.rules.tiwanaku import data as game_data
from moveledger.rules.tiwanaku.actions import Divine, Pass, Stop
from moveledger.rules.tiwanaku.state import State
from tests.rules.tiwanaku.tables import add, arrange, begin, divine, leave, legal, move, play, refused, score, tribe

BARE = [(1, 0), (1, 2), (2, 2), (3, 3)]
"""Crops 5, 5, 1, 4."""


def ready(*pawns: tuple[int, int], seats: int = 2, **fields: object) -> State:
    """Seat 0 has pawns on bare terrain."""
    return arrange(begin(seats=seats), terrain=pawns, pawns=[pawns], tribes={0: fields})


def test_a_pawn_on_bare_terrain_may_say_any_of_five_values() -> None:
    said = [action for action in legal(ready((1, 0), (2, 2))) if isinstance(action, Divine)]
    assert [(action.at, action.value) for action in said] == [
        (at, value) for at in ((1, 0), (2, 2)) for value in range(1, 6)
    ]


def test_only_an_own_pawn_on_terrain_without_a_crop_divines() -> None:
    state = arrange(begin(), terrain=BARE, pawns=[[(2, 1), (1, 0)], [(1, 2)]])
    assert refused(state, divine(1, 2, 5)) == "no_pawn_of_yours"
    assert refused(state, divine(0, 0, 5)) == "no_pawn_of_yours"
    assert refused(state, divine(2, 1, 2)) == "crop_is_known"
    assert refused(state, divine(1, 0, 6)) == "no_such_crop"
    assert refused(arrange(begin(), pawns=[[(0, 0)]]), divine(0, 0, 3)) == "no_terrain_there"


@pytest.mark.cites("12")
def test_a_value_that_cannot_be_may_be_said() -> None:
    state = ready((2, 2))
    assert state.table.land.crops[10 + 1] == "2", "a neighbour grows 2"
    assert score(play(state, divine(2, 2, 2)), 0) == 9


@pytest.mark.cites("G1")
def test_a_right_guess_wins_the_crops_value_and_an_offering() -> None:
    after = play(ready((3, 3)), divine(3, 3, 4))
    assert score(after, 0) == 14
    assert tribe(after, 0).offerings == (4,)
    assert after.table.land.crops[18] == "4"
    assert (tribe(after, 0).right, tribe(after, 0).wrong) == (1, 0)


@pytest.mark.cites("13", "G2")
@pytest.mark.parametrize("said", [1, 2, 3, 5])
def test_a_wrong_guess_costs_the_true_crops_value_whatever_was_said(said: int) -> None:
    after = play(ready((3, 3)), divine(3, 3, said))
    assert score(after, 0) == 6
    assert tribe(after, 0).offerings == ()
    assert after.table.land.crops[18] == "4"
    assert (tribe(after, 0).right, tribe(after, 0).wrong) == (0, 1)


@pytest.mark.cites("15", "16", "G3")
def test_guesses_go_on_one_by_one_until_one_is_wrong() -> None:
    """The crops 5, 2 and 3: two right guesses and a wrong one are worth 4 in all."""
    state = arrange(begin(), terrain=[(1, 0), (0, 1), (0, 0), (1, 2)], pawns=[[(1, 0), (0, 1), (0, 0), (1, 2)]])
    state = play(state, divine(1, 0, 5))
    assert (state.table.phase, score(state, 0)) == ("divining", 15)
    assert refused(state, divine(1, 0, 5)) == "crop_is_known"
    state = play(state, divine(0, 1, 2))
    assert (state.table.phase, score(state, 0)) == ("divining", 17)
    state = play(state, divine(0, 0, 1))
    assert score(state, 0) == 14
    assert tribe(state, 0).offerings == (2, 5)
    assert state.table.phase == "offer"
    assert refused(state, divine(1, 2, 5)) == "no_divining_now"


@pytest.mark.cites("15")
def test_between_guesses_a_seat_guesses_or_stops() -> None:
    state = play(ready((2, 2), (3, 3)), divine(2, 2, 1))
    assert set(legal(state)) == {Stop(), *(divine(3, 3, value) for value in range(1, 6))}
    assert refused(state, move((2, 2), (3, 2))) == "no_exploring_now"
    assert refused(state, add(0, 0)) == "no_entering_now"
    assert refused(state, Pass()) == "no_passing_now"
    assert play(state, Stop()).table.phase == "offer"


@pytest.mark.cites("15")
def test_without_another_pawn_on_bare_terrain_the_action_ends() -> None:
    assert play(ready((2, 2)), divine(2, 2, 1)).table.phase == "offer"


@pytest.mark.cites("14", "O3")
def test_an_offering_that_is_held_is_not_gained_again_and_the_points_are_full() -> None:
    after = play(ready((1, 0), offerings=(5,)), divine(1, 0, 5))
    assert score(after, 0) == 15
    assert tribe(after, 0).offerings == (5,)


@pytest.mark.cites("17")
def test_after_a_wrong_guess_offerings_can_be_made() -> None:
    after = play(ready((2, 2), offerings=(3, 4)), divine(2, 2, 5))
    assert (after.table.phase, after.table.current) == ("offer", 0)


@pytest.mark.cites("21")
def test_each_of_four_seats_can_hold_every_kind() -> None:
    """The last of a kind is gained while the three others hold it."""
    held = {seat: {"offerings": (1, 2, 3, 4, 5)} for seat in (1, 2, 3)}
    state = arrange(begin(seats=4), terrain=BARE, pawns=[BARE[:3]], tribes={0: {"offerings": (1, 2, 3, 4)}, **held})
    after = play(state, divine(1, 0, 5))
    assert [one.offerings for one in after.table.tribes] == [(1, 2, 3, 4, 5)] * 4


@pytest.mark.cites("24")
def test_a_score_may_fall_below_nothing() -> None:
    assert score(play(ready((1, 0), score=2), divine(1, 0, 1)), 0) == -3


@pytest.mark.cites("24")
def test_a_floor_in_the_data_would_hold_a_score(monkeypatch: pytest.MonkeyPatch) -> None:
    assert game_data.FIGURES.score_floor is None
    monkeypatch.setattr(game_data, "FIGURES", replace(game_data.FIGURES, score_floor=0))
    assert score(play(ready((1, 0), score=2), divine(1, 0, 1)), 0) == 0


@pytest.mark.cites("47")
def test_points_come_before_the_offering() -> None:
    before = ready((3, 3))
    given = Move(Seat(0), divine(3, 3, 4))
    notes = RULESET.describe(before, given, RULESET.apply(before, given), SPECTATOR)
    assert [note.key for note in notes] == ["crop_said", "guess_right", "offering_gained"]
    assert notes[1].arguments == {"seat": 0, "crop": Term("crop.maize"), "points": 4}


@pytest.mark.cites("27")
def test_crops_run_out_for_nobody_and_their_number_is_shown() -> None:
    state = ready((1, 0))
    counts = RULESET.view(state, SPECTATOR)["crops_placed"]
    assert counts == [1, 4, 0, 0, 0]
    after = play(state, divine(1, 0, 5))
    assert RULESET.view(after, SPECTATOR)["crops_placed"] == [1, 4, 0, 0, 1]


def test_a_guess_counts_against_standing_still_and_a_departure_in_between_is_borne() -> None:
    state = play(ready((2, 2), (3, 3), seats=3), divine(2, 2, 1))
    assert state.table.idle == 0
    assert legal(leave(state, 2)) == legal(state)
