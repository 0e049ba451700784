"""What the workers do: bring snapshots and spectators' views up to date, find games that were missed, and keep house."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from moveledger.audit.game import Game, evolve
from moveledger.rules.registry import load_rulesets, rules_digest
from moveledger.services.batches import do_for_each
from moveledger.services.games import abort_overdue_games
from moveledger.services.reading import STRIDE, spectator_state
from moveledger.services.standing import (
    SNAPSHOT_BOUND,
    current_game,
    digest_of,
    events_of,
    game_at,
    game_facts,
    recall_with,
)
from moveledger.services.tools import GameFacts, Tools
from moveledger.services.trails import forget_old_refusals
from moveledger.store.codec import encode_game
from moveledger.store.idempotency import forget_old_answers
from moveledger.store.log import make_partitions
from moveledger.store.sealing import seal
from moveledger.store.snapshots import EVERY, lagging_games, note_snapshot, put_snapshot, snapshot_name, stored_seq

SETTLED_US = 3_000_000
RECENT_US = 600_000_000


def bring_up_to_date(tools: Tools, game_ids: Sequence[UUID]) -> None:
    """Write the snapshots and the spectator's view of these games. Twice, late or out of order does no harm."""

    def bring(game_id: UUID) -> None:
        facts = game_facts(tools, game_id)
        strides: list[Game] = []

        def keep_strides(passed: Game) -> None:
            if passed.version % EVERY == 0:
                strides.append(passed)

        game = current_game(tools, facts, certain=True, passing=keep_strides)
        content = sealed_snapshot(facts, game)
        name = snapshot_name(facts.row.ruleset, digest_of(facts), game_id)
        tools.cache.put_snapshot(name, seq=game.version, content=content)
        spectator_state(tools, facts, game)
        _store_strides(tools, facts, game.version, strides)

    do_for_each(game_ids, bring)


def sealed_snapshot(facts: GameFacts, game: Game) -> bytes:
    """A game as bytes that only this service opens."""
    return seal(facts.data_key, encode_game(game), SNAPSHOT_BOUND + facts.game_id.bytes)


def _store_strides(tools: Tools, facts: GameFacts, version: int, passed: Sequence[Game]) -> None:
    """One snapshot in Postgres for every 64 events, so that no standing is ever more than 64 applies away.

    Those that were `passed` a moment ago need not be folded again.
    """
    with tools.database.connection() as connection:
        done = stored_seq(connection, facts.game_id, digest_of(facts))
    for stride in passed:
        if stride.version == done + EVERY:
            _store(tools, facts, stride)
            done = stride.version
    if version - done < EVERY:
        _note_stored(tools, facts, done)
        return
    game: Game | None = game_at(tools, facts, done) if done else None
    recall = recall_with(tools)
    while done < version:
        for event in events_of(tools, facts, after=done, upto=version, most=STRIDE):
            game = evolve(game, event, recall)
            done = event.seq
            if done % EVERY == 0:
                _store(tools, facts, game)


def _note_stored(tools: Tools, facts: GameFacts, seq: int) -> None:
    """These sources have their snapshots up to `seq`, though others may have written theirs since."""
    if seq:
        with tools.database.connection() as connection:
            note_snapshot(connection, game_id=facts.game_id, rules_digest=digest_of(facts), seq=seq)


def _store(tools: Tools, facts: GameFacts, game: Game) -> None:
    with tools.database.connection() as connection:
        put_snapshot(
            connection,
            game_id=facts.game_id,
            rules_digest=digest_of(facts),
            seq=game.version,
            head_hash=game.head_hash,
            content=sealed_snapshot(facts, game),
        )


def ring_for_lagging_games(tools: Tools, *, limit: int = 500, everywhere: bool = True) -> int:
    """Ring again for games whose snapshots lag, whatever was lost on the way, with Redis emptied and, `everywhere`, when the sources
    of a ruleset have changed, which takes a look at every game; how many. At most twice `limit` in one go.
    """
    now, digests = tools.clock(), {ruleset: rules_digest(ruleset) for ruleset in load_rulesets()}
    since, settled = now - RECENT_US, now - SETTLED_US
    with tools.database.connection() as connection:
        found = lagging_games(
            connection, digests, since_us=since, settled_us=settled, limit=limit, everywhere=everywhere
        )
    names = [snapshot_name(ruleset, digests[ruleset], game_id) for game_id, ruleset, _, _ in found]
    cached = tools.cache.snapshot_seqs(names) or [version for _, _, version, _ in found]
    behind = [
        game_id
        for (game_id, _, version, stored), seq in zip(found, cached, strict=True)
        if seq < version or version - stored >= EVERY
    ]
    if behind:
        tools.ring_workers("snapshots", behind)
    return len(behind)


def keep_house(tools: Tools) -> None:
    """What has to be done now and then: partitions ahead, old answers and refusals dropped, games without their entropy aborted."""
    with tools.database.connection() as connection:
        make_partitions(connection, months=3)
        forget_old_answers(connection, now_us=tools.clock())
    forget_old_refusals(tools)
    abort_overdue_games(tools)
