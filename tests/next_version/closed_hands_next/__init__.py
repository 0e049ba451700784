"""Later versions of closed hands: one that plays alike, one with another rule, one that breaks, one that ends its process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import closed_hands
from closed_hands.legal import check, legal
from closed_hands.state import Action, Options, Pass, State

from moveledger.errors import IllegalMove
from moveledger.rules.kernel import Input, LegalActions, Move, Ruleset, Seat

SAME: Ruleset[State, Any, Options] = replace(closed_hands.RULESET, version=2, package=__name__)


def check_pass(state: State, seat: Seat, action: Action) -> None:
    """From the second round on nobody passes."""
    check(state, seat, action)
    if state.round > 1 and isinstance(action, Pass):
        raise IllegalMove("closed_hands.no_pass", "From the second round on nobody passes.")


def legal_without_pass(state: State, seat: Seat) -> LegalActions[Action]:
    """The legal actions of a seat under that rule."""

    def generate() -> Iterator[Action]:
        yield from (action for action in legal(state, seat) if state.round == 1 or not isinstance(action, Pass))

    return LegalActions(generate=generate, check=lambda action: check_pass(state, seat, action))


def apply_without_pass(state: State, given: Input) -> State:
    """The state after an input under that rule."""
    if isinstance(given, Move):
        check_pass(state, given.seat, given.action)
    return closed_hands.RULESET.apply(state, given)


OTHER: Ruleset[State, Any, Options] = replace(SAME, version=3, legal=legal_without_pass, apply=apply_without_pass)


def apply_broken(state: State, given: Input) -> State:
    """A reducer with a fault: it stumbles over the second round."""
    assert state.round < 2
    return closed_hands.RULESET.apply(state, given)


BROKEN: Ruleset[State, Any, Options] = replace(SAME, version=4, apply=apply_broken)


def apply_deadly(state: State, given: Input) -> State:
    """A reducer that takes its process with it, as running out of memory would."""
    os._exit(3)


DEADLY: Ruleset[State, Any, Options] = replace(SAME, version=5, apply=apply_deadly)
