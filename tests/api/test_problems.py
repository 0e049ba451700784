"""Every error has one shape (RFC 9457), and code, table and page agree: errors.py, api/problems.py, docs/problems.md."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from moveledger import errors
from moveledger.api.problems import HTTP_CODES, STATUSES, problem
from moveledger.services import reading
from tests.api.contract import CODE, PROBLEM, TYPE_PREFIX
from tests.api.service import SHANGRILA, Client, Service, refused

PAGE = (Path(__file__).parents[2] / "docs" / "problems.md").read_text(encoding="utf-8")
FOR_OPERATORS = {
    errors.ConfigurationFault,
    errors.ServerFault,
    errors.EditedMigration,
    errors.WrongMasterKey,
    errors.ArchiveFault,
    *errors.ArchiveFault.__subclasses__(),
}
"""What a client is told of as `internal`: it can do nothing about it."""


def raised_on_purpose() -> list[type[errors.MoveledgerError]]:
    """The classes of errors.py that a request may be answered with."""
    found: list[type[errors.MoveledgerError]] = [
        cls
        for cls in vars(errors).values()
        if isinstance(cls, type) and issubclass(cls, errors.MoveledgerError) and cls is not errors.MoveledgerError
    ]
    return [cls for cls in found if cls not in FOR_OPERATORS]


def codes() -> dict[str, set[int]]:
    """Every code that an answer may carry, with its statuses; those of rules are told as one kind."""
    found: dict[str, set[int]] = {"http-error": set()}
    for cls, (status, _) in STATUSES.items():
        if cls is not errors.IllegalMove:
            found.setdefault(cls.code, set()).add(status)
    for status, code in HTTP_CODES.items():
        found.setdefault(code, set()).add(status)
    return found


def sections() -> dict[str, str]:
    """The sections of the page: heading and text."""
    parts = re.split(r"^## (.+)$", PAGE, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def test_every_error_has_a_status_and_a_title() -> None:
    assert set(raised_on_purpose()) == set(STATUSES)
    assert all(400 <= status < 600 and title for status, title in STATUSES.values())


def test_every_code_is_kebab_case_and_means_one_thing() -> None:
    for code in codes():
        assert CODE.fullmatch(code)
        assert "_" not in code
    by_code: dict[str, set[str]] = {}
    for cls, (_, title) in STATUSES.items():
        by_code.setdefault(cls.code, set()).add(title)
    assert all(len(titles) == 1 for titles in by_code.values())


def test_the_page_has_a_section_for_each_code_and_no_other() -> None:
    written = {heading for heading in sections() if CODE.fullmatch(heading)}
    assert written == set(codes())


def test_a_section_begins_with_the_statuses_of_its_code() -> None:
    for code, statuses in codes().items():
        first = sections()[code].strip().split(". ")[0]
        assert {int(found) for found in re.findall(r"\b[45]\d\d\b", first)} >= statuses, code


def test_only_what_waiting_can_help_is_to_be_tried_again() -> None:
    retryable = {errors.Contended, errors.NotSealedYet, errors.StoreUnavailable, errors.MasterKeyChanged}
    assert {cls for cls in raised_on_purpose() if cls.retryable} == retryable


# --- what is answered ------------------------------------------------------------------------------------------


def provoked(service: Service, client: Client) -> Iterator[tuple[str, Any]]:
    """One problem after the other, each the answer to a request."""
    game = client.open_game()
    path = f"/v1/games/{game['id']}"
    yield "unauthenticated", client.with_token("mlk_x").get(path)
    yield "scope-missing", service.client("games:read").post("/v1/games", {})
    yield "not-your-seat", service.client().post(f"{path}/moves", {})
    yield "unknown-game", client.get(f"/v1/games/{uuid4()}")
    yield "unknown-seat", client.get(f"{path}/state?as=seat:9")
    yield "unknown-version", client.get(f"{path}/state?at=999")
    yield "unknown-ruleset", client.get("/v1/rulesets/chess@1")
    yield "unknown-ruleset", client.post("/v1/games", {"ruleset": "chess@1", "seats": 2})
    yield "unknown-key", service.client("admin").ask("DELETE", f"/v1/keys/{uuid4()}")
    yield "not-found", client.get("/v1/nothing")
    yield "method-not-allowed", client.ask("PUT", path)
    yield "not-acceptable", client.get(f"{path}/events", {"Accept": "text/html"})
    yield "unreadable", client.ask("POST", "/v1/games", data="{", content_type="application/json")
    yield "idempotency-key-missing", client.ask("POST", "/v1/games", {})
    yield "idempotency-key-invalid", client.post("/v1/games", {}, key="with a space")
    yield "unsupported-media-type", client.ask("POST", "/v1/games", data="{}", content_type="text/plain")
    yield "body-too-large", client.ask("POST", "/v1/games", data="[" * 70_000, content_type="application/json")
    yield "validation", client.post("/v1/games", {})
    yield "not-to-move", client.post(f"{path}/moves", {"seat": 1, "action": {"type": "pass"}})
    yield (
        "stale-decision",
        client.post(f"{path}/moves", {"seat": 0, "action": {"type": "pass"}}, headers={"If-Match": '"1"'}),
    )


def test_every_answer_is_of_the_one_shape(service: Service, client: Client) -> None:
    """The contract checks the shape of each; here each is provoked, and said to be what it is."""
    for code, answer in provoked(service, client):
        body: Any = answer.json
        assert (body["code"], answer.content_type) == (code, PROBLEM)
        statuses = codes()[code]
        assert answer.status_code in statuses
        assert list(body)[:6] == ["type", "title", "status", "code", "detail", "request_id"]


def test_a_rule_s_refusal_carries_the_rule_s_code(client: Client) -> None:
    game = client.open_game(SHANGRILA)
    answer = client.post(f"/v1/games/{game['id']}/moves", {"seat": 0, "action": {"type": "pass"}})
    body: Any = answer.json
    assert (answer.status_code, body["title"]) == (422, STATUSES[errors.IllegalMove][1])
    assert re.fullmatch(r"shangrila\.[a-z_]+", body["code"])
    assert body["type"] == TYPE_PREFIX + body["code"]


def test_facts_are_members_that_hide_none_of_the_standard_ones(service: Service) -> None:
    with service.app.test_request_context():
        body: Any = problem(422, "a.b", "Title", "Detail.", {"guild": 3, "status": 1, "code": "x"}).json
    assert (body["guild"], body["status"], body["code"]) == (3, 422, "a.b")


def test_a_retry_is_told_when(service: Service) -> None:
    def raise_contended(*_: Any) -> None:
        raise errors.Contended

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "look_at", raise_contended)
        answer = service.app.test_client().get(f"/v1/games/{uuid4()}/events")
    assert (answer.status_code, answer.headers["Retry-After"]) == (409, "2")


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("words of a library"),
        psycopg.errors.UndefinedTable("words of a driver"),
        errors.WrongMasterKey("words for an operator"),
        AssertionError("words of ours"),
        RecursionError("words of Python"),
    ],
)
def test_what_nobody_foresaw_is_told_without_a_word_of_it(
    service: Service, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: Any) -> None:
        raise error

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reading, "look_at", fail)
        answer: Any = service.app.test_client().get(f"/v1/games/{uuid4()}/events", headers={"Request-Id": "find-me"})
    assert (answer.status_code, answer.json["code"], answer.json["request_id"]) == (500, "internal", "find-me")
    assert "words" not in answer.get_data(as_text=True)
    assert "find-me" in caplog.text
    assert "words" in caplog.text


def test_a_path_that_is_not_there_is_refused_whatever_the_method(client: Client) -> None:
    for method in ("GET", "POST", "DELETE", "PATCH"):
        refused(client.ask(method, "/v2/games"), 404, "not-found")
