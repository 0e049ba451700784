"""The first masters: free choice of village and guild under two caps, seat after seat, seven rounds."""

from __future__ import annotations

from dataclasses import replace

import pytest

from moveledger.errors import IllegalMove
from moveledger.rules.encoding import read_options
from moveledger.rules.kernel import Seats
from moveledger.rules.shangrila import RULESET
from moveledger.rules.shangrila.actions import PlaceInitial
from moveledger.rules.shangrila.data import BRIDGES, GUILDS, VILLAGES
from moveledger.rules.shangrila.opening import open_game
from moveledger.rules.shangrila.options import Options
from moveledger.rules.shangrila.state import State, open_villages
from tests.rules.shangrila.positions import (
    RED,
    allowed,
    initial,
    journey,
    listed,
    master,
    play,
    position,
    recruit,
    refusal,
)


def fresh(seats: int, **options: object) -> State:
    return open_game(read_options(RULESET, options), seats)


def first_masters(state: State) -> State:
    """Every seat's seven masters, each time the first placement that is listed."""
    while state.phase == "setup":
        state = play(state, listed(state)[0])
    return state


@pytest.mark.cites("28", "30")
def test_the_first_tile_may_be_any_guild_in_any_village() -> None:
    actions = listed(fresh(4))
    assert {(action.village, action.guild) for action in actions if isinstance(action, PlaceInitial)} == {
        (village, guild) for village in VILLAGES for guild in GUILDS
    }


@pytest.mark.cites("28")
def test_later_tiles_need_no_company_either() -> None:
    state = play(fresh(3), initial(1, "healer"), initial(2, "healer"), initial(4, "healer"))
    assert state.turn == RED
    assert allowed(state, initial(13, "yeti"))


@pytest.mark.cites("30")
def test_each_guild_is_placed_once_in_any_order() -> None:
    state = play(fresh(3), initial(1, "yeti"), initial(2, "healer"), initial(4, "dragon"))
    assert refusal(state, initial(13, "yeti")) == "guild_already_placed"
    assert {action.guild for action in listed(state) if isinstance(action, PlaceInitial)} == set(GUILDS) - {
        "yeti_whisperer"
    }
    assert allowed(state, initial(13, "astrologer"))


def test_a_space_holds_one_tile() -> None:
    assert refusal(play(fresh(4), initial(1, "healer")), initial(1, "healer")) == "slot_taken"


@pytest.mark.cites("29")
def test_with_four_seats_a_village_holds_three_first_masters_and_two_of_a_seat() -> None:
    state = position({1: "healer B, yeti Y, dragon V", 2: "healer R, yeti R", 4: "dragon R"}, phase="setup")
    assert refusal(state, initial(1, "priest")) == "setup_cap_total"
    assert refusal(state, initial(2, "priest")) == "setup_cap_own"
    assert allowed(state, initial(4, "priest"))


@pytest.mark.cites("29")
def test_with_three_seats_a_village_holds_two_first_masters_and_one_of_a_seat() -> None:
    state = position({1: "healer B, yeti Y", 2: "healer R", 4: "dragon B"}, seats=3, phase="setup")
    assert refusal(state, initial(1, "priest")) == "setup_cap_total"
    assert refusal(state, initial(2, "priest")) == "setup_cap_own"
    assert allowed(state, initial(4, "priest"))


@pytest.mark.cites("29")
def test_without_caps_only_the_spaces_are_a_limit() -> None:
    crowded = {1: "healer B, yeti Y, dragon V", 2: "firekeeper R, yeti R"}
    state = position(crowded, phase="setup", setup_caps=False)
    assert allowed(state, initial(1, "priest"))
    assert allowed(state, initial(2, "priest"))
    assert refusal(state, initial(1, "healer")) == "slot_taken"


SIX_OF_RED = {
    1: "astrologer R",
    2: "dragon R",
    4: "firekeeper R",
    5: "healer R",
    6: "priest R",
    7: "rainmaker R, healer B",
}
SIX_FULL = {
    8: "astrologer B, dragon Y",
    9: "dragon B, firekeeper Y",
    10: "firekeeper B, healer Y",
    11: "priest B, astrologer Y",
    12: "rainmaker B, priest Y",
    13: "yeti B, rainmaker Y",
}


@pytest.mark.cites("27")
def test_where_no_space_meets_both_caps_the_own_cap_gives_way_this_once() -> None:
    state = position({**SIX_OF_RED, **SIX_FULL}, seats=3, phase="setup")
    assert [action.village for action in listed(state) if isinstance(action, PlaceInitial)] == [1, 2, 4, 5, 6]
    assert refusal(state, initial(7, "yeti")) == "setup_cap_total"
    assert refusal(state, initial(8, "yeti")) == "setup_cap_total"
    assert refusal(state, initial(1, "dragon")) == "guild_already_placed"
    assert allowed(state, initial(1, "yeti"))


@pytest.mark.cites("27")
def test_the_own_cap_holds_as_long_as_one_space_meets_both() -> None:
    state = position({**SIX_OF_RED, **SIX_FULL, 13: "rainmaker Y"}, seats=3, phase="setup")
    assert refusal(state, initial(1, "yeti")) == "setup_cap_own"
    assert listed(state) == [initial(13, "yeti")]


