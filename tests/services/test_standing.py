"""How a game stands: the same whether memory, snapshots or the log are asked, and never far to go."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from uuid import uuid4

import pytest

from moveledger.audit.event import Event
from moveledger.audit.game import Game, Recall, evolve, fold
from moveledger.errors import UnknownGame, UnknownVersion
from moveledger.rules.kernel import REFEREE
from moveledger.rules.registry import load_rulesets
from moveledger.services.access import SCOPES
from moveledger.services.reading import Look, state_at
from moveledger.services.snapshotting import bring_up_to_date, sealed_snapshot
from moveledger.services.standing import SNAPSHOT_BOUND, current_game, digest_of, events_of, game_at, game_facts
from moveledger.services.tools import Tools
from moveledger.store.codec import decode_game, encode_game
from moveledger.store.events import head_of
from moveledger.store.sealing import seal
from moveledger.store.snapshots import EVERY, find_snapshot, put_snapshot, snapshot_name
from tests.house import House, open_house
from tests.playing import CLOSED_HANDS, SHANGRILA, Table, new_table

NOWHERE = "unix:///nowhere/valkey.sock"


@pytest.fixture(scope="module", params=[SHANGRILA, CLOSED_HANDS])
def played(request: pytest.FixtureRequest, session_house: House, shared_database: str) -> Table:
    """A finished game, long enough for snapshots in Postgres where the rules allow, which a worker has kept."""
    options = {"rounds": 5} if request.param == CLOSED_HANDS else {}
    table = new_table(session_house.tools, session_house.key(), request.param, 4, options=options).play()
    with open_house(shared_database, session_house.config.redis_url, role="worker") as worker:
        bring_up_to_date(worker.tools, [table.game_id])
    return table


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[], int]]:
    """While the block runs, what is yielded tells how many events were applied since it was last asked."""
    applied: list[int] = []

    def counting(game: Game | None, event: Event, recall: Recall) -> Game:
        applied.append(event.seq)
        return evolve(game, event, recall)

    def since() -> int:
        count = len(applied)
        applied.clear()
        return count

    with monkeypatch.context() as patch:
        patch.setattr("moveledger.audit.game.evolve", counting)
        yield since


def forget(tools: Tools) -> None:
    """A process that has just come up."""
    tools.games.clear()
    tools.facts.clear()


def refolded(table: Table) -> list[Game]:
    """The game after each of its events, by the fold from the start and nothing else."""
    events = events_of(table.tools, table.facts)
    games: list[Game] = []
    for event in events:
        games.append(fold([event], lambda *_: pytest.fail("nothing to recall"), games[-1] if games else None))
    return games


def test_at_every_seq_it_stands_as_the_fold_from_the_start_says(
    played: Table, shared_database: str, redis_url: str
) -> None:
    """Warm memory and Redis, Redis emptied (which `redis_url` does), Redis away: three conditions, one answer."""
    expected = refolded(played)
    with open_house(shared_database, redis_url) as emptied, open_house(shared_database, NOWHERE) as away:
        for seq in [1, 2, *range(3, len(expected), 7), len(expected) - 1, len(expected)]:
            for tools in (played.tools, emptied.tools, away.tools):
                found = game_at(tools, game_facts(tools, played.game_id), seq)
                assert encode_game(found) == encode_game(expected[seq - 1])
        for tools in (played.tools, emptied.tools, away.tools):
            assert current_game(tools, game_facts(tools, played.game_id)) == expected[-1]


def test_it_is_never_more_than_64_applies_away(
    played: Table, shared_database: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts, version = played.facts, played.game.version
    for url in (redis_url, NOWHERE):
        with open_house(shared_database, url) as house, counted(monkeypatch) as applied:
            counts = []
            for seq in [*range(1, version, 5), *range(EVERY - 1, version, EVERY), *range(EVERY, version + 1, EVERY)]:
                game_at(house.tools, facts, seq)
                counts.append(applied())
            current_game(house.tools, facts)
            assert max(*counts, applied()) <= EVERY
            assert counts[:3] == [1, 6, 11]
            assert version > 2 * EVERY or facts.row.ruleset == CLOSED_HANDS


def test_a_warm_game_applies_nothing(played: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    played.game  # noqa: B018 - it warms up
    with counted(monkeypatch) as applied:
        assert played.game.over
        game_at(played.tools, played.facts, played.game.version)
        assert applied() == 0


def test_a_snapshot_in_redis_saves_a_process_that_came_up_the_fold(
    played: Table, shared_database: str, redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_house(shared_database, redis_url, role="worker") as worker:
        bring_up_to_date(worker.tools, [played.game_id])
    with open_house(shared_database, redis_url) as house, counted(monkeypatch) as applied:
        assert current_game(house.tools, game_facts(house.tools, played.game_id)) == played.game
        assert applied() == 0


@pytest.mark.parametrize("seq", [0, -1, 10_000, 2**53, 2**70])
def test_a_version_that_never_was_is_unknown(played: Table, seq: int) -> None:
    with pytest.raises(UnknownVersion):
        state_at(played.tools, Look(played.facts, played.game, REFEREE), seq)


def test_a_game_that_never_was_is_unknown(house: House) -> None:
    with pytest.raises(UnknownGame):
        game_facts(house.tools, uuid4())


# --- what must not be believed ------------------------------------------------------------------------------


@pytest.fixture
def table(house: House) -> Table:
    """A running game of some length."""
    return new_table(house.tools, house.key()).play(until_version=20)


def in_redis(table: Table, content: bytes, *, seq: int) -> None:
    """Put something where the game's snapshot is looked for."""
    name = snapshot_name(table.facts.row.ruleset, digest_of(table.facts), table.game_id)
    table.tools.cache.client.delete(f"ml:{name}")
    table.tools.cache.put_snapshot(name, seq=seq, content=content)


