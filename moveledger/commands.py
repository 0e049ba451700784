"""What the longer commands of `moveledger` do and print."""

from __future__ import annotations

import http.client
import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import datetime
from pathlib import Path
from urllib.parse import urlencode
from uuid import UUID

import yaml
from tqdm import tqdm

from moveledger.app import create_app
from moveledger.bots import TRANSPORT_ERRORS, Address, Plan, Result, ServiceRefusal, play_games
from moveledger.config import Config
from moveledger.errors import ConfigurationFault, NotSealedYet
from moveledger.releases import compare_rules
from moveledger.services.archiving import Selection, export_games
from moveledger.services.archiving import count_games as count_selected
from moveledger.services.checking import Difference, check_games, count_games
from moveledger.services.importing import import_games, open_archive
from moveledger.services.proving import published_note
from moveledger.services.tools import Tools
from moveledger.wiring import build_tools

DEV_ENV = "dev.env"
"""Where `moveledger up` writes, into its state folder, where it is."""


def service_address(environ: Mapping[str, str]) -> tuple[str, str]:
    """Address and key of the service to talk to: from MOVELEDGER_URL and MOVELEDGER_KEY, or what `make run` wrote.

    Raises `ConfigurationFault`.
    """
    found, written = dict(environ), Path(environ.get("STATE_FOLDER") or "var") / DEV_ENV
    if written.exists():
        lines = (line.split("=", 1) for line in written.read_text(encoding="ascii").splitlines() if "=" in line)
        found = {**dict(lines), **found}
    missing = [name for name in ("MOVELEDGER_URL", "MOVELEDGER_KEY") if not found.get(name)]
    if missing:
        raise ConfigurationFault(
            f"{' and '.join(missing)} not set, and {written} does not say (is `make run` running?)."
        )
    return found["MOVELEDGER_URL"], found["MOVELEDGER_KEY"]


def print_openapi() -> None:
    """Print the OpenAPI document as YAML."""
    document = create_app().extensions["moveledger_api"].spec.to_dict()
    print(yaml.safe_dump(json.loads(json.dumps(document)), sort_keys=False, allow_unicode=True, width=120), end="")


def play(environ: Mapping[str, str], plan: Plan) -> int:
    """Let bots play games; print a table of results; the exit code is 1 when any move was refused or a game did not finish."""
    url, key = service_address(environ)
    results = []
    with tqdm(total=plan.games, unit="game", disable=not sys.stderr.isatty()) as bar:
        for result in play_games(url, key, plan):
            results.append(result)
            bar.update()
    print(table_of(results))
    return int(any(result.refusals or result.status != "finished" for result in results))


def table_of(results: Sequence[Result]) -> str:
    """A line a bot: games, wins (a shared first place counts its part), mean placing and score; then the totals."""
    lines = [f"{'bot':<10}{'seats':>7}{'wins':>8}{'placing':>9}{'score':>8}"]
    by_bot: dict[str, list[tuple[float, int, int]]] = defaultdict(list)
    for result in results:
        firsts = result.placings.count(1)
        for bot, placing, score in zip(result.bots, result.placings, result.scores, strict=False):
            by_bot[bot].append((1 / firsts if placing == 1 else 0.0, placing, score))
    for name, seats in sorted(by_bot.items()):
        wins, placings, scores = (sum(column) for column in zip(*seats, strict=True))
        lines.append(f"{name:<10}{len(seats):>7}{wins:>8.1f}{placings / len(seats):>9.2f}{scores / len(seats):>8.1f}")
    moves, refusals = sum(result.moves for result in results), sum(result.refusals for result in results)
    finished = sum(result.status == "finished" for result in results)
    lines.append(f"{len(results)} games, {finished} finished, {moves} moves, {refusals} refused")
    return "\n".join(lines)


def export(environ: Mapping[str, str], game_id: str, out: str) -> int:
    """Write the record of a game to a file, or to standard output for `-`. Raises `ServiceRefusal`."""
    with fetched(environ, f"/v1/games/{game_id}/export") as reply:
        if out == "-":
            sys.stdout.buffer.write(reply.read())
            return 0
        with Path(out).open("wb") as file:
            while piece := reply.read(1 << 16):
                file.write(piece)
    return 0


