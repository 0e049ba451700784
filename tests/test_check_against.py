"""`moveledger check --against`: what it says and with which exit code, with no worker of the service running."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import redis
from click.testing import CliRunner

from moveledger.cli import main
from moveledger.commands import check, check_against
from moveledger.errors import InvalidInput, ServerFault, UnknownRuleset
from moveledger.releases import compare_rules
from moveledger.rules.registry import load_rulesets
from tests.house import MASTER_KEY, House, open_house
from tests.playing import CLOSED_HANDS, SHANGRILA
from tests.services.refereed import RefereedTable, refereed

ROOT = Path(__file__).parents[1]
SAME, OTHER, DEADLY = "closed_hands@2", "closed_hands@3", "closed_hands@5"


@pytest.fixture
def next_versions(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Later versions of closed hands, installed here and in the processes that replay."""
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "next_version"))
    load_rulesets.cache_clear()
    yield
    load_rulesets.cache_clear()


@pytest.fixture
def house(database: str, redis_url: str) -> Iterator[House]:
    """A service of which a test knows every game."""
    with open_house(database, redis_url) as house:
        yield house


@pytest.fixture
def tables(house: House) -> list[RefereedTable]:
    """Two games that come to a second round, and five that do not."""
    rounds = (1, 2, 1, 1, 2, 1, 1)
    return [refereed(house, CLOSED_HANDS, 2, options={"rounds": count}).act(99) for count in rounds]


def second_round(table: RefereedTable) -> int:
    """The first event after which a seat chooses in the second round."""
    return next(game.version for game in table.standings() if game.awaited and game.state.round == 2)


@pytest.mark.usefixtures("next_versions")
def test_each_game_that_would_differ_is_named_with_its_first_event(
    house: House, tables: list[RefereedTable], capsys: pytest.CaptureFixture[str]
) -> None:
    refereed(house, SHANGRILA, 3)
    assert check_against(house.config, CLOSED_HANDS, OTHER, games=(), processes=2) == 1
    assert capsys.readouterr().out.splitlines() == [
        f"{tables[1].game_id} at {second_round(tables[1])}: seat 0 has other legal moves",
        f"{tables[4].game_id} at {second_round(tables[4])}: seat 0 has other legal moves",
        "7 games of closed_hands@1 replayed under closed_hands@3, 2 would differ",
    ]


@pytest.mark.usefixtures("next_versions")
def test_games_may_be_named_and_progress_is_told(house: House, tables: list[RefereedTable]) -> None:
    told: list[tuple[int, int]] = []
    named = [tables[0].game_id, tables[1].game_id]
    found = compare_rules(
        house.config,
        CLOSED_HANDS,
        OTHER,
        games=named,
        processes=1,
        progress=lambda done, total: told.append((done, total)),
    )
    assert (found.games, found.missed, [game_id for game_id, _, _ in found.differences]) == (2, 0, named[1:])
    assert told[-1] == (2, 2)
    assert told == sorted(told)
    stranger = refereed(house, SHANGRILA, 3).game_id
    with pytest.raises(InvalidInput, match=str(stranger)):
        check_against(house.config, CLOSED_HANDS, OTHER, games=[stranger], processes=1)


@pytest.mark.usefixtures("next_versions")
def test_where_nothing_is_stored_nothing_differs(house: House, capsys: pytest.CaptureFixture[str]) -> None:
    assert check_against(house.config, CLOSED_HANDS, SAME, games=(), processes=2) == 0
    assert capsys.readouterr().out == "0 games of closed_hands@1 replayed under closed_hands@2, 0 would differ\n"


@pytest.mark.usefixtures("next_versions")
def test_when_the_processes_die_it_ends_and_says_how_many_games_were_not_reached(
    house: House, tables: list[RefereedTable], redis_url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    refereed(house, CLOSED_HANDS, 2, named=False)
    assert check_against(house.config, CLOSED_HANDS, DEADLY, games=(), processes=1) == 1
    assert "games were not reached" in capsys.readouterr().out
    with redis.Redis.from_url(redis_url) as connection:
        left_behind = [name for name in connection.scan_iter("rq:queue:*") if b"rules" in name]
    assert left_behind == []


def test_versions_that_are_not_there_or_of_another_game_are_refused(house: House) -> None:
    with pytest.raises(UnknownRuleset):
        check_against(house.config, CLOSED_HANDS, "closed_hands@9", games=(), processes=1)
    with pytest.raises(InvalidInput):
        check_against(house.config, CLOSED_HANDS, SHANGRILA, games=(), processes=1)


def test_without_redis_it_says_so(house: House, tables: list[RefereedTable]) -> None:
    config = replace(house.config, redis_url="redis://127.0.0.1:9/0")
    with pytest.raises(ServerFault, match="Redis"):
        check_against(config, CLOSED_HANDS, CLOSED_HANDS, games=(), processes=1)


def test_without_another_version_it_checks_against_snapshots_as_before(
    house: House, tables: list[RefereedTable], capsys: pytest.CaptureFixture[str]
) -> None:
    assert check(house.config, [tables[0].game_id, tables[1].game_id]) == 0
    assert capsys.readouterr().out == "2 games checked, 0 differences\n"


@pytest.mark.parametrize(
    "arguments", [["--against", OTHER], ["--ruleset", CLOSED_HANDS], ["no-id"], ["--processes", "0"]]
)
def test_what_cannot_be_asked_is_said_in_a_sentence(arguments: list[str]) -> None:
    done = CliRunner().invoke(main, ["check", *arguments])
    assert done.exit_code == 2
    assert "Error: " in done.output


def test_the_command_replays_in_processes_of_its_own(house: House, tables: list[RefereedTable]) -> None:
    """As somebody types it, with the later versions installed and nothing else running."""
    places = [str(ROOT / "tests" / folder) for folder in ("example", "next_version")]
    environ = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(places),
        "DATABASE_URL": house.config.database_url,
        "WORKER_DATABASE_URL": house.config.worker_database_url,
        "REDIS_URL": house.config.redis_url,
        "MASTER_KEY": MASTER_KEY.hex(),
    }
    options = ["--against", OTHER, "--ruleset", CLOSED_HANDS, "--processes", "1"]
    command = [sys.executable, "-m", "moveledger", "check", *options]
    done = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=False, timeout=120)
    assert (done.returncode, done.stderr) == (1, "")
    assert f"{tables[1].game_id} at {second_round(tables[1])}: " in done.stdout
