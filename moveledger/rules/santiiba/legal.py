"""Who is awaited, which actions are legal, and why another is refused. `apply` uses the same check."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NoReturn, assert_never

from moveledger.errors import IllegalMove
from moveledger.rules.kernel import Awaiting, Chance, LegalActions, Over, Pick, Roll, Seat, Seats
from moveledger.rules.santiiba.actions import ACTIONS, Action, Name, Predict, Stop, Take
from moveledger.rules.santiiba.data import KINDS
from moveledger.rules.santiiba.state import State, Turn, cards_left, turn_of, unpredicting


def awaiting(state: State) -> Awaiting:
    """Who acts next: chance for the start seat and the dice, the opponents together, or the active seat."""
    match state.phase:
        case "start":
            return Chance(Pick(count=1, out_of=len(state.seers)))
        case "roll":
            return Chance(Roll(count=len(KINDS), sides=6))
        case "predict":
            return Seats(frozenset(unpredicting(state)))
        case "name" | "take":
            return Seats(frozenset({turn_of(state).seat}))
        case "over":
            return Over()
        case other:
            assert_never(other)


def legal(state: State, seat: Seat) -> LegalActions[Action]:
    """The legal actions of `seat`: kinds in the order of the dice, then stopping."""
    return LegalActions(generate=lambda: _listed(state, seat), check=lambda action: check(state, seat, action))


def _is_awaited(state: State, seat: Seat) -> bool:
    now = awaiting(state)
    return isinstance(now, Seats) and seat in now.seats


def _listed(state: State, seat: Seat) -> Iterator[Action]:
    if not _is_awaited(state, seat):
        return
    turn = turn_of(state)
    if state.phase == "predict":
        yield from (Predict(kind) for kind in KINDS)
    elif turn.pending is None:
        yield from (Name(kind) for kind in KINDS if kind not in turn.named)
        if not turn.must_name:
            yield Stop()
    else:
        yield Take("die")
        if cards_left(state, turn.pending):
            yield Take("card")


# --- refusals ------------------------------------------------------------------------------------------


def refuse(reason: str, detail: str) -> NoReturn:
    """Refuse an input with the rule code `santiiba.<reason>`."""
    raise IllegalMove(f"santiiba.{reason}", detail)


def check(state: State, seat: Seat, action: object) -> None:
    """Raise `IllegalMove` unless `seat` may make `action` now (table "Rule codes")."""
    if not isinstance(action, ACTIONS):
        refuse("unknown_action", "This is no action of this game.")
    _require_seat(state, seat)
    if not _is_awaited(state, seat):
        _refuse_unawaited(state, seat, action)
    turn = turn_of(state)
    match state.phase:
        case "predict":
            if not isinstance(action, Predict):
                refuse("predict_first", "The opponents are setting their predictions.")
        case "name":
            _check_naming(turn, action)
        case _:
            _check_taking(state, turn, action)


def _require_seat(state: State, seat: Seat) -> None:
    if not 0 <= seat < len(state.seers):
        refuse("no_such_seat", "There is no such seat in this game.")
    if state.phase == "over":
        refuse("game_over", "The game has ended.")
    if state.seers[seat].left:
        refuse("seat_has_left", "This seat has left the game.")


def _refuse_unawaited(state: State, seat: Seat, action: object) -> NoReturn:
    if isinstance(action, Predict) and state.turn is not None:
        if seat == state.turn.seat:
            refuse("active_does_not_predict", "The active seat names colours and predicts nothing.")
        if state.turn.predictions[seat] is not None:
            refuse("already_predicted", "This seat has predicted in this turn, and a prediction is final.")
    refuse("not_your_turn", "This seat has no choice to make now.")


def _check_naming(turn: Turn, action: object) -> None:
    match action:
        case Predict():
            refuse("active_does_not_predict", "The active seat names colours and predicts nothing.")
        case Take():
            refuse("nothing_to_take", "No colour is waiting for a choice between die and card.")
        case Name(kind) if kind in turn.named:
            refuse("already_named", "This colour has been named in this turn.")
        case Stop() if not turn.named:
            refuse("name_first", "A turn needs at least one named colour before it can end.")
        case Stop() if turn.must_name:
            refuse("must_name_again", "After a reverse take another colour must be named.")
        case _:
            return


def _check_taking(state: State, turn: Turn, action: object) -> None:
    if isinstance(action, Predict):
        refuse("active_does_not_predict", "The active seat names colours and predicts nothing.")
    if not isinstance(action, Take):
        refuse("take_first", "The die or a card of the named colour must be taken first.")
    if action.item == "card" and turn.pending is not None and not cards_left(state, turn.pending):
        refuse("pile_empty", "There is no card of this colour left.")
