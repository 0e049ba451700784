"""Every game's record verifies, wherever the game stands and however it came there."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from dataclasses import replace

import pytest

from moveledger.audit.checks import Report
from moveledger.audit.verify import verify_record
from moveledger.errors import GameOver
from moveledger.rules.kernel import AnyRuleset
from moveledger.rules.registry import find_ruleset, load_rulesets
from moveledger.services import games
from moveledger.services.games import abort_overdue_games
from moveledger.services.reading import export_record, look_at
from moveledger.services.standing import events_of
from tests.house import House
from tests.playing import ASKED, CLOSED_HANDS, SHANGRILA, Table, new_table


def record(table: Table, name: str | None = None) -> bytes:
    """The record of a game as an observer gets it."""
    return b"".join(export_record(table.tools, look_at(table.tools, table.caller, table.game_id, ASKED, name)))


def verified(table: Table, name: str | None = None) -> Report:
    """The report on a game's record, which names no fault."""
    report = verify_record(io.BytesIO(record(table, name)))
    assert report.fault is None, report
    assert report.version == table.game.version
    return report


@pytest.mark.parametrize("ruleset", list(load_rulesets()))
def test_of_every_ruleset_running_and_at_the_end(house: House, ruleset: str) -> None:
    table = new_table(house.tools, house.key(), ruleset, find_ruleset(ruleset).seats[-1])
    verified(table)
    table.play(until_version=40)
    for seat in range(table.game.seats):
        verified(table, f"seat:{seat}")
    table.play()
    assert verified(table).closed == 0


def test_of_games_with_open_seats_with_entropy_and_with_departures(own_house: House) -> None:
    key = own_house.key()
    table = new_table(own_house.tools, key, CLOSED_HANDS, 3, named=False, entropy="required")
    verified(table)
    entropies = [bytes([seat]) * 32 for seat in range(3)]
    for seat, entropy in enumerate(entropies):
        table.claim(seat, f"p{seat}")
        table.add_entropy(seat, table.commitment(seat, entropy))
        verified(table)
    for seat, entropy in enumerate(entropies):
        table.add_entropy(seat, {"entropy": entropy.hex()})
        verified(table)
    table.resign(1)
    verified(table)
    table.play()
    verified(table)


def test_of_a_game_that_was_aborted_for_want_of_entropy(own_house: House) -> None:
    table = new_table(own_house.tools, own_house.key(), CLOSED_HANDS, 2, entropy="required")
    own_house.clock.go_on(seconds=2 * 86_400)
    abort_overdue_games(own_house.tools)
    assert table.game.status == "aborted"
    assert verified(table).closed == 0


def few_draws(count: int) -> Callable[[str], AnyRuleset]:
    """The installed rulesets, as if their games never drew more than so often."""
    return lambda ruleset_id: replace(find_ruleset(ruleset_id), draws=lambda *_: count)


def test_when_the_draws_run_out_the_house_aborts_and_opens_the_seed(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moveledger.rules.chance.DRAWS", 4)
    monkeypatch.setattr(games, "find_ruleset", few_draws(4))
    table = new_table(house.tools, house.key(), CLOSED_HANDS, 2)
    monkeypatch.undo()
    assert (table.game.fairness.draws, table.game.draws) == (4, 3)
    while not table.game.over:
        answer = table.step()
    last = events_of(table.tools, table.facts)[-1]
    assert (answer["status"], answer["outcome"], table.game.draws) == ("aborted", None, 4)
    assert last.body == {"reason": "draws-exhausted", "seed": table.facts.seed.hex()}
    assert verified(table).closed == 0
    with pytest.raises(GameOver):
        table.send(0, {"type": "pass"})


def test_a_changed_word_in_a_record_is_found(house: House) -> None:
    text = record(new_table(house.tools, house.key(), SHANGRILA, 3).play(until_version=12))
    lines = text.splitlines(keepends=True)
    event = json.loads(lines[8])
    event["seat"] = (event["seat"] + 1) % 3
    forged = b"".join([*lines[:8], json.dumps(event, separators=(",", ":")).encode() + b"\n", *lines[9:]])
    report = verify_record(io.BytesIO(forged))
    assert report.fault is not None


def test_a_record_has_the_log_s_events_between_its_first_line_and_its_last(house: House) -> None:
    table = new_table(house.tools, house.key(), CLOSED_HANDS, 2).play()
    lines = [json.loads(line) for line in record(table).splitlines()]
    assert lines[0].keys() == {"record", "game_id", "ruleset", "version", "head_hash", "exported_at", "as"}
    assert [line["seq"] for line in lines[1:-1]] == list(range(1, table.game.version + 1))
    assert (lines[0]["version"], lines[0]["head_hash"]) == (lines[-2]["seq"], lines[-2]["hash"])
    assert lines[-1].keys() == {"sha256"}
