"""Rows `moves` and `state`: through HTTP, from a service that runs as `moveledger up` runs it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from bench.appending import BODY, bare_insert
from bench.comparison import Bar, Result, Side, compare
from bench.load import Requests, get_repeatedly, send_all
from bench.stage import Service, Stage, answers, open_service, wait_until
from moveledger.rules.encoding import encode, read_options
from moveledger.rules.kernel import Move, Seat, Seats
from moveledger.rules.registry import find_ruleset

RULESET = "shangrila@1"
"""A game without chance: its moves can be known before it is opened."""
SEATS = 4
CONNECTIONS = 16
PLAYOUTS = 8
"""How many different games are played; each is played again and again."""

Moves = Sequence[tuple[int, Any]]
"""Seat and action as JSON, move by move."""


def move_through_http(stage: Stage) -> list[Result]:
    """Sixteen games at a time, each on a connection of its own."""
    database = stage.make_database()
    bare = bare_insert(stage, database, clients=CONNECTIONS)
    with open_service(stage, database) as service, open_hello(stage, database) as port:
        players = Players(service)
        players.play(1.0)  # finds out how many games a round needs
        stage.settle()
        ours = Side("moves", partial(players.play, stage.effort.seconds))
        view = Side("views", partial(_insert_through_view, port, stage.effort.seconds))
        title = f"moves through HTTP, {CONNECTIONS} connections, against"
        rounds = stage.effort.rounds
        return [
            compare(f"{title} the bare INSERT", ours, bare, rounds=rounds, bar=Bar("≥", 0.20, aim=0.30)),
            compare(f"{title} a Flask view with nothing but that INSERT", ours, view, rounds=rounds),
        ]


def _insert_through_view(port: int, seconds: float) -> float:
    head = f"POST /insert HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(BODY)}\r\n\r\n"
    plan = [head.encode() + BODY] * int(5_000 * seconds)
    return send_all("127.0.0.1", port, [plan] * CONNECTIONS, seconds=seconds)


def read_state(stage: Stage) -> list[Result]:
    """One game that many look at, against a Flask view that says hello, both behind the same bridge."""
    database = stage.make_database()
    with open_service(stage, database) as service, open_hello(stage, database) as port:
        players = Players(service)
        path = f"/v1/games/{players.open_midway()}/state"
        get = partial(get_repeatedly, connections=CONNECTIONS, seconds=stage.effort.seconds)
        ours = Side("states", partial(get, service.host, service.port, path))
        theirs = Side("hellos", partial(get, "127.0.0.1", port, "/"))
        title = "spectator's state through HTTP against a Flask hello-world on the same server"
        return [compare(title, ours, theirs, rounds=stage.effort.rounds, bar=Bar("≥", 0.40, aim=0.60))]


@contextmanager
def open_hello(stage: Stage, database: str) -> Iterator[int]:
    """The views of `bench.hello` on a server of their own; its port."""
    environment = stage.environment(database)
    port = int(environment["PORT"])
    with stage.running("hello", "bench.hello", environment=environment):
        wait_until(lambda: answers(port), "the hello-world")
        yield port


@dataclass(slots=True)
class Players:
    """Who plays: opens games before the clock runs and has every request ready."""

    service: Service
    _playouts: Sequence[Moves] = field(default_factory=lambda: [play_out(number) for number in range(PLAYOUTS)])
    _rate: float = 0.0

    def play(self, seconds: float) -> float:
        """Moves a second. Games enough for twice the rate of the last time are opened before."""
        wanted = max(200.0, 2 * self._rate * seconds) / CONNECTIONS
        plans = [self._plan(wanted) for _ in range(CONNECTIONS)]
        self._rate = send_all(self.service.host, self.service.port, plans, seconds=seconds)
        return self._rate

    def open_midway(self) -> str:
        """The id of a game half of whose moves are played."""
        moves = self._playouts[0]
        game_id, requests = self._open(moves)
        send_all(self.service.host, self.service.port, [requests[: len(moves) // 2]], seconds=30)
        return game_id

    def _plan(self, wanted: float) -> Requests:
        plan: list[bytes] = []
        while len(plan) < wanted:
            plan += self._open(random.choice(self._playouts))[1]
        return plan

    def _open(self, moves: Moves) -> tuple[str, Requests]:
        players = [{"id": f"player {seat}"} for seat in range(SEATS)]
        game = self.service.call("POST", "/v1/games", {"ruleset": RULESET, "seats": SEATS, "players": players})
        return game["id"], list(_requests(self.service, game, moves))


def _requests(service: Service, game: Any, moves: Moves) -> Iterator[bytes]:
    """The bytes of every move of a game, each with the token of its seat."""
    for number, (seat, action) in enumerate(moves):
        body = json.dumps({"action": action}).encode()
        head = [
            f"POST /v1/games/{game['id']}/moves HTTP/1.1",
            f"Host: {service.host}:{service.port}",
            f"Authorization: Bearer {game['seat_tokens'][str(seat)]}",
            f"Idempotency-Key: move-{number}",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}",
        ]
        yield "\r\n".join([*head, "", ""]).encode() + body


def play_out(number: int) -> Moves:
    """A whole game at random, by the reducer."""
    ruleset, rng = find_ruleset(RULESET), random.Random(number)
    state = ruleset.setup(read_options(ruleset, {}), SEATS)
    moves: list[tuple[int, Any]] = []
    while isinstance(awaiting := ruleset.awaiting(state), Seats):
        seat: Seat = min(awaiting.seats)
        action = rng.choice(list(ruleset.legal(state, seat)))
        moves.append((seat, encode(action)))
        state = ruleset.apply(state, Move(seat, action))
    return moves
