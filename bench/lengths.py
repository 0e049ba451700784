"""Rows `length` and `seek`: what a long game costs. Both run in a process of their own, where `counting@1` is installed."""

from __future__ import annotations

import random
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import TypeVar
from uuid import UUID, uuid4

import psycopg
from psycopg import sql

from bench.comparison import Bar, Result
from bench.counting import RULESET, TALLY
from bench.stage import Effort, Stage
from moveledger.api.moves import READER
from moveledger.config import Config
from moveledger.services.callers import KeyCaller
from moveledger.services.games import NewGame, NewPlayer, open_game
from moveledger.services.moves import WantedMove, submit_move
from moveledger.services.snapshotting import bring_up_to_date
from moveledger.services.standing import game_at, game_facts
from moveledger.services.submission import WriteRequest
from moveledger.services.tools import Tools
from moveledger.store.idempotency import RequestKey
from moveledger.wiring import build_tools

T = TypeVar("T")
SHORT, LONG = 10, 1_000
"""Moves that a game has seen when it is measured."""
PAIRS = 40
"""Moves that are timed in a round, in the long game and in short ones by turns."""
SHORT_RUN = 5
"""How many of them one short game takes."""
SEEKS = 200
STRIDE = 64


def move_in_a_long_game(stage: Stage) -> list[Result]:
    """The use case itself, with the game in memory and with everything forgotten but Redis."""
    titles = ("the game in memory", "memory emptied before each move")
    figures = _apart(_length_ratios, stage)
    title = f"cost of a move in a game of {LONG:,} moves against one of {SHORT}"
    return [Result(f"{title}, {how}", ratios, Bar("≤", 1.2)) for how, ratios in zip(titles, figures, strict=True)]


def seek_in_a_long_game(stage: Stage) -> list[Result]:
    """The standing after events picked at random, from Postgres alone."""
    applies = _apart(_seek_applies, stage)
    detail = f"median {statistics.median(applies):.0f} of {len(applies)} seqs picked at random"
    title = f"most applies for a state at a random seq of a {LONG:,}-event game"
    return [Result(title, [max(applies)], Bar("≤", STRIDE), detail, unit="applies")]


def _apart(work: Callable[[Mapping[str, str], Effort], T], stage: Stage) -> T:
    environment = stage.environment(stage.make_database())
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_install_counting) as pool:
        return pool.submit(work, environment, stage.effort).result(timeout=180)


def _install_counting() -> None:
    sys.path.append(str(Path(__file__).parent / "installed"))


# --- in that process -----------------------------------------------------------------------------------


@dataclass(slots=True)
class Counters:
    """Who plays `counting@1`: one key that acts for both seats."""

    key: KeyCaller = field(default_factory=lambda: KeyCaller(uuid4(), frozenset({"games:write"})))
    _moves: dict[UUID, int] = field(default_factory=dict)

    def open(self, tools: Tools, moves: int) -> UUID:
        """A game that has seen so many moves."""
        request = RequestKey(self.key.client, "games", uuid4().hex, bytes(32))
        wanted = NewGame(RULESET.id, 2, [NewPlayer("one"), NewPlayer("two")])
        answer, _ = open_game(tools, self.key, wanted, request, "bench")
        game_id = UUID(answer["id"])
        for _ in range(moves):
            self.move(tools, game_id)
        return game_id

    def move(self, tools: Tools, game_id: UUID) -> float:
        """One move by whoever's turn it is; its seconds."""
        moves = self._moves.get(game_id, 0)
        self._moves[game_id] = moves + 1
        body = {"seat": moves % 2, "action": {"type": "name", "number": 1 + moves % 9}}
        request = WriteRequest(self.key.client, "moves", str(moves), body, "bench")
        began = time.perf_counter()
        submit_move(tools, self.key, game_id, WantedMove(body, READER, None), request)
        return time.perf_counter() - began


def _length_ratios(environment: Mapping[str, str], effort: Effort) -> tuple[list[float], list[float]]:
    """Round by round, the median time of a move in the long game by that in short ones: warm, then forgetful."""
    config = Config.read(environment)
    counters = Counters()
    long = _open_long_game(config, counters)
    with closing(build_tools(config, "api")) as tools, closing(build_tools(config, "worker")) as worker:
        warm = [_ratio(counters, tools, long) for _ in range(effort.rounds)]
        forgetful = [_ratio(counters, tools, long, worker) for _ in range(effort.rounds)]
    return warm, forgetful


def _open_long_game(config: Config, counters: Counters) -> UUID:
    """Played without waiting for the disk at each move: nothing is measured yet."""
    with psycopg.connect(config.database_url, autocommit=True) as owner:
        name = sql.Identifier(owner.info.dbname)
        owner.execute(sql.SQL("ALTER DATABASE {} SET synchronous_commit = off").format(name))
        with closing(build_tools(config, "api")) as tools:
            game_id = counters.open(tools, LONG)
        owner.execute(sql.SQL("ALTER DATABASE {} RESET synchronous_commit").format(name))
    return game_id


def _ratio(counters: Counters, tools: Tools, long: UUID, worker: Tools | None = None) -> float:
    """With a worker, it brings the games up to date before, and each move meets an empty memory."""
    pairs: list[tuple[float, float]] = []
    while len(pairs) < PAIRS:
        short = counters.open(tools, SHORT)
        if worker is not None:
            bring_up_to_date(worker, [short, long])
        for _ in range(SHORT_RUN):
            times = [_timed(counters, tools, game_id, forgetful=worker is not None) for game_id in (long, short)]
            pairs.append((times[0], times[1]))
    return statistics.median(pair[0] for pair in pairs) / statistics.median(pair[1] for pair in pairs)


def _timed(counters: Counters, tools: Tools, game_id: UUID, *, forgetful: bool) -> float:
    if forgetful:
        tools.games.clear()
    return counters.move(tools, game_id)


def _seek_applies(environment: Mapping[str, str], _: Effort) -> list[int]:
    """How often the reducer ran for each of some standings."""
    config = Config.read(environment)
    game_id = _open_long_game(config, Counters())
    with closing(build_tools(config, "api")) as tools, closing(build_tools(config, "worker")) as worker:
        bring_up_to_date(worker, [game_id])
        facts, rng, applies = game_facts(tools, game_id), random.Random(1), []
        for seq in rng.sample(range(1, LONG + 1), SEEKS):
            tools.games.clear()
            before = TALLY.count
            assert game_at(tools, facts, seq).version == seq
            applies.append(TALLY.count - before)
    return applies