@pytest.mark.cites("27")
def test_the_own_cap_gives_way_too_where_the_only_free_village_has_no_space_of_the_guild() -> None:
    state = position({**SIX_OF_RED, **SIX_FULL, 13: "yeti B"}, seats=3, phase="setup")
    assert refusal(state, initial(13, "yeti")) == "slot_taken"
    assert allowed(state, initial(1, "yeti"))


@pytest.mark.cites("27")
def test_as_a_last_guard_both_caps_give_way_but_never_the_space() -> None:
    two_each = {village: f"astrologer {'BY'[village % 2]}, dragon {'YB'[village % 2]}" for village in range(1, 14)}
    red = {
        1: "firekeeper R, healer B",
        2: "healer R, firekeeper B",
        4: "priest R, rainmaker B",
        5: "rainmaker R, priest Y",
    }
    board = {village: text for village, text in {**two_each, **red}.items() if village != 3}
    state = position(board, seats=3, phase="setup")
    state = replace(state, supply=tuple((6,) * 7 if seat == RED else own for seat, own in enumerate(state.supply)))
    assert allowed(state, initial(8, "yeti"))
    assert refusal(state, initial(8, "dragon")) == "slot_taken"
    assert refusal(state, initial(3, "dragon")) == "village_not_in_play"


@pytest.mark.cites("31")
def test_after_the_first_masters_no_cap_is_left() -> None:
    state = position({1: "healer R, yeti R, dragon B, priest Y"})
    assert allowed(state, master(1, "rainmaker"))


@pytest.mark.cites("32", "33")
def test_seven_plain_rounds_from_seat_0_and_the_same_seat_begins_the_main_phase() -> None:
    state, turns = fresh(4), []
    while state.phase == "setup":
        turns.append(state.turn)
        state = play(state, listed(state)[0])
    assert turns == [0, 1, 2, 3] * 7
    assert (state.phase, state.turn) == ("main", RED)
    assert RULESET.awaiting(state) == Seats(frozenset({RED}))


@pytest.mark.cites("33")
@pytest.mark.parametrize("setup", ["free", "layout"])
def test_seat_0_starts(setup: str) -> None:
    assert fresh(3, setup=setup).turn == RED


@pytest.mark.cites("X5")
def test_actions_of_the_main_phase_wait_for_all_first_masters() -> None:
    state = play(fresh(3), initial(1, "healer"), initial(2, "healer"), initial(4, "healer"))
    assert refusal(state, master(1, "yeti")) == "wrong_phase"
    assert refusal(state, recruit((1, "healer"))) == "wrong_phase"
    assert refusal(state, journey(1, 2)) == "wrong_phase"
    assert refusal(state, RULESET.actions[-1]()) == "wrong_phase"
    assert refusal(first_masters(state), initial(1, "yeti")) == "wrong_phase"


@pytest.mark.cites("40")
def test_with_three_seats_the_red_walled_village_is_out() -> None:
    state = fresh(3)
    assert open_villages(state) == [village for village in VILLAGES if village != 3]
    assert len(state.bridges) == 20
    assert {bridge.id for bridge in BRIDGES if 3 in (bridge.a, bridge.b)}.isdisjoint(state.bridges)
    assert refusal(state, initial(3, "healer")) == "village_not_in_play"
    settled = position({2: "healer R+", 3: ""}, seats=3)
    assert refusal(settled, master(3, "healer")) == "village_not_in_play"
    assert refusal(settled, recruit((3, "healer"))) == "village_not_in_play"
    assert refusal(settled, journey(2, 3)) == "no_bridge"


@pytest.mark.cites("40", "X3")
def test_with_three_seats_on_the_full_map_it_is_in_and_the_caps_of_three_hold() -> None:
    state = fresh(3, three_seats="full")
    assert open_villages(state) == list(VILLAGES)
    assert len(state.bridges) == 23
    state = play(state, initial(3, "healer"), initial(3, "yeti"))
    assert refusal(state, initial(3, "dragon")) == "setup_cap_total"
    assert len(fresh(4, three_seats="reduced").bridges) == 23


@pytest.mark.cites("41")
def test_two_or_five_seats_are_refused() -> None:
    assert RULESET.seats == range(3, 5)
    for seats in (1, 2, 5):
        with pytest.raises(IllegalMove) as refused:
            open_game(Options(), seats)
        assert refused.value.code == "shangrila.seat_count"


@pytest.mark.cites("X4")
@pytest.mark.parametrize("seats", [3, 4])
def test_a_start_layout_lays_one_master_of_each_guild_for_each_seat_under_the_caps(seats: int) -> None:
    state = fresh(seats, setup="layout")
    assert state.phase == "main"
    assert state.supply == ((5,) * 7,) * seats
    for slots in state.board:
        owners = [tile.owner for tile in slots if tile is not None]
        assert len(owners) <= (2 if seats == 3 else 3)
        assert all(owners.count(seat) <= (1 if seats == 3 else 2) for seat in owners)
    assert refusal(state, initial(1, "yeti")) == "wrong_phase"
