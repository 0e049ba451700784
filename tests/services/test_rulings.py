"""Rulings: what each appends, what a game is after it, and which are refused."""

from __future__ import annotations

import random
from typing import Any

import pytest
from closed_hands.state import Options as ClosedHandsOptions

from moveledger.audit.event import REFEREE_SEAT
from moveledger.errors import (
    GameNotFinished,
    GameNotStarted,
    GameOver,
    IdempotencyKeyReused,
    InvalidInput,
    MoveledgerError,
    RedrawNotSaid,
    RewindImpossible,
    SeatLeft,
    StaleDecision,
    UnknownSeat,
)
from moveledger.rules import chance
from moveledger.rules.encoding import encode
from moveledger.rules.kernel import REFEREE, SPECTATOR, Observer, Seat
from moveledger.services.checking import check_game
from moveledger.services.reading import show_state, state_at, stream_events, stream_frames
from moveledger.services.rulings import Abort, Adjudicate, Annul, RemoveSeat, Rewind, Wanted
from moveledger.services.standing import game_at
from moveledger.store.codec import encode_game
from tests.house import House, fresh_key
from tests.playing import CLOSED_HANDS, SHANGRILA
from tests.services.refereed import (
    CONDITIONS,
    REASON,
    SANTIIBA,
    Condition,
    RefereedTable,
    bring_into,
    refereed,
    said,
)


@pytest.fixture
def table(house: House) -> RefereedTable:
    """Five moves of Shangri-La: nothing is hidden, nothing is drawn."""
    return refereed(house).act(5)


@pytest.fixture
def hands(house: House) -> RefereedTable:
    """Closed hands for three, the first number put."""
    return refereed(house, CLOSED_HANDS, 3, options={"rounds": 4}).act(1)


def appended(answer: dict[str, Any]) -> list[tuple[str, int]]:
    """Type and seat of the events that an answer holds."""
    return [(event["type"], event["seat"]) for event in answer["events"]]


def refusal(table: RefereedTable, wanted: Wanted) -> type[MoveledgerError]:
    """What a ruling is refused with; it leaves no trace in the log."""
    before = table.game.version
    with pytest.raises(MoveledgerError) as refused:
        table.rule(wanted)
    assert table.game.version == before
    return type(refused.value)


# --- what each ruling appends ------------------------------------------------------------------------------


def test_an_abort_is_ruled_and_aborts(table: RefereedTable) -> None:
    answer, _ = table.rule(Abort())
    assert appended(answer) == [("ruled", REFEREE_SEAT), ("aborted", -1)]
    assert (answer["status"], answer["outcome"], answer["awaiting"]["seats"]) == ("aborted", None, [])
    assert said(table.events[-2]) == {"ruling": "abort", "reason": REASON}
    assert said(table.events[-1]) == {"reason": "ruling", "seed": table.facts.seed.hex()}


def test_a_game_that_has_not_started_can_be_aborted_and_nothing_else(house: House) -> None:
    table = refereed(house, named=False)
    for wanted in (RemoveSeat(0), Adjudicate((1, 1, 1), None)):
        assert refusal(table, wanted) is GameNotStarted
    assert refusal(table, Annul()) is GameNotFinished
    assert refusal(table, Rewind(1, redraw=True)) is RewindImpossible
    answer, _ = table.rule(Abort())
    assert answer["status"] == "aborted"
    assert table.verified().valid


def test_a_removal_is_ruled_and_the_seat_leaves(table: RefereedTable) -> None:
    answer, _ = table.rule(RemoveSeat(1))
    assert appended(answer)[:2] == [("ruled", REFEREE_SEAT), ("left", 1)]
    assert said(table.events[-1]) == {"cause": "removed"}
    assert table.events[-1].client == table.referee.client
    assert (answer["status"], table.game.left) == ("running", (1,))


