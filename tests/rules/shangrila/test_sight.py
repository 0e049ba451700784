"""What is seen and said: the view, the notes, and the bot that plays from the view."""

from __future__ import annotations

import random
from typing import Any

import pytest

from moveledger.rules.encoding import canonical, encode
from moveledger.rules.kernel import REFEREE, SPECTATOR, Leave, Move, Observer, Seat, Term
from moveledger.rules.registry import LANGUAGES, load_terms
from moveledger.rules.shangrila import RULESET
from moveledger.rules.shangrila.actions import Action, Pass
from moveledger.rules.shangrila.apply import apply
from moveledger.rules.shangrila.data import GUILDS, VILLAGES
from moveledger.rules.shangrila.opening import open_game
from moveledger.rules.shangrila.options import Options
from moveledger.rules.shangrila.state import State
from tests.rules.playouts import Step
from tests.rules.playouts import play as playout
from tests.rules.shangrila.positions import (
    BLUE,
    RED,
    initial,
    journey,
    listed,
    master,
    play,
    position,
    recruit,
)
from tests.rules.shangrila.test_first_masters import SIX_FULL, SIX_OF_RED


def seen(state: State, observer: Observer = SPECTATOR) -> Any:
    return RULESET.view(state, observer)


def notes(state: State, action: Action) -> list[str]:
    """The notes on an action, in English."""
    terms = load_terms(RULESET.id)
    given = Move(state.turn, action)
    said = []
    for note in RULESET.describe(state, given, apply(state, given), SPECTATOR):
        words = {name: word(value, terms) for name, value in note.arguments.items()}
        said.append(terms["notes"][note.key]["en"].format(**words))
    return said


def word(value: object, terms: Any) -> str:
    if not isinstance(value, Term):
        return str(value)
    group, _, name = value.path.partition(".")
    return str(terms["terms"][group][name]["en"])


# --- the view ------------------------------------------------------------------------------------------


@pytest.mark.cites("42")
def test_everybody_sees_everything_at_every_step() -> None:
    for step in playout(RULESET, options=Options(), seats=3, seed=3, bound=600):
        sights = {
            canonical(RULESET.view(step.after, who))
            for who in (SPECTATOR, REFEREE, *(Observer(Seat(seat)) for seat in range(3)))
        }
        assert len(sights) == 1
        assert RULESET.audience(step.before, step.input) is None


def test_the_view_shows_the_board_the_bridges_and_the_supplies() -> None:
    state = position({1: "healer R+, yeti B"}, bridges=[(1, 2), (2, 3), (3, 10)])
    view = seen(state)
    village = view["villages"][0]
    assert (village["id"], village["tiles"], village["masters"], village["stone"]) == (1, 3, 2, False)
    assert village["slots"]["healer"] == {"owner": 0, "student": True}
    assert village["slots"]["dragon_breeder"] is None
    assert [bridge["id"] for bridge in view["bridges"] if bridge["stands"]] == [1, 5, 8]
    assert [site["id"] for site in view["villages"] if not site["stone"]] == [1, 2, 3, 10]
    assert view["seats"][RED] == {
        "seat": 0,
        "left": False,
        "masters": 1,
        "villages": 1,
        "students": 1,
        "supply": {guild: 4 if guild == "healer" else 6 for guild in GUILDS},
        "to_place": [],
    }
    assert view["turn"] == RED


def test_the_view_names_the_caps_in_force() -> None:
    assert seen(open_game(Options(), 4))["setup_caps"] == {"total": 3, "own": 2}
    assert seen(open_game(Options(setup_caps=False), 4))["setup_caps"] is None
    assert seen(position({**SIX_OF_RED, **SIX_FULL}, seats=3, phase="setup"))["setup_caps"] == {"total": 2, "own": 2}
    assert seen(position({1: "healer R"}))["setup_caps"] is None


def test_the_view_keeps_the_last_journey() -> None:
    after = play(position({1: "healer R+", 2: "healer B+"}, bridges=[(1, 2), (2, 3), (3, 10)]), master(1, "yeti"))
    assert seen(after)["last_journey"] is None
    after = play(position({1: "healer R+, yeti B", 2: "healer B"}, bridges=[(1, 2), (2, 3), (3, 10)]), journey(1, 2))
    last = seen(after)["last_journey"]
    assert (last["seat"], last["from"], last["to"], last["closed"]) == (0, 1, 2, [1])
    assert last["fates"] == [{"guild": "healer", "owner": 0, "kind": "ousted", "ousted": 1, "returned": 1}]


def test_the_view_names_the_village_that_is_out_with_three_seats() -> None:
    out = [village["id"] for village in seen(open_game(Options(), 3))["villages"] if not village["in_play"]]
    assert out == [3]


# --- the notes -----------------------------------------------------------------------------------------


