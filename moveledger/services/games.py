"""Opening games and taking seats."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal
from uuid import UUID

import uuid_utils

from moveledger.errors import (
    EntropyMismatch,
    EntropyOutOfTurn,
    GameOver,
    IllegalMove,
    InvalidInput,
    MalformedValue,
    PlayerSeated,
    SeatTaken,
    UnknownSeat,
)
from moveledger.rules import chance
from moveledger.rules.encoding import encode, read_options
from moveledger.rules.kernel import AnyRuleset, Seat
from moveledger.rules.registry import find_ruleset, rules_digest
from moveledger.services.access import acting_seat, has_scope, own_observer, require_scope
from moveledger.services.batches import do_for_each
from moveledger.services.callers import Caller, KeyCaller, seat_token
from moveledger.services.entrance import find_game_to_act_in, find_game_to_join, find_visible_game
from moveledger.services.house import Pending
from moveledger.services.showing import show_game
from moveledger.services.standing import SEED_BOUND, current_game, game_facts
from moveledger.services.submission import WriteRequest, Written, write_events, write_house_events
from moveledger.services.tools import GameFacts, Tools
from moveledger.services.trails import Asked, note_look
from moveledger.services.unjudged import Unjudged, installed_ruleset, read_unjudged, show_unjudged
from moveledger.store.database import Connection
from moveledger.store.events import append
from moveledger.store.games import (
    Filters,
    GameRow,
    Visibility,
    insert_game,
    insert_seat,
    list_games,
    overdue_games,
    put_player,
    seat_generations,
)
from moveledger.store.idempotency import RequestKey, claim_request, keep_answer
from moveledger.store.sealing import seal
from moveledger.store.secrets import hold_master_key

ENTROPY_DEADLINE_US = 24 * 3600 * 1_000_000
"""How long the seats of a game with `entropy: required` have to commit and open: a day."""


@dataclass(frozen=True, slots=True)
class NewPlayer:
    """A player as the key that seats it calls it; `public_key` (Ed25519, 64 hex digits) if its moves can be signed."""

    id: str
    name: str | None = None
    public_key: str | None = None


@dataclass(frozen=True, slots=True)
class NewGame:
    """What a client asks for; `players`, when given, fills every seat in order."""

    ruleset: str
    seats: int
    players: Sequence[NewPlayer] = ()
    options: Mapping[str, Any] = field(default_factory=dict)
    visibility: Visibility = "public"
    entropy: Literal["none", "required"] = "none"
    external_ref: str | None = None


def open_game(
    tools: Tools, caller: Caller, wanted: NewGame, request: RequestKey, request_id: str
) -> tuple[dict[str, Any], bool]:
    """Open a game; with all players named it starts at once, unless they owe entropy. Answers its resource with the seats'
    tokens, and whether that is the repeat of an earlier answer.

    Raises `ScopeMissing`, `UnknownRuleset`, `InvalidInput`, `IdempotencyKeyReused`.
    """
    key = require_scope(caller, "games:write")
    return begin_game(tools, key, wanted, request, request_id)


@dataclass(frozen=True, slots=True)
class Parent:
    """Where a fork starts from: the parent, its event, that event's hash."""

    game_id: UUID
    seq: int
    hash: bytes


