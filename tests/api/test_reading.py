"""Events, replay, trail and record of a game, in pages and in lines."""

from __future__ import annotations

import io
import json
from typing import Any

import pytest

from moveledger.audit.verify import verify_record
from tests.api.contract import NDJSON
from tests.api.service import CLOSED_HANDS, SHANGRILA, Client, Service, parameters, refused, seq_of
from tests.house import fresh_key

LINES = {"Accept": NDJSON}


@pytest.fixture(scope="module")
def game(service: Service) -> Any:
    """A running game of 31 events. No test plays on in it."""
    client = service.client()
    found = client.open_game(SHANGRILA)
    answer = client.play(found["id"], moves=26)
    assert answer["version"] == 31
    return {**found, "version": 31}


@pytest.fixture
def hands(client: Client) -> Any:
    """A running game of closed hands in which seat 0 has put its number."""
    game = client.open_game(CLOSED_HANDS, seats=2)
    client.post(f"/v1/games/{game['id']}/moves", {"seat": 0, "action": {"type": "bid", "amount": 3}})
    return client.get(f"/v1/games/{game['id']}").json


def lines(answer: Any) -> list[Any]:
    """The objects of an NDJSON answer."""
    assert answer.content_type == NDJSON
    return [json.loads(line) for line in answer.get_data().splitlines()]


# --- pages -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["events", "replay", "audit"])
@pytest.mark.parametrize("limit", [1, 10, 25, 31, 100])
def test_pages_follow_on_each_other_to_the_end(anybody: Client, game: Any, what: str, limit: int) -> None:
    path, seen, pages = f"/v1/games/{game['id']}/{what}?limit={limit}", [], 0
    page: Any = {"next": "0"}
    while page["next"] is not None:
        page = anybody.get(f"{path}&after={page['next']}").json
        assert 0 < len(page["data"]) <= limit
        assert page["has_more"] == (page["next"] is not None)
        seen += seq_of(page["data"])
        pages += 1
    assert seen == list(range(1, 32))
    assert pages == -(-31 // limit)


@pytest.mark.parametrize("what", ["events", "replay", "audit"])
def test_a_page_has_25_unless_one_asks(anybody: Client, game: Any, what: str) -> None:
    page: Any = anybody.get(f"/v1/games/{game['id']}/{what}").json
    assert (len(page["data"]), page["next"]) == (25, "25")


@pytest.mark.parametrize("what", ["events", "replay", "audit"])
@pytest.mark.parametrize("after", [31, 32, 1000, 2**53])
def test_after_the_last_there_is_nothing(anybody: Client, game: Any, what: str, after: int) -> None:
    page: Any = anybody.get(f"/v1/games/{game['id']}/{what}?after={after}").json
    assert page == {"data": [], "has_more": False, "next": None}


@pytest.mark.parametrize("what", ["events", "replay", "audit"])
@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("limit=0", "limit"),
        ("limit=101", "limit"),
        ("limit=-1", "limit"),
        ("limit=x", "limit"),
        ("limit=1e1", "limit"),
        ("limit=1_0", "limit"),
        ("limit=%D9%A3", "limit"),
        ("limit=+5", "limit"),
        ("limit=%205", "limit"),
        ("after=-1", "after"),
        ("after=x", "after"),
        ("after=", "after"),
        (f"after={2**53 + 1}", "after"),
        ("after=" + "9" * 5000, "after"),
        ("before=3", "before"),
        ("limit=1&limit=2", "limit"),
    ],
)
def test_a_wrong_parameter_is_named(anybody: Client, game: Any, what: str, query: str, expected: str) -> None:
    assert parameters(anybody.get(f"/v1/games/{game['id']}/{what}?{query}")) == [expected]


# --- lines -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["events", "replay"])
def test_as_lines_all_of_it_comes_at_once(anybody: Client, game: Any, what: str) -> None:
    path = f"/v1/games/{game['id']}/{what}"
    paged: Any = anybody.get(f"{path}?limit=100").json
    assert lines(anybody.get(path, LINES)) == paged["data"]
    assert lines(anybody.get(f"{path}?after=20", LINES)) == paged["data"][20:]
    assert lines(anybody.get(f"{path}?after=99", LINES)) == []


@pytest.mark.parametrize("what", ["events", "replay"])
def test_the_type_that_is_accepted_is_given(anybody: Client, hands: Any, what: str) -> None:
    path = f"/v1/games/{hands['id']}/{what}"
    for accept, expected in (
        ("*/*", "application/json"),
        ("application/*", "application/json"),
        ("application/json", "application/json"),
        (NDJSON, NDJSON),
        (f"{NDJSON}, application/json;q=0.5", NDJSON),
        (f"{NDJSON};q=0.2, application/json;q=0.5", "application/json"),
        ("", "application/json"),
    ):
        assert anybody.get(path, {"Accept": accept}).content_type == expected
    for accept in ("text/html", "application/xml", "image/*", f"{NDJSON};q=0, application/json;q=0"):
        refused(anybody.get(path, {"Accept": accept}), 406, "not-acceptable")


# --- events ----------------------------------------------------------------------------------------------------


def test_events_are_shown_as_an_observer_may_see_them(service: Service, client: Client, hands: Any) -> None:
    def closed(asking: Client, name: str) -> int:
        page: Any = asking.get(f"/v1/games/{hands['id']}/events?as={name}").json
        return sum(event["body"] is None for event in page["data"])

    assert closed(service.anybody, "spectator") == 4
    assert (closed(client, "seat:0"), closed(client, "seat:1")) == (2, 3)
    assert closed(service.client("games:referee"), "referee") == 0
    refused(service.anybody.get(f"/v1/games/{hands['id']}/events?as=seat:0"), 403, "not-your-seat")


