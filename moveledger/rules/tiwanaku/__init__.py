"""Tiwanaku: tribes explore a hidden land, divine its crops and offer them; for two to four seats, or one."""

from __future__ import annotations

from moveledger.rules.kernel import Outcome, Ruleset
from moveledger.rules.tiwanaku.actions import ACTIONS, Action
from moveledger.rules.tiwanaku.apply import apply, audience, awaiting, draws, setup
from moveledger.rules.tiwanaku.data import PROVENANCE
from moveledger.rules.tiwanaku.describe import describe
from moveledger.rules.tiwanaku.greedy import greedy
from moveledger.rules.tiwanaku.legal import legal
from moveledger.rules.tiwanaku.options import PRESETS, Options
from moveledger.rules.tiwanaku.score import outcome_of
from moveledger.rules.tiwanaku.state import State
from moveledger.rules.tiwanaku.view import view


def outcome(state: State) -> Outcome | None:
    """How a finished game ended."""
    return outcome_of(state.table)


RULESET: Ruleset[State, Action, Options] = Ruleset(
    key="tiwanaku",
    version=1,
    package=__name__,
    seats=range(1, 5),
    options=Options,
    actions=ACTIONS,
    state=State,
    hidden=True,
    chance=True,
    provenance=PROVENANCE,
    setup=setup,
    awaiting=awaiting,
    draws=draws,
    legal=legal,
    apply=apply,
    audience=audience,
    view=view,
    outcome=outcome,
    describe=describe,
    presets=PRESETS,
    unofficial_seats=frozenset({1}),
    greedy=greedy,
)
