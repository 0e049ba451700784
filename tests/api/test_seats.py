"""Claiming seats, and what seats add to chance."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from moveledger.rules import chance
from tests.api.service import CLOSED_HANDS, Client, Service, pointers, refused
from tests.house import fresh_key


@pytest.fixture
def waiting(client: Client) -> Any:
    """A game whose two seats are open."""
    return client.open_game(CLOSED_HANDS, seats=2, named=False)


def claim(asking: Client, game: Any, seat: object, player: str = "ann", **how: Any) -> Any:
    return asking.post(f"/v1/games/{game['id']}/seats/{seat}/claim", {"player": {"id": player}}, **how)


def test_a_claimed_seat_s_token_acts_for_it(service: Service, client: Client, waiting: Any) -> None:
    tokens = [claim(service.client(), waiting, seat).json["seat_token"] for seat in (0, 1)]
    seated = client.with_token(tokens[1])
    answer: Any = seated.post(f"/v1/games/{waiting['id']}/moves", {"action": {"type": "pass"}})
    assert (answer.status_code, answer.json["events"][0]["seat"]) == (201, 1)


def test_the_last_seat_starts_the_game(client: Client, waiting: Any) -> None:
    assert [claim(client, waiting, seat, f"p{seat}").json["status"] for seat in (1, 0)] == ["open", "running"]


def test_a_seat_is_taken_once(service: Service, client: Client, waiting: Any) -> None:
    key = fresh_key()
    first = claim(client, waiting, 0, key=key)
    refused(claim(service.client(), waiting, 0, "bob"), 409, "seat-taken")
    again = claim(client, waiting, 0, key=key)
    assert (again.status_code, again.json, again.headers["Idempotent-Replayed"]) == (201, first.json, "true")
    refused(claim(client, waiting, 0, "bob", key=key), 422, "idempotency-key-reused")


def test_a_player_sits_once(client: Client, waiting: Any) -> None:
    assert claim(client, waiting, 0).status_code == 201
    refused(claim(client, waiting, 1), 409, "player-seated")


@pytest.mark.parametrize("seat", [2, 99, 10**30])
def test_a_seat_that_is_not_there_is_not_found(client: Client, waiting: Any, seat: int) -> None:
    refused(claim(client, waiting, seat), 404, "unknown-seat")


@pytest.mark.parametrize("seat", ["-1", "x", "1.0", "%00", "0/0"])
def test_a_path_that_names_no_seat_is_not_found(client: Client, waiting: Any, seat: str) -> None:
    refused(claim(client, waiting, seat), 404, "not-found")


def test_a_number_too_long_to_read_names_no_seat(client: Client, waiting: Any) -> None:
    """Python refuses to read more than 4,300 digits."""
    answer = claim(client, waiting, "1" * 5000)
    assert answer.status_code == 404


def test_what_is_wrong_with_a_claim_is_pointed_at(client: Client, waiting: Any) -> None:
    path = f"/v1/games/{waiting['id']}/seats/0/claim"
    for body, expected in (
        ({}, ["/player"]),
        ({"player": "ann"}, ["/player"]),
        ({"player": {"name": "Ann"}}, ["/player/id"]),
        ({"player": {"id": "x" * 101}}, ["/player/id"]),
        ({"player": {"id": "ann", "seat": 1}, "seat": 0}, ["/player/seat", "/seat"]),
    ):
        assert pointers(client.post(path, body)) == expected


def test_seats_commit_and_open_and_the_game_starts(client: Client) -> None:
    game = client.open_game(CLOSED_HANDS, seats=2, entropy="required")
    path = f"/v1/games/{game['id']}/seats"
    values = [bytes([seat]) * 32 for seat in range(2)]
    hashes = [chance.entropy_commitment(UUID(game["id"]).bytes, seat, value) for seat, value in enumerate(values)]
    refused(client.post(f"{path}/0/entropy", {"entropy": values[0].hex()}), 409, "entropy-out-of-turn")
    for seat, commitment in enumerate(hashes):
        answer: Any = client.post(f"{path}/{seat}/entropy", {"commitment": commitment.hex()}).json
    assert answer["committed"] == [0, 1]
    assert [seat["entropy"] for seat in client.get(f"/v1/games/{game['id']}").json["seats"]] == ["committed"] * 2  # type: ignore[index]  # a game
    refused(client.post(f"{path}/0/entropy", {"entropy": values[1].hex()}), 422, "entropy-mismatch")
    statuses = [client.post(f"{path}/{seat}/entropy", {"entropy": values[seat].hex()}).json for seat in (1, 0)]
    assert [answer and answer["status"] for answer in statuses] == ["open", "running"]
    started: Any = client.get(f"/v1/games/{game['id']}").json
    assert started["fairness"]["mix"] is not None
    assert [seat["entropy"] for seat in started["seats"]] == ["opened"] * 2


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({}, [""]),
        ({"commitment": "00" * 32, "entropy": "00" * 32}, [""]),
        ({"commitment": "00" * 31}, ["/commitment"]),
        ({"commitment": "AA" * 32}, ["/commitment"]),
        ({"entropy": 7}, ["/entropy"]),
        ({"entropy": "00" * 32 + "\n"}, ["/entropy"]),
        ({"commitment": "00" * 32 + "\n"}, ["/commitment"]),
        ({"entropie": "00" * 32}, ["/entropie"]),
    ],
)
def test_what_is_wrong_with_entropy_is_pointed_at(client: Client, body: Any, expected: list[str]) -> None:
    game = client.open_game(CLOSED_HANDS, seats=2, entropy="required")
    assert pointers(client.post(f"/v1/games/{game['id']}/seats/0/entropy", body)) == expected
