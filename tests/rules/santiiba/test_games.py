"""Whole games: what holds after every input, and what the bot makes of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from moveledger.rules.encoding import encode, read_options
from moveledger.rules.kernel import SPECTATOR, Observer, Seat, View
from moveledger.rules.santiiba import RULESET
from moveledger.rules.santiiba.data import COMPONENTS, INDEX
from moveledger.rules.santiiba.state import State, Turn, staying
from tests.rules.playouts import Choose, Step, play

GIVEN: tuple[dict[str, Any], ...] = ({}, {"reading": "seed"}, {"end_trigger": "end_of_round"})


def games(count: int, leaves: float = 0.0) -> Iterator[tuple[dict[str, Any], int, list[Step]]]:
    for given in GIVEN:
        for seats in RULESET.seats:
            for seed in range(count):
                options = read_options(RULESET, given)
                yield given, seats, list(play(RULESET, options=options, seats=seats, seed=seed, leaves=leaves))


@pytest.mark.parametrize("leaves", [0.0, 0.02])
def test_after_every_input_no_card_is_lost_and_no_seer_falls_back(leaves: float) -> None:
    for _, _, steps in games(8, leaves):
        for step in steps:
            assert all_cards(step.after) == tuple(kind.count for kind in COMPONENTS.kinds)
            for before, after in zip(step.before.seers, step.after.seers, strict=True):
                assert after.position >= before.position
            if step.after.phase in ("start", "roll", "over") and step.after.turn is not None:
                assert step.after.turn.area_cards == step.after.turn.area_dice == ()
            if step.after.turn is not None:
                assert_one_hit_each(step.after.turn)


def all_cards(state: State) -> tuple[int, ...]:
    area = [0] * 5
    for kind in state.turn.area_cards if state.turn else ():
        area[INDEX[kind]] += 1
    boards = (sum(held) for held in zip(*(seer.cards for seer in state.seers), strict=True))
    return tuple(pile + board + lying for pile, board, lying in zip(state.piles, boards, area, strict=True))


def assert_one_hit_each(turn: Turn) -> None:
    hit = [one.seat for one in turn.hits]
    assert len(set(hit)) == len(hit)
    assert turn.seat not in hit
    assert all(turn.predictions[one.seat] == one.kind for one in turn.hits)


@pytest.mark.cites("R5l")
def test_a_turn_is_a_bust_exactly_when_all_opponents_are_hit_unless_the_game_ends_at_once() -> None:
    for given, seats, steps in games(8):
        for step in steps:
            last = step.after.last
            if last is None or last == step.before.last:
                continue
            assert 1 <= len(last.named) <= 4
            if last.ending != "cut_short":
                assert (len(last.hits) == seats - 1) == (last.ending == "bust")
            else:
                assert given == {"reading": "seed"}


@pytest.mark.cites("R7b")
def test_dice_alone_bring_no_seer_beyond_fifty_three_or_sixty_two() -> None:
    for given, _, steps in games(8):
        most = max(seer.position for seer in steps[-1].after.seers)
        assert most <= (62 if given == {"end_trigger": "end_of_round"} else 53)


@pytest.mark.cites("R7")
def test_a_game_ends_with_the_first_turn_or_round_that_brought_thirty() -> None:
    for given, seats, steps in games(8):
        late = [step for step in steps if max(seer.position for seer in step.before.seers) >= 30]
        turns = {step.before.turn.number for step in late}
        assert len(turns) <= (seats if given == {"end_trigger": "end_of_round"} else 1)
        assert max(seer.position for seer in steps[-1].after.seers) >= 30


def test_a_view_holds_no_prediction_of_another_seat_that_is_not_hit() -> None:
    for _, seats, steps in games(3, leaves=0.01):
        for step in steps:
            if step.before.turn is None:
                continue
            hit = {one.seat for one in step.before.turn.hits}
            for observer in (SPECTATOR, *(Observer(Seat(seat)) for seat in range(seats))):
                view: Any = RULESET.view(step.before, observer)
                shown = {seat["seat"] for seat in view["seats"] if seat["prediction"] is not None}
                assert shown <= hit | {observer.seat}


# --- the bot -----------------------------------------------------------------------------------------------


def bots(seats: frozenset[int], rng: random.Random) -> Choose:
    """The bot in these seats, a random seat elsewhere."""

    def choose(state: State, seat: Seat, actions: list[Any]) -> Any:
        if seat not in seats:
            return rng.choice(actions)
        view: View = RULESET.view(state, Observer(seat))
        assert RULESET.greedy is not None
        return actions[RULESET.greedy(view, seat, [encode(action) for action in actions], rng.randrange)]

    return choose


@pytest.mark.parametrize(("seats", "share"), [(2, 0.7), (3, 0.6), (4, 0.55)])
def test_the_bot_beats_random_seats(seats: int, share: float) -> None:
    won = 0.0
    for seed in range(60):
        bot = seed % seats
        choose = bots(frozenset({bot}), random.Random(seed))
        *_, last = play(RULESET, options=read_options(RULESET, {}), seats=seats, seed=seed, choose=choose)
        outcome = RULESET.outcome(last.after)
        assert outcome is not None
        won += (outcome.placings[bot] == 1) / outcome.placings.count(1)
    assert won / 60 > share


def test_games_among_bots_end_under_every_reading_and_with_departures() -> None:
    for at, given in enumerate(GIVEN):
        for seats in RULESET.seats:
            choose = bots(frozenset(range(seats)), random.Random(at))
            *_, last = play(
                RULESET, options=read_options(RULESET, given), seats=seats, seed=at, choose=choose, leaves=0.01 * at
            )
            assert RULESET.outcome(last.after) is not None
            assert staying(last.after)