def test_notes_tell_a_journey_step_by_step() -> None:
    board = {1: "healer R+, yeti B+, dragon R+, priest B+", 2: "healer B+, dragon R, priest B+"}
    state = position(board, bridges=[(1, 2), (2, 3), (3, 10), (9, 10)])
    assert notes(state, journey(1, 2)) == [
        "Red sends all students of Frostgate to Pale Domes.",
        "Frostgate is stronger: tiles 8 to 5, masters 4 to 3.",
        "Red's student joins its own master in Pale Domes: dragon breeder.",
        "Red's student becomes a master in Pale Domes (healer) and drives out Blue; tiles returned: 2.",
        "Blue's master in Pale Domes has a student already, so the newcomer returns to the supply: prayer miller.",
        "Blue's student settles in Pale Domes as a master: yeti whisperer.",
        "The bridge between Frostgate and Pale Domes is gone.",
        "Frostgate has lost its last bridge and gets a stone.",
    ]


def test_notes_tell_placements_students_and_passes() -> None:
    state = position({1: "healer R, yeti R", 2: "dragon B"})
    assert notes(state, master(1, "dragon")) == ["Red places a new master in Frostgate: dragon breeder."]
    assert notes(state, recruit((1, "yeti"))) == ["Red takes on a student in Frostgate: yeti whisperer."]
    assert notes(state, recruit((1, "yeti"), (1, "healer"))) == [
        "Red takes on two students: healer in Frostgate and yeti whisperer in Frostgate."
    ]
    assert notes(position({}), Pass()) == ["Red can do nothing and passes."]


@pytest.mark.cites("27")
def test_notes_say_when_a_cap_gave_way() -> None:
    state = position({**SIX_OF_RED, **SIX_FULL}, seats=3, phase="setup")
    assert notes(state, initial(1, "yeti"))[1].startswith("No space met both limits")
    assert len(notes(open_game(Options(), 3), initial(1, "yeti"))) == 1


def test_notes_tell_the_end_and_the_scores() -> None:
    state = position({3: "healer R+", 5: "yeti B"}, bridges=[(3, 10), (5, 8)])
    assert notes(state, journey(3, 10))[-5:] == [
        "Only two villages are without a stone: the game is over.",
        "Red: place 1 (masters: 2, villages: 2).",
        "Blue: place 2 (masters: 1, villages: 1).",
        "Yellow: place 3 (masters: 0, villages: 0).",
        "Violet: place 3 (masters: 0, villages: 0).",
    ]


def test_notes_tell_a_departure() -> None:
    state = position({1: "healer R"})
    given = Leave(BLUE, "timed_out")
    told = RULESET.describe(state, given, apply(state, given), SPECTATOR)
    assert [(note.key, note.arguments["cause"]) for note in told] == [("left", Term("cause.timed_out"))]


def test_every_named_thing_has_words_in_every_language() -> None:
    terms = load_terms(RULESET.id)
    assert set(terms["terms"]["guild"]) == set(GUILDS)
    assert set(terms["terms"]["village"]) == {str(village) for village in VILLAGES}
    for group in (*terms["terms"].values(), terms["notes"]):
        for words in group.values():
            assert set(words) == set(LANGUAGES)
            assert all(words.values())


# --- the bot -------------------------------------------------------------------------------------------


def played_by_the_bot(seats: int, seed: int, bots: set[int]) -> list[Step]:
    rng = random.Random(seed)

    def choose(state: State, seat: Seat, actions: list[Any]) -> Any:
        if seat not in bots:
            return rng.choice(actions)
        assert RULESET.greedy is not None
        at = RULESET.greedy(
            RULESET.view(state, Observer(seat)), seat, [encode(action) for action in actions], rng.randrange
        )
        return actions[at]

    return list(playout(RULESET, options=Options(), seats=seats, seed=seed, bound=600, choose=choose))


@pytest.mark.parametrize("seats", [3, 4])
def test_bots_finish_their_games(seats: int) -> None:
    for seed in range(3):
        assert RULESET.outcome(played_by_the_bot(seats, seed, set(range(seats)))[-1].after) is not None


@pytest.mark.thorough
@pytest.mark.parametrize("seats", [3, 4])
def test_the_bot_wins_more_than_its_share_against_random_seats(seats: int) -> None:
    wins = 0
    for seed in range(20):
        outcome = RULESET.outcome(played_by_the_bot(seats, seed, {seed % seats})[-1].after)
        assert outcome is not None
        wins += outcome.placings[seed % seats] == 1
    assert wins >= 16


def test_the_bot_reads_the_list_that_the_service_gives_it() -> None:
    state = position({1: "healer R"})
    assert RULESET.greedy is not None
    actions = [encode(action) for action in listed(state)]
    assert 0 <= RULESET.greedy(seen(state, Observer(RED)), RED, actions, lambda n: n - 1) < len(actions)
