"""Answers that are kept for a day, so that a repeat is answered the same."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from uuid import UUID, uuid4

import psycopg
import pytest

from moveledger.errors import IdempotencyKeyReused
from moveledger.store.database import Connection
from moveledger.store.idempotency import (
    LIFE_US,
    RequestKey,
    claim_request,
    find_answer,
    forget_old_answers,
    keep_answer,
)
from tests.store.drafts import all_rows, connected


@pytest.fixture
def request_key() -> RequestKey:
    """A request that nobody has made."""
    return RequestKey(uuid4(), "games", "a-key", bytes(32))


def test_the_first_claim_is_told_so_and_a_repeat_gets_its_answer(api: Connection, request_key: RequestKey) -> None:
    assert find_answer(api, request_key) is None
    assert claim_request(api, request_key, now_us=1) is None
    keep_answer(api, request_key, b"answer")
    assert claim_request(api, request_key, now_us=2) == b"answer"
    assert find_answer(api, request_key) == b"answer"


def test_a_key_of_another_request_is_refused(api: Connection, request_key: RequestKey) -> None:
    claim_request(api, request_key, now_us=1)
    other = replace(request_key, fingerprint=bytes(31) + b"\x01")
    with pytest.raises(IdempotencyKeyReused):
        find_answer(api, other)
    with pytest.raises(IdempotencyKeyReused):
        claim_request(api, other, now_us=2)


@pytest.mark.parametrize("members", [{"credential": UUID(int=7)}, {"route": "keys"}, {"key": "another"}])
def test_credential_route_and_key_tell_requests_apart(
    api: Connection, request_key: RequestKey, members: dict[str, object]
) -> None:
    claim_request(api, request_key, now_us=1)
    assert claim_request(api, replace(request_key, **members), now_us=1) is None  # type: ignore[arg-type]  # members of it


def test_of_many_at_once_one_works_and_the_others_get_its_answer(shared_database: str, request_key: RequestKey) -> None:
    line = threading.Barrier(6)

    def ask(number: int) -> bytes | None:
        with connected(shared_database, "api") as connection:
            line.wait(10)
            with connection.transaction():
                known = claim_request(connection, request_key, now_us=1)
                if known is None:
                    keep_answer(connection, request_key, str(number).encode())
                return known

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(ask, range(6)))
    worked = answers.index(None)
    assert [answer for answer in answers if answer is not None] == [str(worked).encode()] * 5


def test_work_that_fails_gives_the_key_back(shared_database: str, request_key: RequestKey) -> None:
    with connected(shared_database, "api") as connection:
        with connection.transaction(force_rollback=True):
            assert claim_request(connection, request_key, now_us=1) is None
        assert claim_request(connection, request_key, now_us=1) is None


def test_answers_older_than_a_day_are_dropped_by_a_worker(api: Connection, worker: Connection) -> None:
    old, young = (RequestKey(uuid4(), "games", key, bytes(32)) for key in ("old", "young"))
    claim_request(api, old, now_us=10)
    claim_request(api, young, now_us=LIFE_US)
    forget_old_answers(worker, now_us=LIFE_US + 11)
    assert all_rows(api, "SELECT key FROM ml.idempotency WHERE credential = %s", old.credential) == []
    assert all_rows(api, "SELECT key FROM ml.idempotency WHERE credential = %s", young.credential) == [("young",)]


def test_an_api_process_drops_none(api: Connection) -> None:
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        forget_old_answers(api, now_us=1)
