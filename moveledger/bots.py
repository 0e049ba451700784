"""Bots that play whole games over HTTP, as any client would: `moveledger play`.

A bot sees what its seat sees and nothing else. Each game is played by one thread over one kept-alive connection; a
request that the connection broke is sent again with the same Idempotency-Key, which is safe.
"""

from __future__ import annotations

import http.client
import json
import random
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit

from moveledger.errors import ConfigurationFault, MoveledgerError
from moveledger.rules.registry import find_ruleset

BotName: TypeAlias = Literal["random", "greedy"]
PATIENCE_S = 60.0
"""For how long a bot sends a request again while the service is away."""
TRANSPORT_ERRORS = (http.client.HTTPException, OSError)


class ServiceRefusal(MoveledgerError):
    """The service answered a bot with an error that the bot did not expect."""

    code = "service-refusal"


@dataclass(frozen=True, slots=True)
class Result:
    """One game that bots played: `moves` made, `refusals` met, and how it ended."""

    game_id: str
    bots: tuple[BotName, ...]
    status: str
    moves: int
    refusals: int
    placings: tuple[int, ...]
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Address:
    """Where a service is, with the path that a proxy may put before the API's own."""

    url: str
    is_secure: bool
    host: str
    port: int | None
    path: str

    @classmethod
    def read(cls, url: str) -> Address:
        """The address that a URL is. Raises `ConfigurationFault`."""
        try:
            at = urlsplit(url)
            if at.scheme in ("http", "https") and at.hostname:
                return cls(url, at.scheme == "https", at.hostname, at.port, at.path.rstrip("/"))
        except ValueError:  # a port that is no number
            pass
        raise ConfigurationFault(f"MOVELEDGER_URL is not an address as http://HOST:PORT is one: {url!r}.")

    def connect(self, timeout: float) -> http.client.HTTPConnection:
        """A connection, which is opened with the first request."""
        kind = http.client.HTTPSConnection if self.is_secure else http.client.HTTPConnection
        return kind(self.host, self.port, timeout=timeout)

    def silent(self, wrong: Exception) -> ServiceRefusal:
        """What to say when a request came to nothing."""
        why = getattr(wrong, "strerror", None) or str(wrong) or type(wrong).__name__
        return ServiceRefusal(f"{self.url} does not answer: {why}.")


class Service:
    """A connection to a Moveledger that survives the service's restarts."""

    def __init__(self, url: str, token: str) -> None:
        self._at = Address.read(url)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._line = self._at.connect(timeout=30.0)

    def close(self) -> None:
        """Close the connection."""
        self._line.close()

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Status and JSON. Broken connections and 503 are tried again with the same key until `PATIENCE_S` has passed.

        Raises `ServiceRefusal` when nothing answers.
        """
        key, ends = str(uuid.uuid4()), time.monotonic() + PATIENCE_S
        while True:
            try:
                status, answer = self._once(method, path, body, key)
                if status != http.HTTPStatus.SERVICE_UNAVAILABLE or time.monotonic() > ends:
                    return status, answer
            except TRANSPORT_ERRORS as wrong:
                self._line.close()
                self._line = self._at.connect(timeout=30.0)
                if time.monotonic() > ends:
                    raise self._at.silent(wrong) from wrong
            time.sleep(0.2)

    def _once(self, method: str, path: str, body: Any, key: str) -> tuple[int, Any]:
        headers = self._headers if body is None else {**self._headers, "Idempotency-Key": key}
        self._line.request(method, self._at.path + path, None if body is None else json.dumps(body), headers)
        reply = self._line.getresponse()
        raw = reply.read()
        return reply.status, json.loads(raw) if raw else None

    def get(self, path: str) -> Any:
        """The answer to a GET. Raises `ServiceRefusal`."""
        status, answer = self.call("GET", path)
        if status != http.HTTPStatus.OK:
            raise ServiceRefusal(f"GET {path}: {status} {answer}")
        return answer


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be played: `bots` are dealt to the seats in turn, shifted by one from game to game."""

    ruleset: str
    seats: int
    games: int
    bots: Sequence[BotName]
    options: Mapping[str, Any]
    at_once: int = 4


def play_games(url: str, key: str, plan: Plan) -> Iterator[Result]:
    """Results as games end."""
    with ThreadPoolExecutor(plan.at_once, thread_name_prefix="game") as pool:
        tasks = []
        for number in range(plan.games):
            dealt = tuple(plan.bots[(seat + number) % len(plan.bots)] for seat in range(plan.seats))
            tasks.append(pool.submit(_play, Service(url, key), plan, dealt))
        for task in as_completed(tasks):
            yield task.result()


def _play(service: Service, plan: Plan, bots: tuple[BotName, ...]) -> Result:
    with closing(service):
        return _Game(service, plan, bots).play()


class _Game:
    """One game at one table of bots."""

    def __init__(self, service: Service, plan: Plan, bots: tuple[BotName, ...]) -> None:
        self._service, self._plan, self._bots = service, plan, bots
        self._greedy = find_ruleset(plan.ruleset).greedy
        self._rng = random.Random()  # noqa: S311 — bots need no secrets
        self._id = ""

    def play(self) -> Result:
        """The game from its opening to its end. Raises `ServiceRefusal` when it cannot be opened or read."""
        state, moves, refusals = self._open(), 0, 0
        while state["status"] == "running":
            seat = self._rng.choice(state["awaiting"]["seats"])
            move = {"seat": seat, "action": self._choose(seat)}
            status, answer = self._service.call("POST", f"/v1/games/{self._id}/moves", move)
            if status == http.HTTPStatus.CREATED:
                state, moves = answer, moves + 1
            else:
                refusals += 1
                state = self._service.get(f"/v1/games/{self._id}")
        outcome = state["outcome"] or {"placings": [], "scores": []}
        placings, scores = tuple(outcome["placings"]), tuple(outcome["scores"])
        return Result(self._id, self._bots, state["status"], moves, refusals, placings, scores)

    def _open(self) -> Any:
        players = [
            {"id": f"bot-{uuid.uuid4().hex[:12]}", "name": f"{bot} bot {seat}"} for seat, bot in enumerate(self._bots)
        ]
        plan = self._plan
        wanted = {"ruleset": plan.ruleset, "seats": plan.seats, "players": players, "options": dict(plan.options)}
        status, game = self._service.call("POST", "/v1/games", wanted)
        if status != http.HTTPStatus.CREATED:
            raise ServiceRefusal(f"opening a game: {status} {game}")
        self._id = game["id"]
        return game

    def _choose(self, seat: int) -> Any:
        actions = legal_actions(self._service, self._id, seat)
        if self._bots[seat] == "random" or self._greedy is None or len(actions) == 1:
            return self._rng.choice(actions)
        view = self._service.get(f"/v1/games/{self._id}/state?as=seat:{seat}")["view"]
        return actions[self._greedy(view, seat, actions, self._rng.randrange)]


def legal_actions(service: Service, game_id: str, seat: int) -> list[Any]:
    """All legal actions of an awaited seat, page by page."""
    found: list[Any] = []
    after = 0
    while True:
        page = service.get(f"/v1/games/{game_id}/legal-moves?seat={seat}&limit=100&after={after}")
        found += page["data"]
        if not page["has_more"]:
            return found
        after = int(page["next"])
