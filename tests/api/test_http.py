"""What HTTP asks of every resource: methods, headers, ids of requests."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.api.service import CLOSED_HANDS, Client, refused

READS = ("", "/state", "/events", "/replay", "/audit", "/export")


@pytest.fixture
def hands(client: Client) -> Any:
    """A running game of closed hands."""
    return client.open_game(CLOSED_HANDS, seats=2)


@pytest.mark.parametrize("path", READS)
def test_head_tells_what_get_would(anybody: Client, hands: Any, path: str) -> None:
    got = anybody.get(f"/v1/games/{hands['id']}{path}")
    head = anybody.ask("HEAD", f"/v1/games/{hands['id']}{path}")
    assert (head.status_code, head.get_data()) == (got.status_code, b"")
    for name in ("Content-Type", "ETag", "Vary", "Cache-Control", "Content-Disposition", "Content-Language"):
        assert head.headers.get(name) == got.headers.get(name)


def test_head_of_what_is_not_there_has_no_body(anybody: Client) -> None:
    answer = anybody.ask("HEAD", "/v1/games/nothing")
    assert (answer.status_code, answer.get_data()) == (404, b"")


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/v1/games", {"GET", "HEAD", "OPTIONS", "POST"}),
        ("/v1/games/{}", {"GET", "HEAD", "OPTIONS"}),
        ("/v1/games/{}/moves", {"OPTIONS", "POST"}),
        ("/v1/games/{}/state", {"GET", "HEAD", "OPTIONS"}),
        ("/v1/games/{}/seats/0/claim", {"OPTIONS", "POST"}),
        ("/v1/keys", {"GET", "HEAD", "OPTIONS", "POST"}),
        ("/v1/keys/x", {"DELETE", "OPTIONS"}),
        ("/healthz", {"GET", "HEAD", "OPTIONS"}),
    ],
)
def test_other_methods_are_refused_with_those_that_are_allowed(
    client: Client, hands: Any, path: str, allowed: set[str]
) -> None:
    path = path.format(hands["id"])
    for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "BREW"):
        if method not in allowed:
            answer = client.ask(method, path)
            refused(answer, 405, "method-not-allowed")
            assert set(re.split(r",\s*", answer.headers["Allow"])) == allowed
    asked = client.ask("OPTIONS", path)
    assert asked.status_code == 200
    assert set(re.split(r",\s*", asked.headers["Allow"])) == allowed


@pytest.mark.parametrize("given", ["a", "A-z.0_9~", "x" * 100, "01890a5d-ac96-774b-bcce-b302099a8057"])
def test_a_request_id_that_is_given_comes_back(anybody: Client, given: str) -> None:
    for path in ("/v1/games?limit=1", "/v1/nothing", "/healthz"):
        assert anybody.get(path, {"Request-Id": given}).headers["Request-Id"] == given


@pytest.mark.parametrize("given", ["", "x" * 101, "with a space", "é", "a,b", "<b>", "a;b"])
def test_one_that_cannot_be_taken_is_replaced_by_a_fresh_one(anybody: Client, given: str) -> None:
    made = [anybody.get("/v1/nothing", {"Request-Id": given}) for _ in range(2)]
    ids = [answer.headers["Request-Id"] for answer in made]
    assert len({*ids, given}) == 3
    assert [answer.json["request_id"] for answer in made] == ids  # type: ignore[index]  # problems


@pytest.mark.parametrize("path", READS)
def test_what_is_read_hangs_on_who_reads_and_how(anybody: Client, hands: Any, path: str) -> None:
    answer = anybody.get(f"/v1/games/{hands['id']}{path}")
    assert answer.headers["Vary"] == "Authorization, Accept, Accept-Language"


def test_nothing_of_a_state_is_kept_without_asking(anybody: Client, hands: Any) -> None:
    assert anybody.get(f"/v1/games/{hands['id']}/state").headers["Cache-Control"] == "no-cache"


def test_json_says_that_it_is(anybody: Client, hands: Any) -> None:
    answer = anybody.get(f"/v1/games/{hands['id']}")
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("path", ["/v1//games", "/v1/games//{}", "/v1/games/{}//state", "/v1/games/", "/healthz/"])
def test_a_path_with_a_slash_too_many_is_not_there(anybody: Client, hands: Any, path: str) -> None:
    """It was redirected, in HTML, to an address made of the `Host` header."""
    assert refused(anybody.get(path.format(hands["id"])), 404, "not-found")["status"] == 404


@pytest.mark.parametrize(
    ("wanted", "given"),
    [
        ("nl-BE, fr;q=0.1", "nl"),
        ("de-CH, en;q=0.5", "de"),
        ("de-Latn-AT, fr;q=0.9", "de"),
        ("zh-Hant-TW, fr-CA;q=0.3, en;q=0.2", "fr"),
        ("DE", "de"),
        ("fr;q=0.4, nl;q=0.8", "nl"),
        ("en;q=0, de-AT", "de"),
        ("zh", "en"),
        ("*", "en"),
        ("de;q=0", "en"),
    ],
)
def test_a_region_asks_for_its_language(anybody: Client, hands: Any, wanted: str, given: str) -> None:
    answer = anybody.get(f"/v1/games/{hands['id']}/replay?limit=1", {"Accept-Language": wanted})
    assert answer.headers["Content-Language"] == given


@pytest.mark.parametrize(
    ("accept", "given"),
    [
        ("application/json; charset=utf-8", "application/json"),
        ("application/x-ndjson;charset=utf-8, */*;q=0.1", "application/x-ndjson"),
        ("application/json;charset=UTF-8;q=0.5, application/x-ndjson;q=0.7", "application/x-ndjson"),
    ],
)
def test_a_parameter_of_a_type_that_is_accepted_does_not_matter(
    anybody: Client, hands: Any, accept: str, given: str
) -> None:
    answer = anybody.get(f"/v1/games/{hands['id']}/events", {"Accept": accept})
    assert (answer.status_code, answer.mimetype) == (200, given)
