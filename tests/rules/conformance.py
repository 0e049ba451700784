"""What every ruleset must hold, as one suite that each ruleset's tests inherit.

    class TestMyGame(Conformance):
        ruleset = RULESET
        bound = 400                      # inputs after which every game has ended
        perft = {(3, 2): 812}            # (seats, depth): number of move sequences under the default options
        option_sets = ({}, {"reading": "seed"})

        golden_logs = Path(__file__).parent           # a ruleset of another distribution keeps its own

        def redeal(self, state, observer, rng): ...   # rulesets with hidden information only

`python -m tests.rules.golden RULESET [FOLDER]` writes the golden log that `test_the_golden_log_still_holds` reads.
"""

from __future__ import annotations

import copy
import itertools
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

from moveledger.errors import IllegalMove
from moveledger.rules.encoding import canonical, decode, decode_action, encode, read_options, state_hash
from moveledger.rules.kernel import (
    REFEREE,
    SPECTATOR,
    AnyRuleset,
    Draw,
    Leave,
    LegalActions,
    Move,
    Observer,
    Over,
    Seat,
    Seats,
    Term,
)
from moveledger.rules.registry import LANGUAGES, load_terms
from tests.rules import golden
from tests.rules.playouts import Dice, Step, awaited_seats, perft, play


