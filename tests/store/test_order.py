"""The one order of the log: contiguous, by game and seq, and nothing is missed, whenever it was committed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from moveledger.store.database import Connection
from moveledger.store.log import Growth, order_events
from tests.store.drafts import all_rows, connected, draft, grow, new_id, put, repeat

MOST = 1_000


@pytest.fixture
def clean(database: str) -> Iterator[Connection]:
    """The owner's connection to a database of its own."""
    with connected(database) as connection:
        yield connection


@pytest.fixture
def relaying(database: str) -> Iterator[Connection]:
    """The relay's connection to the same."""
    with connected(database, "relay") as connection:
        yield connection


def leaves(connection: Connection) -> list[tuple[int, str, int]]:
    """All leaves: index, game, seq."""
    return [
        (index, str(game), seq)
        for index, game, seq in all_rows(
            connection, "SELECT leaf_index, game_id, seq FROM ml.log_leaf ORDER BY leaf_index"
        )
    ]


def test_leaves_are_numbered_from_zero_without_a_gap_by_game_and_seq(clean: Connection, relaying: Connection) -> None:
    games = sorted(new_id() for _ in range(3))
    for game in reversed(games):
        grow(clean, game, to=3)
    grown = order_events(relaying, most=MOST)
    assert leaves(clean) == [(3 * at + seq - 1, str(game), seq) for at, game in enumerate(games) for seq in (1, 2, 3)]
    assert sorted(grown, key=lambda growth: growth.game_id) == [Growth(game, 3, 3) for game in games]
    assert order_events(relaying, most=MOST) == []


def test_the_order_goes_on_where_it_was(clean: Connection, relaying: Connection) -> None:
    game = new_id()
    for to in (2, 5, 6):
        grow(clean, game, to=to)
        order_events(relaying, most=MOST)
    assert leaves(clean) == [(seq - 1, str(game), seq) for seq in range(1, 7)]


def test_a_leaf_holds_the_hash_of_its_event(clean: Connection, relaying: Connection) -> None:
    grow(clean, new_id(), to=3)
    order_events(relaying, most=MOST)
    joined = "SELECT count(*) FROM ml.log_leaf l JOIN ml.events e USING (game_id, seq) WHERE l.hash = e.hash"
    assert all_rows(clean, joined) == [(3,)]


def test_a_batch_takes_the_oldest_and_leaves_the_rest(clean: Connection, relaying: Connection) -> None:
    first, second = new_id(), new_id()
    grow(clean, second, to=2)
    grow(clean, first, to=2)
    assert set(order_events(relaying, most=3)) == {Growth(first, 1, 1), Growth(second, 2, 2)}
    assert leaves(clean) == [(0, str(first), 1), (1, str(second), 1), (2, str(second), 2)]
    assert order_events(relaying, most=3) == [Growth(first, 2, 1)]


def test_what_commits_late_is_not_missed(database: str, clean: Connection, relaying: Connection) -> None:
    """Its row in the outbox has a lower number than those that were ordered before it."""
    late, early = new_id(), new_id()
    with connected(database, "api") as slow:
        slow.execute("BEGIN")
        put(slow, draft(late, 1))
        grow(clean, early, to=2)
        assert order_events(relaying, most=MOST) == [Growth(early, 2, 2)]
        slow.execute("COMMIT")
    assert order_events(relaying, most=MOST) == [Growth(late, 1, 1)]
    assert leaves(clean) == [(0, str(early), 1), (1, str(early), 2), (2, str(late), 1)]


def test_what_is_taken_back_leaves_no_gap(database: str, clean: Connection, relaying: Connection) -> None:
    with connected(database, "api") as undecided:
        undecided.execute("BEGIN")
        put(undecided, draft(new_id(), 1))
        undecided.execute("ROLLBACK")
    game = new_id()
    grow(clean, game, to=1)
    order_events(relaying, most=MOST)
    assert leaves(clean) == [(0, str(game), 1)]


def test_an_order_that_is_taken_back_is_made_again(clean: Connection, relaying: Connection) -> None:
    game = new_id()
    grow(clean, game, to=2)
    relaying.execute("BEGIN")
    assert order_events(relaying, most=MOST) == [Growth(game, 2, 2)]
    relaying.execute("ROLLBACK")
    assert leaves(clean) == []
    assert order_events(relaying, most=MOST) == [Growth(game, 2, 2)]


def test_while_one_relay_orders_another_gets_nothing(database: str, clean: Connection, relaying: Connection) -> None:
    grow(clean, new_id(), to=2)
    with connected(database, "relay") as other:
        other.execute("BEGIN")
        assert len(order_events(other, most=MOST)) == 1
        assert order_events(relaying, most=MOST) == []
        other.execute("COMMIT")
    assert [index for index, _, _ in leaves(clean)] == [0, 1]


def test_writers_and_two_relays_at_once_lose_nothing_and_number_nothing_twice(database: str, clean: Connection) -> None:
    games = [new_id() for _ in range(4)]
    done = threading.Event()

    def write(game_at: int) -> None:
        with connected(database, "api") as connection:
            for seq in range(1, 41, 2):
                put(connection, draft(games[game_at], seq), draft(games[game_at], seq + 1), again=repeat(f"{seq}"))

    def follow(_: int) -> int:
        with connected(database, "relay") as connection:
            seen = 0
            while not done.is_set():
                seen += sum(growth.events for growth in order_events(connection, most=7))
            return seen

    with ThreadPoolExecutor(6) as pool:
        relays = [pool.submit(follow, at) for at in range(2)]
        for writing in [pool.submit(write, at) for at in range(4)]:
            writing.result(30)
        while all_rows(clean, "SELECT count(*) FROM ml.outbox") != [(0,)]:
            pass
        done.set()
        assert sum(relay.result(30) for relay in relays) == 160
    found = leaves(clean)
    assert [index for index, _, _ in found] == list(range(160))
    for game in games:
        assert [seq for _, name, seq in found if name == str(game)] == list(range(1, 41))


def test_progress_tells_how_far_each_game_has_come(clean: Connection, relaying: Connection) -> None:
    game = new_id()
    for to in (2, 5):
        grow(clean, game, to=to)
        order_events(relaying, most=MOST)
        rows = all_rows(clean, "SELECT version, snapshot_seq FROM ml.progress WHERE game_id = %s", game)
        assert rows == [(to, 0)]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.one_of(st.integers(0, 2), st.just("order")), max_size=25), most=st.integers(1, 5))
def test_whatever_comes_between_each_game_is_ordered_by_seq_without_a_gap(
    clean: Connection, relaying: Connection, steps: list[int | str], most: int
) -> None:
    games = [new_id() for _ in range(3)]
    start = len(leaves(clean))
    heads = [0, 0, 0]
    for step in steps:
        if isinstance(step, int):
            heads[step] += 1
            put(clean, draft(games[step], heads[step]))
        else:
            order_events(relaying, most=most)
    while order_events(relaying, most=most):
        pass
    found = leaves(clean)
    assert [index for index, _, _ in found] == list(range(len(found)))
    for game, head in zip(games, heads, strict=True):
        assert [seq for _, name, seq in found[start:] if name == str(game)] == list(range(1, head + 1))
