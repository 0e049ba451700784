"""Piles that run short, and the data file that fills them."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest

from moveledger.errors import IllegalMove, MalformedValue
from moveledger.rules.kernel import Draw
from moveledger.rules.santiiba import RULESET
from moveledger.rules.santiiba.actions import Name, Stop, Take
from moveledger.rules.santiiba.data import COMPONENTS, KINDS, RAW, read_components
from moveledger.rules.santiiba.options import Options
from moveledger.rules.santiiba.state import turn_of
from tests.rules.santiiba.positions import (
    actions,
    cards,
    foreseen,
    name,
    piled,
    placed,
    position,
    predict,
    refused,
    rolled,
    stop,
)


@pytest.mark.cites("R6")
def test_short_cards_go_clockwise_from_the_left_of_the_active_seat_and_to_it_last() -> None:
    start = foreseen("elixirs", "elixirs", "bowls")
    for left, holders in ((1, [1]), (2, [1, 2])):
        state = name(piled(start, elixirs=left), "elixirs")
        assert [seat for seat in range(4) if cards(state, seat)] == holders
        assert turn_of(state).area_cards == ()
    assert turn_of(name(piled(start, elixirs=3), "elixirs")).area_cards == ("elixirs",)


@pytest.mark.cites("R6", "R13")
def test_the_order_of_rewards_wraps_around_the_table() -> None:
    state = predict(rolled(3, start=1), {0: "elixirs", 2: "elixirs"})
    after = name(piled(state, elixirs=1), "elixirs")
    assert (cards(after, 2), cards(after, 0)) == ({"elixirs": 1}, {})


@pytest.mark.cites("R6a")
def test_an_empty_pile_leaves_only_the_die_with_its_usual_consequence() -> None:
    start = piled(foreseen("bowls", "bowls"), elixirs=0, herbs=0)
    assert Name("elixirs") in actions(start)
    state = name(start, "elixirs")
    assert actions(state) == [Take("die")]
    assert refused(state, 0, Take("card")) == "pile_empty"
    assert refused(name(start, "elixirs", "die"), 0, Stop()) == "must_name_again"
    assert Stop() in actions(name(start, "herbs", "die"))


@pytest.mark.cites("R6b")
def test_a_forced_card_from_an_empty_pile_is_nothing_and_stopping_is_free() -> None:
    state = name(piled(foreseen("elixirs", "bowls"), elixirs=0), "elixirs")
    assert (turn_of(state).area_cards, turn_of(state).area_dice) == ((), ())
    assert Stop() in actions(state)
    assert [hit.seat for hit in turn_of(state).hits] == [1]
    after = stop(state)
    assert (position(after, 0), cards(after, 0)) == (0, {})


@pytest.mark.cites("R6c")
def test_without_bowls_a_bust_has_no_consolation() -> None:
    state = name(piled(foreseen("herbs"), bowls=0), "herbs")
    assert state.last is not None
    assert (state.last.ending, state.last.cards) == ("bust", ())
    assert cards(state, 0) == {}


@pytest.mark.cites("R6d")
def test_empty_piles_do_not_end_the_game() -> None:
    state = piled(foreseen("bowls", "bowls"), **dict.fromkeys(KINDS, 0))
    assert stop(name(state, "herbs", "die")).phase == "roll"


@pytest.mark.cites("R6e")
def test_a_board_holds_any_number_of_cards() -> None:
    state = foreseen("bowls", "bowls")
    state = replace(state, seers=(replace(state.seers[0], cards=(24, 17, 24, 18, 26)), *state.seers[1:]))
    state = stop(name(piled(state, herbs=0, amulets=1, scorpions=0, elixirs=0, bowls=0), "amulets", "card"))
    assert sum(cards(state, 0).values()) == 110


# --- the data file ---------------------------------------------------------------------------------------


def written(**changes: Any) -> dict[str, Any]:
    return {**copy.deepcopy(dict(RAW)), **changes}


def kinds_with(at: int, **members: Any) -> list[dict[str, Any]]:
    kinds: list[dict[str, Any]] = copy.deepcopy(RAW["kinds"])
    kinds[at] = {"id": kinds[at]["id"], "colour": kinds[at]["colour"], **members}
    return kinds


@pytest.mark.cites("X8")
def test_a_data_file_may_list_the_cards_of_a_kind_when_all_are_worth_the_same() -> None:
    found = read_components(written(kinds=kinds_with(1, values=[4] * 18)))
    assert found == COMPONENTS


@pytest.mark.cites("X8")
def test_a_data_file_with_different_cards_in_a_kind_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="amulets: cards of one kind must all be worth the same"):
        read_components(written(kinds=kinds_with(1, values=[3, 4, 5])))
    with pytest.raises(ValueError, match="amulets: give either values, or count and value"):
        read_components(written(kinds=kinds_with(1, values=[4, 4], count=2)))


def test_a_data_file_names_each_kind_once_and_has_no_unknown_members() -> None:
    with pytest.raises(ValueError, match="each of the five kinds once"):
        read_components(written(kinds=RAW["kinds"][:4]))
    with pytest.raises(MalformedValue):
        read_components(written(colour_of_the_sky="blue"))


@pytest.mark.cites("R16")
def test_shrines_are_named_and_do_nothing() -> None:
    spaces = [shrine.space for shrine in COMPONENTS.track.landmarks]
    assert spaces == [39, 48, 57, 66]
    state = placed(foreseen("bowls", "bowls", end_trigger="end_of_round"), 37, 0, 0)
    after = stop(name(state, "herbs", "die"))
    assert (position(after, 0), cards(after, 0), after.phase) == (39, {}, "roll")


def test_draws_of_the_wrong_shape_or_at_the_wrong_time_are_refused() -> None:
    fresh = RULESET.setup(Options(), 3)
    rolling = RULESET.apply(fresh, Draw((1,)))
    for state, values, code in (
        (fresh, (3,), "wrong_draw"),
        (fresh, (0, 1), "wrong_draw"),
        (rolling, (1, 2, 3, 4), "wrong_draw"),
        (rolling, (1, 2, 3, 4, 7), "wrong_draw"),
        (rolled(3), (1, 2, 3, 4, 5), "no_draw_awaited"),
    ):
        with pytest.raises(IllegalMove) as wrong:
            RULESET.apply(state, Draw(values))
        assert wrong.value.code == f"santiiba.{code}"