def test_a_removal_that_leaves_one_seat_ends_the_game(hands: RefereedTable) -> None:
    hands.rule(RemoveSeat(0))
    answer, _ = hands.rule(RemoveSeat(2))
    assert appended(answer) == [("ruled", REFEREE_SEAT), ("left", 2), ("finished", -1)]
    assert answer["outcome"]["placings"] == [3, 1, 2]
    assert hands.verified(SPECTATOR).valid


def test_an_adjudication_is_ruled_and_finishes_with_its_placings(table: RefereedTable) -> None:
    answer, _ = table.rule(Adjudicate((2, 1, 2), (3, 9, 3)))
    outcome = {"placings": [2, 1, 2], "scores": [3, 9, 3], "reason": "adjudicated"}
    assert appended(answer) == [("ruled", REFEREE_SEAT), ("finished", -1)]
    assert answer["outcome"] == outcome
    assert said(table.events[-2]) == {"ruling": "adjudicate", "reason": REASON, "outcome": outcome}
    assert said(table.events[-1])["outcome"] == outcome


def test_an_adjudication_without_scores_gives_none(table: RefereedTable) -> None:
    answer, _ = table.rule(Adjudicate((1, 2, 3), None))
    assert answer["outcome"]["scores"] == [0, 0, 0]


def test_annulling_a_finished_game_appends_one_event_and_alters_nothing(house: House) -> None:
    table = refereed(house, CLOSED_HANDS, 2).act(99)
    before = table.game
    answer, _ = table.rule(Annul())
    assert appended(answer) == [("ruled", REFEREE_SEAT)]
    assert table.game.annulled
    assert (table.game.outcome, table.game.state, table.game.status) == (before.outcome, before.state, "finished")
    report = table.verified(SPECTATOR)
    assert report.valid
    assert "annulled afterwards" in next(check.detail for check in report.checks if check.name == "outcome")


def test_a_rewind_appends_one_event(table: RefereedTable) -> None:
    to = table.choices()[1]
    answer, _ = table.rule(Rewind(to, redraw=False))
    assert appended(answer) == [("ruled", REFEREE_SEAT)]
    assert said(table.events[-1]) == {"ruling": "rewind", "to": to, "reason": REASON}


@pytest.mark.parametrize(
    "wanted",
    [Abort(), RemoveSeat(1), Adjudicate((1, 2, 3), None), Rewind(6, redraw=False)],
    ids=lambda w: type(w).__name__,
)
def test_every_ruling_is_shown_with_its_reason_and_whose_key_it_was(table: RefereedTable, wanted: Wanted) -> None:
    table.rule(wanted, "because of the rain")
    look = table.look()
    event = next(event for event in stream_events(table.tools, look) if event["type"] == "ruled")
    assert event["body"] is not None
    assert event["body"]["reason"] == "because of the rain"
    assert event["client"] == str(table.referee.client)
    frames = stream_frames(table.tools, look, first=event["seq"], last=event["seq"], language="en")
    assert [frame["event"] for frame in frames] == [event]
    assert b"because of the rain" in table.record()
    assert table.verified().valid


LONG = {CLOSED_HANDS: {"rounds": 4}}
"""Options with which a game does not end where a test would have it go on."""

# --- a rewind ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("condition", CONDITIONS)
@pytest.mark.parametrize("ruleset", [SHANGRILA, CLOSED_HANDS, SANTIIBA])
def test_after_a_rewind_the_game_stands_as_it_stood(
    house: House, worker: House, ruleset: str, condition: Condition
) -> None:
    table = refereed(house, ruleset, 3).act(5)
    to = table.choices()[1]
    then = game_at(table.tools, table.facts, to)
    table.rule(Rewind(to, redraw=True))
    bring_into(condition, table, worker)
    now = table.game
    assert (now.state, now.left, now.awaited) == (then.state, then.left, then.awaited)
    for seat in sorted(now.awaited):
        listed = [encode(action) for action in now.ruleset.legal(now.state, seat)]
        assert listed == [encode(action) for action in then.ruleset.legal(then.state, seat)]
    for observer in (SPECTATOR, REFEREE, *(Observer(Seat(seat)) for seat in range(3))):
        look = table.look(observer)
        assert state_at(table.tools, look, None)["view"] == state_at(table.tools, look, to)["view"]


