"""Games are opened, and start when all seats are taken."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import pytest

from moveledger.errors import IdempotencyKeyReused, InvalidInput, ScopeMissing, Unauthenticated, UnknownRuleset
from moveledger.rules import chance
from moveledger.services.callers import Anonymous, KeyCaller
from moveledger.services.games import NewGame, NewPlayer, find_game_resource, open_game
from moveledger.services.standing import current_game, events_of, game_facts
from tests.house import House, fresh_key
from tests.playing import CLOSED_HANDS, SHANGRILA, new_table, open_new, players, request_key


def test_with_all_seats_named_it_starts_at_once(house: House, key: KeyCaller) -> None:
    game = open_new(house.tools, key, SHANGRILA, 3)
    events = events_of(house.tools, game_facts(house.tools, game))
    assert [(event.type, event.seat) for event in events] == [
        ("opened", -1),
        ("seated", 0),
        ("seated", 1),
        ("seated", 2),
        ("started", -1),
    ]
    assert {event.client for event in events[:4]} == {key.client}
    assert current_game(house.tools, game_facts(house.tools, game)).awaited == {0}


def test_chance_is_answered_before_anybody_is_asked(house: House, key: KeyCaller) -> None:
    table = new_table(house.tools, key, CLOSED_HANDS, 2)
    events = events_of(house.tools, table.facts)
    assert [event.type for event in events] == ["opened", "seated", "seated", "started", "drawn", "drawn", "drawn"]
    assert table.game.awaited == {0, 1}


def test_what_is_committed_to_is_the_seed_of_the_game(house: House, key: KeyCaller) -> None:
    facts = game_facts(house.tools, open_new(house.tools, key, CLOSED_HANDS, 2))
    game = current_game(house.tools, facts)
    assert game.fairness.seed_commitment == chance.seed_commitment(facts.game_id.bytes, CLOSED_HANDS, facts.seed)
    assert game.fairness.root == chance.draws_root(facts.seed, chance.DRAWS)
    assert game.mix == chance.mix(facts.game_id.bytes, game.fairness.seed_commitment, game.fairness.root, {})


def test_no_two_games_have_the_same_secrets(house: House, key: KeyCaller) -> None:
    facts = [game_facts(house.tools, open_new(house.tools, key, CLOSED_HANDS, 2)) for _ in range(3)]
    assert len({found.seed for found in facts} | {found.data_key for found in facts}) == 6


def test_players_are_opaque_in_the_log_and_known_again_by_their_key(house: House, key: KeyCaller) -> None:
    first, second = (open_new(house.tools, key, SHANGRILA, 3) for _ in range(2))
    in_logs = [current_game(house.tools, game_facts(house.tools, game)).players for game in (first, second)]
    assert in_logs[0] == in_logs[1]
    assert all(UUID(str(player)).version == 4 for player in in_logs[0])
    other = open_new(house.tools, house.key(), SHANGRILA, 3)
    assert not set(current_game(house.tools, game_facts(house.tools, other)).players) & set(in_logs[0])


def test_a_name_that_is_given_later_replaces_the_one_before(house: House, key: KeyCaller) -> None:
    games = []
    for name in ("Ann", None, "Anna"):
        wanted = NewGame(CLOSED_HANDS, 2, [NewPlayer("a", name), NewPlayer("b")])
        answer, _ = open_game(house.tools, key, wanted, request_key(house.tools, key, "games", fresh_key(), None), "r")
        games.append(UUID(answer["id"]))
        named = answer["seats"][0]["player"]["name"]
        assert named == (name or "Ann")
    assert find_game_resource(house.tools, key, games[0])["seats"][0]["player"]["name"] == "Anna"


def test_only_a_key_that_writes_games_opens_one(house: House) -> None:
    for caller, error in ((Anonymous(), Unauthenticated), (house.key("games:read"), ScopeMissing)):
        with pytest.raises(error):
            open_new(house.tools, caller)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (NewGame(SHANGRILA, 2), ["/seats"]),
        (NewGame(SHANGRILA, 3, players(2)), ["/players"]),
        (NewGame(SHANGRILA, 2, [NewPlayer("a"), NewPlayer("a")]), ["/players", "/seats"]),
        (NewGame(SHANGRILA, 3, options={"end": "never"}), ["/options/end"]),
        (NewGame(SHANGRILA, 3, options={"setup_caps": "yes"}), ["/options/setup_caps"]),
        (NewGame(SHANGRILA, 3, options={"size": 3}), ["/options/size"]),
        (NewGame(CLOSED_HANDS, 2, options={"rounds": 0}), ["/options/rounds"]),
        (NewGame(CLOSED_HANDS, 2, options={"rounds": 2.0}), ["/options/rounds"]),
        (NewGame(CLOSED_HANDS, 9, players(2), {"rounds": 9}), ["/options/rounds", "/seats"]),
    ],
)
def test_what_cannot_be_opened_is_pointed_at(
    house: House, key: KeyCaller, wanted: NewGame, expected: list[str]
) -> None:
    with pytest.raises(InvalidInput) as refused:
        open_game(house.tools, key, wanted, request_key(house.tools, key, "games", fresh_key(), None), "r")
    assert sorted(fault["pointer"] for fault in refused.value.facts["errors"]) == expected


def test_an_unknown_ruleset_is_refused(house: House, key: KeyCaller) -> None:
    with pytest.raises(UnknownRuleset):
        open_new(house.tools, key, "shangrila@99")


def test_a_preset_sets_its_options_and_what_is_given_wins(house: House, key: KeyCaller) -> None:
    options = {"reading": "seed", "recruit": "one_or_two"}
    game = new_table(house.tools, key, SHANGRILA, 3, options=options).game
    assert (game.options.reading, game.options.end, game.options.recruit) == ("seed", "no_bridge", "one_or_two")


def test_a_repeat_opens_nothing_and_another_request_under_the_key_is_refused(house: House, key: KeyCaller) -> None:
    request = request_key(house.tools, key, "games", fresh_key(), "this")
    wanted = NewGame(CLOSED_HANDS, 2, players(2))
    first, was_known = open_game(house.tools, key, wanted, request, "first")
    assert not was_known
    assert open_game(house.tools, key, wanted, request, "second") == (first, True)
    other = request_key(house.tools, key, "games", request.key, "that")
    with pytest.raises(IdempotencyKeyReused):
        open_game(house.tools, key, wanted, other, "third")


def test_a_refused_opening_leaves_nothing_behind(house: House, key: KeyCaller) -> None:
    request = request_key(house.tools, key, "games", fresh_key(), None)
    with pytest.raises(InvalidInput):
        open_game(house.tools, key, NewGame(SHANGRILA, 9), request, "r")
    answer, was_known = open_game(house.tools, key, NewGame(SHANGRILA, 3), request, "r")
    assert (answer["status"], was_known) == ("open", False)


def test_games_of_the_same_players_are_opened_at_the_same_time_in_any_order(house: House, key: KeyCaller) -> None:
    """Each opening writes its players; two that do so in opposite orders must not wait for each other."""
    names = [NewPlayer(f"{fresh_key()}-{at}") for at in range(4)]
    line = threading.Barrier(6)

    def run(at: int) -> int:
        tries = 0
        for turn in range(5):
            order = names[(at + turn) % 4 :] + names[: (at + turn) % 4]
            wanted = NewGame(CLOSED_HANDS, 4, order[:: 1 if at % 2 else -1])
            line.wait(10)
            open_game(house.tools, key, wanted, request_key(house.tools, key, "games", fresh_key(), None), "r")
            tries += 1
        return tries

    began = time.monotonic()
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(run, range(6))) == [5] * 6
    assert time.monotonic() - began < 10