def begin_game(
    tools: Tools,
    key: KeyCaller,
    wanted: NewGame,
    request: RequestKey,
    request_id: str,
    *,
    parent: Parent | None = None,
) -> tuple[dict[str, Any], bool]:
    """Write a new game: its row and keys, its opening, its players, and if it can start, its start.

    Raises `UnknownRuleset`, `InvalidInput`, `IdempotencyKeyReused`.
    """
    ruleset = find_ruleset(wanted.ruleset)
    options = _options(ruleset, wanted)
    game_id, data_key, seed = UUID(bytes=uuid_utils.uuid7().bytes), tools.entropy(32), tools.entropy(32)
    facts = GameFacts(_row(tools, key, wanted, game_id=game_id, data_key=data_key, seed=seed), data_key, seed)
    pending = Pending(tools, None, game_id=game_id, seed=seed, request_id=request_id)
    pending.add(
        "opened",
        _opening(wanted, ruleset, options=options, game_id=game_id, seed=seed, parent=parent),
        client=key.client,
    )
    with tools.database.transaction() as connection:
        known = claim_request(connection, request, now_us=tools.clock())
        if known is not None:
            return with_tokens(tools, json.loads(known)), True
        players = _put_players(tools, connection, key, wanted.players)
        for seat, (player, named) in enumerate(zip(players, wanted.players, strict=True)):
            pending.add("seated", _seated(player, named), seat=seat, client=key.client)
        pending.start()
        hold_master_key(connection, tools.vault)
        insert_game(connection, facts.row, pending.game.status)
        for seat, player in enumerate(players):
            insert_seat(connection, game_id=game_id, seat=seat, player_id=player)
        appended = append(
            connection, game_id=game_id, drafts=pending.drafts, repeat=None, status=None, data_key=data_key
        )
        game, _ = pending.recorded(appended)
        answer = show_game(connection, facts, game, namespace=key.client)
        keep_answer(connection, request, json.dumps(answer).encode())
    tools.facts.put(game_id, facts)
    tools.games.put(game_id, game)
    tools.cache.raise_head(game_id, game.version, game.head_hash, promised=True)
    return with_tokens(tools, answer), False


def with_tokens(tools: Tools, answer: Mapping[str, Any]) -> dict[str, Any]:
    """The answer to an opening with the tokens of its taken seats, which are derived anew each time."""
    game_id = UUID(answer["id"])
    tokens = {
        str(entry["seat"]): seat_token(tools.vault, game_id, entry["seat"], 1)
        for entry in answer["seats"]
        if entry["player"] is not None
    }
    return {**answer, "seat_tokens": tokens}


def find_game_resource(tools: Tools, caller: Caller, game_id: UUID, asked: Asked | None = None) -> dict[str, Any]:
    """A game's resource; looked at by itself (`asked`), not in a list, it may leave a look in the trail. Raises `UnknownGame`."""
    facts = find_visible_game(tools, caller, game_id)
    game = current_game(tools, facts) if installed_ruleset(facts) is not None else None
    with tools.database.connection() as connection:
        seen = game or read_unjudged(connection, facts)
        if isinstance(seen, Unjudged):
            shown = show_unjudged(connection, facts, seen, namespace=caller.client)
        else:
            shown = show_game(connection, facts, seen, namespace=caller.client)
    if asked is not None:
        note_look(tools, caller, asked, facts=facts, game=seen, observer=own_observer(caller, facts))
    return shown


def find_games(
    tools: Tools, caller: Caller, filters: Mapping[str, Any], *, after: UUID | None, limit: int
) -> tuple[list[dict[str, Any]], UUID | None]:
    """A page of games, newest first, and where the next one begins."""
    wanted = Filters(
        **filters,
        namespace=caller.client,
        creator=caller.client if isinstance(caller, KeyCaller) else None,
        everything=has_scope(caller, "admin"),
    )
    with tools.database.connection() as connection:
        ids = list_games(connection, wanted, after=after, limit=limit + 1)
    shown = [find_game_resource(tools, caller, game_id) for game_id in ids[:limit]]
    return shown, ids[limit - 1] if len(ids) > limit else None