@pytest.mark.parametrize("condition", CONDITIONS)
def test_after_a_rewind_every_seat_decides_anew(house: House, worker: House, condition: Condition) -> None:
    table = refereed(house, CLOSED_HANDS, 3)
    table.act(1)
    seat = sorted(table.game.awaited)[0]
    stale = table.game.decision(seat)
    table.rule(Rewind(table.choices()[0], redraw=False))
    bring_into(condition, table, worker)
    game = table.game
    assert game.decisions == (game.version,) * 3
    with pytest.raises(StaleDecision) as refused:
        table.send(seat, {"type": "pass"}, decision=stale)
    assert refused.value.facts["decision"] == str(game.version)
    assert [event["type"] for event in refused.value.facts["missed_events"]][-1] == "ruled"
    table.send(seat, {"type": "pass"}, decision=str(game.version))


@pytest.mark.parametrize("condition", CONDITIONS)
def test_a_rewind_can_itself_be_rewound(house: House, worker: House, condition: Condition) -> None:
    """Back over the ruling, into the part that it had taken back."""
    table = refereed(house, SHANGRILA, 3).act(6)
    early, late = table.choices()[0], table.choices()[-1]
    then = game_at(table.tools, table.facts, late)
    table.rule(Rewind(early, redraw=False))
    table.act(2)
    table.rule(Rewind(late, redraw=False))
    bring_into(condition, table, worker)
    assert table.game.state == then.state
    assert table.act(3).verified().valid


def test_a_rewind_to_a_rewind_goes_back_to_where_that_one_had_gone(table: RefereedTable) -> None:
    table.rule(Rewind(table.choices()[0], redraw=False))
    ruled, state = table.game.version, table.game.state
    table.act(2).rule(Rewind(ruled, redraw=False))
    assert table.game.state == state
    assert table.verified().valid


def test_a_seat_that_had_left_is_back_after_a_rewind(hands: RefereedTable) -> None:
    to = hands.choices()[-1]
    hands.resign(2)
    hands.rule(Rewind(to, redraw=True))
    assert hands.game.left == ()
    assert 2 in hands.game.awaited
    hands.send(2, {"type": "pass"})
    assert hands.verified().valid


def test_a_seat_that_was_removed_is_back_after_a_rewind_to_the_removal_itself(hands: RefereedTable) -> None:
    """The ruling is an event after which seats were awaited; the departure is the event after it."""
    hands.rule(RemoveSeat(2))
    ruled = next(event.seq for event in hands.events if event.type == "ruled")
    hands.rule(Rewind(ruled, redraw=True))
    assert hands.game.left == ()
    assert hands.act(4).verified().valid


@pytest.mark.parametrize("ruleset", [CLOSED_HANDS, SANTIIBA])
def test_a_rewind_across_draws_must_say_so_and_draws_anew(house: House, ruleset: str) -> None:
    table = refereed(house, ruleset, 2, options=LONG.get(ruleset, {}))
    to, before = table.game.version, table.game.draws
    while table.game.draws == before:
        table.act(1)
    drawn = table.game.draws
    with pytest.raises(RedrawNotSaid) as refused:
        table.rule(Rewind(to, redraw=False))
    assert refused.value.facts["draws"] == drawn - before
    table.rule(Rewind(to, redraw=True))
    assert said(table.events[-1])["redraw"] is True
    while table.game.draws == drawn and not table.game.over:
        table.act(1)
    indexes = [said(event)["index"] for event in table.events if event.type == "drawn"]
    assert indexes == list(range(len(indexes)))
    assert len(indexes) > drawn
    assert table.verified().valid


