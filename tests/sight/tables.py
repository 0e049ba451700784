"""A script played through the API, and what an observer is answered there.

Real servers, real requests; what chance answers is dictated by the script, by putting a stand-in in the two places where
`moveledger.rules.chance` is asked for a draw: by the house, and by the verifier that draws again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest.mock import patch
from uuid import UUID

from werkzeug.test import TestResponse

from moveledger.rules import chance
from moveledger.rules.encoding import encode
from moveledger.rules.kernel import Leave, Move, Request
from moveledger.services.tools import Tools
from moveledger.services.verifying import verify_game
from tests.api.service import Client, Service
from tests.house import fresh_key
from tests.sight.blanking import Names, blank_body
from tests.sight.pairs import Pair
from tests.sight.scripts import Script, boards_laid


@dataclass(frozen=True, slots=True)
class Stage:
    """Where games are played: the application, the key that opens every game, one that sees all, and a worker."""

    service: Service
    key: Client
    referee: Client
    worker: Tools


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

    stage: Stage
    script: Script
    dictated: DictatedChance
    game_id: str = ""
    tokens: Mapping[str, str] = field(default_factory=dict)
    names: Names = field(default_factory=lambda: Names(()))
    versions: list[int] = field(default_factory=list)
    etag: str = ""

    @property
    def version(self) -> int:
        """How many events the game has. `versions` has that after the opening, and after each move."""
        return self.versions[-1]

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
        answer = self.send(self.stage.key.token, asked, "opening")
        assert answer.status_code == 201, answer.get_data()
        game: Any = answer.json
        self.game_id, self.tokens, self.versions = game["id"], game["seat_tokens"], [game["version"]]
        self.names = Names.of(self.game_id, seats=self.script.seats, external_ref=reference)

    def play(self, number: int) -> Answer:
        """Make the script's move of that number, by the token of its seat."""
        question = move_of(self.script, number)
        answer = self.send(self.tokens[str(self.script.moves[number].seat)], question, f"move-{number}")
        assert answer.status_code == 201, (self.script.moves[number], answer.get_data())
        assert answer.json
        self.versions.append(answer.json["version"])
        return self.seen(answer)

    def rewind(self, made: int) -> None:
        """The referee lets the game stand again as it stood after so many moves."""
        ruling = {"type": "rewind", "to": self.versions[made], "redraw": True, "reason": "to look again"}
        question = Question("rulings", "/v1/games/{game}/rulings", {"Idempotency-Key": "rewind"}, ruling, "POST")
        answer = self.send(self.stage.referee.token, question, "rewind")
        assert answer.status_code == 201, answer.get_data()
        assert answer.json
        self.versions.append(answer.json["version"])

    def verify(self) -> None:
        """A worker verifies the game as it stands; the draws that were dictated are right."""
        self.dictated.script = self.script
        verify_game(self.stage.worker, UUID(self.game_id))

    def ask(self, who: str, question: Question, request_id: str) -> Answer:
        """What `who` (`anybody`, `key` or a seat's number) is answered."""
        token = None if who == "anybody" else self.stage.key.token if who == "key" else self.tokens[who]
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
        client = self.stage.service.app.test_client(use_cookies=False)
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
def two_tables(stage: Stage, pair: Pair) -> Iterator[tuple[Table, Table]]:
    """The two games of a pair, opened."""
    dictated = DictatedChance()
    boards = {**pair.one.boards, **pair.two.boards}

    with (
        patch("moveledger.services.house.chance", dictated),
        patch("moveledger.audit.draws.chance", dictated),
        boards_laid(boards),
    ):
        tables = Table(stage, pair.one, dictated), Table(stage, pair.two, dictated)
        for table in tables:
            table.open()
        yield tables
