"""The master key is changed while the service runs: nothing is lost, and who still has the old one is told so."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import pytest
from click.testing import CliRunner

from moveledger.cli import main
from moveledger.errors import MasterKeyChanged, WrongMasterKey
from moveledger.services.callers import identify, seat_token
from moveledger.services.games import NewGame, open_game
from moveledger.services.keys import issue_key
from moveledger.services.rewrapping import rewrap
from moveledger.services.standing import events_of, game_facts
from moveledger.services.tools import Tools
from moveledger.store.games import wrapped_keys
from moveledger.wiring import build_tools
from tests.house import MASTER_KEY, House, fresh_key, open_house
from tests.playing import CLOSED_HANDS, Table, new_table, open_new, players, request_key
from tests.store.drafts import connected

NEW_KEY = bytes(range(100, 132))


@pytest.fixture
def house(database: str, redis_url: str) -> Iterator[House]:
    """An API process that runs on while the master key is changed."""
    with open_house(database, redis_url) as house:
        yield house


@pytest.fixture
def owner(database: str, redis_url: str) -> Iterator[Tools]:
    """The owner's tools, as the command has them."""
    with open_house(database, redis_url, role="owner") as house:
        yield house.tools


def started_anew(house: House) -> Tools:
    """The process as it comes up with the new master key."""
    return build_tools(replace(house.config, master_key=NEW_KEY))


def opening(house: House, key: Any) -> Callable[[], Any]:
    """One opening of a game that may be asked for again and again, as one request."""
    request = request_key(house.tools, key, "games", fresh_key(), None)
    return lambda: open_game(house.tools, key, NewGame(CLOSED_HANDS, 2, players(2)), request, "opening")


def test_games_tokens_and_keys_are_the_same_under_the_new_key(house: House, owner: Tools) -> None:
    tables = [new_table(house.tools, house.key(), CLOSED_HANDS, 2) for _ in range(3)]
    token = seat_token(house.tools.vault, tables[0].game_id, 1, 1)
    _, key = issue_key(house.tools, name="n", scopes=["games:read"])
    logs = [events_of(house.tools, table.facts) for table in tables]
    assert rewrap(owner, old=MASTER_KEY, new=NEW_KEY) == 3
    after = started_anew(house)
    assert [events_of(after, game_facts(after, table.game_id)) for table in tables] == logs
    assert identify(after, f"Bearer {token}") == identify(house.tools, f"Bearer {token}")
    assert identify(after, f"Bearer {key}") == identify(house.tools, f"Bearer {key}")
    after.close()


def test_it_is_all_or_nothing(house: House, owner: Tools, database: str) -> None:
    tables = [new_table(house.tools, house.key(), CLOSED_HANDS, 2) for _ in range(2)]
    with connected(database) as connection:
        before = wrapped_keys(connection)
        with pytest.raises(WrongMasterKey):
            rewrap(owner, old=NEW_KEY, new=MASTER_KEY)
        connection.execute("UPDATE ml.game_keys SET wrapped = 'broken' WHERE game_id = %s", [tables[1].game_id])
        with pytest.raises(WrongMasterKey):
            rewrap(owner, old=MASTER_KEY, new=NEW_KEY)
        assert wrapped_keys(connection)[0] == before[0]


def test_a_process_that_has_the_old_key_opens_no_game_any_more(house: House, owner: Tools, database: str) -> None:
    """Its data key would be wrapped under a key that nobody has tomorrow."""
    key = house.key()
    ask = opening(house, key)
    rewrap(owner, old=MASTER_KEY, new=NEW_KEY)
    with pytest.raises(MasterKeyChanged) as refused:
        ask()
    assert refused.value.retryable
    with connected(database) as connection:
        assert wrapped_keys(connection) == []
    after = replace(house, tools=started_anew(house))
    assert len(open_new(after.tools, key, CLOSED_HANDS, 2).bytes) == 16
    after.tools.close()


def test_it_goes_on_with_the_games_that_it_has_and_tells_why_it_cannot_with_others(house: House, owner: Tools) -> None:
    held, other = (new_table(house.tools, house.key(), CLOSED_HANDS, 2) for _ in range(2))
    house.tools.facts.clear()
    assert held.game.status == "running"
    rewrap(owner, old=MASTER_KEY, new=NEW_KEY)
    held.step()
    with pytest.raises(MasterKeyChanged):
        game_facts(house.tools, other.game_id)


def test_a_key_that_was_altered_is_no_change_of_the_master_key(house: House, database: str) -> None:
    table = new_table(house.tools, house.key(), CLOSED_HANDS, 2)
    with connected(database) as connection:
        connection.execute("UPDATE ml.game_keys SET wrapped = 'broken'")
    house.tools.facts.clear()
    with pytest.raises(WrongMasterKey):
        game_facts(house.tools, table.game_id)


def test_an_opening_that_is_on_its_way_is_waited_for_and_one_that_comes_meanwhile_is_sent_back(
    house: House, owner: Tools, database: str
) -> None:
    """Neither may slip through between the keys that are read and the change that is committed."""
    key = house.key()
    with connected(database) as connection, ThreadPoolExecutor(1) as pool:
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock_shared(hashtext('moveledger.master_key'))")
            changing = pool.submit(rewrap, owner, old=MASTER_KEY, new=NEW_KEY)
            with pytest.raises(TimeoutError):
                changing.result(0.5)
            with pytest.raises(MasterKeyChanged):
                opening(house, key)()
        assert changing.result(10) == 0


def test_games_opened_while_the_key_is_changed_can_all_be_read_afterwards(house: House, owner: Tools) -> None:
    key, stop, tables = house.key(), threading.Event(), list[Table]()

    def open_games() -> None:
        while not stop.is_set():
            try:
                tables.append(new_table(house.tools, key, CLOSED_HANDS, 2))
            except MasterKeyChanged:
                return

    with ThreadPoolExecutor(4) as pool:
        opening_all = [pool.submit(open_games) for _ in range(4)]
        while len(tables) < 8 and not any(future.done() for future in opening_all):
            time.sleep(0.01)
        count = rewrap(owner, old=MASTER_KEY, new=NEW_KEY)
        time.sleep(0.1)
        stop.set()
        for future in opening_all:
            future.result(20)
    assert count == len(tables) >= 8
    after = started_anew(house)
    for table in tables:
        assert game_facts(after, table.game_id).seed == table.facts.seed
    after.close()


@pytest.mark.parametrize("given", ["", "00", "zz" * 32, "00" * 33])
def test_a_new_key_that_is_none_is_refused(house: House, given: str) -> None:
    environ = {
        "DATABASE_URL": house.config.database_url,
        "REDIS_URL": house.config.redis_url,
        "MASTER_KEY": MASTER_KEY.hex(),
        "NEW_MASTER_KEY": given,
    }
    ran = CliRunner().invoke(main, ["keys", "rewrap"], env=environ)
    assert ran.exit_code == 2
    assert "zz" not in ran.output
