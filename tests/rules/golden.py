"""Golden logs: whole games kept with the hash of every state, so that a released ruleset can never drift.

`python -m tests.rules.golden santiiba@1` writes `tests/rules/golden/santiiba_1.json`, and with a folder behind it into that one, for a
ruleset of another distribution; it refuses to overwrite.
A file is a list of games: `{seats, options, seed, inputs: [...], state_hashes: [...]}`.

`python -m tests.rules.golden --digests` adds to `moveledger/rules/digests.json` the digest of the sources of each ruleset that
Moveledger brings along and that has none there; it changes none.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from moveledger import rules
from moveledger.rules.encoding import decode, decode_action, encode, read_options, state_hash
from moveledger.rules.kernel import AnyRuleset, Chance, Draw, Input, Leave, Move
from moveledger.rules.registry import find_ruleset, load_rulesets, rules_digest
from tests.rules.playouts import Dice, play

FOLDER = Path(__file__).parent / "golden"
DIGESTS = Path(rules.__file__).parent / "digests.json"


def path_of(ruleset: AnyRuleset, folder: Path = FOLDER) -> Path:
    return folder / f"{ruleset.key}_{ruleset.version}.json"


def ruleset_of(module: str, name: str) -> AnyRuleset:
    """The ruleset that the conformance class `name` in `module` tests."""
    found: AnyRuleset = getattr(import_module(module), name).ruleset
    return found


def load(ruleset: AnyRuleset, folder: Path = FOLDER) -> list[dict[str, Any]]:
    games: list[dict[str, Any]] = json.loads(path_of(ruleset, folder).read_text(encoding="utf-8"))
    return games


def encode_input(given: Input) -> dict[str, Any]:
    match given:
        case Move(seat, action):
            return {"move": encode(action), "seat": seat}
        case Draw(values):
            return {"draw": list(values)}
        case Leave(seat, cause):
            return {"leave": cause, "seat": seat}


def decode_input(ruleset: AnyRuleset, stored: dict[str, Any]) -> Input:
    if "move" in stored:
        return Move(stored["seat"], decode_action(ruleset, stored["move"]))
    if "draw" in stored:
        return Draw(tuple(stored["draw"]))
    return Leave(stored["seat"], stored["leave"])


def answer_chance(ruleset: AnyRuleset, state: Any, dice: Dice) -> Any:
    """The state after every draw that it awaits."""
    while isinstance(awaiting := ruleset.awaiting(state), Chance):
        state = ruleset.apply(state, dice.answer(awaiting.request))
    return state


def replay(ruleset: AnyRuleset, game: dict[str, Any]) -> Iterator[str]:
    """The hash of each state, the fresh one first."""
    state = ruleset.setup(decode(ruleset.options, game["options"]), game["seats"])
    yield state_hash(state)
    for stored in game["inputs"]:
        state = ruleset.apply(state, decode_input(ruleset, stored))
        yield state_hash(state)


def record(ruleset: AnyRuleset, *, seats: int, given: dict[str, Any], seed: int, leaves: float) -> dict[str, Any]:
    options = read_options(ruleset, given)
    steps = list(play(ruleset, options=options, seats=seats, seed=seed, leaves=leaves))
    game: dict[str, Any] = {
        "seats": seats,
        "options": encode(options),
        "seed": seed,
        "inputs": [encode_input(step.input) for step in steps],
    }
    return {**game, "state_hashes": list(replay(ruleset, game))}


def write(ruleset: AnyRuleset, folder: Path = FOLDER) -> None:
    path = path_of(ruleset, folder)
    if path.exists():
        raise SystemExit(f"{path} exists: a released version's behaviour never changes; make a new version")
    readings: list[dict[str, Any]] = [{}, *({"reading": name} for name in ruleset.presets)]
    games = [
        record(ruleset, seats=seats, given=given, seed=seed, leaves=leaves)
        for seats in ruleset.seats
        for given in readings
        for seed, leaves in ((11, 0.0), (12, 0.02))
    ]
    folder.mkdir(exist_ok=True)
    path.write_text(json.dumps(games, separators=(",", ":")) + "\n", encoding="utf-8")


def shipped_digests() -> dict[str, str]:
    """The digest of the sources of each ruleset that Moveledger brings along, by id."""
    shipped = [found.id for found in load_rulesets().values() if found.package.startswith("moveledger.rules.")]
    return {ruleset_id: rules_digest(ruleset_id) for ruleset_id in shipped}


def released_digests() -> dict[str, str]:
    """The same as they were when each version was released."""
    digests: dict[str, str] = json.loads(DIGESTS.read_text(encoding="utf-8"))
    return digests


def write_digests() -> None:
    digests = dict(sorted({**shipped_digests(), **released_digests()}.items()))
    DIGESTS.write_text(json.dumps(digests, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1] == "--digests":
        write_digests()
    else:
        write(find_ruleset(sys.argv[1]), *map(Path, sys.argv[2:]))