def claim_seat(
    tools: Tools,
    caller: Caller,
    game_id: UUID,
    *,
    seat: int,
    read_player: Callable[[], NewPlayer],
    request: WriteRequest,
) -> tuple[dict[str, Any], bool]:
    """Take an open seat; answers its token, and whether that is a repeat. The last seat starts the game.

    Raises `Unauthenticated`, `ScopeMissing`, `UnknownGame`, `UnknownSeat`, `GameOver`, `SeatTaken`, `PlayerSeated`.
    """
    facts = find_game_to_join(tools, caller, game_id)
    key = require_scope(caller, "games:write")
    fresh = UUID(bytes=uuid_utils.uuid7().bytes)
    taken: list[UUID] = []

    def build(pending: Pending) -> None:
        game = pending.game
        player = read_player()
        if not 0 <= seat < game.seats:
            raise UnknownSeat
        if game.over:
            raise GameOver
        if game.players[seat] is not None:
            raise SeatTaken
        if not taken:
            with tools.database.connection() as connection:
                taken.append(_put_player(tools, connection, key, player, fresh))
        if str(taken[0]) in game.players:
            raise PlayerSeated
        pending.add("seated", _seated(taken[0], player), seat=seat, client=key.client)
        pending.start()

    def beside(connection: Connection, _: Any) -> None:
        insert_seat(connection, game_id=game_id, seat=seat, player_id=taken[0])

    written = write_events(tools, facts, request, build, beside=beside)
    with tools.database.connection() as connection:
        generation = seat_generations(connection, game_id)[seat]
    return {
        "game_id": str(game_id),
        "seat": seat,
        "seat_token": seat_token(tools.vault, game_id, seat, generation),
        "status": written.game.status,
        "version": written.game.version,
    }, written.repeated


def give_entropy(
    tools: Tools,
    caller: Caller,
    game_id: UUID,
    *,
    seat: int,
    read_given: Callable[[], Mapping[str, str]],
    request: WriteRequest,
) -> tuple[dict[str, Any], bool]:
    """Commit to a seat's entropy (`{commitment}`), or open it once all have committed (`{entropy}`); 64 hex digits each.

    Raises `EntropyOutOfTurn`, `EntropyMismatch`, `GameOver` and what `acting_seat` raises.
    """
    facts = find_game_to_act_in(tools, caller, game_id)

    def build(pending: Pending) -> None:
        game, given = pending.game, read_given()
        acts = acting_seat(caller, facts, seat, game.seats)
        if game.over:
            raise GameOver
        if game.status != "open" or game.players[acts] is None or game.opened.get("entropy") != "required":
            raise EntropyOutOfTurn("This game takes no entropy from this seat now.")
        if "commitment" in given:
            if game.committed[acts] is not None:
                raise EntropyOutOfTurn("The seat has committed before.")
            pending.add("entropy_committed", {"commitment": given["commitment"]}, seat=acts, client=caller.client)
            return
        _require_opening(game, acts, bytes.fromhex(given["entropy"]))
        pending.add("entropy_opened", {"entropy": given["entropy"]}, seat=acts, client=caller.client)
        pending.start()

    written = write_events(tools, facts, request, build)
    return _entropy_answer(written, seat), written.repeated


def _require_opening(game: Any, seat: Seat, entropy: bytes) -> None:
    if None in game.committed:
        raise EntropyOutOfTurn("Entropy is opened when every seat has committed.")
    if game.entropies[seat] is not None:
        raise EntropyOutOfTurn("The seat has opened before.")
    if chance.entropy_commitment(game.game_id.bytes, seat, entropy) != game.committed[seat]:
        raise EntropyMismatch


def _entropy_answer(written: Written, seat: int) -> dict[str, Any]:
    game = written.game
    return {
        "game_id": str(game.game_id),
        "seat": seat,
        "status": game.status,
        "version": game.version,
        "committed": [at for at, value in enumerate(game.committed) if value is not None],
        "opened": [at for at, value in enumerate(game.entropies) if value is not None],
    }


def abort_overdue_games(tools: Tools, *, limit: int = 100) -> int:
    """Abort games whose seats have not opened their entropy in time, so that nobody gains by keeping silent; how many."""
    with tools.database.connection() as connection:
        overdue = overdue_games(connection, now_us=tools.clock(), limit=limit)

    def build(pending: Pending) -> None:
        if pending.game.status == "open":
            pending.abort("entropy-overdue")

    def end(game_id: UUID) -> Written | None:
        return write_house_events(tools, game_facts(tools, game_id), build, request_id="deadline")

    return sum(written is not None for written in do_for_each(overdue, end))


