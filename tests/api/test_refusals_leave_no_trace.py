"""Random and mutated actions, thousands of them for each game: none breaks the service, none that is refused is written.

`MOVELEDGER_MUTATIONS` says how many a game; the default keeps the whole suite quick.
"""

from __future__ import annotations

import copy
import os
import random
from typing import Any

import pytest

from moveledger.rules.registry import load_rulesets
from tests.api.service import Client

MUTATIONS = int(os.environ.get("MOVELEDGER_MUTATIONS", "400"))
BATCH = 25
STRANGE: list[Any] = [None, True, -1, 0, 1, 13, 2**53, 2**70, 1.5, "", "x", "healer", "é" * 300, [], [1], {}, {"a": {}}]


def mutated(action: dict[str, Any], rng: random.Random) -> Any:
    """An action with something wrong in it, most of the time."""
    changed = copy.deepcopy(action)
    match rng.randrange(6):
        case 0:
            changed[rng.choice(list(changed))] = rng.choice(STRANGE)
        case 1:
            del changed[rng.choice(list(changed))]
        case 2:
            changed["extra"] = rng.choice(STRANGE)
        case 3:
            changed["type"] = rng.choice(["pass", "stop", "offer", "journey", "name", "place", "no_such", 7])
        case 4:
            for name, value in changed.items():
                if isinstance(value, int):
                    changed[name] = value + rng.choice([-3, -1, 1, 2, 99])
                elif isinstance(value, list) and value:
                    changed[name] = value * rng.choice([0, 2, 40])
        case _:
            return rng.choice([*STRANGE, [changed]])
    return changed


@pytest.mark.parametrize("ruleset_id", [name for name in load_rulesets() if not name.startswith("closed_hands")])
def test_no_action_breaks_the_service_and_no_refused_one_is_written(client: Client, ruleset_id: str) -> None:
    rng, sent = random.Random(ruleset_id), 0
    seats = max(load_rulesets()[ruleset_id].seats[0], 2)
    while sent < MUTATIONS:
        game: Any = client.open_game(ruleset_id, seats=seats)
        while game["status"] == "running" and sent < MUTATIONS:
            game_id, version = game.get("id") or game["game_id"], game["version"]
            seat = rng.choice(game["awaiting"]["seats"])
            legal = client.legal(game_id, seat)["data"]
            for _ in range(BATCH):
                sent += 1
                action = mutated(rng.choice(legal), rng)
                answer = client.post(f"/v1/games/{game_id}/moves", {"seat": seat, "action": action})
                assert answer.status_code in (201, 422), (answer.status_code, answer.get_data())
                if answer.status_code == 201:
                    break
                found: Any = client.get(f"/v1/games/{game_id}").json
                assert found["version"] == version
            else:
                answer = client.post(f"/v1/games/{game_id}/moves", {"seat": seat, "action": rng.choice(legal)})
                assert answer.status_code == 201
            game = answer.json
