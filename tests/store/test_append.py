"""`ml.append`: one round trip that writes, or says why not; and the rows that the log does not take."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql

from moveledger.audit.event import NIL, TYPES, ZERO_HASH, commitment, commitment_holds, event_hash
from moveledger.rules.encoding import canonical
from moveledger.store.database import Connection
from moveledger.store.events import find_batch, head_of, load_events
from tests.store.drafts import DATA_KEY, all_rows, connected, draft, grow, new_id, put, repeat

WRITERS = 6
BODIES = st.dictionaries(
    st.text("abcdefghij_", min_size=1, max_size=8),
    st.one_of(st.none(), st.booleans(), st.integers(-(2**53) + 1, 2**53 - 1), st.text(max_size=20)),
    max_size=5,
)


def test_the_first_event_stands_on_zeros_and_the_next_on_its_hash(api: Connection) -> None:
    game = new_id()
    first = put(api, draft(game, 1))
    second = put(api, draft(game, 2))
    assert (first.result, first.first_seq, first.head_seq, first.prev_hash) == ("ok", 1, 1, ZERO_HASH)
    assert (second.result, second.first_seq, second.head_seq, second.prev_hash) == ("ok", 2, 2, first.hashes[0])
    assert head_of(api, game) == (2, second.hashes[0])


def test_a_batch_is_written_whole_at_one_time(api: Connection) -> None:
    game = new_id()
    answer = put(api, *(draft(game, seq) for seq in (1, 2, 3)))
    events = load_events(api, game, data_key=DATA_KEY)
    assert (answer.result, answer.first_seq, answer.head_seq) == ("ok", 1, 3)
    assert [event.hash for event in events] == answer.hashes
    assert {event.recorded_us for event in events} == {answer.recorded_us}
    assert [event.prev_hash for event in events] == [ZERO_HASH, *answer.hashes[:2]]


def test_the_same_request_again_is_a_duplicate_and_says_where_it_stands(api: Connection) -> None:
    game, again = new_id(), repeat("a request")
    put(api, draft(game, 1))
    put(api, draft(game, 2), draft(game, 3), again=again)
    grow(api, game, to=6)
    for expected in (2, 7):
        answer = put(api, draft(game, expected), again=again)
        assert (answer.result, answer.first_seq, answer.head_seq) == ("duplicate", 2, 3)
    assert head_of(api, game) is not None
    assert find_batch(api, game, again.idem_key) == (2, 3, again.fingerprint)


def test_another_request_under_a_known_key_is_told_so_and_writes_nothing(api: Connection) -> None:
    game = new_id()
    put(api, draft(game, 1), again=repeat("a request"))
    assert put(api, draft(game, 2), again=repeat("a request", "that")).result == "key_reuse"
    assert len(load_events(api, game, data_key=DATA_KEY)) == 1


def test_a_key_is_known_only_in_its_game(api: Connection) -> None:
    games = (new_id(), new_id())
    assert [put(api, draft(game, 1), again=repeat("a request")).result for game in games] == ["ok", "ok"]


@pytest.mark.parametrize("seq", [1, 2, 5])
def test_what_does_not_follow_on_the_head_is_a_conflict_that_names_the_head(api: Connection, seq: int) -> None:
    game = new_id()
    grow(api, game, to=3)
    answer = put(api, draft(game, seq), draft(game, seq + 1), again=repeat("a request"))
    assert (answer.result, answer.head_seq, [answer.prev_hash]) == ("conflict", 3, [head_of(api, game)[1]])  # type: ignore[index]  # it has one
    assert len(load_events(api, game, data_key=DATA_KEY)) == 3


def test_a_game_without_events_has_no_head_to_follow_on(api: Connection) -> None:
    answer = put(api, draft(new_id(), 2))
    assert (answer.result, answer.head_seq, answer.prev_hash) == ("conflict", 0, b"")


def at_the_same_time(url: str, act: Callable[[Connection, int], Any], *, writers: int = WRITERS) -> list[Any]:
    """What writers answer who, each with a connection of its own, begin together."""
    line = threading.Barrier(writers)

    def run(writer: int) -> Any:
        with connected(url, "api") as connection:
            line.wait(10)
            return act(connection, writer)

    with ThreadPoolExecutor(writers) as pool:
        return list(pool.map(run, range(writers)))


def test_of_two_writers_at_one_seq_exactly_one_wins_whenever_they_come(shared_database: str, api: Connection) -> None:
    game, rounds = new_id(), 15
    line = threading.Barrier(WRITERS)

    def contend(connection: Connection, writer: int) -> list[str]:
        results: list[str] = []
        for seq in range(1, rounds + 1):
            line.wait(10)
            results.append(put(connection, draft(game, seq, {"writer": writer})).result)
        return results

    by_writer: list[list[str]] = at_the_same_time(shared_database, contend)
    for results in zip(*by_writer, strict=True):
        assert sorted(results) == ["conflict"] * (WRITERS - 1) + ["ok"]
    events = load_events(api, game, data_key=DATA_KEY)
    assert [event.seq for event in events] == list(range(1, rounds + 1))
    for event in events:
        assert event.body is not None
        assert by_writer[event.body["writer"]][event.seq - 1] == "ok"


def test_batches_that_overlap_are_written_whole_or_not_at_all(shared_database: str, api: Connection) -> None:
    game = new_id()
    put(api, draft(game, 1))

    def contend(connection: Connection, writer: int) -> str:
        drafts = [draft(game, seq, {"writer": writer}) for seq in range(2, 3 + writer)]
        return put(connection, *drafts).result

    results = at_the_same_time(shared_database, contend)
    winner = results.index("ok")
    bodies = [event.body for event in load_events(api, game, data_key=DATA_KEY, after=1)]
    assert sorted(results) == ["conflict"] * (WRITERS - 1) + ["ok"]
    assert bodies == [{"writer": winner}] * (winner + 1)


def test_forty_copies_of_one_request_make_one_event(shared_database: str, api: Connection) -> None:
    game, again = new_id(), repeat("a request")
    put(api, draft(game, 1))

    def send(connection: Connection, _: int) -> list[str]:
        return [put(connection, draft(game, 2), again=again).result for _ in range(5)]

    results = [result for answers in at_the_same_time(shared_database, send, writers=8) for result in answers]
    assert sorted(results) == ["duplicate"] * 39 + ["ok"]
    assert len(load_events(api, game, data_key=DATA_KEY)) == 2


@pytest.mark.parametrize(("ends", "expected"), [("COMMIT", "conflict"), ("ROLLBACK", "ok")])
def test_a_writer_waits_for_one_who_is_not_done(
    shared_database: str, owner: Connection, ends: str, expected: str
) -> None:
    game = new_id()
    with connected(shared_database, "api") as first, connected(shared_database, "api") as second:
        first.execute("BEGIN")
        assert put(first, draft(game, 1)).result == "ok"
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(lambda: put(second, draft(game, 1)).result)
            pid = second.info.backend_pid
            while not all_rows(owner, "SELECT cardinality(pg_blocking_pids(%s)) > 0", pid)[0][0]:
                assert not waiting.done()
            first.execute(ends.encode())
            assert waiting.result(10) == expected


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    members=st.fixed_dictionaries(
        {
            "type_": st.sampled_from(sorted(TYPES)),
            "seat": st.integers(-2, 15),
            "client": st.uuids(),
            "sealed_for": st.one_of(st.none(), st.frozensets(st.integers(0, 15), max_size=3)),
        }
    ),
    body=BODIES,
)
def test_what_is_read_is_what_was_written_and_its_hash_is_the_one_of_the_format(
    api: Connection, members: dict[str, Any], body: dict[str, Any]
) -> None:
    game = new_id()
    written = draft(game, 1, body, **members)
    answer = put(api, written)
    (event,) = load_events(api, game, data_key=DATA_KEY)
    hashed = replace(written.event, recorded_us=answer.recorded_us, hash=answer.hashes[0])
    assert event == hashed
    assert commitment_holds(event)
    assert event.hash == event_hash(event)


def test_time_never_goes_back_inside_a_game(owner: Connection, api: Connection) -> None:
    game, later = new_id(), 2**52
    insert(owner, game_id=game, recorded_us=later)
    answer = put(api, draft(game, 2))
    assert (answer.result, answer.recorded_us) == ("ok", later)


def test_the_log_tells_its_own_time(owner: Connection, api: Connection) -> None:
    ask = "SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
    before = all_rows(owner, ask)[0][0]
    recorded = put(api, draft(new_id(), 1)).recorded_us
    assert before <= recorded <= all_rows(owner, ask)[0][0]


def test_every_event_leaves_one_row_in_the_outbox(api: Connection) -> None:
    game, again = new_id(), repeat("a request")
    put(api, draft(game, 1), draft(game, 2), again=again)
    put(api, draft(game, 1), draft(game, 2), again=again)
    put(api, draft(game, 2))
    assert all_rows(api, "SELECT seq FROM ml.outbox WHERE game_id = %s ORDER BY seq", game) == [(1,), (2,)]


# --- what the table refuses by itself ----------------------------------------------------------------------


def insert(connection: Connection, **members: Any) -> None:
    """A row put there by hand, whole unless `members` say otherwise."""
    salt, body = secrets.token_bytes(32), canonical({"by": "hand"})
    row = {
        "game_id": new_id(),
        "seq": 1,
        "type": 6,
        "schema": 1,
        "seat": 0,
        "client": NIL,
        "recorded_us": 1,
        "prev_hash": ZERO_HASH,
        "commitment": commitment(salt, body),
        "request_id": "by hand",
        "salt": salt,
        "body": body,
    } | members
    columns = sql.SQL(", ").join(map(sql.Identifier, row))
    values = sql.SQL(", ").join(map(sql.Placeholder, row))
    connection.execute(sql.SQL("INSERT INTO ml.events ({}) VALUES ({})").format(columns, values), row)


@pytest.mark.parametrize(
    "members",
    [
        {"seq": 0},
        {"seq": -1},
        {"prev_hash": bytes(31)},
        {"commitment": bytes(33)},
        {"commitment": bytes(32)},
        {"salt": bytes(31)},
        {"salt": None},
        {"body": b"{}"},
        {"body": bytes(65537), "sealed_for": 1, "salt": None, "key_id": new_id()},
        {"sealed_for": 1},
        {"sealed_for": 1, "salt": None},
        {"sealed_for": 1, "key_id": new_id()},
        {"key_id": new_id()},
        {"request_id": "r" * 101},
        {"idem_key": new_id()},
        {"idem_key": new_id(), "fingerprint": bytes(32)},
        {"batch": 1},
    ],
)
def test_the_log_refuses_a_row_that_is_not_whole(owner: Connection, members: dict[str, Any]) -> None:
    with pytest.raises(psycopg.errors.CheckViolation):
        insert(owner, **members)


def test_the_log_refuses_a_hash_that_somebody_brings(owner: Connection) -> None:
    with pytest.raises(psycopg.errors.GeneratedAlways):
        insert(owner, hash=bytes(32))


@pytest.mark.parametrize("column", ["game_id", "seq", "type", "seat", "client", "recorded_us", "body", "request_id"])
def test_the_log_refuses_a_row_with_a_hole(owner: Connection, column: str) -> None:
    with pytest.raises(psycopg.errors.NotNullViolation):
        insert(owner, **{column: None})


def test_the_log_takes_a_row_that_is_whole(owner: Connection) -> None:
    insert(owner)
    insert(owner, sealed_for=1, salt=None, key_id=new_id(), commitment=bytes(32))


def test_a_seq_is_there_once(owner: Connection) -> None:
    game = new_id()
    insert(owner, game_id=game)
    with pytest.raises(psycopg.errors.UniqueViolation):
        insert(owner, game_id=game)