def _options(ruleset: AnyRuleset, wanted: NewGame) -> Any:
    errors = []
    if wanted.seats not in ruleset.seats:
        least, most = ruleset.seats[0], ruleset.seats[-1]
        errors.append({"pointer": "/seats", "detail": f"{ruleset.id} has {least} to {most} seats."})
    elif wanted.players and len(wanted.players) != wanted.seats:
        errors.append({"pointer": "/players", "detail": "Name one player a seat, or none."})
    if len({player.id for player in wanted.players}) != len(wanted.players):
        errors.append({"pointer": "/players", "detail": "A player sits once."})
    try:
        options = read_options(ruleset, wanted.options)
        if not errors:
            ruleset.setup(options, wanted.seats)
    except MalformedValue as wrong:
        errors.append({"pointer": "/options" + wrong.pointer, "detail": wrong.detail})
    except IllegalMove as wrong:
        errors.append({"pointer": "/options", "detail": wrong.detail})
    if errors:
        raise InvalidInput("The game cannot be opened so.", errors=errors)
    return options


def _row(tools: Tools, key: KeyCaller, wanted: NewGame, *, game_id: UUID, data_key: bytes, seed: bytes) -> GameRow:
    now = tools.clock()
    return GameRow(
        game_id=game_id,
        ruleset=wanted.ruleset,
        visibility=wanted.visibility,
        creator=key.client,
        external_ref=wanted.external_ref,
        created_us=now,
        deadline_us=now + ENTROPY_DEADLINE_US if wanted.entropy == "required" else None,
        wrapped_key=tools.vault.wrap_key(game_id, data_key),
        sealed_seed=seal(data_key, seed, SEED_BOUND + game_id.bytes),
    )


def _opening(
    wanted: NewGame, ruleset: AnyRuleset, *, options: Any, game_id: UUID, seed: bytes, parent: Parent | None
) -> dict[str, Any]:
    draws = max(chance.DRAWS, ruleset.draws(options, wanted.seats))
    return {
        "ruleset": ruleset.id,
        "rules_digest": rules_digest(ruleset.id),
        "seats": wanted.seats,
        "options": encode(options),
        "visibility": wanted.visibility,
        "entropy": wanted.entropy,
        "fairness": {
            "scheme": chance.SCHEME,
            "seed_commitment": chance.seed_commitment(game_id.bytes, ruleset.id, seed).hex(),
            "draws_root": chance.draws_root(seed, draws).hex(),
            "draws": draws,
        },
        **({"parent": _show_parent(parent)} if parent else {}),
    }


def _show_parent(parent: Parent) -> dict[str, Any]:
    return {"game_id": str(parent.game_id), "seq": parent.seq, "hash": parent.hash.hex()}


def _seated(player_id: UUID, player: NewPlayer) -> dict[str, Any]:
    return {"player": str(player_id), **({"public_key": player.public_key} if player.public_key else {})}


def _put_players(tools: Tools, connection: Connection, key: KeyCaller, players: Sequence[NewPlayer]) -> list[UUID]:
    """The ids of players, in order of seats. They are written in order of their names: two openings that hold each what the
    other one wants would have to be told apart by Postgres.
    """
    in_order = sorted(players, key=lambda player: player.id)
    ids = {player.id: _put_player(tools, connection, key, player) for player in in_order}
    return [ids[player.id] for player in players]


def _put_player(
    tools: Tools, connection: Connection, key: KeyCaller, player: NewPlayer, fresh: UUID | None = None
) -> UUID:
    return put_player(
        connection,
        fresh_id=fresh or UUID(bytes=tools.entropy(16), version=4),
        namespace=key.client,
        external_id=player.id,
        name=player.name,
    )
