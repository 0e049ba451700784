"""The fold of a game's log: what a game is after each event.

`evolve` is the one place that says what an event does. The service folds with it to answer and to judge the next move;
the verifier folds with it to judge a record, so it trusts nothing: whatever an honest house would not have
written raises `LogFault` with the check that found it (`rules`, `draws`, `outcome`, `signatures`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias
from uuid import UUID

from moveledger.audit.event import HOUSE, REFEREE_SEAT, SCHEMA, Event, hex_bytes, read_uuid
from moveledger.audit.fairness import FIXED, Fairness, read_fairness
from moveledger.audit.faults import ClosedEvent, LogFault
from moveledger.audit.signature import find_fault, find_key_fault, read_signed
from moveledger.errors import IllegalMove, MalformedValue, UnknownRuleset
from moveledger.rules import chance
from moveledger.rules.encoding import decode, decode_action, encode, state_hash
from moveledger.rules.kernel import AnyRuleset, Chance, Draw, Input, Leave, Move, Outcome, Over, Seat, Seats
from moveledger.rules.registry import find_ruleset

_ACTORS = {"opened": HOUSE, "started": HOUSE, "drawn": HOUSE, "ruled": REFEREE_SEAT}
_OWED = {"abort": "aborted", "remove_seat": "left", "adjudicate": "finished"}

Status: TypeAlias = Literal["open", "running", "finished", "aborted"]


@dataclass(frozen=True, slots=True)
class Game:
    """A game after its first `version` events.

    By seat: `players` (the service's ids, None while a seat is open), `keys` (with which a seat signs its moves, if it
    does), `committed` and `entropies` (what a seat added to chance), `decisions` (0 before the first). `left` holds the
    seats that have left, in that order.
    `owed` is the type of the event that the last ruling must be followed by, `removed` the seat that it removes, if it does.
    """

    game_id: UUID
    ruleset: AnyRuleset
    options: Any
    opened: Mapping[str, Any]
    fairness: Fairness
    status: Status
    version: int
    head_hash: bytes
    players: tuple[str | None, ...]
    keys: tuple[bytes | None, ...]
    committed: tuple[bytes | None, ...]
    entropies: tuple[bytes | None, ...]
    mix: bytes | None
    draws: int
    left: tuple[Seat, ...]
    state: Any
    decisions: tuple[int, ...]
    outcome: Outcome | None
    adjudicated: Outcome | None = None
    annulled: bool = False
    owed: str | None = None
    removed: Seat | None = None

    @property
    def seats(self) -> int:
        """How many seats the game has."""
        return len(self.players)

    @property
    def over(self) -> bool:
        """Whether the game has ended, so that everything in it is open."""
        return self.status in ("finished", "aborted")

    @property
    def awaited(self) -> frozenset[Seat]:
        """The seats that have a choice to make now."""
        if self.status != "running":
            return frozenset()
        awaiting = self.ruleset.awaiting(self.state)
        return awaiting.seats if isinstance(awaiting, Seats) else frozenset()

    def decision(self, seat: Seat) -> str | None:
        """The token of the choice that an awaited seat has to make."""
        return str(self.decisions[seat]) if seat in self.awaited else None


Recall: TypeAlias = Callable[[UUID, int], Game]
"""Gives a game as it stood after a seq: for rewinds, and for the parent of a fork."""


def fold(events: Iterable[Event], recall: Recall, game: Game | None = None) -> Game:
    """The game after `events`, which follow on `game`. Raises `LogFault`, `ClosedEvent`."""
    for event in events:
        game = evolve(game, event, recall)
    if game is None:
        raise LogFault("rules", 0, "a log has at least its opening")
    return game


def evolve(game: Game | None, event: Event, recall: Recall) -> Game:
    """The game after one more event. Raises `LogFault`, and `ClosedEvent` for a sealed body it cannot read."""
    body = event.body
    if body is None:
        if not event.sealed:
            raise LogFault("commitments", event.seq, "a public event has no body")
        raise ClosedEvent(event.seq)
    if event.schema != SCHEMA:
        raise LogFault("rules", event.seq, f"schema {event.schema} of {event.type} is not known")
    if event.seat != _ACTORS.get(event.type, event.seat):
        raise LogFault("rules", event.seq, f"{event.type} is not for {event.seat} to say")
    try:
        after = _opened(event, body, recall) if game is None else _evolve(game, event, body, recall)
    except (KeyError, TypeError, ValueError, MalformedValue) as wrong:
        raise LogFault("rules", event.seq, f"the body of {event.type} is not well formed: {wrong}") from wrong
    return replace(after, version=event.seq, head_hash=event.hash)


def _evolve(game: Game, event: Event, body: Mapping[str, Any], recall: Recall) -> Game:
    if game.over and not (event.type == "ruled" and body.get("ruling") == "annul"):
        raise LogFault("rules", event.seq, f"{event.type} after the end of the game")
    if game.owed is not None and event.type != game.owed:
        raise LogFault("rules", event.seq, f"{event.type} where the ruling asks for {game.owed}")
    if game.owed is not None:
        game = replace(game, owed=None)
    match event.type:
        case "seated" | "entropy_committed" | "entropy_opened" | "started":
            return _prepare(game, event, body)
        case "moved":
            return _moved(game, event, body)
        case "drawn":
            return _drawn(game, event, body)
        case "left":
            return _left(game, event, body)
        case "ruled":
            return _ruled(game, event, body, recall)
        case "finished":
            return _finished(game, event, body)
        case "aborted":
            return replace(game, status="aborted")
        case _:
            raise LogFault("rules", event.seq, f"{event.type} has no place here")


# --- before the first move -----------------------------------------------------------------------------


def _opened(event: Event, body: Mapping[str, Any], recall: Recall) -> Game:
    if event.type != "opened":
        raise LogFault("rules", event.seq, "the first event of a log is its opening")
    try:
        ruleset = find_ruleset(body["ruleset"])
    except UnknownRuleset as unknown:
        raise LogFault("rules", event.seq, unknown.detail) from unknown
    seats = body["seats"]
    if type(seats) is not int or seats not in ruleset.seats:
        raise LogFault("rules", event.seq, f"{seats} seats, which {ruleset.id} does not have")
    if body.get("entropy") not in (None, "none", "required"):
        raise LogFault("draws", event.seq, f"there is no entropy {body['entropy']!r}")
    options = decode(ruleset.options, body["options"])
    base = _parent(event, body["parent"], recall) if body.get("parent") is not None else None
    if base is not None and (base.ruleset.id, base.seats, base.options) != (ruleset.id, seats, options):
        raise LogFault("rules", event.seq, "a fork with other rules, seats or options than its parent")
    return Game(
        game_id=event.game_id,
        ruleset=ruleset,
        options=options,
        opened=body,
        fairness=_fairness(event, body),
        status="open",
        version=event.seq,
        head_hash=event.hash,
        players=(None,) * seats,
        keys=(None,) * seats,
        committed=(None,) * seats,
        entropies=(None,) * seats,
        mix=None,
        draws=0,
        left=base.left if base else (),
        state=base.state if base else ruleset.setup(options, seats),
        decisions=(0,) * seats,
        outcome=None,
    )


def _parent(event: Event, named: Mapping[str, Any], recall: Recall) -> Game:
    base = recall(read_uuid(named, "game_id"), named["seq"])
    if base.head_hash != hex_bytes(named, "hash"):
        raise LogFault("rules", event.seq, "the parent's event has another hash than the opening says")
    return base


def _fairness(event: Event, body: Mapping[str, Any]) -> Fairness:
    fair = read_fairness(body)
    if fair.scheme == FIXED and body.get("test") is not True:
        raise LogFault("draws", event.seq, "given draws in a game that is no test game")
    return fair


def _prepare(game: Game, event: Event, body: Mapping[str, Any]) -> Game:
    if game.status != "open":
        raise LogFault("rules", event.seq, f"{event.type} in a game that has started")
    if event.type == "started":
        return _started(game, event, body)
    seat = _seat_of(game, event)
    if event.type == "seated":
        if game.players[seat] is not None:
            raise LogFault("rules", event.seq, f"seat {seat} is taken")
        if not isinstance(body["player"], str) or not body["player"]:
            raise LogFault("rules", event.seq, f"seat {seat} is given to nobody")
        key = hex_bytes(body, "public_key") if body.get("public_key") is not None else None
        weakness = None if key is None else find_key_fault(key)
        if weakness is not None:
            raise LogFault("signatures", event.seq, weakness)
        return replace(game, players=_put(game.players, seat, body["player"]), keys=_put(game.keys, seat, key))
    if event.type == "entropy_committed":
        if game.committed[seat] is not None:
            raise LogFault("draws", event.seq, f"seat {seat} has committed before")
        return replace(game, committed=_put(game.committed, seat, hex_bytes(body, "commitment")))
    entropy = hex_bytes(body, "entropy")
    if None in game.committed or game.entropies[seat] is not None:
        raise LogFault("draws", event.seq, f"seat {seat} opens its entropy out of turn")
    if chance.entropy_commitment(game.game_id.bytes, seat, entropy) != game.committed[seat]:
        raise LogFault("draws", event.seq, f"the entropy of seat {seat} is not what it committed to")
    return replace(game, entropies=_put(game.entropies, seat, entropy))


def _started(game: Game, event: Event, body: Mapping[str, Any]) -> Game:
    if None in game.players:
        raise LogFault("rules", event.seq, "the game starts with an open seat")
    if game.opened.get("entropy") == "required" and None in game.entropies:
        raise LogFault("draws", event.seq, "the game starts before every seat has opened its entropy")
    mixed = expected_mix(game)
    if game.fairness.scheme != FIXED and hex_bytes(body, "mix") != mixed:
        raise LogFault("draws", event.seq, "the mix is not made of what was committed and opened")
    return _await(replace(game, status="running", mix=mixed), event.seq, before=frozenset())


def expected_mix(game: Game) -> bytes:
    """M of `ml-fair-1`, from the commitments and the entropies opened so far."""
    opened = {Seat(seat): entropy for seat, entropy in enumerate(game.entropies) if entropy is not None}
    return chance.mix(game.game_id.bytes, game.fairness.seed_commitment, game.fairness.root, opened)


# --- play ----------------------------------------------------------------------------------------------


def apply_input(game: Game, given: Input, seq: int) -> Game:
    """The game after a move, draw or departure that becomes event `seq`. Raises `IllegalMove`."""
    before = game.awaited
    mover = given.seat if isinstance(given, Move) else None
    return _await(replace(game, state=game.ruleset.apply(game.state, given)), seq, before=before, mover=mover)


def _await(game: Game, seq: int, *, before: frozenset[Seat], mover: Seat | None = None) -> Game:
    """`game` with its decisions brought up to date: a seat newly awaited, or awaited again after its own input."""
    renewed = game.awaited - before | ({mover} if mover is not None else set())
    if not renewed:
        return game
    return replace(game, decisions=tuple(seq if seat in renewed else old for seat, old in enumerate(game.decisions)))


def _moved(game: Game, event: Event, body: Mapping[str, Any]) -> Game:
    _require_running(game, event)
    move = Move(_seat_of(game, event), decode_action(game.ruleset, body["action"]))
    if body.get("signed") is not None:
        _require_signature(game, event, move.seat, body)
    return _judged(game, event, move)


def _require_signature(game: Game, event: Event, seat: Seat, body: Mapping[str, Any]) -> None:
    """An event before the head that a signature names is not at hand here: it is believed, and looked up by the service
    when it takes the move and by the verifier (`SignedMoves`).
    """
    signed = read_signed(body["signed"])
    fault = find_fault(
        signed,
        public_key=game.keys[seat],
        game_id=game.game_id,
        seat=seat,
        action=body["action"],
        hash_at=lambda seq: game.head_hash if seq >= game.version else signed.head_hash,
    )
    if fault is not None:
        raise LogFault("signatures", event.seq, fault)


def _drawn(game: Game, event: Event, body: Mapping[str, Any]) -> Game:
    _require_running(game, event)
    awaiting = game.ruleset.awaiting(game.state)
    values = tuple(body["values"])
    if not isinstance(awaiting, Chance):
        raise LogFault("draws", event.seq, "a draw that nobody asked for")
    if type(body["index"]) is not int or body["index"] != game.draws:
        raise LogFault("draws", event.seq, f"draw index {body['index']!r}, expected {game.draws}")
    if body["request"] != chance.request_text(awaiting.request):
        raise LogFault("draws", event.seq, f"drew {body['request']}, asked was {chance.request_text(awaiting.request)}")
    if any(type(value) is not int for value in values) or not chance.fits_request(values, awaiting.request):
        raise LogFault("draws", event.seq, f"{body['request']} cannot give {list(values)}")
    return _judged(replace(game, draws=game.draws + 1), event, Draw(values))


def _left(game: Game, event: Event, body: Mapping[str, Any]) -> Game:
    _require_running(game, event)
    seat, cause = _seat_of(game, event), body["cause"]
    if seat in game.left or cause not in ("resigned", "timed_out", "removed"):
        raise LogFault("rules", event.seq, f"seat {seat} cannot leave by {cause!r}")
    if game.removed != (seat if cause == "removed" else None):
        raise LogFault("rules", event.seq, f"seat {seat} left by {cause!r}, ruled was the removal of {game.removed}")
    return _judged(replace(game, left=(*game.left, seat), removed=None), event, Leave(seat, cause))


def _judged(game: Game, event: Event, given: Input) -> Game:
    if isinstance(game.ruleset.awaiting(game.state), Over):
        raise LogFault("rules", event.seq, f"{event.type} where the rules end the game")
    if event.sealed != (game.ruleset.audience(game.state, given) is not None):
        raise LogFault("rules", event.seq, f"sealed is {event.sealed}, the rules say otherwise")
    try:
        return apply_input(game, given, event.seq)
    except IllegalMove as wrong:
        raise LogFault("rules", event.seq, f"{wrong.code}: {wrong.detail}") from wrong


# --- rulings and the end -------------------------------------------------------------------------------


def _ruled(game: Game, event: Event, body: Mapping[str, Any], recall: Recall) -> Game:
    match body["ruling"]:
        case "annul":
            if game.status != "finished" or game.annulled:
                raise LogFault("rules", event.seq, "only a finished game is annulled, and once")
            return replace(game, annulled=True)
        case "rewind":
            return _rewound(game, event, body, recall)
        case "adjudicate":
            _require_running(game, event)
            return replace(game, adjudicated=_adjudged(game, event, body), owed=_OWED["adjudicate"])
        case "abort":
            return replace(game, decisions=(event.seq,) * game.seats, owed=_OWED["abort"])
        case "remove_seat":
            removed = _removed(game, event, body)
            return replace(game, decisions=(event.seq,) * game.seats, owed=_OWED["remove_seat"], removed=removed)
        case other:
            raise LogFault("rules", event.seq, f"there is no ruling {other!r}")


def _removed(game: Game, event: Event, body: Mapping[str, Any]) -> Seat:
    seat = body["seat"]
    if type(seat) is not int or not 0 <= seat < game.seats:
        raise LogFault("rules", event.seq, f"the removal of {seat!r}, which is no seat")
    return Seat(seat)


def _adjudged(game: Game, event: Event, body: Mapping[str, Any]) -> Outcome:
    outcome = decode(Outcome, {**body["outcome"]})
    if not len(outcome.placings) == len(outcome.scores) == game.seats:
        raise LogFault("outcome", event.seq, "the outcome does not place every seat")
    if not outcome.is_ranking:
        raise LogFault("outcome", event.seq, f"placings {list(outcome.placings)} are not in the form 1, 1, 3")
    return outcome


def _rewound(game: Game, event: Event, body: Mapping[str, Any], recall: Recall) -> Game:
    _require_running(game, event)
    to = body["to"]
    if type(to) is not int or not 1 <= to < event.seq:
        raise LogFault("rules", event.seq, f"a rewind to {to!r}")
    target = recall(game.game_id, to)
    if not target.awaited:
        raise LogFault("rules", event.seq, f"no seat was awaited after event {to}")
    if target.draws != game.draws and body.get("redraw") is not True:
        raise LogFault("draws", event.seq, "a rewind across a draw that does not say so")
    return replace(
        game, state=target.state, left=target.left, outcome=None, decisions=(event.seq,) * game.seats, adjudicated=None
    )


def _finished(game: Game, event: Event, body: Mapping[str, Any]) -> Game:
    _require_running(game, event)
    outcome = game.adjudicated or game.ruleset.outcome(game.state)
    if outcome is None:
        raise LogFault("outcome", event.seq, "the game is said to be finished and is not")
    if body["outcome"] != encode(outcome):
        raise LogFault("outcome", event.seq, f"the outcome is {encode(outcome)}, not {body['outcome']}")
    if body["state_hash"] != state_hash(game.state):
        raise LogFault("outcome", event.seq, "the hash of the last state differs")
    return replace(game, status="finished", outcome=outcome)


def _require_running(game: Game, event: Event) -> None:
    if game.status != "running":
        raise LogFault("rules", event.seq, f"{event.type} in a game that is {game.status}")


def _seat_of(game: Game, event: Event) -> Seat:
    if not 0 <= event.seat < game.seats:
        raise LogFault("rules", event.seq, f"there is no seat {event.seat}")
    return Seat(event.seat)


def _put(values: tuple[Any, ...], seat: int, value: Any) -> tuple[Any, ...]:
    return (*values[:seat], value, *values[seat + 1 :])
