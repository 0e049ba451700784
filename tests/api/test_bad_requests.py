"""Whatever comes in, a request is answered with a problem that says what is wrong with it, and never with a 5xx."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from tests.api.service import CLOSED_HANDS, SHANGRILA, Client, parameters, pointers, refused
from tests.house import fresh_key

JSON = "application/json"
LARGEST = 64 * 1024


@pytest.fixture
def hands(client: Client) -> Any:
    """A running game of closed hands; both seats are awaited."""
    return client.open_game(CLOSED_HANDS, seats=2)


def send(client: Client, data: str | bytes, *, path: str = "/v1/games", content_type: str | None = JSON) -> Any:
    return client.ask("POST", path, data=data, content_type=content_type, headers={"Idempotency-Key": fresh_key()})


# --- what cannot be read ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"{",
        b'{"seats": 3,}',
        b"{'seats': 3}",
        b'{"seats": NaN}',
        b'{"seats": Infinity}',
        b'{"seats": -Infinity}',
        b'{"seats": 03}',
        b'{"seats": 3} {}',
        b'{"seats": "\x01"}',
        b'\xff\xfe{"seats"',
        b'{"seats": "\xc3"}',
        b'{"seats": ' + b"9" * 5000 + b"}",
        b"[" * 30_000,
        b'{"a":' * 10_000,
        b"nothing",
        b"\x00",
    ],
)
def test_what_is_no_json_is_unreadable(client: Client, data: bytes) -> None:
    refused(send(client, data), 400, "unreadable")


@pytest.mark.parametrize("data", [b"[]", b"null", b"3", b'"text"', b"true", b"[{}]"])
def test_json_that_is_no_object_breaks_the_schema(client: Client, hands: Any, data: bytes) -> None:
    assert pointers(send(client, data)) == [""]
    assert pointers(send(client, data, path=f"/v1/games/{hands['id']}/moves")) == [""]
    assert pointers(send(client, data, path=f"/v1/games/{hands['id']}/resignation")) == [""]


@pytest.mark.parametrize("depth", [65, 100, 400, *range(900, 1001, 5), 2000, 5000])
def test_deep_nesting_is_refused_at_any_depth(client: Client, hands: Any, depth: int) -> None:
    """Also at those depths which can be read and, a few calls further in, not be written again."""
    nested = "[" * depth + "]" * depth
    for body in (
        f'{{"options": {{"rounds": {nested}}}}}',
        f'{{"a": {nested}}}',
        nested,
        '{"a":' * depth + "1" + "}" * depth,
    ):
        refused(send(client, body), 400, "unreadable")
    move = f'{{"seat": 0, "action": {{"type": "bid", "amount": {nested}}}}}'
    for path in ("moves", "moves/preview", "resignation"):
        refused(send(client, move, path=f"/v1/games/{hands['id']}/{path}"), 400, "unreadable")


def test_nesting_of_64_is_read_however_much_stands_side_by_side(client: Client) -> None:
    deep = '{"a":' * 63 + "1" + "}" * 63
    assert pointers(send(client, '{"ruleset": "shangrila@1", "seats": 3, "options": ' + deep + "}")) == ["/options/a"]
    wide = '{"seats": [' + "{}," * 500 + "{}]}"
    assert "/seats" in pointers(send(client, wide))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_json_is_read_in_any_encoding_that_unicode_has(client: Client, encoding: str) -> None:
    body = json.dumps({"ruleset": SHANGRILA, "seats": 3, "external_ref": "Zürich ☕"}, ensure_ascii=False)
    answer = send(client, body.encode(encoding))
    assert (answer.status_code, answer.json["external_ref"]) == (201, "Zürich ☕")


# --- types and sizes -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/xml", "application/x-www-form-urlencoded", "text/json"]
)
def test_another_type_of_content_is_refused(client: Client, content_type: str) -> None:
    refused(send(client, b"{}", content_type=content_type), 415, "unsupported-media-type")
    refused(send(client, b"", content_type=content_type), 415, "unsupported-media-type")


def test_content_without_a_type_is_refused(client: Client) -> None:
    refused(send(client, b"{}", content_type=None), 415, "unsupported-media-type")
    refused(send(client, b"", content_type=None), 400, "unreadable")


@pytest.mark.parametrize("encoding", ["gzip", "br", "gzip, identity", "x"])
def test_a_body_that_is_packed_is_refused_for_that(client: Client, encoding: str) -> None:
    body = gzip.compress(b'{"ruleset": "shangrila@1", "seats": 3}')
    headers = {"Idempotency-Key": fresh_key(), "Content-Encoding": encoding}
    answer = client.ask("POST", "/v1/games", data=body, content_type=JSON, headers=headers)
    assert "Content-Encoding" in refused(answer, 415, "unsupported-media-type")["detail"]


@pytest.mark.parametrize(
    "content_type", ["application/json; charset=utf-8", "Application/JSON", "application/json;x=y"]
)
def test_parameters_and_case_of_the_type_do_not_matter(client: Client, content_type: str) -> None:
    body = json.dumps({"ruleset": SHANGRILA, "seats": 3})
    assert send(client, body, content_type=content_type).status_code == 201


def test_a_body_of_64_kb_is_read_and_a_longer_one_is_not(client: Client) -> None:
    body = json.dumps({"ruleset": SHANGRILA, "seats": 3}).encode()
    assert send(client, body.ljust(LARGEST)).status_code == 201
    refused(send(client, body.ljust(LARGEST + 1)), 413, "body-too-large")
    refused(send(client, b"x" * (10 * LARGEST)), 413, "body-too-large")


# --- texts and numbers -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("letter", ["\x00", "\x1f", "\x7f", "\ud800", "\n"])
def test_control_characters_and_half_pairs_are_refused_in_every_text(client: Client, letter: str) -> None:
    wanted = {
        "ruleset": SHANGRILA + letter,
        "seats": 3,
        "players": [{"id": "a" + letter, "name": letter}],
        "external_ref": letter + "r",
    }
    assert pointers(client.post("/v1/games", wanted)) == [
        "/external_ref",
        "/players/0/id",
        "/players/0/name",
        "/ruleset",
    ]


@pytest.mark.parametrize("letter", ["\x00", "\ud800", "/", "~", "é", "\n", '"', "x" * 5000])
def test_any_name_of_a_member_can_be_pointed_at(client: Client, letter: str) -> None:
    escaped = letter.replace("~", "~0").replace("/", "~1")
    assert f"/{escaped}" in pointers(client.post("/v1/games", {"ruleset": SHANGRILA, "seats": 3, letter: 1}))
    wanted = {"ruleset": SHANGRILA, "seats": 3, "options": {letter: 1}}
    assert pointers(client.post("/v1/games", wanted)) == [f"/options/{escaped}"]


def test_texts_of_any_script_are_kept_as_they_are(client: Client, anybody: Client) -> None:
    names = [
        "Ωμέγα",
        "日本語",
        "👩‍👩‍👧",
        "a\u0301",
        "ש\u05b8ל",
        "<script>",
        "'; DROP TABLE ml.events;--",
        "%s %(a)s {0}",
    ]
    for name in names:
        wanted = {
            "ruleset": CLOSED_HANDS,
            "seats": 2,
            "external_ref": name,
            "players": [{"id": name, "name": name}, {"id": "b"}],
        }
        game: Any = client.post("/v1/games", wanted).json
        shown: Any = anybody.get(f"/v1/games/{game['id']}").json
        assert (shown["external_ref"], shown["seats"][0]["player"]["name"]) == (name, name)
        assert game["seats"][0]["player"]["external_id"] == name


@pytest.mark.parametrize(
    "number", ["1e400", "1E2", "-0", "3.0", "3.5", "1e2", "9" * 400, "-" + "9" * 400, "true", '"3"', "null"]
)
def test_only_a_whole_number_in_range_is_a_number_of_seats(client: Client, number: str) -> None:
    assert pointers(send(client, f'{{"ruleset": "{SHANGRILA}", "seats": {number}}}')) == ["/seats"]


def test_the_last_of_two_members_of_one_name_counts(client: Client) -> None:
    answer = send(client, f'{{"ruleset": "{SHANGRILA}", "seats": 99, "seats": 3}}')
    assert (answer.status_code, len(answer.json["seats"])) == (201, 3)


# --- headers ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["", " ", "with a space", "x" * 256, "tab\there", "é", "\x7f"])
def test_a_key_that_is_not_visible_ascii_is_refused(client: Client, key: str) -> None:
    wanted = {"ruleset": SHANGRILA, "seats": 3}
    answer = client.ask("POST", "/v1/games", wanted, headers={"Idempotency-Key": key})
    refused(answer, 400, "idempotency-key-invalid")


@pytest.mark.parametrize("key", ["x" * 255, '"quoted"', "a,b;c=d", "!~", "0"])
def test_any_visible_ascii_is_a_key(client: Client, key: str) -> None:
    wanted = {"ruleset": SHANGRILA, "seats": 3}
    assert client.post("/v1/games", wanted, key=key).status_code == 201
    assert client.post("/v1/games", wanted, key=key).headers["Idempotent-Replayed"] == "true"


@pytest.mark.parametrize(
    "header", ["Accept", "Accept-Language", "If-None-Match", "If-Match", "Range", "Cookie", "X-Forwarded-For", "Host"]
)
@pytest.mark.parametrize("value", ["", ",", ";;", "*", '"', "é", "a" * 4000, "0", "q=;q=x", "bytes=0-1"])
def test_odd_headers_break_nothing(client: Client, hands: Any, header: str, value: str) -> None:
    for path in ("", "/state", "/events", "/replay"):
        assert client.get(f"/v1/games/{hands['id']}{path}", {header: value}).status_code in (200, 304, 400, 406)


# --- queries ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query", ["?a", "?=", "?&&", "?%", "?%zz=1", "?a=%00", "?" + "a=1&" * 500, "?limit[]=1", "?limit=1;after=2"]
)
def test_odd_queries_break_nothing(client: Client, hands: Any, query: str) -> None:
    for path in ("", "/state", "/events", "/replay", "/audit", "/export", "/legal-moves"):
        answer = client.get(f"/v1/games/{hands['id']}{path}{query}")
        assert answer.status_code in (200, 422), path
    assert client.get(f"/v1/games{query}").status_code in (200, 422)


def test_a_parameter_that_an_endpoint_does_not_have_is_refused_everywhere(admin: Client, hands: Any) -> None:
    found = []
    for path, methods in admin.contract.document["paths"].items():
        filled = path.replace("{game_id}", hands["id"]).replace("{", "").replace("}", "")
        filled = filled.replace("/seats/seat/", "/seats/0/")
        for method in methods.keys() & {"get", "post", "delete", "put"}:
            headers = {"Idempotency-Key": fresh_key()}
            body: Any = {} if method == "post" else None
            answer = admin.ask(method.upper(), f"{filled}?nothing=1", body, headers=headers)
            assert "nothing" in parameters(answer), (method, path)
            found.append((method, path))
    assert ("get", "/v1/rulesets") in found
    assert ("post", "/v1/games/{game_id}/moves") in found
    assert len(found) > 25


def test_a_credential_that_is_not_valid_is_refused_before_a_parameter(client: Client, hands: Any) -> None:
    for path in (f"/v1/games/{hands['id']}?nothing=1", "/v1/games?nothing=1", "/v1/rulesets?nothing=1"):
        refused(client.with_token("mlk_nobody").get(path), 401, "unauthenticated")


@pytest.mark.parametrize("after", ["x", "%00", "0", "1" * 400, "{}", "00000000-0000-0000-0000-00000000000g"])
def test_a_cursor_that_is_none_is_refused(client: Client, after: str) -> None:
    problem = refused(client.get(f"/v1/games?after={after}"), 422, "validation")
    assert [fault["parameter"] for fault in problem["errors"]] == ["after"]


@pytest.mark.parametrize("limit", ["0", "101", "-1", "x", "1.5", "9" * 30])
def test_a_limit_that_is_none_is_refused(client: Client, limit: str) -> None:
    problem = refused(client.get(f"/v1/games?limit={limit}"), 422, "validation")
    assert [fault["parameter"] for fault in problem["errors"]] == ["limit"]
