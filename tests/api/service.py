"""The API under test: an application over real servers, and clients whose every answer is held against its document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from flask import Flask
from werkzeug.test import TestResponse

from moveledger.app import create_app
from moveledger.services.keys import issue_key
from moveledger.services.tools import Tools
from tests.api.contract import Contract
from tests.house import EVERYDAY, fresh_key, open_house

SHANGRILA, CLOSED_HANDS = "shangrila@1", "closed_hands@1"


@dataclass(frozen=True, slots=True)
class Client:
    """Who asks, and with which credential."""

    app: Flask
    contract: Contract
    token: str | None = None
    key_id: UUID | None = None

    def ask(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        data: str | bytes | None = None,
        content_type: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> TestResponse:
        """Any request; its answer is checked against the document."""
        sent = {"Authorization": f"Bearer {self.token}"} if self.token else {}
        given: dict[str, Any] = {"json": body} if body is not None else {"data": data, "content_type": content_type}
        asked = {**sent, **(headers or {})}
        response = self.app.test_client().open(path, method=method, headers=asked, buffered=True, **given)
        self.contract.check(response)
        return response

    def get(self, path: str, headers: Mapping[str, str] | None = None) -> TestResponse:
        """Read."""
        return self.ask("GET", path, headers=headers)

    def post(
        self, path: str, body: Any = None, *, key: str | None = None, headers: Mapping[str, str] | None = None
    ) -> TestResponse:
        """Write, with a fresh Idempotency-Key if none is given."""
        sent = {"Idempotency-Key": key or fresh_key(), **(headers or {})}
        return self.ask("POST", path, {} if body is None else body, headers=sent)

    def with_token(self, token: str | None) -> Client:
        """The same application, asked by somebody else."""
        return Client(self.app, self.contract, token)

    def open_game(self, ruleset: str = SHANGRILA, *, seats: int = 3, named: bool = True, **members: Any) -> Any:
        """A new game's resource; with `named` every seat has a player, so it runs."""
        players = [{"id": f"player-{seat}"} for seat in range(seats)] if named else []
        answer = self.post("/v1/games", {"ruleset": ruleset, "seats": seats, "players": players, **members})
        assert answer.status_code == 201, answer.get_data()
        return answer.json

    def legal(self, game_id: str, seat: int) -> Any:
        """The first page of a seat's legal moves."""
        answer = self.get(f"/v1/games/{game_id}/legal-moves?seat={seat}")
        assert answer.status_code == 200, answer.get_data()
        return answer.json

    def play(self, game_id: str, *, moves: int) -> Any:
        """Play so many moves, each the first legal one of the first awaited seat; answers the last answer."""
        answer: Any = self.get(f"/v1/games/{game_id}").json
        for _ in range(moves):
            seat = answer["awaiting"]["seats"][0]
            action = self.legal(game_id, seat)["data"][0]
            sent = self.post(f"/v1/games/{game_id}/moves", {"seat": seat, "action": action})
            assert sent.status_code == 201, sent.get_data()
            answer = sent.json
        return answer


@dataclass(frozen=True, slots=True)
class Service:
    """The application with its tools."""

    app: Flask
    tools: Tools
    contract: Contract

    @property
    def anybody(self) -> Client:
        """Somebody without a credential."""
        return Client(self.app, self.contract)

    def client(self, *scopes: str) -> Client:
        """The holder of a fresh key, by default one that reads and writes games."""
        key_id, token = issue_key(self.tools, name="test", scopes=list(scopes or EVERYDAY))
        return Client(self.app, self.contract, token, key_id)


@contextmanager
def open_service(database_url: str, redis_url: str) -> Iterator[Service]:
    """The application over these servers."""
    with open_house(database_url, redis_url) as house:
        app = create_app(house.config, house.tools)
        document = app.extensions["moveledger_api"].spec.to_dict()
        yield Service(app, house.tools, Contract(document))


def refused(answer: TestResponse, status: int, code: str) -> Any:
    """The problem that an answer is; fails when it is another."""
    body: Any = answer.json
    assert (answer.status_code, body and body.get("code")) == (status, code), answer.get_data()
    return body


def pointers(answer: TestResponse) -> list[str]:
    """Where a body breaks its schema."""
    return sorted(fault["pointer"] for fault in refused(answer, 422, "validation")["errors"])


def parameters(answer: TestResponse) -> list[str]:
    """Which query parameters are wrong."""
    return sorted(fault["parameter"] for fault in refused(answer, 422, "validation")["errors"])


def seq_of(events: Sequence[Mapping[str, Any]]) -> list[int]:
    """The seqs of events, frames or entries of a trail."""
    return [event["seq"] for event in events]
