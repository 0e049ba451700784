"""The state of a game, and what can be asked of it without judging a move."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from moveledger.rules.kernel import Seat
from moveledger.rules.santiiba.actions import Kind
from moveledger.rules.santiiba.data import COMPONENTS, INDEX, KINDS
from moveledger.rules.santiiba.options import Options

Phase: TypeAlias = Literal["start", "roll", "predict", "name", "take", "over"]
Ending: TypeAlias = Literal["stopped", "four_named", "bust", "left", "cut_short"]
Counts: TypeAlias = tuple[int, int, int, int, int]
"""Numbers of cards, by kind in the order of `KINDS`."""


@dataclass(frozen=True, slots=True)
class Seer:
    """A seat's figure and oracle board. `left` is 0, or n for the n-th seat that left the game."""

    position: int
    cards: Counts
    left: int


@dataclass(frozen=True, slots=True)
class Hit:
    """A seat whose prediction of `kind` came true in this turn."""

    seat: Seat
    kind: Kind


@dataclass(frozen=True, slots=True)
class Turn:
    """A turn of `seat`. `dice` is empty before the roll; `predictions` is by seat and hidden until hit."""

    number: int
    seat: Seat
    dice: tuple[int, ...]
    predictions: tuple[Kind | None, ...]
    hits: tuple[Hit, ...]
    named: tuple[Kind, ...]
    area_cards: tuple[Kind, ...]
    area_dice: tuple[Kind, ...]
    must_name: bool
    pending: Kind | None


@dataclass(frozen=True, slots=True)
class Summary:
    """What a finished turn came to, all of it public: `cards` and `steps` are what the active seat gained."""

    number: int
    seat: Seat
    ending: Ending
    named: tuple[Kind, ...]
    hits: tuple[Hit, ...]
    cards: tuple[Kind, ...]
    steps: int


@dataclass(frozen=True, slots=True)
class Scoring:
    """The final scoring of a seat: kinds it may not count, points of its other cards, the sum, and where it ends."""

    lost: tuple[Kind, ...]
    points: int
    total: int
    final: int


@dataclass(frozen=True, slots=True)
class State:
    """A game. `start` and `turn` are None until the start seat is drawn; `scorings` until the final scoring."""

    options: Options
    phase: Phase
    seers: tuple[Seer, ...]
    piles: Counts
    start: Seat | None
    turn: Turn | None
    last: Summary | None
    scorings: tuple[Scoring, ...] | None


def setup(options: Options, seats: int) -> State:
    """A fresh game: seers on the start space, empty boards, full piles; the start seat is yet to be drawn."""
    seer = Seer(position=COMPONENTS.track.start, cards=(0, 0, 0, 0, 0), left=0)
    herbs, amulets, scorpions, elixirs, bowls = (kind.count for kind in COMPONENTS.kinds)
    return State(
        options=options,
        phase="start",
        seers=(seer,) * seats,
        piles=(herbs, amulets, scorpions, elixirs, bowls),
        start=None,
        turn=None,
        last=None,
        scorings=None,
    )


def fresh_turn(state: State, seat: Seat, number: int) -> Turn:
    """The turn of `seat` before its roll."""
    return Turn(
        number=number,
        seat=seat,
        dice=(),
        predictions=(None,) * len(state.seers),
        hits=(),
        named=(),
        area_cards=(),
        area_dice=(),
        must_name=True,
        pending=None,
    )


# --- questions -----------------------------------------------------------------------------------------


def turn_of(state: State) -> Turn:
    """The turn that is being played; there is one from the draw of the start seat on."""
    assert state.turn is not None
    return state.turn


def staying(state: State) -> tuple[Seat, ...]:
    """The seats still in the game, in order."""
    return tuple(Seat(at) for at, seer in enumerate(state.seers) if not seer.left)


def clockwise(state: State, seat: Seat) -> Iterator[Seat]:
    """The other seats still in, from the left neighbour of `seat` on (ruling R13)."""
    count = len(state.seers)
    others = (Seat((seat + step) % count) for step in range(1, count))
    return (other for other in others if not state.seers[other].left)


def hit_kind(turn: Turn, seat: Seat) -> Kind | None:
    """The kind by which a seat was hit in this turn, if it was."""
    return next((hit.kind for hit in turn.hits if hit.seat == seat), None)


def unpredicting(state: State) -> tuple[Seat, ...]:
    """The opponents of the active seat whose prediction is still awaited, in clockwise order."""
    turn = turn_of(state)
    return tuple(seat for seat in clockwise(state, turn.seat) if turn.predictions[seat] is None)


def unhit(state: State) -> tuple[Seat, ...]:
    """The opponents still in whose crystal ball is still closed, in clockwise order."""
    turn = turn_of(state)
    return tuple(seat for seat in clockwise(state, turn.seat) if hit_kind(turn, seat) is None)


def face_of(turn: Turn, kind: Kind) -> int:
    """What the die of `kind` shows."""
    return turn.dice[INDEX[kind]]


def cards_left(state: State, kind: Kind) -> int:
    """How many cards the pile of `kind` holds."""
    return state.piles[INDEX[kind]]


# --- small changes -------------------------------------------------------------------------------------


def counted(counts: Counts, kind: Kind, change: int) -> Counts:
    """`counts` with `change` more cards of `kind`."""
    herbs, amulets, scorpions, elixirs, bowls = (
        count + change if at == kind else count for at, count in zip(KINDS, counts, strict=True)
    )
    return herbs, amulets, scorpions, elixirs, bowls


def with_seer(state: State, seat: Seat, seer: Seer) -> State:
    """`state` with the figure and board of `seat` replaced."""
    return replace(state, seers=(*state.seers[:seat], seer, *state.seers[seat + 1 :]))
