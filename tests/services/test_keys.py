"""Credentials: made, known, refused, and revoked everywhere at once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest

from moveledger.errors import InvalidInput, ScopeMissing, Unauthenticated, UnknownKey
from moveledger.services.access import SCOPES
from moveledger.services.callers import Anonymous, KeyCaller, identify, key_token, seat_token
from moveledger.services.keys import (
    DEVELOPMENT_KEY,
    create_key,
    ensure_development_key,
    find_keys,
    issue_key,
    new_key,
    withdraw_key,
)
from tests.house import House, fresh_key, open_house
from tests.playing import CLOSED_HANDS, open_new, request_key

NOWHERE = "unix:///nowhere/valkey.sock"


@pytest.fixture
def admin(house: House) -> KeyCaller:
    """A key that may do everything."""
    return house.key("admin")


@pytest.fixture
def token(house: House) -> str:
    """The text of a key."""
    return issue_key(house.tools, name="test", scopes=["games:read"])[1]


def id_of(house: House, token: str) -> UUID:
    return identify(house.tools, f"Bearer {token}").client


def test_a_key_is_known_by_its_text_with_its_scopes(house: House) -> None:
    key_id, token = issue_key(house.tools, name="test", scopes=["games:read", "admin"])
    assert identify(house.tools, f"Bearer {token}") == KeyCaller(key_id, frozenset({"games:read", "admin"}))
    assert identify(house.tools, f"bearer {token}") == KeyCaller(key_id, frozenset({"games:read", "admin"}))


def test_without_a_header_one_is_nobody(house: House) -> None:
    assert identify(house.tools, None) == Anonymous()


def test_what_is_not_exactly_a_token_is_refused(house: House, token: str) -> None:
    game = open_new(house.tools, house.key(), CLOSED_HANDS, 2)
    seat = seat_token(house.tools.vault, game, 0, 1)
    for wrong in (
        "",
        "Bearer",
        "Bearer ",
        f"Basic {token}",
        f"Bearer  {token}",
        f"Bearer {token} ",
        f"Bearer {token}=",
        f"Bearer {token}A",
        f"Bearer {token[:-1]}",
        f"Bearer {token.replace('mlk_', 'mls_')}",
        f"Bearer {seat.replace('mls_', 'mlk_')}",
        f"Bearer {token[4:]}",
        "Bearer mlk_",
        "Bearer mlk_%00",
        "Bearer mlk_" + "A" * 45,
        "Bearer mlk_\u00e4\u00f6",
        f"Bearer mlx_{token[4:]}",
    ):
        with pytest.raises(Unauthenticated):
            identify(house.tools, wrong)


@pytest.mark.parametrize("at", [4, 10, 20, 30, 48])
def test_a_changed_letter_makes_a_token_unknown(house: House, token: str, at: int) -> None:
    changed = token[:at] + ("A" if token[at] != "A" else "B") + token[at + 1 :]
    with pytest.raises(Unauthenticated):
        identify(house.tools, f"Bearer {changed}")


def test_a_token_of_another_generation_is_refused(house: House) -> None:
    key_id, _ = issue_key(house.tools, name="test", scopes=["games:read"])
    game = open_new(house.tools, house.key(), CLOSED_HANDS, 2)
    for token in (
        key_token(house.tools.vault, key_id, 2),
        key_token(house.tools.vault, uuid4(), 1),
        seat_token(house.tools.vault, game, 0, 2),
        seat_token(house.tools.vault, game, 7, 1),
        seat_token(house.tools.vault, uuid4(), 0, 1),
    ):
        with pytest.raises(Unauthenticated):
            identify(house.tools, f"Bearer {token}")


@pytest.fixture(params=["redis", "no redis"])
def processes(request: pytest.FixtureRequest, shared_database: str, redis_url: str) -> Iterator[tuple[House, House]]:
    """Two processes, with Redis and without."""
    url = redis_url if request.param == "redis" else NOWHERE
    with open_house(shared_database, url) as one, open_house(shared_database, url) as two:
        yield one, two


def test_a_revoked_key_is_refused_at_once_in_every_process(
    processes: tuple[House, House], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("moveledger.store.cache.TRUST", 0.1)
    one, two = processes
    key_id, token = issue_key(one.tools, name="test", scopes=["games:read"])
    for house in (one, two, one, two):
        assert id_of(house, token) == key_id
    withdraw_key(one.tools, one.key("admin"), key_id)
    for house in (two, one):
        with pytest.raises(Unauthenticated):
            id_of(house, token)


def test_a_key_that_is_known_is_not_looked_up_again_for_a_while(own_house: House) -> None:
    key_id, token = issue_key(own_house.tools, name="test", scopes=["games:read"])
    for _ in range(2):
        id_of(own_house, token)
    own_house.tools.database.close()
    assert id_of(own_house, token) == key_id


def test_keys_are_made_listed_and_revoked_by_an_administrator(house: House, admin: KeyCaller) -> None:
    request = request_key(house.tools, admin, "keys", fresh_key(), None)
    made, was_known = create_key(house.tools, admin, name="bots", scopes=["games:write"], request=request)
    again = create_key(house.tools, admin, name="bots", scopes=["games:write"], request=request)
    assert (was_known, again) == (False, (made, True))
    assert identify(house.tools, f"Bearer {made['key']}").client == UUID(made["id"])
    listed, _ = find_keys(house.tools, admin, after=None, limit=2)
    assert listed[0] == {name: value for name, value in made.items() if name != "key"}
    withdraw_key(house.tools, admin, UUID(made["id"]))
    withdraw_key(house.tools, admin, UUID(made["id"]))
    listed, _ = find_keys(house.tools, admin, after=None, limit=1)
    assert listed[0]["revoked_at"] is not None
    with pytest.raises(UnknownKey):
        withdraw_key(house.tools, admin, uuid4())


def test_nobody_else_may(house: House, admin: KeyCaller) -> None:
    everything_else = house.key(*(scope for scope in SCOPES if scope != "admin"))
    request = request_key(house.tools, everything_else, "keys", fresh_key(), None)
    with pytest.raises(ScopeMissing):
        create_key(house.tools, everything_else, name="n", scopes=["games:read"], request=request)
    with pytest.raises(ScopeMissing):
        find_keys(house.tools, everything_else, after=None, limit=1)
    with pytest.raises(ScopeMissing):
        withdraw_key(house.tools, everything_else, admin.client)


def test_a_scope_that_there_is_not_is_refused(house: House) -> None:
    with pytest.raises(InvalidInput) as refused:
        new_key(house.tools, name="n", scopes=["games:read", "games:*"], created_by=None)
    assert refused.value.facts["errors"][0]["pointer"] == "/scopes"


@pytest.mark.parametrize("name", ["", "x" * 101, "two\nlines", "\0", "\udcff"])
def test_a_name_that_is_none_is_refused(house: House, name: str) -> None:
    """On the command line no schema has seen it before."""
    with pytest.raises(InvalidInput):
        issue_key(house.tools, name=name, scopes=["games:read"])


def test_keys_are_listed_newest_first_in_pages(house: House, admin: KeyCaller) -> None:
    made = [issue_key(house.tools, name="page", scopes=["games:read"])[0] for _ in range(3)]
    first, after = find_keys(house.tools, admin, after=None, limit=2)
    second, _ = find_keys(house.tools, admin, after=after, limit=1)
    assert [entry["id"] for entry in (*first, *second)] == [str(key_id) for key_id in reversed(made)]


def test_the_development_key_is_made_once_and_may_do_everything(house: House) -> None:
    token = ensure_development_key(house.tools)
    assert ensure_development_key(house.tools) == token
    assert identify(house.tools, f"Bearer {token}") == KeyCaller(DEVELOPMENT_KEY, frozenset(SCOPES))


def test_no_key_s_text_is_in_the_database(house: House, admin: KeyCaller) -> None:
    request = request_key(house.tools, admin, "keys", fresh_key(), None)
    made, _ = create_key(house.tools, admin, name="secret", scopes=["games:read"], request=request)
    with house.tools.database.connection() as connection:
        for table in ("api_keys", "idempotency"):
            rows = connection.execute(f"SELECT t::text FROM ml.{table} t".encode()).fetchall()
            assert not any(made["key"][30:] in text for (text,) in rows)
            assert not any(made["key"][30:].encode().hex() in text for (text,) in rows)


def test_what_is_known_of_a_key_ages(house: House, token: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody changed the row without telling: after TRUST seconds the database is asked again."""
    key_id = id_of(house, token)
    id_of(house, token)
    with house.tools.database.connection() as connection:
        connection.execute("UPDATE ml.api_keys SET revoked_us = 1 WHERE key_id = %s", [key_id])
    assert id_of(house, token) == key_id
    now = time.monotonic()
    monkeypatch.setattr("moveledger.services.callers.time.monotonic", lambda: now + 3)
    with pytest.raises(Unauthenticated):
        id_of(house, token)
