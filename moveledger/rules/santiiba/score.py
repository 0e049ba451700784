"""Final scoring, and how the game ended (section "End and scoring", rulings R8 to R11)."""

from __future__ import annotations

from moveledger.rules.kernel import Outcome, Seat, place_by
from moveledger.rules.santiiba.actions import Kind
from moveledger.rules.santiiba.data import CASTLE, COMPONENTS, INDEX, KINDS, VALUES, Guard
from moveledger.rules.santiiba.state import Scoring, State, staying


def score_all(state: State) -> tuple[Scoring, ...]:
    """The final scoring of every seat; who has left counts no cards and is compared with nobody (ruling X5)."""
    return tuple(_score(state, Seat(at)) for at in range(len(state.seers)))


def guards_of(state: State) -> tuple[Guard, ...]:
    """Which kind guards which in this game (ruling R8d)."""
    return COMPONENTS.guards.ring if state.options.guards == "ring" else COMPONENTS.guards.pairs


def losers(state: State, guard: Kind) -> tuple[Seat, ...]:
    """The seats with the fewest cards of `guard`, bowls breaking ties (rulings R8, R8a, R8b)."""
    bowls = INDEX[COMPONENTS.tie_break_kind]
    keys = {seat: (state.seers[seat].cards[INDEX[guard]], state.seers[seat].cards[bowls]) for seat in staying(state)}
    least = min(keys.values())
    found = tuple(seat for seat, key in keys.items() if key == least)
    return () if len(found) > 1 and state.options.unresolved_minimum == "none" else found


def _score(state: State, seat: Seat) -> Scoring:
    seer = state.seers[seat]
    if seer.left:
        return Scoring(lost=(), points=0, total=seer.position, final=seer.position)
    lost = tuple(guard.guarded for guard in guards_of(state) if seat in losers(state, guard.guard))
    points = sum(
        count * value for kind, count, value in zip(KINDS, seer.cards, VALUES, strict=True) if kind not in lost
    )
    total = seer.position + points
    return Scoring(lost=lost, points=points, total=total, final=min(total, CASTLE))


# --- the outcome ---------------------------------------------------------------------------------------


def final_position(state: State, seat: Seat) -> int:
    """Where a seer stands: after the final scoring where its points took it, before that where its dice did."""
    return state.scorings[seat].final if state.scorings else state.seers[seat].position


def outcome(state: State) -> Outcome | None:
    """Placings and final positions when the game is over; `reason` is castle, furthest or last_seat.

    Seats in the castle win together whatever their sums (ruling R11); equal seers below it share a place unless
    `final_tie` asks for bowls (ruling R10); who left comes last, later departures first (ruling X6).
    """
    if state.phase != "over":
        return None
    seats = tuple(Seat(at) for at in range(len(state.seers)))
    scores = tuple(final_position(state, seat) for seat in seats)
    return Outcome(placings=place_by([_rank(state, seat) for seat in seats]), scores=scores, reason=_reason(state))


def _rank(state: State, seat: Seat) -> tuple[int, ...]:
    seer, final = state.seers[seat], final_position(state, seat)
    if seer.left:
        return 0, seer.left, 0
    by_bowls = state.options.final_tie == "bowls" and final < CASTLE
    return 1, final, seer.cards[INDEX[COMPONENTS.tie_break_kind]] if by_bowls else 0


def _reason(state: State) -> str:
    if state.scorings is None:
        return "last_seat"
    in_castle = any(state.scorings[seat].final >= CASTLE for seat in staying(state))
    return "castle" if in_castle else "furthest"