def export_all(config: Config, out: str, *, since: datetime | None, running: bool) -> int:
    """Write the records of games in bulk into an archive, going on where an interrupted export stopped."""
    tools = build_tools(config, "worker")
    selection = Selection(since_us=int(since.timestamp() * 1_000_000) if since else 0, running=running)
    games = written = 0
    with tqdm(total=count_selected(tools, selection), unit="game", disable=not sys.stderr.isatty()) as bar:
        for _, is_new in export_games(tools, Path(out), selection, find_checkpoint=lambda: _newest_note(tools)):
            games, written = games + 1, written + is_new
            bar.update()
    print(f"{games} games, {written} written, {games - written} were there already")
    tools.close()
    return 0


def _newest_note(tools: Tools) -> str | None:
    try:
        return published_note(tools)
    except NotSealedYet:
        return None


def import_archive(config: Config, path: str) -> int:
    """Import an archive, each game verified whole before it is written; the exit code is 1 when any game was refused."""
    folder, tools = open_archive(Path(path)), build_tools(config, "owner")
    found: Counter[str] = Counter()
    refusals = []
    with tqdm(total=len(folder.entries), unit="game", disable=not sys.stderr.isatty()) as bar:
        for done in import_games(tools, folder):
            found[done.result] += 1
            if done.error is not None:
                refusals.append(f"{done.game_id}: {done.error.code}: {done.error.detail}")
            bar.update()
    for line in refusals:
        print(line)
    print(f"{found['imported']} games imported, {found['present']} were there already, {found['refused']} refused")
    tools.close()
    return int(bool(refusals))


def replay(environ: Mapping[str, str], game_id: str, *, language: str, as_name: str | None) -> int:
    """Print a game as a readable log. Raises `ServiceRefusal`."""
    query = urlencode({"format": "text", **({"as": as_name} if as_name else {})})
    with fetched(environ, f"/v1/games/{game_id}/replay?{query}", {"Accept-Language": language}) as reply:
        while piece := reply.readline():
            print(piece.decode(), end="")
    return 0


@contextmanager
def fetched(
    environ: Mapping[str, str], path: str, headers: Mapping[str, str] | None = None
) -> Iterator[http.client.HTTPResponse]:
    """What the service answers to a GET, not read yet. Raises `ServiceRefusal`."""
    url, key = service_address(environ)
    at = Address.read(url)
    with closing(at.connect(timeout=60.0)) as line:
        try:
            line.request("GET", at.path + path, headers={"Authorization": f"Bearer {key}", **(headers or {})})
            reply = line.getresponse()
        except TRANSPORT_ERRORS as wrong:
            raise at.silent(wrong) from wrong
        with reply:
            if reply.status != http.HTTPStatus.OK:
                raise ServiceRefusal(f"{reply.status}: {json.loads(reply.read()).get('detail', '')}")
            yield reply


def check_against(config: Config, ruleset: str, against: str, *, games: Sequence[UUID], processes: int) -> int:
    """Replay stored games under another version of their rules and say which would differ; the exit code is 1 when any would,
    or was not reached.
    """
    with tqdm(total=len(games) or None, unit="game", disable=not sys.stderr.isatty()) as bar:

        def progress(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        found = compare_rules(config, ruleset, against, games=games, processes=processes, progress=progress)
    for game_id, seq, detail in found.differences:
        print(f"{game_id} at {seq}: {detail}")
    print(
        f"{found.games - found.missed} games of {ruleset} replayed under {against}, {len(found.differences)} would differ"
    )
    if found.missed:
        print(f"{found.missed} games were not reached: a process that replays died")
    return int(bool(found.differences or found.missed))


def check(config: Config, game_ids: Sequence[UUID]) -> int:
    """Re-replay stored games against their snapshots and say what differs; the exit code is 1 when anything does."""
    tools = build_tools(config, "worker")
    differences: list[Difference] = []
    checked = 0
    with tqdm(total=len(game_ids) or count_games(tools), unit="game", disable=not sys.stderr.isatty()) as bar:
        for _, found in check_games(tools, game_ids):
            differences += found
            checked += 1
            bar.update()
    for difference in differences:
        print(f"{difference.game_id} at {difference.seq}: {difference.detail}")
    print(f"{checked} games checked, {len(differences)} differences")
    tools.close()
    return int(bool(differences))