def test_a_snapshot_with_another_head_hash_is_refused(table: Table) -> None:
    truth = table.game
    forged = replace(game_at(table.tools, table.facts, 12), head_hash=b"f" * 32)
    in_redis(table, sealed_snapshot(table.facts, forged), seq=12)
    forget(table.tools)
    assert table.game == truth


def test_a_snapshot_of_events_that_the_log_does_not_have_is_refused(table: Table) -> None:
    """The database was restored from a copy; Redis remembers what came after it."""
    truth = table.game
    in_redis(table, sealed_snapshot(table.facts, replace(truth, version=25)), seq=25)
    forget(table.tools)
    assert table.game == truth


def test_a_memory_that_the_log_does_not_bear_out_is_thrown_away(table: Table) -> None:
    truth = table.game
    for wrong in (replace(truth, head_hash=b"f" * 32), replace(truth, version=25)):
        table.tools.games.put(table.game_id, wrong)
        assert current_game(table.tools, table.facts, certain=True) == truth


@pytest.mark.parametrize("content", [b"", b"rubbish", bytes(500)])
def test_a_snapshot_that_does_not_open_is_as_good_as_none(table: Table, content: bytes) -> None:
    truth = table.game
    in_redis(table, content, seq=20)
    forget(table.tools)
    assert table.game == truth


@pytest.mark.parametrize("text", [b"[]", b"{}", b'{"game_id": 1}', b"\xff", b"none"])
def test_a_snapshot_that_an_older_release_wrote_in_another_way_is_as_good_as_none(table: Table, text: bytes) -> None:
    """It opens, but it cannot be read: the digest is of the ruleset's sources, not of those that write snapshots."""
    truth = table.game
    in_redis(table, seal(table.facts.data_key, text, SNAPSHOT_BOUND + table.game_id.bytes), seq=20)
    forget(table.tools)
    assert table.game == truth


def test_a_snapshot_that_lacks_one_member_is_as_good_as_none(table: Table) -> None:
    truth = table.game
    whole = json.loads(encode_game(truth))
    for name in whole:
        text = json.dumps({key: value for key, value in whole.items() if key != name}).encode()
        in_redis(table, seal(table.facts.data_key, text, SNAPSHOT_BOUND + table.game_id.bytes), seq=20)
        forget(table.tools)
        assert table.game == truth


def test_a_snapshot_of_another_game_does_not_open(table: Table, house: House) -> None:
    other = new_table(house.tools, table.caller).play(until_version=20)
    truth = table.game
    in_redis(table, sealed_snapshot(other.facts, other.game), seq=20)
    forget(table.tools)
    assert table.game == truth


def test_a_snapshot_in_postgres_counts_only_with_the_log_s_hash(
    table: Table, shared_database: str, redis_url: str
) -> None:
    forged = replace(game_at(table.tools, table.facts, 12), head_hash=b"f" * 32)
    with open_house(shared_database, redis_url, role="worker") as worker:
        with worker.tools.database.connection() as connection:
            put_snapshot(
                connection,
                game_id=table.game_id,
                rules_digest=digest_of(table.facts),
                seq=12,
                head_hash=forged.head_hash,
                content=sealed_snapshot(table.facts, forged),
            )
            found = find_snapshot(connection, game_id=table.game_id, rules_digest=digest_of(table.facts), upto=2**62)
        assert found is None
        assert current_game(worker.tools, table.facts, certain=True) == table.game


# --- between processes ----------------------------------------------------------------------------------------


def test_a_move_that_was_answered_is_seen_by_every_process_at_once(table: Table, second_house: House) -> None:
    other = replace(table, tools=second_house.tools)
    for at in range(30):
        writer, reader = (table, other) if at % 2 else (other, table)
        version = writer.step()["version"]
        assert reader.game.version == version


@pytest.mark.parametrize("scenario", ["emptied", "away"])
def test_the_same_with_redis_emptied_or_away(
    shared_database: str, redis_url: str, house: House, monkeypatch: pytest.MonkeyPatch, scenario: str
) -> None:
    monkeypatch.setattr("moveledger.store.cache.TRUST", 0.1)
    url = NOWHERE if scenario == "away" else redis_url
    with open_house(shared_database, url) as one, open_house(shared_database, url) as two:
        tables = [new_table(one.tools, one.key(*SCOPES))]
        tables.append(replace(tables[0], tools=two.tools))
        for at in range(12):
            version = tables[at % 2].step()["version"]
            if scenario == "emptied":
                house.tools.cache.client.flushall()
            assert tables[1 - at % 2].game.version == version


def test_the_head_in_the_log_is_the_head_that_is_shown(table: Table) -> None:
    with table.tools.database.connection() as connection:
        assert head_of(connection, table.game_id) == (table.game.version, table.game.head_hash)


@pytest.mark.parametrize("ruleset", list(load_rulesets()))
def test_what_is_kept_of_a_game_reads_as_the_game_at_every_seq(house: House, ruleset: str) -> None:
    seats = load_rulesets()[ruleset].seats
    table = new_table(house.tools, house.key(), ruleset, seats[-1]).play(until_version=60)
    if not table.game.over:
        table.resign(min(table.game.awaited))
    for game in refolded(table):
        assert decode_game(encode_game(game)) == game
