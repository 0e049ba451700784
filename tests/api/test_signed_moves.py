"""Moves signed by their seats: public keys of players, `signed` beside the action, and where it shows."""

from __future__ import annotations

import json
from io import BytesIO
from typing import Any
from uuid import UUID

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from moveledger.audit.checks import CheckResult
from moveledger.audit.signature import SMALL_ORDER, signed_text
from moveledger.audit.verify import verify_record
from tests.api.service import CLOSED_HANDS, SHANGRILA, Client, pointers, refused
from tests.house import fresh_key

KEY, STRANGER = (Ed25519PrivateKey.from_private_bytes(bytes([number]) * 32) for number in (5, 6))
PUBLIC = KEY.public_key().public_bytes_raw().hex()


def open_signing(client: Client, ruleset: str = SHANGRILA) -> Any:
    """A game whose seat 0 has a key."""
    players = [{"id": "a", "public_key": PUBLIC}, {"id": "b"}, {"id": "c"}]
    answer = client.post("/v1/games", {"ruleset": ruleset, "seats": 3, "players": players})
    assert answer.status_code == 201, answer.get_data()
    return answer.json


def signed(game: Any, action: Any, *, seat: int = 0, key: Ed25519PrivateKey = KEY, **other: Any) -> dict[str, Any]:
    """A signature upon the head of a game's resource, or upon what `other` says (`seq`, `head_hash`)."""
    seen = {"seq": game["version"], "head_hash": game["head_hash"], **other}
    text = signed_text(
        UUID(game["id"]), seat=seat, seq=seen["seq"], head_hash=bytes.fromhex(seen["head_hash"]), action=action
    )
    return {**seen, "signature": key.sign(text).hex()}


def check(client: Client, game_id: str) -> CheckResult:
    """What the verifier says of the signatures in a game's record."""
    report = verify_record(BytesIO(client.get(f"/v1/games/{game_id}/export").get_data()))
    assert report.valid, report
    return next(found for found in report.checks if found.name == "signatures")


def test_a_signed_move_is_recorded_shown_and_verified(client: Client) -> None:
    game = open_signing(client)
    assert [seat["public_key"] for seat in game["seats"]] == [PUBLIC, None, None]
    action = client.legal(game["id"], 0)["data"][0]
    wanted = {"seat": 0, "action": action, "signed": signed(game, action)}
    answer: Any = client.post(f"/v1/games/{game['id']}/moves", wanted).json
    assert answer["events"][0]["body"] == {"action": action, "signed": wanted["signed"]}
    client.play(game["id"], moves=1)
    trail: Any = client.get(f"/v1/games/{game['id']}/audit").json
    assert [entry["signed"] for entry in trail["data"]] == [False] * 5 + [True, False]
    assert check(client, game["id"]).detail == "1 of 2 moves signed"


def test_the_body_of_seated_has_the_key(client: Client) -> None:
    game = open_signing(client)
    events: Any = client.get(f"/v1/games/{game['id']}/events").json
    assert [event["body"].get("public_key") for event in events["data"][1:4]] == [PUBLIC, None, None]


def test_a_seat_that_is_claimed_can_have_a_key(client: Client) -> None:
    game = client.open_game(named=False)
    claim = {"player": {"id": "a", "public_key": PUBLIC}}
    path, key = f"/v1/games/{game['id']}/seats/1/claim", fresh_key()
    first, again = (client.post(path, claim, key=key) for _ in range(2))
    assert first.json == again.json
    found: Any = client.get(f"/v1/games/{game['id']}").json
    assert [seat["public_key"] for seat in found["seats"]] == [None, PUBLIC, None]


def test_a_signature_may_be_upon_an_earlier_event(client: Client) -> None:
    game = open_signing(client)
    action = client.legal(game["id"], 0)["data"][0]
    events: Any = client.get(f"/v1/games/{game['id']}/events").json
    earlier = {"seq": 2, "head_hash": events["data"][1]["hash"]}
    wanted = {"seat": 0, "action": action, "signed": signed(game, action, **earlier)}
    assert client.post(f"/v1/games/{game['id']}/moves", wanted).status_code == 201
    assert check(client, game["id"]).detail == "1 of 1 moves signed"


