"""What a thief of a dump reads of running games: no sealed body, no seed, no hidden board, in Postgres or in Redis."""

from __future__ import annotations

import random
import subprocess
from typing import Any
from uuid import UUID

import pytest
import redis

from moveledger.rules.encoding import canonical
from moveledger.rules.kernel import REFEREE, Observer, Seat
from moveledger.rules.registry import find_ruleset, load_rulesets
from moveledger.services.snapshotting import bring_up_to_date
from moveledger.services.standing import current_game, events_of, game_facts
from moveledger.services.tools import Tools
from moveledger.store.embedded import Servers, postgres_program
from tests.api.service import Client, Service
from tests.house import open_house

HIDDEN = [name for name, ruleset in load_rulesets().items() if ruleset.hidden]


def play_some(service: Service, client: Client, ruleset_id: str) -> UUID:
    """A running game, played until there is something sealed in it that was not there at the start."""
    for seed in range(30):
        rng = random.Random(f"{ruleset_id} {seed}")
        seats = max(find_ruleset(ruleset_id).seats[0], 2)
        game: Any = client.open_game(ruleset_id, seats=seats)
        game_id = UUID(game["id"])
        facts = game_facts(service.tools, game_id)
        for _ in range(150):
            seat = rng.choice(game["awaiting"]["seats"])
            action = rng.choice(client.legal(str(game_id), seat)["data"])
            answer = client.post(f"/v1/games/{game_id}/moves", {"seat": seat, "action": action})
            assert answer.status_code == 201
            game = answer.json
            if game["status"] != "running":
                break
            if any(event.sealed for event in events_of(service.tools, facts)):
                return game_id
    raise AssertionError(f"nothing is ever sealed in {ruleset_id}")


def secrets_of(tools: Tools, game_id: UUID) -> list[bytes]:
    """What nobody may read of a running game: its seed, its data key, its sealed bodies, and what only the referee sees."""
    facts = game_facts(tools, game_id)
    game = current_game(tools, facts)
    sealed = [event for event in events_of(tools, facts) if event.sealed]
    assert sealed, "the game has nothing to hide"
    bodies = [canonical(event.body) for event in sealed]
    salts = [event.salt for event in sealed if event.salt]
    seen = canonical(game.ruleset.view(game.state, Observer(Seat(0))))
    everything = game.ruleset.view(game.state, REFEREE)
    hidden = [canonical(value) for value in everything.values() if canonical(value) not in seen]
    return [facts.seed, facts.data_key, *bodies, *salts, *(text for text in hidden if len(text) > 20)]


def spellings(secret: bytes) -> list[bytes]:
    """A secret as it would stand in a dump: raw, in hex, or as JSON inside text."""
    return [secret, secret.hex().encode(), secret.replace(b'"', b'\\"')]


@pytest.mark.parametrize("ruleset_id", HIDDEN)
def test_a_dump_of_running_games_shows_nothing_that_is_sealed(
    service: Service, client: Client, servers: Servers, shared_database: str, ruleset_id: str
) -> None:
    game_id = play_some(service, client, ruleset_id)
    with open_house(shared_database, servers.redis_url(), role="worker") as worker:
        bring_up_to_date(worker.tools, [game_id])
    secrets = secrets_of(service.tools, game_id)
    postgres, cache = dump_postgres(shared_database), dump_redis(servers.redis_url())
    assert str(game_id).encode() in postgres
    assert str(game_id).encode() in cache
    for secret in secrets:
        for spelling in spellings(secret):
            assert spelling not in postgres
            assert spelling not in cache


def dump_postgres(database_url: str) -> bytes:
    """A whole logical dump, as its owner would take it."""
    return subprocess.run(
        [postgres_program("pg_dump"), "--inserts", database_url], capture_output=True, check=True
    ).stdout


def dump_redis(redis_url: str) -> bytes:
    """Every key with everything under it."""
    client = redis.Redis.from_url(redis_url)
    found = []
    for key in client.scan_iter():
        kind = client.type(key)
        found.append(key)
        if kind == b"hash":
            found += [part for pair in client.hgetall(key).items() for part in pair]
        elif kind == b"string":
            found.append(client.get(key) or b"")
        else:
            found.append(client.dump(key) or b"")
    return b"\n".join(found)
