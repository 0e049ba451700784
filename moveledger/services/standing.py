"""How a game stands: now, or after any of its events. Memory first, then snapshots, then the log, which decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeAlias
from uuid import UUID

from moveledger.audit.event import Event
from moveledger.audit.game import Game, Recall, fold
from moveledger.errors import MoveledgerError, UnknownGame, UnknownVersion, WrongMasterKey
from moveledger.rules.registry import rules_digest
from moveledger.services.tools import GameFacts, Shelf, Tools
from moveledger.store.codec import decode_game
from moveledger.store.database import Connection
from moveledger.store.events import load_events
from moveledger.store.games import find_game
from moveledger.store.sealing import unseal
from moveledger.store.secrets import require_master_key
from moveledger.store.snapshots import find_snapshot, snapshot_name

Passing: TypeAlias = Callable[[Game], None]
"""Is shown each standing that a fold passes."""

SEED_BOUND = b"seed"
SNAPSHOT_BOUND = b"snapshot"


def game_facts(tools: Tools, game_id: UUID) -> GameFacts:
    """What never changes of a game. Raises `UnknownGame`, and `MasterKeyChanged` when that is why it does not open."""
    held = tools.facts.get(game_id)
    if held is not None:
        return held
    vault = tools.vault
    with tools.database.connection() as connection:
        row = find_game(connection, game_id)
    if row is None:
        raise UnknownGame
    try:
        data_key = vault.unwrap_key(game_id, row.wrapped_key)
    except WrongMasterKey:
        with tools.database.connection() as connection:
            require_master_key(connection, vault)
        raise
    facts = GameFacts(row, data_key, unseal(data_key, row.sealed_seed, SEED_BOUND + game_id.bytes))
    tools.facts.put(game_id, facts)
    return facts


def current_game(tools: Tools, facts: GameFacts, *, certain: bool = False, passing: Passing | None = None) -> Game:
    """The game as it stands now. With `certain` the log is asked, whatever memory and Redis say; `passing` is called with
    each standing on the way from what was known to now.
    """
    held = tools.games.get(facts.game_id)
    head = None if certain else tools.cache.head(facts.game_id)
    if held is not None and head is not None and head.version <= held.version:
        return held
    game = _catch_up(tools, facts, held or _newest_snapshot(tools, facts), passing)
    tools.games.put(facts.game_id, game)
    if head is None or head.version < game.version:
        tools.cache.raise_head(facts.game_id, game.version, game.head_hash, promised=False)
    return game


def game_at(tools: Tools, facts: GameFacts, seq: int) -> Game:
    """The game as it stood after event `seq`. Raises `UnknownVersion`."""
    return _Past(tools).stood(facts, seq)


def events_of(
    tools: Tools,
    facts: GameFacts,
    *,
    after: int = 0,
    upto: int | None = None,
    most: int | None = None,
    is_strict: bool = True,
) -> list[Event]:
    """Events of a game, sealed bodies opened: what of them may be shown is for the caller to decide.

    When not strict, a body that somebody altered comes closed instead of raising `WrongMasterKey`.
    """
    with tools.database.connection() as connection:
        return load_events(
            connection,
            facts.game_id,
            data_key=facts.data_key,
            after=after,
            upto=upto,
            most=most,
            is_strict=is_strict,
        )


def recall_with(tools: Tools) -> Recall:
    """How a fold finds an earlier standing of a game, for rewinds and forks."""
    return _Past(tools).recall


PASSED = 512
"""How many standings that a fold has passed it can go back to without folding again."""


class _Past:
    """The earlier standings of games that one fold asks for, or has passed.

    They may lie behind rewinds themselves: without this memory each rewind of a rewind would double the work.
    """

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._recalled: dict[tuple[UUID, int], Game] = {}
        self._passed: Shelf[tuple[UUID, int], Game] = Shelf(PASSED)

    def recall(self, game_id: UUID, seq: int) -> Game:
        """The game after event `seq`. Raises `UnknownGame`, `UnknownVersion`."""
        found = self._recalled.get((game_id, seq)) or self._passed.get((game_id, seq))
        if found is None:
            found = self.stood(game_facts(self._tools, game_id), seq)
        self._recalled[game_id, seq] = found
        return found

    def stood(self, facts: GameFacts, seq: int) -> Game:
        """The same from memory, a snapshot and the log."""
        held = self._tools.games.get(facts.game_id)
        if held is not None and held.version == seq:
            return held
        if seq < 1:
            raise UnknownVersion
        with self._tools.database.connection() as connection:
            base = _stored_snapshot(connection, facts, upto=seq)
            after = base.version if base else 0
            events = load_events(connection, facts.game_id, data_key=facts.data_key, after=after, upto=seq)
        game = self.follow(base, events)
        if game is None or game.version != seq:
            raise UnknownVersion
        return game

    def follow(self, game: Game | None, events: Iterable[Event], passing: Passing | None = None) -> Game | None:
        """`game` after `events`."""
        for event in events:
            game = fold([event], self.recall, game)
            self._passed.put((game.game_id, game.version), game)
            if passing is not None:
                passing(game)
        return game


def digest_of(facts: GameFacts) -> str:
    """The digest of the sources that judge this game now."""
    return rules_digest(facts.row.ruleset)


def _catch_up(tools: Tools, facts: GameFacts, base: Game | None, passing: Passing | None) -> Game:
    """`base` and what the log has after it. A base that the log does not know is thrown away."""
    events = events_of(tools, facts, after=base.version - 1 if base else 0)
    if base is not None:
        if not events or events[0].hash != base.head_hash:
            return _catch_up(tools, facts, None, passing)
        events = events[1:]
    game = _Past(tools).follow(base, events, passing)
    if game is None:
        raise UnknownGame
    return game


def _newest_snapshot(tools: Tools, facts: GameFacts) -> Game | None:
    sealed = tools.cache.snapshot(snapshot_name(facts.row.ruleset, digest_of(facts), facts.game_id))
    if sealed is not None:
        game = open_snapshot(facts, sealed)
        if game is not None:
            return game
    with tools.database.connection() as connection:
        return _stored_snapshot(connection, facts, upto=2**62)


def _stored_snapshot(connection: Connection, facts: GameFacts, *, upto: int) -> Game | None:
    sealed = find_snapshot(connection, game_id=facts.game_id, rules_digest=digest_of(facts), upto=upto)
    return None if sealed is None else open_snapshot(facts, sealed)


def open_snapshot(facts: GameFacts, sealed: bytes) -> Game | None:
    """The game in a sealed snapshot; None for one that does not open, or that another release wrote in another way."""
    try:
        return decode_game(unseal(facts.data_key, sealed, SNAPSHOT_BOUND + facts.game_id.bytes))
    except (MoveledgerError, LookupError, TypeError, ValueError, AttributeError):
        return None
