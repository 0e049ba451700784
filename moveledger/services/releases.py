"""Rules releases that cannot hurt a game: every stored game replayed under another version of its rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from moveledger.audit.event import Event
from moveledger.audit.faults import LogFault
from moveledger.audit.game import Game, evolve
from moveledger.audit.replay import Past, judge
from moveledger.errors import PASSING, InvalidInput
from moveledger.rules.encoding import canonical, encode
from moveledger.rules.kernel import REFEREE, SPECTATOR
from moveledger.rules.registry import find_ruleset
from moveledger.services.reading import all_events
from moveledger.services.standing import game_facts, recall_with
from moveledger.services.tools import Tools
from moveledger.store.games import games_of_ruleset
from moveledger.store.trails import put_rule_check


@dataclass(frozen=True, slots=True)
class RulesDifference:
    """The first event after which two versions of the rules do not agree about a game."""

    seq: int
    detail: str


def games_under(tools: Tools, ruleset_id: str, wanted: Sequence[UUID] = ()) -> list[UUID]:
    """All games of a ruleset, oldest first, or of them those that are wanted. Raises `UnknownRuleset`, and `InvalidInput` for a
    wanted game that is not among them.
    """
    find_ruleset(ruleset_id)
    with tools.database.connection() as connection:
        found = games_of_ruleset(connection, ruleset_id)
    strange = set(wanted).difference(found)
    if strange:
        raise InvalidInput(f"{min(strange)} is no game of {ruleset_id}.")
    return [game_id for game_id in found if game_id in wanted] if wanted else found


def require_comparable(one: str, other: str) -> None:
    """Raises `UnknownRuleset`, and `InvalidInput` when the two are not versions of one game."""
    if find_ruleset(one).key != find_ruleset(other).key:
        raise InvalidInput(f"{one} and {other} are different games.")


def check_against(tools: Tools, run_id: UUID, game_ids: Sequence[UUID], against: str) -> None:
    """Replay games under another version and keep, for each, the first event where the two differ."""
    for game_id in game_ids:
        found = find_difference(tools, game_id, against)
        with tools.database.connection() as connection:
            put_rule_check(connection, run_id, game_id, found.seq if found else None, found.detail if found else None)


def find_difference(tools: Tools, game_id: UUID, against: str) -> RulesDifference | None:
    """Where a game would go another way under the rules `against`; None when it would not.

    Compared after every event: whether it is accepted, who is awaited, what spectators and referees see, what the legal moves
    are, the outcome. The hash of the last state is not: another version may keep its state in another form.
    """
    ours: Game | None = None
    recall = recall_with(tools)
    seq = 0
    try:
        for event, theirs in _course(tools, game_id, against):
            seq = event.seq
            ours = evolve(ours, event, recall)
            detail = _compare(ours, theirs)
            if detail is not None:
                return RulesDifference(seq, detail)
    except LogFault as fault:
        return RulesDifference(fault.seq, fault.detail)
    except PASSING:
        raise
    except Exception as wrong:  # whatever unreleased rules may throw is what this is here to find
        return RulesDifference(seq, f"cannot be compared: {type(wrong).__name__}: {wrong}")
    return None


def _course(tools: Tools, game_id: UUID, against: str, upto: int = 2**62) -> Iterator[tuple[Event, Game]]:
    """Each event of a game, and what the game is after it under the other rules. Raises `LogFault`."""
    past, game = Past(lambda parent_id, seq: _stood(tools, parent_id, seq, against)), None
    for event in all_events(tools, game_facts(tools, game_id), upto=upto):
        under = _under(event, against)
        game = _finished(game, event) if game and event.type == "finished" else judge(game, under, past.recall)
        past.add(game, under)
        yield event, game


def _stood(tools: Tools, game_id: UUID, seq: int, against: str) -> Game:
    """A parent as the other rules have it after event `seq`."""
    *_, (_, game) = _course(tools, game_id, against, upto=seq)
    return game


def _under(event: Event, against: str) -> Event:
    """The event, an opening as if it had named the other rules."""
    if event.type != "opened" or event.body is None:
        return event
    return replace(event, body={**event.body, "ruleset": against})


def _finished(game: Game, event: Event) -> Game:
    """The end, whose body names a state as our rules have it: only the outcome is asked for."""
    outcome = game.adjudicated or game.ruleset.outcome(game.state)
    return replace(game, status="finished", outcome=outcome, owed=None, version=event.seq, head_hash=event.hash)


def _compare(ours: Game, theirs: Game) -> str | None:
    if ours.awaited != theirs.awaited:
        return f"awaits {sorted(ours.awaited)}, under the other rules {sorted(theirs.awaited)}"
    if ours.outcome != theirs.outcome or ours.ruleset.outcome(ours.state) != theirs.ruleset.outcome(theirs.state):
        return "the outcomes differ"
    for observer, name in ((SPECTATOR, "a spectator"), (REFEREE, "a referee")):
        mine, other = (canonical(game.ruleset.view(game.state, observer)) for game in (ours, theirs))
        if mine != other:
            return f"{name} sees something else"
    for seat in sorted(ours.awaited):
        actions, others = ([encode(a) for a in game.ruleset.legal(game.state, seat)] for game in (ours, theirs))
        if actions != others:
            return f"seat {seat} has other legal moves"
    return None