class Conformance:
    """The suite. Subclasses name a ruleset and its figures."""

    ruleset: ClassVar[AnyRuleset]
    bound: ClassVar[int]
    perft: ClassVar[Mapping[tuple[int, int], int]] = {}
    option_sets: ClassVar[tuple[Mapping[str, Any], ...]] = ({},)
    golden_logs: ClassVar[Path] = golden.FOLDER
    games: ClassVar[int] = 6
    """Random games for each seat count and option set, in each law that plays games."""
    sight_games: ClassVar[int] = 200

    def redeal(self, state: Any, observer: Observer, rng: random.Random) -> Any:
        """A state that differs from `state` only in what `observer` may not know, drawn at random."""
        assert not self.ruleset.hidden, "a ruleset with hidden information says how to redeal it"
        return state

    # --- playouts that the laws share ---

    def settings(self) -> Iterator[tuple[Any, int]]:
        for given in self.option_sets:
            for seats in self.ruleset.seats:
                yield read_options(self.ruleset, given), seats

    def playouts(self, games: int | None = None, **how: Any) -> Iterator[list[Step]]:
        for at, (options, seats) in enumerate(self.settings()):
            for seed in range(games or self.games):
                yield list(
                    play(self.ruleset, options=options, seats=seats, seed=1000 * at + seed, bound=self.bound, **how)
                )

    def observers(self, seats: int) -> list[Observer]:
        return [SPECTATOR, REFEREE, *(Observer(Seat(seat)) for seat in range(seats))]

    def seat_count(self, steps: list[Step]) -> int:
        outcome = self.ruleset.outcome(steps[-1].after)
        assert outcome is not None
        return len(outcome.placings)

    # --- the laws ---

    def test_random_games_end_with_well_formed_placings(self) -> None:
        for steps in self.playouts():
            last = steps[-1].after
            assert self.ruleset.awaiting(last) == Over()
            outcome = self.ruleset.outcome(last)
            assert outcome is not None
            placings = outcome.placings
            assert len(outcome.scores) == len(placings)
            assert outcome.is_ranking, placings
            assert outcome.reason
            assert all(self.ruleset.outcome(step.before) is None for step in steps)

    def test_apply_is_pure_and_a_refusal_leaves_no_trace(self) -> None:
        for steps in self.playouts(games=1):
            for step in steps:
                before = copy.deepcopy(step.before)
                assert self.ruleset.apply(step.before, step.input) == step.after
                assert step.before == before
                hash(step.before)

    def test_the_fold_goes_on_from_any_snapshot(self) -> None:
        for steps in self.playouts(games=2):
            for step in steps:
                stored = json.loads(canonical(encode(step.before)))
                restored = decode(self.ruleset.state, stored)
                assert restored == step.before
                assert self.ruleset.apply(restored, step.input) == step.after

    def test_listed_actions_are_legal_and_apply_takes_them(self) -> None:
        rng = random.Random(1)
        for steps in self.playouts(games=1):
            for step in steps:
                for seat in awaited_seats(self.ruleset, step.before):
                    legal = self.ruleset.legal(step.before, seat)
                    actions = list(legal)
                    assert actions, "an awaited seat has a move"
                    encoded = [canonical(encode(action)) for action in actions]
                    assert len(set(encoded)) == len(encoded), "an action is listed twice"
                    for action in rng.sample(actions, min(4, len(actions))):
                        assert action in legal
                        assert decode_action(self.ruleset, json.loads(canonical(encode(action)))) == action
                        self.ruleset.apply(step.before, Move(seat, action))

    def test_an_action_that_is_not_listed_is_refused_by_apply(self) -> None:
        """Actions that were legal elsewhere in the games are tried in every state of another game."""
        rng = random.Random(2)
        games = list(itertools.islice(self.playouts(games=1), 4))
        pool = [step.input.action for steps in games for step in steps if isinstance(step.input, Move)]
        for steps in games:
            for step in rng.sample(steps, min(30, len(steps))):
                for seat in awaited_seats(self.ruleset, step.before):
                    legal = self.ruleset.legal(step.before, seat)
                    listed = set(legal)
                    for action in rng.sample(pool, min(25, len(pool))):
                        if action in listed:
                            continue
                        assert action not in legal, f"{action} is not listed but is in"
                        with pytest.raises(IllegalMove) as refused:
                            self.ruleset.apply(step.before, Move(seat, action))
                        assert refused.value.code.startswith(f"{self.ruleset.key}."), refused.value.code

    def test_a_seat_that_is_not_awaited_has_no_move(self) -> None:
        for steps in self.playouts(games=1):
            seats = self.seat_count(steps)
            for step in steps[:: max(1, len(steps) // 20)]:
                awaiting = self.ruleset.awaiting(step.before)
                awaited = awaiting.seats if isinstance(awaiting, Seats) else frozenset()
                for seat in {Seat(n) for n in range(seats)} - awaited:
                    assert list(self.ruleset.legal(step.before, seat)) == []
                    for action in self.some_actions(steps):
                        with pytest.raises(IllegalMove):
                            self.ruleset.apply(step.before, Move(seat, action))

    def some_actions(self, steps: list[Step]) -> list[Any]:
        by_type = {type(step.input.action): step.input.action for step in steps if isinstance(step.input, Move)}
        return list(by_type.values())

    def test_anyone_can_leave_at_any_point_and_the_game_still_ends(self) -> None:
        for chance_to_leave in (0.02, 0.3):
            for steps in self.playouts(games=3, leaves=chance_to_leave):
                assert self.ruleset.outcome(steps[-1].after) is not None

    def test_the_last_seat_that_stays_places_first_at_once(self) -> None:
        for steps in self.playouts(games=1):
            seats = self.seat_count(steps)
            if seats == 1:
                continue
            for step in steps[:: max(1, len(steps) // 10)]:
                if not isinstance(self.ruleset.awaiting(step.before), Seats):
                    continue
                for stays in range(seats):
                    state, left = step.before, 0
                    for seat in range(seats):
                        if seat != stays and self.ruleset.awaiting(state) != Over():
                            left += 1
                            state = self.answer_chance(self.ruleset.apply(state, Leave(Seat(seat), "resigned")))
                    outcome = self.ruleset.outcome(state)
                    assert outcome is not None, "one seat remains and the game goes on"
                    if left < seats - 1:
                        continue  # the last choice of the game fell away with a seat: it ended with several in it
                    assert outcome.placings[stays] == 1
                    assert outcome.placings.count(1) == 1

    def answer_chance(self, state: Any) -> Any:
        return golden.answer_chance(self.ruleset, state, Dice(7))

    def test_views_are_plain_and_the_same_for_equal_states(self) -> None:
        for steps in self.playouts(games=1):
            for step in steps[:: max(1, len(steps) // 15)]:
                for observer in self.observers(self.seat_count(steps)):
                    view = canonical(self.ruleset.view(step.before, observer))
                    again = decode(self.ruleset.state, json.loads(canonical(encode(step.before))))
                    assert canonical(self.ruleset.view(again, observer)) == view

    def test_notes_have_words_in_every_language(self) -> None:
        terms = load_terms(self.ruleset.id)
        assert set(LANGUAGES) <= set(terms["names"])
        for steps in self.playouts(games=1):
            for step in steps:
                for observer in (SPECTATOR, REFEREE):
                    for note in self.ruleset.describe(step.before, step.input, step.after, observer):
                        for language in LANGUAGES:
                            words = {name: say(value, terms, language) for name, value in note.arguments.items()}
                            assert terms["notes"][note.key][language].format(**words)

    def test_perft_counts_are_as_recorded(self) -> None:
        assert self.perft, "a ruleset freezes its move generator with perft counts"
        options = read_options(self.ruleset, {})
        for (seats, depth), expected in self.perft.items():
            assert perft(self.ruleset, options=options, seats=seats, depth=depth) == expected, (seats, depth)

    def test_the_golden_log_still_holds(self) -> None:
        for game in golden.load(self.ruleset, self.golden_logs):
            assert list(golden.replay(self.ruleset, game)) == game["state_hashes"]

    def test_the_state_hash_is_the_same_in_another_process(self) -> None:
        game = golden.load(self.ruleset, self.golden_logs)[0]
        code = (
            "from pathlib import Path; from moveledger.rules.registry import find_ruleset; from tests.rules import golden\n"
            f"r = golden.ruleset_of({type(self).__module__!r}, {type(self).__name__!r})\n"
            f"print(list(golden.replay(r, golden.load(r, Path({str(self.golden_logs)!r}))[0]))[-1])"
        )
        for hash_seed in ("1", "77"):
            ran = subprocess.run(
                [sys.executable, "-c", code],
                capture_output=True,
                text=True,
                check=True,
                env={"PYTHONHASHSEED": hash_seed, "PATH": "", "PYTHONPATH": os.pathsep.join(sys.path)},
            )
            assert ran.stdout.strip() == game["state_hashes"][-1]

    def test_equal_states_have_equal_hashes(self) -> None:
        steps = next(self.playouts(games=1))
        assert state_hash(steps[-1].after) == state_hash(copy.deepcopy(steps[-1].after))

    # --- sight ---

    @pytest.mark.thorough
    def test_what_an_observer_may_not_know_changes_nothing_that_it_sees(self) -> None:
        """Two states that differ only in hidden things give byte-identical views, legal actions and refusals."""
        if not self.ruleset.hidden:
            pytest.skip("this ruleset has no hidden information")
        rng = random.Random(5)
        settings = list(self.settings())
        differed = 0
        for seed in range(self.sight_games):
            options, seats = settings[seed % len(settings)]
            steps = list(play(self.ruleset, options=options, seats=seats, seed=seed, bound=self.bound))
            pool = self.some_actions(steps)
            for step in steps:
                for observer in self.observers(seats):
                    if observer.referee:
                        continue
                    twin = self.redeal(step.before, observer, rng)
                    differed += twin != step.before
                    self.assert_same_sight(step.before, twin, observer, pool)
        assert differed > self.sight_games, "the redeals hardly ever changed anything"

    def assert_same_sight(self, one: Any, two: Any, observer: Observer, pool: list[Any]) -> None:
        assert text_of(self.ruleset.view(one, observer)) == text_of(self.ruleset.view(two, observer))
        awaiting = self.ruleset.awaiting(one)
        assert awaiting == self.ruleset.awaiting(two)
        if observer.seat is None:
            return
        legal = self.ruleset.legal(one, observer.seat)
        other = self.ruleset.legal(two, observer.seat)
        assert list(legal) == list(other)
        for action in pool:
            assert refusal(legal, action) == refusal(other, action)

    def test_what_a_seat_may_read_of_a_draw_tells_it_nothing_of_what_others_hold(self) -> None:
        """A draw whose body a seat may read shows that seat the same, whatever is hidden from it.

        An index into what is left would not: with the thing that it stands for it tells what is gone.
        """
        rng = random.Random(6)
        for steps in self.playouts(games=3):
            for step in steps:
                audience = self.ruleset.audience(step.before, step.input) if isinstance(step.input, Draw) else None
                for seat in audience or ():
                    twin = self.redeal(step.before, Observer(seat), rng)
                    seen = text_of(self.ruleset.view(step.after, Observer(seat)))
                    assert text_of(self.ruleset.view(self.ruleset.apply(twin, step.input), Observer(seat))) == seen


def text_of(view: Any) -> str:
    """A view as text, members in order; quicker than its canonical bytes, which another law asks for."""
    return json.dumps(view, sort_keys=True)


def refusal(legal: Any, action: Any) -> tuple[str, str, str] | None:
    """How a set of legal actions refuses an action: code, detail and facts; None when it is legal."""
    assert isinstance(legal, LegalActions)
    try:
        legal.check(action)
    except IllegalMove as wrong:
        return wrong.code, wrong.detail, repr(sorted(wrong.facts.items()))
    return None


def say(value: Any, terms: Mapping[str, Any], language: str) -> str:
    """A note's argument in a language."""
    if not isinstance(value, Term):
        return str(value)
    group, _, name = value.path.partition(".")
    found: str = terms["terms"][group][name][language]
    return found
