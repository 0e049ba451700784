"""What tests share: one pair of real servers for the whole run, and databases that the real migrations made."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

import psycopg
import pytest
import redis
from psycopg import sql

from moveledger.store.embedded import Servers
from tests.places import quick_folder

_numbers = count(1)


@pytest.fixture(scope="session")
def servers() -> Iterator[Servers]:
    """An embedded Postgres and Valkey for the session, quick and forgetful."""
    folder = quick_folder()
    servers = Servers(folder, durable=False)
    try:
        servers.start()
        yield servers
    finally:
        servers.stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def template_database(servers: Servers) -> str:
    """The name of a database that the migrations made and that nobody connects to: the model of all the others."""
    from moveledger.store.migrate import migrate  # noqa: PLC0415 - only tests with a database need it

    name = "model"
    _administer(servers, sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    migrate(servers.database_url(dbname=name))
    return name


@pytest.fixture(scope="session")
def shared_database(servers: Servers, template_database: str) -> Iterator[str]:
    """The owner's URL of one migrated database for the session. Tests that use it bring games of their own.

    For another role: `psycopg.conninfo.make_conninfo(shared_database, user="moveledger_api")`.
    """
    with copy_of(servers, template_database) as url:
        yield url


@pytest.fixture(scope="session")
def database_url(shared_database: str) -> str:
    """The same by the name that the configuration has for it."""
    return shared_database


@pytest.fixture
def database(servers: Servers, template_database: str) -> Iterator[str]:
    """The owner's URL of a clean, migrated database for one test."""
    with copy_of(servers, template_database) as url:
        yield url


@pytest.fixture(scope="module")
def module_database(servers: Servers, template_database: str) -> Iterator[str]:
    """The owner's URL of a clean, migrated database for the tests of one module."""
    with copy_of(servers, template_database) as url:
        yield url


@pytest.fixture
def redis_url(servers: Servers) -> str:
    """The URL of a Valkey that is empty when the test begins."""
    with redis.Redis.from_url(servers.redis_url()) as connection:
        connection.flushall()
    return servers.redis_url()


@contextmanager
def copy_of(servers: Servers, template: str) -> Iterator[str]:
    """The owner's URL of a new database that is like the template, for as long as the block lasts."""
    name = f"copy_{next(_numbers)}"
    names = {"name": sql.Identifier(name), "template": sql.Identifier(template)}
    _administer(servers, sql.SQL("CREATE DATABASE {name} TEMPLATE {template}").format(**names))
    try:
        yield servers.database_url(dbname=name)
    finally:
        _administer(servers, sql.SQL("DROP DATABASE {name} WITH (FORCE)").format(**names))


def _administer(servers: Servers, statement: sql.Composed) -> None:
    with psycopg.connect(servers.database_url(), autocommit=True) as connection:
        connection.execute(statement)
