"""The course of the game: who acts next, what each input does, and how it ends."""

from __future__ import annotations

from dataclasses import replace

from closed_hands.legal import check, is_awaited
from closed_hands.state import CARDS, TARGETS, Action, Bid, Hand, Options, State
from moveledger.errors import IllegalMove
from moveledger.rules.kernel import (
    Awaiting,
    Chance,
    Draw,
    Input,
    Leave,
    Move,
    Outcome,
    Over,
    Pick,
    Roll,
    Seat,
    Seats,
    Seed,
    place_by,
)

DICE = 6


def setup(options: Options, seats: int) -> State:
    """A table before the target is set."""
    return State(options.rounds, round=1, target=None, hands=(Hand(),) * seats, tied=(), left=())


def draws(options: Options, seats: int) -> int:
    """The target, and each round a card a seat and a roll; ten times over, for rewinds."""
    return 10 * (1 + options.rounds * (seats + 1))


def awaiting(state: State) -> Awaiting:
    """Chance sets the target, deals and breaks ties; seats choose all at once."""
    if state.over:
        return Over()
    if state.target is None:
        return Chance(Seed(64))
    if state.tied:
        return Chance(Roll(len(state.tied), DICE))
    if _next_without_card(state) is not None:
        return Chance(Pick(1, len(CARDS)))
    return Seats(frozenset(seat for seat in state.present if is_awaited(state, seat)))


def apply(state: State, given: Input) -> State:
    """The state after an input; raises `IllegalMove`."""
    if state.over:
        raise IllegalMove("closed_hands.over", "The game is over.")
    match given:
        case Move(seat, action):
            check(state, seat, action)
            return _close_round(_chosen(state, seat, action))
        case Draw(values):
            return _drawn(state, values)
        case Leave(seat, _):
            return _left(state, seat)


def outcome(state: State) -> Outcome | None:
    """By points; those who left below all others, the last to leave first."""
    if not state.over:
        return None
    stays = [len(state.left) if seat in state.present else state.left.index(Seat(seat)) for seat in _seats(state)]
    points = [hand.points for hand in state.hands]
    keys = [(rank, points[seat] if rank == len(state.left) else 0) for seat, rank in enumerate(stays)]
    return Outcome(place_by(keys), tuple(points), "points" if len(state.present) > 1 else "last_seat")


def next_to_get_a_card(state: State) -> Seat | None:
    """The seat that the next card goes to, if it is cards that are awaited."""
    is_dealing = not state.over and state.target is not None and not state.tied
    return _next_without_card(state) if is_dealing else None


def _seats(state: State) -> range:
    return range(len(state.hands))


def _next_without_card(state: State) -> Seat | None:
    return next((seat for seat in state.present if state.hands[seat].card is None), None)


def _with_hand(state: State, seat: Seat, hand: Hand) -> State:
    return replace(state, hands=(*state.hands[:seat], hand, *state.hands[seat + 1 :]))


def _chosen(state: State, seat: Seat, action: Action) -> State:
    hand = state.hands[seat]
    chosen = replace(hand, bid=action.amount) if isinstance(action, Bid) else replace(hand, passed=True)
    return _with_hand(state, seat, chosen)


def _drawn(state: State, values: tuple[int, ...]) -> State:
    if state.target is None:
        return replace(state, target=1 + (values[0] << 32 | values[1]) % TARGETS)
    if state.tied:
        return _next_round(_with_point(state, state.tied[values.index(max(values))]))
    seat = _next_without_card(state)
    if seat is None:
        raise IllegalMove("closed_hands.no_draw", "Nothing is left to chance now.")
    return _with_hand(state, seat, replace(state.hands[seat], card=CARDS[values[0]]))


def _left(state: State, seat: Seat) -> State:
    if seat not in state.present:
        raise IllegalMove("closed_hands.has_left", "This seat has left before.")
    gone = _with_hand(state, seat, replace(state.hands[seat], card=None, bid=None, passed=False))
    gone = replace(gone, left=(*state.left, seat), tied=tuple(other for other in state.tied if other != seat))
    if len(gone.tied) == 1:
        return _next_round(_with_point(gone, gone.tied[0]))
    if gone.tied:
        return gone
    return replace(gone, hands=tuple(replace(hand, bid=None, passed=False) for hand in gone.hands))


def _close_round(state: State) -> State:
    """When all have chosen: a point for the nearest, or a tie that dice decide."""
    if not all(state.hands[seat].has_chosen for seat in state.present):
        return state
    distances = {seat: distance for seat in state.present if (distance := _distance(state, seat)) is not None}
    nearest = tuple(seat for seat, distance in distances.items() if distance == min(distances.values()))
    if len(nearest) > 1:
        return replace(state, tied=nearest)
    return _next_round(_with_point(state, nearest[0]) if nearest else state)


def _distance(state: State, seat: Seat) -> int | None:
    hand = state.hands[seat]
    if hand.card is None or hand.bid is None or state.target is None:
        return None
    return abs(hand.card + hand.bid - state.target)


def _with_point(state: State, seat: Seat) -> State:
    return _with_hand(state, seat, replace(state.hands[seat], points=state.hands[seat].points + 1))


def _next_round(state: State) -> State:
    hands = tuple(Hand(shown=hand.bid, points=hand.points) for hand in state.hands)
    return replace(state, round=state.round + 1, hands=hands, tied=())
