"""What an observer may know of a game, built from what may be seen (table "What a seat may know").

Only predictions are hidden: a closed crystal ball is seen by its own seat and the referee, by everybody once it
is hit or the game is over. That a seat has predicted is public.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from moveledger.rules.encoding import encode
from moveledger.rules.kernel import Json, Observer, Seat, Seats, View
from moveledger.rules.santiiba.data import COMPONENTS, KINDS, VALUES
from moveledger.rules.santiiba.legal import awaiting
from moveledger.rules.santiiba.score import final_position, guards_of, losers, outcome
from moveledger.rules.santiiba.state import Counts, State, Summary, Turn, face_of, hit_kind


def view(state: State, observer: Observer) -> View:
    """The game as `observer` sees it: plain JSON, seats and scorings as lists by seat, kinds in dice order."""
    now = awaiting(state)
    return {
        "options": encode(state.options),
        "data_version": COMPONENTS.data_version,
        "phase": state.phase,
        "awaited": sorted(now.seats) if isinstance(now, Seats) else [],
        "start": state.start,
        "track": _track(),
        "kinds": _kinds(state),
        "guards": [encode(guard) for guard in guards_of(state)],
        "seats": [_seat(state, Seat(at), observer) for at in range(len(state.seers))],
        "turn": None if state.turn is None else _turn(state, state.turn),
        "last_turn": None if state.last is None else _summary(state.last),
        "scoring": _scoring(state),
        "outcome": _outcome(state),
    }


def may_see_prediction(state: State, observer: Observer, seat: Seat) -> bool:
    """Whether `observer` may see what `seat` predicted in this turn, hit or not."""
    turn = state.turn
    opened = state.phase == "over" or (turn is not None and hit_kind(turn, seat) is not None)
    return opened or observer.referee or observer.seat == seat


# --- parts ---------------------------------------------------------------------------------------------


def _track() -> Json:
    track = COMPONENTS.track
    shrines = [{"id": shrine.id, "space": shrine.space} for shrine in track.landmarks]
    return {"start": track.start, "trigger": track.trigger, "castle": track.castle, "landmarks": shrines}


def _kinds(state: State) -> list[Json]:
    return [
        {"id": kind.id, "colour": kind.colour, "value": kind.value, "count": kind.count, "pile": left}
        for kind, left in zip(COMPONENTS.kinds, state.piles, strict=True)
    ]


def _by_kind(counts: Counts) -> dict[str, int]:
    named: dict[str, int] = dict(zip(KINDS, counts, strict=True))
    return named


def _seat(state: State, seat: Seat, observer: Observer) -> Json:
    seer, turn = state.seers[seat], state.turn
    made = None if turn is None else turn.predictions[seat]
    return {
        "seat": seat,
        "position": final_position(state, seat),
        "cards": _by_kind(seer.cards),
        "card_points": sum(count * value for count, value in zip(seer.cards, VALUES, strict=True)),
        "left": seer.left or None,
        "predicted": made is not None,
        "hit": None if turn is None else hit_kind(turn, seat),
        "prediction": made if may_see_prediction(state, observer, seat) else None,
    }


def _turn(state: State, turn: Turn) -> Json:
    dice: Mapping[str, Any] | None = dict(zip(KINDS, turn.dice, strict=True)) if turn.dice else None
    return {
        "number": turn.number,
        "limit": COMPONENTS.turn_limit,
        "seat": turn.seat,
        "dice": dice,
        "named": list(turn.named),
        "max_named": COMPONENTS.max_named,
        "hits": [encode(hit) for hit in turn.hits],
        "area": {
            "cards": list(turn.area_cards),
            "dice": [{"kind": kind, "face": face_of(turn, kind)} for kind in turn.area_dice],
            "steps": sum(face_of(turn, kind) for kind in turn.area_dice),
        },
        "must_name": state.phase == "name" and turn.must_name,
        "pending": turn.pending,
    }


def _summary(last: Summary) -> Json:
    found: Json = encode(last)
    return found


def _scoring(state: State) -> Json:
    if state.scorings is None:
        return None
    fewest = {guard.guard: losers(state, guard.guard) for guard in guards_of(state)}
    return {
        "fewest": [{"kind": kind, "seats": list(seats)} for kind, seats in fewest.items()],
        "seats": [
            {"from": seer.position, **encode(scoring)}
            for seer, scoring in zip(state.seers, state.scorings, strict=True)
        ],
    }


def _outcome(state: State) -> Json:
    found = outcome(state)
    if found is None:
        return None
    return {"placings": list(found.placings), "scores": list(found.scores), "reason": found.reason}
