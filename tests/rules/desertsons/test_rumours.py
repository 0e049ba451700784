"""Rumours: drawn in secret, placed, looked at, removed, and who knows what."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from moveledger.rules.desertsons import RULESET
from moveledger.rules.desertsons.actions import (
    AssignRumour,
    KeepRumour,
    PassPick,
    PeekRumour,
    PickSymbol,
    RemoveRumour,
    ReturnRumour,
)
from moveledger.rules.desertsons.data import RUMOURS, cell_at
from moveledger.rules.desertsons.score import prices
from moveledger.rules.desertsons.state import Rumour, State
from moveledger.rules.desertsons.turn import finish
from moveledger.rules.kernel import REFEREE, SPECTATOR, Chance, Draw, Move, Observer, Pick, Seat
from tests.rules.desertsons.scenes import (
    ANNA,
    BEN,
    CLEO,
    act,
    draw,
    facing,
    opened,
    options_of,
    put,
    refused,
    scored,
    stand,
    whats,
)


def rumour_time(**given: Any) -> State:
    """Anna's 16 and Ben's 15 are in a closed oasis with two rumours and water: T24, T43, T31 turned to fit."""
    tiles = {cell_at(2, 2): ("T24", 1), cell_at(2, 3): ("T31", 3), cell_at(3, 2): ("T43", 2), cell_at(3, 3): ("T60", 3)}
    tiles |= {cell_at(1, 3): ("T74", 1)}
    state = put(opened(4, **given), tiles)
    state = stand(state, {16: cell_at(2, 2), 15: cell_at(3, 2), 14: cell_at(2, 3)})
    return scored(facing(state, "figure", laid=cell_at(2, 2), turban=3, active=CLEO))


def rumours_seen(state: State, observer: Observer) -> Any:
    """What the observer's view tells of the rumours."""
    return RULESET.view(state, observer)["rumours"]


def sees(state: State, observer: Observer) -> list[int | None]:
    """The values that an observer sees of the rumours that lie on goods, in order."""
    lying = [slot for entry in rumours_seen(state, observer)["on_goods"] for slot in entry["slots"]]
    return [slot["value"] for slot in lying if slot]


def all_on_goods(state: State) -> State:
    """Every rumour lies on a good, unseen, and the pool is empty."""
    lying = tuple(Rumour(value, ()) for value in RUMOURS)
    return replace(state, pool=(), rumours=(*lying, None, None))


@pytest.mark.cites("R1")
def test_chance_draws_a_rumour_for_the_picker_alone() -> None:
    state = act(rumour_time(), PickSymbol("rumour"))
    assert RULESET.awaiting(state) == Chance(Pick(1, 6))
    assert RULESET.audience(state, Draw((5,))) == frozenset()
    held = draw(state, 5)
    assert (held.phase, held.held, held.pool) == ("assign", 2, RUMOURS[:5])
    assert [held_value(held, Observer(Seat(seat))) for seat in range(4)] == [2, None, None, None]
    assert held_value(held, SPECTATOR) is None
    assert held_value(held, REFEREE) == 2


def held_value(state: State, observer: Observer) -> object:
    return rumours_seen(state, observer)["held"]["value"]


@pytest.mark.cites("R1", "R5")
def test_every_other_input_is_public_to_all() -> None:
    state = rumour_time()
    assert RULESET.audience(state, Move(Seat(ANNA), PickSymbol("rumour"))) is None
    looking = facing(all_on_goods(state), "peek")
    assert RULESET.audience(looking, Move(Seat(ANNA), PeekRumour("gem", 0))) is None
    assert RULESET.audience(facing(opened(), "draw"), Draw((0,))) is None
    assert RULESET.audience(facing(opened(), "replace", victim=BEN), Draw((0,))) is None


@pytest.mark.cites("R2", "R6")
def test_a_drawn_rumour_must_be_placed_on_a_good_with_a_free_slot() -> None:
    state = draw(act(rumour_time(), PickSymbol("rumour")), 5)
    assert options_of(state) == [
        AssignRumour("incense"),
        AssignRumour("myrrh"),
        AssignRumour("salt"),
        AssignRumour("gem"),
    ]
    assert refused(state, ReturnRumour()) == "rumour_must_be_placed"
    assert refused(state, PassPick()) == "wrong_phase"
    full = replace(state, rumours=(Rumour(1, ()), Rumour(-1, ()), *state.rumours[2:]))
    assert refused(full, AssignRumour("incense")) == "no_free_slot"
    assert AssignRumour("incense") not in options_of(full)
    placed = act(full, AssignRumour("myrrh"))
    assert placed.rumours[2] == Rumour(2, (ANNA,))
    assert placed.held is None
    assert placed.phase == "pick", "Ben's figure is next"


@pytest.mark.cites("R2", "X12")
def test_in_the_other_reading_it_may_go_back_to_the_pool_unseen_by_others() -> None:
    drawn = act(rumour_time(rumour_placement="may"), PickSymbol("rumour"))
    state = draw(drawn, 5)
    assert options_of(state)[-1] == ReturnRumour()
    back = act(state, ReturnRumour())
    assert (back.pool, back.held, back.rumours) == (RUMOURS, None, (None,) * 8)
    again = draw(act(back, PickSymbol("rumour")), 5)
    assert (again.held, held_value(again, Observer(Seat(BEN))), held_value(again, Observer(Seat(ANNA)))) == (2, 2, None)


