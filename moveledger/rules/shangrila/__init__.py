"""The Bridges of Shangri-La: masters, students and journeys. Its rules are docs/rules/shangrila.md."""

from __future__ import annotations

from typing import Any

from moveledger.rules.kernel import Awaiting, Input, Over, Ruleset, Seat, Seats
from moveledger.rules.shangrila.actions import ACTIONS
from moveledger.rules.shangrila.apply import apply
from moveledger.rules.shangrila.data import PROVENANCE
from moveledger.rules.shangrila.describe import describe
from moveledger.rules.shangrila.greedy import greedy
from moveledger.rules.shangrila.legal import legal
from moveledger.rules.shangrila.opening import SEATS, open_game
from moveledger.rules.shangrila.options import PRESETS, Options
from moveledger.rules.shangrila.score import outcome
from moveledger.rules.shangrila.state import State
from moveledger.rules.shangrila.view import view


def awaiting(state: State) -> Awaiting:
    """The one seat whose turn it is (ruling 42), until the game is over."""
    return Over() if state.phase == "over" else Seats(frozenset({state.turn}))


def draws(options: Options, seats: int) -> int:  # noqa: ARG001 — no options and no seat count bring chance in
    """None: nothing is left to chance."""
    return 0


def audience(state: State, given: Input) -> frozenset[Seat] | None:  # noqa: ARG001 — all inputs are public
    """Everybody: nothing is hidden."""
    return None


RULESET: Ruleset[State, Any, Options] = Ruleset(
    key="shangrila",
    version=1,
    package=__name__,
    seats=SEATS,
    options=Options,
    actions=ACTIONS,
    state=State,
    hidden=False,
    chance=False,
    provenance=PROVENANCE,
    setup=open_game,
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
