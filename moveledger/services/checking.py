"""Stored games replayed from their first event, and held against every snapshot and listing that was made of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from moveledger.audit.faults import ClosedEvent, LogFault
from moveledger.audit.game import Game, evolve
from moveledger.audit.publication import Evidence
from moveledger.audit.verify import verify_events
from moveledger.errors import UnknownGame
from moveledger.services.proving import sealed_evidence
from moveledger.services.reading import all_events
from moveledger.services.standing import digest_of, game_facts, open_snapshot, recall_with
from moveledger.services.tools import GameFacts, Tools
from moveledger.store import games
from moveledger.store.codec import encode_game
from moveledger.store.snapshots import all_snapshots, snapshot_name


@dataclass(frozen=True, slots=True)
class Difference:
    """Where a stored game and its replay do not agree."""

    game_id: UUID
    seq: int
    detail: str


def count_games(tools: Tools) -> int:
    """How many games there are."""
    with tools.database.connection() as connection:
        return games.count_games(connection)


def check_games(tools: Tools, wanted: Sequence[UUID] = ()) -> Iterator[tuple[UUID, list[Difference]]]:
    """Check these games, or all of them, oldest first."""
    for game_id in wanted or _all_games(tools):
        yield game_id, check_game(tools, game_id)


def check_game(tools: Tools, game_id: UUID) -> list[Difference]:
    """What differs between the replay of a game, its chain, its draws, its place in the public log, its snapshots in Postgres and
    Redis, and its listing.
    """
    try:
        facts = game_facts(tools, game_id)
        snapshots = _snapshots(tools, facts)
        game: Game | None = None
        found: list[Difference] = []
        recall = recall_with(tools)
        for event in all_events(tools, facts, is_strict=False):
            game = evolve(game, event, recall)
            for where, kept in snapshots.pop(event.seq, []):
                if kept is None or encode_game(kept) != encode_game(game):
                    found.append(Difference(game_id, event.seq, f"the snapshot in {where} is not the replayed state"))
    except (LogFault, ClosedEvent) as fault:
        return [Difference(game_id, fault.seq, fault.detail)]
    except UnknownGame:
        return [Difference(game_id, 0, "there is no such game")]
    found += [Difference(game_id, seq, "a snapshot of an event that is not in the log") for seq in snapshots]
    return found + _listing_difference(tools, game) + _chain_differences(tools, facts)


def _chain_differences(tools: Tools, facts: GameFacts) -> list[Difference]:
    evidence = Evidence(*sealed_evidence(tools, facts.game_id, 2**62))
    events = all_events(tools, facts, is_strict=False)
    report = verify_events(events, recall=recall_with(tools), evidence=evidence, may_be_closed=False)
    return [
        Difference(facts.game_id, check.seq or 0, f"{check.name}: {check.detail}")
        for check in report.checks
        if check.result == "fail"
    ]


def _listing_difference(tools: Tools, game: Game | None) -> list[Difference]:
    if game is None:
        return []
    with tools.database.connection() as connection:
        status = games.listed_status(connection, game.game_id)
    if status == game.status:
        return []
    return [Difference(game.game_id, game.version, f"listed as {status}, replayed as {game.status}")]


def _snapshots(tools: Tools, facts: GameFacts) -> dict[int, list[tuple[str, Game | None]]]:
    """All snapshots of a game by seq: where each was found, and the game in it (None if it does not open)."""
    found: dict[int, list[tuple[str, Game | None]]] = {}
    with tools.database.connection() as connection:
        for seq, sealed in all_snapshots(connection, facts.game_id, digest_of(facts)):
            found.setdefault(seq, []).append(("Postgres", open_snapshot(facts, sealed)))
    cached = tools.cache.snapshot(snapshot_name(facts.row.ruleset, digest_of(facts), facts.game_id))
    if cached is not None:
        game = open_snapshot(facts, cached)
        found.setdefault(game.version if game else 0, []).append(("Redis", game))
    return found


def _all_games(tools: Tools) -> Iterator[UUID]:
    after = UUID(int=0)
    while True:
        with tools.database.connection() as connection:
            page = games.game_ids_after(connection, after, limit=500)
        if not page:
            return
        yield from page
        after = page[-1]