def test_events_form_a_chain(anybody: Client, game: Any) -> None:
    events: Any = anybody.get(f"/v1/games/{game['id']}/events?limit=100").json
    hashes = ["00" * 32, *(event["hash"] for event in events["data"])]
    assert [event["prev_hash"] for event in events["data"]] == hashes[:-1]
    assert anybody.get(f"/v1/games/{game['id']}").json["head_hash"] == hashes[-1]  # type: ignore[index]  # a game


# --- replay ----------------------------------------------------------------------------------------------------


def test_a_frame_shows_the_view_after_its_event(anybody: Client, game: Any) -> None:
    page: Any = anybody.get(f"/v1/games/{game['id']}/replay?limit=100").json
    for frame in page["data"][::6]:
        state: Any = anybody.get(f"/v1/games/{game['id']}/state?at={frame['seq']}").json
        assert frame["view"] == state["view"]
        assert frame["event"]["seq"] == frame["seq"]


def test_a_range_is_replayed(anybody: Client, game: Any) -> None:
    path = f"/v1/games/{game['id']}/replay"
    for query, expected in (
        ("from=5&to=8", [5, 6, 7, 8]),
        ("from=30", [30, 31]),
        ("to=2", [1, 2]),
        ("from=7&to=7", [7]),
        ("from=29&to=999", [29, 30, 31]),
        ("from=5&to=20&limit=3", [5, 6, 7]),
        ("from=5&to=8&after=6", [7, 8]),
        ("from=32", []),
        ("from=999", []),
    ):
        page: Any = anybody.get(f"{path}?{query}").json
        assert seq_of(page["data"]) == expected
        whole = lines(anybody.get(f"{path}?{query}", LINES))
        assert seq_of(whole)[: len(expected)] == expected


def test_a_range_in_pages_ends_where_it_ends(anybody: Client, game: Any) -> None:
    path = f"/v1/games/{game['id']}/replay?from=5&to=9&limit=2"
    first: Any = anybody.get(path).json
    second: Any = anybody.get(f"{path}&after={first['next']}").json
    third: Any = anybody.get(f"{path}&after={second['next']}").json
    assert [seq_of(page["data"]) for page in (first, second, third)] == [[5, 6], [7, 8], [9]]
    assert third["next"] is None


def test_a_range_that_ends_before_it_begins_is_refused(anybody: Client, game: Any) -> None:
    assert parameters(anybody.get(f"/v1/games/{game['id']}/replay?from=5&to=4")) == ["to"]
    assert parameters(anybody.get(f"/v1/games/{game['id']}/replay?from=0")) == ["from"]
    assert parameters(anybody.get(f"/v1/games/{game['id']}/replay?from=5&to=4", LINES)) == ["to"]


@pytest.mark.parametrize(
    ("asked", "given"),
    [("de", "de"), ("fr-CH, fr;q=0.9", "fr"), ("nl;q=0.3, de;q=0.8", "de"), ("ja", "en"), (None, "en")],
)
def test_notes_are_in_the_reader_s_language(anybody: Client, game: Any, asked: str | None, given: str) -> None:
    headers = {"Accept-Language": asked} if asked else {}
    answer: Any = anybody.get(f"/v1/games/{game['id']}/replay?from=10&to=12", headers)
    assert answer.headers["Content-Language"] == given
    texts = {note["text"] for frame in answer.json["data"] for note in frame["notes"]}
    assert texts
    in_lines = anybody.get(f"/v1/games/{game['id']}/replay?from=10&to=12", {**LINES, **headers})
    assert in_lines.headers["Content-Language"] == given
    assert {note["text"] for frame in lines(in_lines) for note in frame["notes"]} == texts


# --- trail -----------------------------------------------------------------------------------------------------


def test_the_trail_tells_who_did_what_in_which_request(client: Client, anybody: Client, hands: Any) -> None:
    client.post(
        f"/v1/games/{hands['id']}/moves", {"seat": 1, "action": {"type": "pass"}}, headers={"Request-Id": "mine"}
    )
    trail: Any = anybody.get(f"/v1/games/{hands['id']}/audit").json
    entry = next(entry for entry in trail["data"] if entry["request_id"] == "mine" and entry["type"] == "moved")
    assert (entry["seat"], entry["client"], entry["sealed"]) == (1, str(client.key_id), False)


# --- the record ------------------------------------------------------------------------------------------------


def test_the_record_verifies_for_every_observer(service: Service, client: Client, hands: Any) -> None:
    for asking, query in (
        (service.anybody, ""),
        (client, "?as=seat:0"),
        (service.client("games:referee"), "?as=referee"),
    ):
        answer = asking.get(f"/v1/games/{hands['id']}/export{query}")
        assert answer.headers["Content-Disposition"] == f'attachment; filename="{hands["id"]}.ndjson"'
        assert verify_record(io.BytesIO(answer.get_data())).fault is None
    refused(service.anybody.get(f"/v1/games/{hands['id']}/export?as=referee"), 401, "unauthenticated")
    assert parameters(client.get(f"/v1/games/{hands['id']}/export?limit=3")) == ["limit"]


def test_the_record_of_a_finished_game_is_open(client: Client, anybody: Client) -> None:
    game = client.open_game(CLOSED_HANDS, seats=2)
    client.post(f"/v1/games/{game['id']}/resignation", {"seat": 0}, key=fresh_key())
    report = verify_record(io.BytesIO(anybody.get(f"/v1/games/{game['id']}/export").get_data()))
    assert (report.fault, report.closed) == (None, 0)
