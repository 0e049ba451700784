"""What everybody sees, what nobody sees, and what is said about it."""

from __future__ import annotations

import dataclasses
import inspect
import random
from collections.abc import Mapping
from importlib import import_module
from typing import Any

import pytest

from moveledger.rules.encoding import canonical, read_options
from moveledger.rules.kernel import REFEREE, SPECTATOR, Draw, Move, Observer, Seat
from moveledger.rules.tiwanaku import RULESET
from moveledger.rules.tiwanaku.actions import Skip
from moveledger.rules.tiwanaku.state import State, Table
from tests.rules import playouts
from tests.rules.tiwanaku.tables import Place, add, arrange, begin, divine, everything, play
from tests.rules.tiwanaku.test_conformance import TestTiwanaku as Suite


def seen(state: State, observer: Observer = SPECTATOR) -> Mapping[str, Any]:
    return RULESET.view(state, observer)


def everybody(seats: int = 2) -> list[Observer]:
    return [SPECTATOR, REFEREE, *(Observer(Seat(seat)) for seat in range(seats))]


@pytest.mark.cites("22")
def test_offerings_scores_and_stones_lie_open() -> None:
    state = arrange(begin(), tribes={1: {"offerings": (2, 5), "levels": (0, 1, 2, 3), "score": 17}})
    for observer in everybody():
        mine = seen(state, observer)["seats"][1]
        assert mine["offerings"] == [2, 5]
        assert mine["score"] == 17
        assert mine["diversity"] == {"earth": 0, "sand": 1, "grass": 2, "rock": 3}


@pytest.mark.cites("26")
def test_how_many_tiles_of_each_terrain_are_to_come_is_public() -> None:
    state = play(begin(), add(0, 0))
    for observer in everybody():
        mine = seen(state, observer)
        assert mine["tiles_total"] == {"earth": 5, "sand": 5, "grass": 7, "rock": 8}
        assert mine["tiles_placed"] == {"earth": 1, "sand": 1, "grass": 1, "rock": 3}
        assert mine["tiles_left"] == {"earth": 4, "sand": 4, "grass": 6, "rock": 5}
        assert mine["spaces_left"] == 19


@pytest.mark.cites("X15")
def test_where_tile_totals_are_hidden_only_the_referee_sees_them_before_the_end() -> None:
    state = play(begin(tile_totals="hidden"), add(0, 0))
    for observer in (SPECTATOR, Observer(Seat(0)), Observer(Seat(1))):
        mine = seen(state, observer)
        assert mine["tiles_total"] is None
        assert mine["tiles_left"] is None
        assert mine["tiles_placed"] == {"earth": 1, "sand": 1, "grass": 1, "rock": 3}
    assert seen(state, REFEREE)["tiles_total"] == {"earth": 5, "sand": 5, "grass": 7, "rock": 8}
    over = State(dataclasses.replace(state.table, phase="over"), state.board)
    assert seen(over)["tiles_total"] == {"earth": 5, "sand": 5, "grass": 7, "rock": 8}


def test_the_whole_board_is_for_the_referee_alone_until_the_game_is_over() -> None:
    state = begin()
    layout = {
        "terrain": ["RGGGR", "RRGGR", "RREER", "EEESG", "SSSSG"],
        "crops": ["32132", "54541", "12123", "43541", "51232"],
    }
    assert seen(state, REFEREE)["layout"] == layout
    assert seen(state)["layout"] is seen(state, Observer(Seat(0)))["layout"] is None
    over = State(dataclasses.replace(state.table, phase="over"), state.board)
    assert all(seen(over, observer)["layout"] == layout for observer in everybody())


