"""Rules releases that cannot hurt a game: every stored game replayed under another version of its rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from moveledger.audit.event import Event
from moveledger.audit.faults import LogFault
from moveledger.audit.game import Game, evolve, fold
from moveledger.errors import InvalidInput
from moveledger.rules.encoding import canonical, encode
from moveledger.rules.kernel import SPECTATOR
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


def games_under(tools: Tools, ruleset_id: str) -> list[UUID]:
    """All games of a ruleset, oldest first. Raises `UnknownRuleset`."""
    find_ruleset(ruleset_id)
    with tools.database.connection() as connection:
        return games_of_ruleset(connection, ruleset_id)


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

    Compared after every event: whether it is accepted, who is awaited, what a spectator sees, what the legal moves are, the outcome.
    """
    ours: Game | None = None
    theirs: Game | None = None
    recall = recall_with(tools)

    def recall_theirs(past_id: UUID, seq: int) -> Game:
        return _fold_under(tools, past_id, seq, against)

    for event in all_events(tools, game_facts(tools, game_id), after=0, upto=2**62):
        ours = evolve(ours, event, recall)
        if event.type == "finished":
            continue
        try:
            theirs = evolve(theirs, _under(event, against), recall_theirs)
        except LogFault as fault:
            return RulesDifference(event.seq, fault.detail)
        detail = _compare(ours, theirs)
        if detail is not None:
            return RulesDifference(event.seq, detail)
    return None


def _under(event: Event, against: str) -> Event:
    """The event, an opening as if it had named the other rules."""
    if event.type != "opened" or event.body is None:
        return event
    return replace(event, body={**event.body, "ruleset": against})


def _fold_under(tools: Tools, game_id: UUID, seq: int, against: str) -> Game:
    """A game as the other rules have it after event `seq`: what a rewind or a fork goes back to."""

    def recall(past_id: UUID, past_seq: int) -> Game:
        return _fold_under(tools, past_id, past_seq, against)

    events = all_events(tools, game_facts(tools, game_id), after=0, upto=seq)
    return fold((_under(event, against) for event in events), recall)


def _compare(ours: Game, theirs: Game) -> str | None:
    if ours.awaited != theirs.awaited:
        return f"awaits {sorted(ours.awaited)}, under the other rules {sorted(theirs.awaited)}"
    if encode(ours.ruleset.outcome(ours.state)) != encode(theirs.ruleset.outcome(theirs.state)):
        return "the outcomes differ"
    if canonical(ours.ruleset.view(ours.state, SPECTATOR)) != canonical(theirs.ruleset.view(theirs.state, SPECTATOR)):
        return "a spectator sees something else"
    for seat in sorted(ours.awaited):
        mine = [encode(action) for action in ours.ruleset.legal(ours.state, seat)]
        if mine != [encode(action) for action in theirs.ruleset.legal(theirs.state, seat)]:
            return f"seat {seat} has other legal moves"
    return None
