"""What a seat may do: the list of its actions, beside the one check of `checks.py` that refuses all others."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from moveledger.rules.kernel import LegalActions, Seat
from moveledger.rules.shangrila.actions import Action, Pass, PlaceInitial
from moveledger.rules.shangrila.checks import check_action
from moveledger.rules.shangrila.choices import main_actions
from moveledger.rules.shangrila.opening import caps_in_force, placements
from moveledger.rules.shangrila.state import State


def legal(state: State, seat: Seat) -> LegalActions[Any]:
    """The legal actions of a seat; none when it is not the seat's turn."""
    return LegalActions(generate=partial(list_actions, state, seat), check=partial(check_action, state, seat))


def list_actions(state: State, seat: Seat) -> Iterator[Action]:
    """The actions of a seat in a fixed order: placements, students, journeys; the pass alone (ruling 23)."""
    if state.phase == "over" or state.turn != seat:
        return
    if state.phase == "setup":
        caps = caps_in_force(state, seat)
        yield from (PlaceInitial(village, guild) for village, guild in placements(state, seat, caps))
        return
    stuck = True
    for action in main_actions(state, seat):
        stuck = False
        yield action
    if stuck:
        yield Pass()
