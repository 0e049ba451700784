"""A script played through the API, and what an observer is answered there.

Real servers, real requests; what chance answers is dictated by the script, by putting a stand-in in the place where
the house asks `moveledger.rules.chance`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch

from werkzeug.test import TestResponse

from moveledger.rules import chance
from moveledger.rules.encoding import encode
from moveledger.rules.kernel import Leave, Move, Request
from tests.api.service import Client, Service
from tests.house import fresh_key
from tests.sight.blanking import Names, blank_body
from tests.sight.pairs import Pair
from tests.sight.scripts import Script, boards_laid


class DictatedChance:
    """What the house takes for `moveledger.rules.chance`: draws come from a script, all else is as it is."""

    def __init__(self) -> None:
        self.script: Script | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(chance, name)

    def draw(self, _secret: bytes, _mix: bytes, index: int, request: Request) -> tuple[int, ...]:
        """What the script says."""
        assert self.script is not None
        values = self.script.draws[index]
        assert chance.fits_request(values, request)
        return values


@dataclass(frozen=True, slots=True)
class Question:
    """One request of an observer. `{game}` and `{etag}` in path and headers are filled in, game by game.

    `channel` is what it looks through. With `is_refused` any answer below 400 is a fault, whatever it says.
    """

    channel: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: Any = None
    method: str = "GET"
    is_refused: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer without what differs between any two games; `size` is the length of the body as it came."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: str
    size: int


@dataclass(slots=True)
class Table:
    """One game, played by its seats' tokens."""

    service: Service
    script: Script
    dictated: DictatedChance
    key: Client
    game_id: str = ""
    tokens: Mapping[str, str] = field(default_factory=dict)
    names: Names = field(default_factory=lambda: Names(()))
    version: int = 0
    etag: str = ""

    def open(self) -> None:
        """Open the game, every seat taken."""
        reference = f"table {fresh_key()}"
        body = {
            "ruleset": self.script.ruleset.id,
            "seats": self.script.seats,
            "players": [{"id": f"player-{seat}"} for seat in range(self.script.seats)],
            "options": self.script.options,
            "external_ref": reference,
        }
        asked = Question("opening", "/v1/games", {"Idempotency-Key": fresh_key()}, body, "POST")
        answer = self.send(self.key.token, asked, "opening")
        assert answer.status_code == 201, answer.get_data()
        game: Any = answer.json
        self.game_id, self.tokens, self.version = game["id"], game["seat_tokens"], game["version"]
        self.names = Names.of(self.game_id, seats=self.script.seats, external_ref=reference)

    def play(self, number: int) -> Answer:
        """Make the script's move of that number, by the token of its seat."""
        question = move_of(self.script, number)
        answer = self.send(self.tokens[str(self.script.moves[number].seat)], question, f"move-{number}")
        assert answer.status_code == 201, (self.script.moves[number], answer.get_data())
        assert answer.json
        self.version = answer.json["version"]
        return self.seen(answer)

    def ask(self, who: str, question: Question, request_id: str) -> Answer:
        """What `who` (`anybody`, `key` or a seat's number) is answered."""
        token = None if who == "anybody" else self.key.token if who == "key" else self.tokens[who]
        return self.seen(self.send(token, question, request_id))

    def send(self, token: str | None, question: Question, request_id: str) -> TestResponse:
        """The answer as it comes."""
        self.dictated.script = self.script
        names = {
            "{game}": self.game_id,
            "{etag}": self.etag,
            "{reference}": self.names.texts[1][0] if self.names.texts else "",
        }
        headers = {name: _filled(value, names) for name, value in question.headers.items()}
        headers |= {"Request-Id": request_id, **({"Authorization": f"Bearer {token}"} if token else {})}
        body: dict[str, Any] = {} if question.body is None else {"json": question.body}
        if isinstance(question.body, bytes):
            body = {"data": question.body, "content_type": "application/json"}
        client = self.service.app.test_client(use_cookies=False)
        return client.open(_filled(question.path, names), method=question.method, headers=headers, **body)

    def seen(self, answer: TestResponse) -> Answer:
        """An answer without what differs between any two games."""
        raw = answer.get_data()
        self.etag = answer.headers.get("ETag", self.etag)
        headers = tuple((name, self.names.blank(value)) for name, value in answer.headers.items())
        return Answer(answer.status_code, headers, blank_body(raw, self.names), len(raw))


def move_of(script: Script, number: int) -> Question:
    """The request that makes a script's move."""
    key = {"Idempotency-Key": f"move-{number}"}
    match script.moves[number]:
        case Move(_, action):
            return Question("own moves", "/v1/games/{game}/moves", key, {"action": encode(action)}, "POST")
        case Leave():
            return Question("own moves", "/v1/games/{game}/resignation", key, {}, "POST")


def _filled(text: str, names: Mapping[str, str]) -> str:
    for name, value in names.items():
        text = text.replace(name, value)
    return text


@contextmanager
def two_tables(service: Service, key: Client, pair: Pair) -> Iterator[tuple[Table, Table]]:
    """The two games of a pair, opened."""
    dictated = DictatedChance()
    boards = {**pair.one.boards, **pair.two.boards}
    with patch("moveledger.services.house.chance", dictated), boards_laid(boards):
        tables = Table(service, pair.one, dictated, key), Table(service, pair.two, dictated, key)
        for table in tables:
            table.open()
        yield tables