@pytest.mark.parametrize("name", ["key", "action", "seat", "head_hash", "earlier", "later", "game"])
def test_a_wrong_signature_is_refused_and_nothing_is_played(client: Client, name: str) -> None:
    game = open_signing(client)
    action, other = client.legal(game["id"], 0)["data"][:2]
    wrong = {
        "key": lambda: signed(game, action, key=STRANGER),
        "action": lambda: signed(game, other),
        "seat": lambda: signed(game, action, seat=1),
        "head_hash": lambda: signed(game, action, head_hash="11" * 32),
        "earlier": lambda: signed(game, action, seq=2),
        "later": lambda: signed(game, action, seq=6),
        "game": lambda: signed({**game, "id": client.open_game()["id"]}, action),
    }[name]()
    for path in ("moves", "moves/preview"):
        sent = client.post(f"/v1/games/{game['id']}/{path}", {"seat": 0, "action": action, "signed": wrong})
        assert refused(sent, 422, "signature-invalid")["version"] == 5
    assert client.get(f"/v1/games/{game['id']}").json["version"] == 5  # type: ignore[index]


def test_a_seat_without_a_key_cannot_sign(client: Client) -> None:
    game = client.open_game()
    action = client.legal(game["id"], 0)["data"][0]
    wanted = {"seat": 0, "action": action, "signed": signed(game, action)}
    refused(client.post(f"/v1/games/{game['id']}/moves", wanted), 422, "signature-invalid")


def test_signatures_and_keys_of_another_shape_are_pointed_at(client: Client) -> None:
    game = open_signing(client)
    action = client.legal(game["id"], 0)["data"][0]
    right = signed(game, action)
    wrongs = {
        "/signed/seq": {**right, "seq": 0},
        "/signed/head_hash": {**right, "head_hash": right["head_hash"] + "\n"},
        "/signed/signature": {**right, "signature": right["signature"][1:]},
        "/signed/more": {**right, "more": 1},
    }
    for pointer, wrong in wrongs.items():
        sent = client.post(f"/v1/games/{game['id']}/moves", {"seat": 0, "action": action, "signed": wrong})
        assert pointers(sent) == [pointer]
    for key in ("", "00", PUBLIC.upper(), PUBLIC + "\n", 7):
        players = [{"id": "a", "public_key": key}, {"id": "b"}, {"id": "c"}]
        assert pointers(client.post("/v1/games", {"ruleset": SHANGRILA, "seats": 3, "players": players})) == [
            "/players/0/public_key"
        ]


@pytest.mark.parametrize("key", [*sorted(SMALL_ORDER), b"\xff" * 32, b"\x01" + bytes(30) + b"\x80"], ids=bytes.hex)
def test_a_key_with_which_anybody_could_sign_is_pointed_at(client: Client, key: bytes) -> None:
    players = [{"id": "a"}, {"id": "b", "public_key": key.hex()}, {"id": "c"}]
    opening = {"ruleset": SHANGRILA, "seats": 3, "players": players}
    assert pointers(client.post("/v1/games", opening)) == ["/players/1/public_key"]
    game = client.open_game(named=False)
    claim = {"player": {"id": "a", "public_key": key.hex()}}
    assert pointers(client.post(f"/v1/games/{game['id']}/seats/1/claim", claim)) == ["/player/public_key"]


def test_a_signed_move_is_judged_once_and_repeated_as_it_was(client: Client) -> None:
    game = open_signing(client)
    action, key = client.legal(game["id"], 0)["data"][0], fresh_key()
    wanted = {"seat": 0, "action": action, "signed": signed(game, action)}
    first, again = (client.post(f"/v1/games/{game['id']}/moves", wanted, key=key) for _ in range(2))
    assert first.json == again.json
    assert again.headers["Idempotent-Replayed"] == "true"


def test_a_sealed_move_shows_its_signature_only_when_it_is_opened(client: Client) -> None:
    game = open_signing(client, CLOSED_HANDS)
    found: Any = client.get(f"/v1/games/{game['id']}").json
    action = client.legal(game["id"], 0)["data"][0]
    wanted = {"seat": 0, "action": action, "signed": signed(found, action)}
    answer: Any = client.post(f"/v1/games/{game['id']}/moves", wanted).json
    seq = answer["events"][0]["seq"]
    assert wanted["signed"]["signature"] not in client.with_token(None).get(f"/v1/games/{game['id']}/export").get_data(
        as_text=True
    )
    shown: Any = client.get(f"/v1/games/{game['id']}/events?after={seq - 1}&as=seat:0").json
    assert json.loads(json.dumps(shown["data"][0]["body"]))["signed"] == wanted["signed"]
