"""Which actions are legal: for each phase how to list them, and the check of each type of action that `apply` uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from moveledger.rules.desertsons import actions as act
from moveledger.rules.desertsons import choices, travel
from moveledger.rules.desertsons.refusal import refusal
from moveledger.rules.desertsons.state import Phase, State, chooser
from moveledger.rules.kernel import LegalActions, Seat

Check = Callable[[State, Any], None]


def _always(_: State, __: Any) -> None:
    """No more is asked than that the phase knows the action."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One phase's choice: how to list it, and the checks by type of action."""

    generate: Callable[[State], Iterator[act.Action]]
    checks: Mapping[type[Any], Check]


_MOVING = Choice(travel.list_moves, {act.MoveCaravan: travel.check_move})
_CHOICES: Mapping[Phase, Choice] = {
    "move": _MOVING,
    "move_again": _MOVING,
    "explore": Choice(
        travel.list_explorations,
        {
            act.DrawTile: travel.check_draw,
            act.LayOwn: travel.check_own,
            act.TakeTile: travel.check_take,
            act.NoExplore: travel.check_no_explore,
        },
    ),
    "place": Choice(travel.list_placements, {act.PlaceTile: travel.check_place}),
    "figure": Choice(
        choices.list_figures,
        {
            act.PlaceFigure: choices.check_place_figure,
            act.RemoveFigure: choices.check_remove_figure,
            act.SkipFigure: _always,
        },
    ),
    "pick": Choice(choices.list_picks, {act.PickSymbol: choices.check_pick, act.PassPick: _always}),
    "assign": Choice(
        choices.list_rumour_places,
        {act.AssignRumour: choices.check_assign, act.ReturnRumour: choices.check_return},
    ),
    "peek": Choice(choices.list_peeks, {act.PeekRumour: choices.check_peek}),
    "decide": Choice(choices.list_verdicts, {act.KeepRumour: _always, act.RemoveRumour: _always}),
    "bonus": Choice(choices.list_bonus, {act.BuyBonus: _always, act.EndTurn: _always}),
}


def legal(state: State, seat: Seat) -> LegalActions[act.Action]:
    """What a seat may do now; nothing when it is not awaited."""
    if chooser(state) != seat:
        return LegalActions(generate=lambda: iter(()), check=partial(_refuse, state))
    return LegalActions(generate=partial(_CHOICES[state.phase].generate, state), check=partial(_check, state))


def _check(state: State, action: Any) -> None:
    check = _CHOICES[state.phase].checks.get(type(action))
    if check is None:
        raise refusal("wrong_phase", "Something else is to be decided now.")
    check(state, action)


def _refuse(state: State, _: Any) -> None:
    if state.phase == "over":
        raise refusal("game_over", "The game has ended.")
    raise refusal("not_your_turn", "This seat has no choice to make now.")