def test_redraw_may_be_said_where_nothing_was_drawn(table: RefereedTable) -> None:
    table.rule(Rewind(table.choices()[0], redraw=True))
    assert table.verified().valid


def test_a_rewind_may_go_back_before_a_snapshot(house: House, worker: House) -> None:
    """Over a hundred events, so that Postgres holds a snapshot of what is taken back."""
    table = refereed(house, SHANGRILA, 3).act(20)
    for _ in range(4):
        table.act(15).rule(Rewind(table.choices()[3], redraw=False))
    table.act(30)
    bring_into("Redis only", table, worker)
    table.rule(Rewind(table.choices()[60], redraw=False))
    table.act(5)
    bring_into("Redis only", table, worker)
    assert table.game.version > 96
    assert encode_game(table.game) == encode_game(table.folded())
    assert check_game(worker.tools, table.game_id) == []


def test_taking_back_again_and_again_costs_no_more_than_the_events_there_are(house: House) -> None:
    """Each rewind lies behind all those before it: without a memory thirty of them would cost a milliard of folds."""
    table = refereed(house, SHANGRILA, 3)
    for _ in range(30):
        table.act(1).rule(Rewind(table.game.version - 1, redraw=False))
    table.tools.games.clear()
    table.tools.cache.client.flushall()
    assert table.game == table.folded()
    assert table.verified().valid


def test_the_rewound_part_stays_in_the_replay_and_in_the_record(table: RefereedTable) -> None:
    before = table.events
    table.rule(Rewind(table.choices()[0], redraw=False))
    assert table.events[:-1] == before
    frames = list(stream_frames(table.tools, table.look(), first=1, last=99, language="en"))
    assert [frame["seq"] for frame in frames] == list(range(1, table.game.version + 1))
    assert frames[-1]["view"] == frames[table.choices()[0] - 1]["view"]


def test_when_rewinds_have_used_up_the_draws_the_house_aborts(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chance, "DRAWS", 1)
    table = refereed(house, CLOSED_HANDS, 2, options={"rounds": 2})
    promised = ClosedHandsOptions(rounds=2)
    assert table.game.fairness.draws == table.game.ruleset.draws(promised, 2)
    to = table.game.version
    while table.game.status == "running":
        round_ = table.game.state.round
        while table.game.status == "running" and table.game.state.round == round_:
            table.act(1)
        if table.game.status == "running":
            table.rule(Rewind(to, redraw=True))
    assert said(table.events[-1])["reason"] == "draws-exhausted"
    assert table.game.draws == table.game.fairness.draws
    assert table.verified(SPECTATOR).valid


# --- refusals ----------------------------------------------------------------------------------------------


def test_a_rewind_goes_to_an_earlier_event_after_which_a_seat_was_awaited(hands: RefereedTable) -> None:
    started = next(event.seq for event in hands.events if event.type == "started")
    first_choice = hands.choices()[0]
    version = hands.game.version
    for to in (-(2**53), -1, 0, 1, started - 1, *range(started, first_choice), version, version + 1, 2**53):
        assert refusal(hands, Rewind(to, redraw=True)) is RewindImpossible, to


def test_a_game_that_is_over_is_not_ruled_on_but_annulled_once_if_it_finished(house: House) -> None:
    finished, aborted = (refereed(house, CLOSED_HANDS, 2) for _ in range(2))
    choice = finished.act(1).choices()[0]
    finished.act(99)
    aborted.rule(Abort())
    for table in (finished, aborted):
        assert refusal(table, Rewind(choice, redraw=True)) is RewindImpossible
        assert refusal(table, Abort()) is GameOver
        assert refusal(table, RemoveSeat(0)) is GameOver
        assert refusal(table, Adjudicate((1, 2), None)) is GameOver
    assert refusal(aborted, Annul()) is GameNotFinished
    finished.rule(Annul())
    assert refusal(finished, Annul()) is GameNotFinished
    assert refusal(finished, Rewind(choice, redraw=True)) is RewindImpossible


