"""A database whose owner is no superuser, as a provider of databases gives one: it may make roles, and no more."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from psycopg import sql

from moveledger.errors import ConfigurationFault
from moveledger.store.database import Database
from moveledger.store.embedded import Servers
from moveledger.store.migrate import migrate, migrations
from tests.places import quick_folder
from tests.store.drafts import all_rows, connected

ROLES = ("moveledger_api", "moveledger_worker", "moveledger_relay")


@pytest.fixture
def fresh_cluster() -> Iterator[Servers]:
    """Servers of its own: in those that all tests share a superuser has made the roles."""
    folder = quick_folder()
    servers = Servers(folder, durable=False)
    servers.start()
    yield servers
    servers.stop()
    shutil.rmtree(folder, ignore_errors=True)


def database_of(servers: Servers, owner: str) -> str:
    """The URL of a new database as its owner, a role that may make roles."""
    name = sql.Identifier(owner)
    with connected(servers.database_url()) as connection:
        connection.execute(sql.SQL("CREATE ROLE {} LOGIN CREATEROLE").format(name))
        connection.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(name, name))
    return servers.database_url(user=owner, dbname=owner)


def role_taken(url: str, role: str) -> str:
    database = Database(url, role=role, size=1)
    database.open()
    try:
        with database.connection() as connection:
            return str(all_rows(connection, "SELECT current_user::text")[0][0])
    finally:
        database.close()


def test_an_owner_that_may_make_roles_migrates_and_takes_each_of_them(fresh_cluster: Servers) -> None:
    url = database_of(fresh_cluster, "provided")
    assert migrate(url) == list(migrations())
    assert [role_taken(url, role) for role in ROLES] == list(ROLES)


def test_a_login_that_lacks_a_right_is_told_which(fresh_cluster: Servers) -> None:
    """The roles belong to the first owner: the second may neither take nor grant them."""
    migrate(database_of(fresh_cluster, "first"))
    with pytest.raises(ConfigurationFault, match="DATABASE_URL lacks a right: permission denied to grant role"):
        migrate(database_of(fresh_cluster, "second"))


def test_an_address_that_leads_nowhere_is_said_in_one_line(fresh_cluster: Servers) -> None:
    with pytest.raises(
        ConfigurationFault, match=r'leads to no database: .* database "nowhere" does not exist$'
    ) as wrong:
        migrate(fresh_cluster.database_url(dbname="nowhere"))
    assert "\n" not in wrong.value.detail
