"""Migrations: once each, in order, one process at a time, and never edited."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count

import psycopg
import pytest
from psycopg import sql

from moveledger.errors import EditedMigration
from moveledger.store.embedded import Servers
from moveledger.store.migrate import migrate, migrations
from tests.store.drafts import all_rows, connected, grow, new_id

_numbers = count(1)
FIRST = {"0001_one.sql": "CREATE TABLE public.one (a integer)"}
BOTH = {**FIRST, "0002_two.sql": "CREATE TABLE public.two (a integer); INSERT INTO public.one VALUES (1)"}
DONE = "SELECT name FROM public.moveledger_migrations ORDER BY applied_at, name"


@pytest.fixture
def empty(servers: Servers) -> Iterator[str]:
    """The URL of a database with nothing in it."""
    name = sql.Identifier(f"empty_{next(_numbers)}")
    with connected(servers.database_url()) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(name))
        yield servers.database_url(dbname=name.as_string(connection).strip('"'))
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(name))


def test_each_is_applied_once_in_order(empty: str) -> None:
    assert migrate(empty, FIRST) == ["0001_one.sql"]
    assert migrate(empty, BOTH) == ["0002_two.sql"]
    assert migrate(empty, BOTH) == []
    with connected(empty) as connection:
        assert all_rows(connection, "SELECT a FROM public.one") == [(1,)]
        assert all_rows(connection, DONE) == [(name,) for name in BOTH]


def test_an_edited_one_is_refused_before_anything_is_changed(empty: str) -> None:
    migrate(empty, FIRST)
    edited = {**BOTH, "0001_one.sql": "CREATE TABLE public.one (a bigint)"}
    with pytest.raises(EditedMigration, match=r"0001_one\.sql") as refused:
        migrate(empty, edited)
    assert refused.value.facts == {"names": ["0001_one.sql"]}
    with connected(empty) as connection:
        assert all_rows(connection, "SELECT to_regclass('public.two')") == [(None,)]
        assert all_rows(connection, DONE) == [("0001_one.sql",)]


def test_one_that_fails_leaves_nothing_of_itself(empty: str) -> None:
    broken = {**FIRST, "0002_two.sql": "CREATE TABLE public.two (a integer); SELECT nothing_of_the_kind"}
    with pytest.raises(psycopg.errors.UndefinedColumn):
        migrate(empty, broken)
    with connected(empty) as connection:
        assert all_rows(connection, "SELECT to_regclass('public.one')::text, to_regclass('public.two')::text") == [
            ("one", None)
        ]
        assert all_rows(connection, DONE) == [("0001_one.sql",)]
    assert migrate(empty, BOTH) == ["0002_two.sql"]


def test_of_two_processes_at_once_one_applies_and_the_other_finds_it_done(empty: str) -> None:
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: migrate(empty), range(4)))
    assert sorted(answers, key=len) == [[], [], [], list(migrations())]


def test_a_database_of_an_older_release_is_left_its_own_when_the_files_are_fewer(empty: str) -> None:
    """A process of the release before, started late, must not trip over what the newer one has applied."""
    migrate(empty, BOTH)
    assert migrate(empty, FIRST) == []


def test_the_real_ones_apply_to_a_database_beside_another_of_the_same_cluster(empty: str, database: str) -> None:
    """Roles belong to the cluster: the second database finds them there."""
    assert migrate(empty) == list(migrations())
    assert migrate(empty) == []
    assert migrate(database) == []


def test_the_files_are_numbered_without_a_gap() -> None:
    numbers = [int(name.split("_")[0]) for name in migrations()]
    assert numbers == list(range(1, len(numbers) + 1))


def test_a_log_that_is_there_already_keeps_its_hashes_through_every_later_one(empty: str) -> None:
    """What 0003 has hashed must stay what it was: clients hold those hashes."""
    files, hashes = migrations(), "SELECT seq, hash FROM ml.events ORDER BY seq"
    migrate(empty, {name: text for name, text in files.items() if name < "0004"})
    game = new_id()
    with connected(empty) as connection:
        grow(connection, game, to=3)
        before = all_rows(connection, hashes)
        migrate(empty, files)
        assert all_rows(connection, hashes) == before
        assert len(before) == 3
        grow(connection, new_id(), to=1)