def test_a_running_game_is_not_annulled(table: RefereedTable) -> None:
    assert refusal(table, Annul()) is GameNotFinished


def test_a_seat_is_removed_once_and_must_be_there(table: RefereedTable) -> None:
    assert refusal(table, RemoveSeat(3)) is UnknownSeat
    table.resign(0)
    assert refusal(table, RemoveSeat(0)) is SeatLeft


@pytest.mark.parametrize(
    ("placings", "scores", "expected"),
    [
        ((1, 2), None, ["/placings"]),
        ((1, 2, 3, 4), None, ["/placings"]),
        ((1, 1, 2), None, ["/placings"]),
        ((2, 2, 3), None, ["/placings"]),
        ((0, 1, 2), None, ["/placings"]),
        ((1, 2, 3), (1, 2), ["/scores"]),
        ((1, 3, 4), (1, 2, 3, 4), ["/placings", "/scores"]),
    ],
)
def test_an_adjudication_places_every_seat_in_the_usual_form(
    table: RefereedTable, placings: tuple[int, ...], scores: tuple[int, ...] | None, expected: list[str]
) -> None:
    with pytest.raises(InvalidInput) as refused:
        table.rule(Adjudicate(placings, scores))
    assert [fault["pointer"] for fault in refused.value.facts["errors"]] == expected


# --- repeats -----------------------------------------------------------------------------------------------


def test_a_repeated_ruling_answers_as_the_first_time_whatever_has_happened_since(table: RefereedTable) -> None:
    key, wanted = fresh_key(), Rewind(table.choices()[0], redraw=False)
    first, _ = table.rule(wanted, key=key)
    table.act(2)
    assert table.rule(wanted, key=key) == (first, True)
    table.rule(Abort())
    assert table.rule(wanted, key=key) == (first, True)
    assert [event.type for event in table.events].count("ruled") == 2


def test_a_key_used_for_another_ruling_is_refused(table: RefereedTable) -> None:
    key = fresh_key()
    table.rule(Rewind(table.choices()[0], redraw=False), key=key)
    with pytest.raises(IdempotencyKeyReused):
        table.rule(Abort(), key=key)


# --- the law -----------------------------------------------------------------------------------------------


def played_at_random(house: House, ruleset: str, seats: int, seed: int) -> RefereedTable:
    """A game of moves, departures and rewinds to anywhere, to its end or to its fortieth step."""
    rng = random.Random(seed)
    table, choices = refereed(house, ruleset, seats, seed=seed, options=LONG.get(ruleset, {})), list[int]()
    for _ in range(30):
        if table.game.over:
            break
        if choices and rng.random() < 0.2:
            table.rule(Rewind(rng.choice(choices), redraw=True))
        elif rng.random() < 0.05 and len(table.game.left) < seats - 2:
            table.resign(rng.choice([seat for seat in range(seats) if seat not in table.game.left]))
        else:
            choices.append(table.game.version)
            table.act(1)
    return table


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("ruleset", "seats"), [(CLOSED_HANDS, 3), (SANTIIBA, 3), (SHANGRILA, 4)])
def test_a_game_with_rewinds_is_what_its_log_says_and_verifies(
    house: House, worker: House, ruleset: str, seats: int, seed: int
) -> None:
    table = played_at_random(house, ruleset, seats, seed)
    kept = table.game
    for condition in CONDITIONS:
        bring_into(condition, table, worker)
        assert table.game == kept == table.folded()
    assert table.verified(REFEREE).valid
    assert table.verified(SPECTATOR).valid
    assert check_game(worker.tools, table.game_id) == []
    for standing in table.standings():
        at = state_at(table.tools, table.look(), standing.version)
        assert at == show_state(table.look(), standing)
