"""Who sees what: views, sealed moves and the sentences about them."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest

from moveledger.rules.kernel import REFEREE, SPECTATOR, Draw, Input, Leave, Move, Note, Observer, Seat, Term
from moveledger.rules.registry import load_terms
from moveledger.rules.santiiba import RULESET
from moveledger.rules.santiiba.actions import Kind, Name, Predict, Stop, Take
from moveledger.rules.santiiba.data import COMPONENTS, KINDS
from moveledger.rules.santiiba.options import Options
from moveledger.rules.santiiba.state import State
from tests.rules.playouts import Step, play
from tests.rules.santiiba.positions import (
    act,
    foreseen,
    name,
    piled,
    placed,
    rolled,
    seen,
    stop,
)
from tests.rules.santiiba.test_conformance import redeal


def predictions(state: State, observer: Observer) -> list[Kind | None]:
    return [seat["prediction"] for seat in seen(state, observer)["seats"]]


@pytest.mark.cites("R14")
def test_a_closed_crystal_ball_is_seen_by_its_seat_and_the_referee_and_a_hit_by_all() -> None:
    state = name(foreseen("herbs", "bowls"), "herbs")
    assert predictions(state, SPECTATOR) == [None, "herbs", None]
    assert predictions(state, Observer(Seat(0))) == [None, "herbs", None]
    assert predictions(state, Observer(Seat(1))) == [None, "herbs", None]
    assert predictions(state, Observer(Seat(2))) == [None, "herbs", "bowls"]
    assert predictions(state, REFEREE) == [None, "herbs", "bowls"]
    assert [seat["predicted"] for seat in seen(state, SPECTATOR)["seats"]] == [False, True, True]
    assert [seat["hit"] for seat in seen(state, SPECTATOR)["seats"]] == [None, "herbs", None]


@pytest.mark.cites("R14")
def test_an_unhit_prediction_is_gone_from_sight_after_its_turn_and_open_when_the_game_is_over() -> None:
    after = stop(name(foreseen("bowls", "bowls"), "herbs", "die"))
    for observer in (SPECTATOR, REFEREE, Observer(Seat(1))):
        assert predictions(after, observer) == [None, None, None]
    assert "bowls" not in repr(seen(after, SPECTATOR)["last_turn"])
    over = stop(name(placed(foreseen("bowls", "amulets"), 29, 0, 0), "herbs", "die"))
    for observer in (SPECTATOR, REFEREE, Observer(Seat(1))):
        assert predictions(over, observer) == [None, "bowls", "amulets"]


@pytest.mark.cites("R14")
def test_only_predictions_are_sealed_and_only_for_their_own_seat() -> None:
    state = rolled(3)
    assert RULESET.audience(state, Move(Seat(2), Predict("herbs"))) == frozenset({2})
    for action in (Name("herbs"), Take("die"), Stop()):
        assert RULESET.audience(state, Move(Seat(0), action)) is None
    assert RULESET.audience(state, Draw((1,))) is None


def test_a_view_shows_all_that_a_table_shows() -> None:
    state = name(name(foreseen("herbs", "bowls"), "herbs"), "elixirs", "card")
    view = seen(state, SPECTATOR)
    assert view["turn"]["dice"] == {"herbs": 2, "amulets": 5, "scorpions": 1, "elixirs": 6, "bowls": 4}
    assert view["turn"]["area"] == {"cards": ["elixirs"], "dice": [{"kind": "herbs", "face": 2}], "steps": 2}
    assert view["turn"]["hits"] == [{"seat": 1, "kind": "herbs"}]
    assert (view["phase"], view["awaited"], view["turn"]["must_name"]) == ("name", [0], False)
    assert [kind["pile"] for kind in view["kinds"]] == [24, 18, 24, 17, 26]
    assert view["seats"][1]["position"] == 2
    assert view["track"]["castle"] == 75
    assert view["data_version"] == "reconstructed-1"


def test_a_finished_game_shows_its_scoring() -> None:
    state = stop(name(name(placed(foreseen("bowls", "bowls"), 29, 0, 0), "elixirs", "card"), "herbs", "die"))
    scoring, outcome = seen(state, SPECTATOR)["scoring"], seen(state, SPECTATOR)["outcome"]
    assert scoring["fewest"] == [{"kind": "herbs", "seats": [0, 1, 2]}, {"kind": "scorpions", "seats": [0, 1, 2]}]
    assert scoring["seats"][0] == {"from": 31, "lost": ["amulets", "elixirs"], "points": 0, "total": 31, "final": 31}
    assert outcome == {
        "placings": [1, 2, 2],
        "scores": [31, 0, 0],
        "reason": "furthest",
    }


# --- sentences -------------------------------------------------------------------------------------------


def told(state: State, *moves: Input, observer: Observer = SPECTATOR) -> list[str]:
    """The keys of the notes on the last of some inputs."""
    for given in moves:
        before, state = state, RULESET.apply(state, given)
    return [note.key for note in RULESET.describe(before, moves[-1], state, observer)]


@pytest.mark.cites("R14")
def test_a_prediction_is_told_without_its_kind_to_others() -> None:
    made = Move(Seat(1), Predict("herbs"))
    after = RULESET.apply(rolled(3), made)
    for observer in (SPECTATOR, Observer(Seat(0)), Observer(Seat(2))):
        assert RULESET.describe(rolled(3), made, after, observer) == (Note("predicted", {"seat": 1}),)
    for observer in (REFEREE, Observer(Seat(1))):
        notes = RULESET.describe(rolled(3), made, after, observer)
        assert notes == (Note("predicted_kind", {"seat": 1, "kind": Term("kind.herbs")}),)


def test_each_turn_of_events_has_its_sentences() -> None:
    free, caught = foreseen("bowls", "bowls"), foreseen("herbs", "amulets")
    active = Seat(0)
    assert told(RULESET.setup(Options(), 3), Draw((2,))) == ["starts"]
    assert told(RULESET.setup(Options(), 3), Draw((2,)), Draw((1, 2, 3, 4, 5))) == ["rolled"]
    assert told(free, Move(active, Name("herbs"))) == ["named", "nobody_predicted"]
    assert told(act(free, Name("herbs")), Move(active, Take("card"))) == ["takes_card", "must_go_on"]
    assert told(act(free, Name("herbs")), Move(active, Take("die"))) == ["takes_die"]
    assert told(name(free, "herbs", "die"), Move(active, Stop())) == ["stopped", "banked"]
    assert told(caught, Move(active, Name("herbs"))) == ["named", "hit_moves", "must_take_die"]
    assert told(caught, Move(active, Name("amulets"))) == ["named", "hit_takes_card", "must_take_card"]
    assert told(name(caught, "herbs"), Move(active, Name("amulets"))) == ["named", "hit_takes_card", "bust"]


def test_short_piles_and_early_ends_have_their_sentences_too() -> None:
    active = Seat(0)
    short = piled(foreseen("amulets", "herbs"), amulets=0, bowls=0)
    assert told(short, Move(active, Name("amulets"))) == ["named", "hit_gets_nothing", "no_card_left"]
    assert told(name(short, "herbs"), Move(active, Name("amulets")))[-1] == "bust_without_bowl"
    soon = placed(foreseen("herbs", "bowls", end_trigger="immediate"), 0, 28, 0)
    keys = told(soon, Move(active, Name("herbs")))
    assert keys[:3] == ["named", "hit_moves", "turn_cut_short"]
    assert keys[-2:] == ["ended_furthest", "won"]


def test_the_fourth_colour_is_told_even_when_it_is_caught() -> None:
    state = foreseen("elixirs", "bowls")
    for kind in ("herbs", "amulets", "scorpions"):
        state = name(state, kind, "die")
    keys = told(state, Move(Seat(0), Name("elixirs")))
    assert keys == ["named", "hit_takes_card", "must_take_card", "four_named", "banked"]


def test_a_departure_is_told_with_its_cause_and_its_consequence() -> None:
    before = name(foreseen("herbs", "bowls"), "herbs")
    for seat, keys in ((2, ["left_resigned"]), (0, ["left_resigned", "turn_left"])):
        assert told(before, Leave(Seat(seat), "resigned")) == keys


# --- every game --------------------------------------------------------------------------------------------


def random_steps() -> Iterator[tuple[int, Step]]:
    for seed in range(24):
        seats = 2 + seed % 3
        options = Options(reading="seed", end_trigger="immediate", guards="ring") if seed % 2 else Options()
        for step in play(RULESET, options=options, seats=seats, seed=seed, leaves=0.01 * (seed % 4)):
            yield seats, step


@pytest.mark.cites("R14")
def test_sentences_tell_nothing_that_their_reader_may_not_know() -> None:
    """The notes of an input and of its twin, played from a state with other closed balls, are the same."""
    rng = random.Random(8)
    for seats, step in random_steps():
        for observer in (SPECTATOR, *(Observer(Seat(seat)) for seat in range(seats))):
            given = step.input
            if isinstance(given, Move) and isinstance(given.action, Predict) and observer.seat != given.seat:
                other = Move(given.seat, Predict(rng.choice(KINDS)))
                notes = RULESET.describe(step.before, other, RULESET.apply(step.before, other), observer)
                assert notes == RULESET.describe(step.before, given, step.after, observer)
            elif step.after.phase != "over":
                before, after = redeal_both(step, observer, rng)
                notes = RULESET.describe(before, given, after, observer)
                assert notes == RULESET.describe(step.before, given, step.after, observer)


def redeal_both(step: Step, observer: Observer, rng: random.Random) -> tuple[State, State]:
    """Twins of both states of a step."""
    return redeal(step.before, observer, rng), redeal(step.after, observer, rng)


def test_every_sentence_is_used_and_says_its_arguments_in_every_language() -> None:
    used = {note.key for _, step in random_steps() for note in notes_of(step)}
    notes = load_terms(RULESET.id)["notes"]
    rare = {"hit_gets_nothing", "no_card_left", "bust_without_bowl", "turn_cut_short", "ended_castle"}
    rare |= {"left_removed", "left_timed_out"}
    assert set(notes) - rare <= used
    assert used <= set(notes)
    for words in notes.values():
        arguments = {frozenset(re.findall(r"{(\w+)}", text)) for text in words.values()}
        assert len(arguments) == 1, words
        assert set(words) == {"en", "de", "fr", "nl"}


def notes_of(step: Step) -> tuple[Note, ...]:
    owners = [step.input.seat] if isinstance(step.input, Move) else []
    observers = [SPECTATOR, *(Observer(seat) for seat in owners)]
    return tuple(
        note for observer in observers for note in RULESET.describe(step.before, step.input, step.after, observer)
    )


def test_all_named_things_have_words() -> None:
    terms = load_terms(RULESET.id)["terms"]
    assert set(terms["kind"]) == set(KINDS)
    assert set(terms["colour"]) == {kind.colour for kind in COMPONENTS.kinds}
    assert set(terms["landmark"]) == {shrine.id for shrine in COMPONENTS.track.landmarks}
    assert set(terms["face"]) == {"1", "2", "3", "4", "5", "6"}