@pytest.mark.cites("R3")
def test_with_an_empty_pool_a_rumour_on_a_good_is_looked_at_and_kept_or_removed() -> None:
    state = act(all_on_goods(rumour_time()), PickSymbol("rumour"))
    assert state.phase == "peek"
    assert len(options_of(state)) == 6
    assert refused(state, PeekRumour("gem", 0)) == "no_rumour_there"
    looked = act(state, PeekRumour("incense", 0))
    assert options_of(looked) == [KeepRumour(), RemoveRumour()]
    assert act(looked, KeepRumour()).rumours[0] == Rumour(-2, (ANNA,))
    gone = act(looked, RemoveRumour())
    assert (gone.rumours[0], gone.removed, gone.pool) == (None, (Rumour(-2, (ANNA,)),), ())
    assert act(gone, PickSymbol("rumour")).phase == "peek", "what was removed does not come back to the pool"


@pytest.mark.cites("R4")
def test_without_any_rumour_to_draw_or_to_look_at_the_symbol_cannot_be_chosen() -> None:
    state = replace(rumour_time(), pool=())
    assert refused(state, PickSymbol("rumour")) == "no_rumour_left"
    assert PickSymbol("rumour") not in options_of(state)


@pytest.mark.cites("R5")
def test_who_looked_keeps_seeing_the_value_and_all_see_who_looked() -> None:
    placed = act(draw(act(rumour_time(), PickSymbol("rumour")), 5), AssignRumour("myrrh"))
    assert [sees(placed, Observer(Seat(seat))) for seat in range(4)] == [[2], [None], [None], [None]]
    looked = act(replace(placed, pool=()), PickSymbol("rumour"), PeekRumour("myrrh", 0))
    assert [sees(looked, Observer(Seat(seat))) for seat in range(4)] == [[2], [2], [None], [None]]
    assert looked.rumours[2] == Rumour(2, (ANNA, BEN))
    seen = rumours_seen(looked, SPECTATOR)
    assert seen["looked_at"] == {"seat": BEN, "good": "myrrh", "slot": 0}
    assert seen["on_goods"][1]["slots"][0] == {"value": None, "seen_by": [ANNA, BEN]}


@pytest.mark.cites("R5")
def test_notes_tell_the_value_to_those_who_know_it_only() -> None:
    asked = act(rumour_time(), PickSymbol("rumour"))
    held = draw(asked, 5)
    for observer, key in ((SPECTATOR, "rumour_drawn"), (Observer(Seat(BEN)), "rumour_drawn")):
        assert [note.key for note in RULESET.describe(asked, Draw((5,)), held, observer)] == [key]
    for knower in (REFEREE, Observer(Seat(ANNA))):
        (note,) = RULESET.describe(asked, Draw((5,)), held, knower)
        assert (note.key, note.arguments["value"]) == ("rumour_drawn_known", "+2")
    peeking = act(all_on_goods(rumour_time()), PickSymbol("rumour"))
    move = Move(Seat(ANNA), PeekRumour("incense", 0))
    looked = RULESET.apply(peeking, move)
    (known,) = RULESET.describe(peeking, move, looked, Observer(Seat(ANNA)))
    (unknown,) = RULESET.describe(peeking, move, looked, SPECTATOR)
    assert (known.key, known.arguments["value"], unknown.key) == ("rumour_peeked_known", "-2", "rumour_peeked")
    assert "value" not in unknown.arguments


@pytest.mark.cites("R5")
def test_at_the_end_everybody_sees_all_values_the_removed_ones_too() -> None:
    removed = replace(all_on_goods(rumour_time()), removed=(Rumour(2, ()),), pool=(1,))
    assert sees(removed, SPECTATOR) == [None] * 6
    over = finish(removed, "stack_empty")
    assert sees(over, SPECTATOR) == list(RUMOURS)
    seen = rumours_seen(over, SPECTATOR)
    assert seen["removed"] == [{"value": 2, "seen_by": []}]
    assert seen["pool"] == [1]


@pytest.mark.cites("R6")
def test_removing_a_rumour_frees_its_slot() -> None:
    state = act(all_on_goods(rumour_time()), PickSymbol("rumour"), PeekRumour("incense", 1), RemoveRumour())
    later = draw(act(replace(state, pool=(2,)), PickSymbol("rumour")), 0)
    placed = act(later, AssignRumour("incense"))
    assert [rumour.value for rumour in placed.rumours[:2] if rumour] == [-2, 2]
    assert whats(placed)[0] == "rumour_assigned"


@pytest.mark.cites("R7")
def test_a_price_never_falls_below_nothing() -> None:
    cheap = replace(opened(), rumours=(Rumour(-3, ()), Rumour(-2, ()), Rumour(-2, ()), Rumour(-1, ()), *(None,) * 4))
    assert prices(cheap) == (0, 1, 4, 4)
