"""Die Seher von Santiiba: name colours, be foreseen or not, and reach the castle. Rules: `docs/rules/santiiba.md`."""

from __future__ import annotations

from moveledger.rules.kernel import Input, Move, Ruleset, Seat
from moveledger.rules.santiiba.actions import ACTIONS, Action, Predict
from moveledger.rules.santiiba.apply import apply, draws
from moveledger.rules.santiiba.data import RAW
from moveledger.rules.santiiba.describe import describe
from moveledger.rules.santiiba.greedy import greedy
from moveledger.rules.santiiba.legal import awaiting, legal
from moveledger.rules.santiiba.options import PRESETS, Options
from moveledger.rules.santiiba.score import outcome
from moveledger.rules.santiiba.state import State, setup
from moveledger.rules.santiiba.view import view


def audience(_state: State, given: Input) -> frozenset[Seat] | None:
    """A prediction is sealed for all but its own seat; everything else is public (ruling R14)."""
    if isinstance(given, Move) and isinstance(given.action, Predict):
        return frozenset({given.seat})
    return None


RULESET: Ruleset[State, Action, Options] = Ruleset(
    key="santiiba",
    version=1,
    package="moveledger.rules.santiiba",
    seats=range(2, 5),
    options=Options,
    actions=ACTIONS,
    state=State,
    hidden=True,
    chance=True,
    provenance=RAW["provenance"],
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
    greedy=greedy,
)