@pytest.mark.cites("X14")
def test_what_judges_moves_and_shows_the_table_is_given_no_hidden_board() -> None:
    """The table is all that they take: `legal` alone sees a state, and hands on its table."""
    for name in ("legal", "movement"):
        module = import_module(f"moveledger.rules.tiwanaku.{name}")
        for function in vars(module).values():
            if inspect.isfunction(function) and function.__module__ == module.__name__:
                takes_state = "State" in function.__annotations__.values()
                assert takes_state == (function.__name__ == "legal")
    assert "board" not in {field.name for field in dataclasses.fields(Table)}
    one = begin()
    two = begin("5x5-02")
    assert one.board != two.board
    swapped = State(one.table, two.board)
    assert canonical(seen(swapped)) == canonical(seen(one))
    assert list(RULESET.legal(swapped, Seat(0))) == list(RULESET.legal(one, Seat(0)))


@pytest.mark.cites("X14")
def test_notes_tell_the_same_whatever_lies_hidden() -> None:
    """A draw of the board tells how many tiles lie open, and an input never more than it brought to light."""
    rng = random.Random(3)
    suite = Suite()
    for seed in range(8):
        options = read_options(RULESET, {"tile_totals": ("public", "hidden")[seed % 2]})
        for step in playouts.play(RULESET, options=options, seats=2, seed=seed):
            notes = RULESET.describe(step.before, step.input, step.after, SPECTATOR)
            twin = suite.redeal(step.after, SPECTATOR, rng)
            assert RULESET.describe(step.before, step.input, twin, SPECTATOR) == notes
            if isinstance(step.input, Draw) and step.before.table.phase == "board":
                assert [(note.key, dict(note.arguments)) for note in notes] == [("board_laid", {"count": 5})]


def test_a_view_shows_pawns_the_phase_and_what_came_to_light() -> None:
    state = play(arrange(begin(), pawns=[[(0, 2)]]), add(0, 0))
    mine = seen(state)
    assert mine["seats"][0]["pawns"] == [[0, 0], [0, 2]]
    assert mine["seats"][0]["supply"] == 3
    assert (mine["phase"], mine["awaited"], mine["first"]) == ("action", 1, 0)
    assert mine["found"] == [{"type": "discovery", "seat": 0, "at": [0, 0], "terrain": "rock", "level": 1, "points": 1}]
    bare: list[Place] = [(2, 2), (3, 3)]
    guessed = play(arrange(begin(), terrain=bare, pawns=[bare]), divine(2, 2, 1))
    assert seen(guessed)["found"] == [
        {"type": "guess", "seat": 0, "at": [2, 2], "said": 1, "truth": 1, "points": 1, "offering": True}
    ]
    assert seen(guessed)["phase"] == "divining"
    entered = play(begin(entry="then_move"), add(4, 4))
    assert (seen(entered)["entered"], seen(entered)["phase"]) == ([4, 4], "entered")


def test_a_fresh_game_shows_an_empty_board_and_nobody_awaited() -> None:
    state = RULESET.setup(read_options(RULESET, {}), 2)
    mine = seen(state, REFEREE)
    assert mine["terrain"] == ["....."] * 5
    assert mine["awaited"] is mine["first"] is mine["layout"] is mine["tiles_total"] is mine["outcome"] is None


def test_letters_of_terrains_are_told_by_the_view() -> None:
    letters = seen(begin())["letters"]
    assert letters == {"E": "earth", "S": "sand", "G": "grass", "R": "rock"}


def test_notes_follow_a_game_to_its_end() -> None:
    state = begin()
    known = [place for place in everything(state) if place != (0, 0)]
    state = arrange(state, terrain=known, pawns=[[(1, 0)], [(0, 1)]], tribes={1: {"offerings": (1, 2)}})
    keys = []
    for action in (add(0, 0), divine(1, 0, 5), Skip(), divine(0, 1, 3), Skip()):
        before = state
        given = Move(Seat(state.table.current), action)
        state = RULESET.apply(state, given)
        keys.append([note.key for note in RULESET.describe(before, given, state, SPECTATOR)])
    assert keys == [
        ["pawn_entered", "terrain_found", "land_is_known", "final_rounds"],
        ["crop_said", "guess_right", "offering_gained"],
        ["offering_skipped"],
        ["crop_said", "guess_wrong", "out_of_final_rounds"],
        ["offering_skipped"],
    ]
