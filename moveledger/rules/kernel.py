"""The rules kernel: the values in which a game's rules speak to the service.

A ruleset is one record of pure functions over frozen values. The log holds inputs (moves, draws, departures);
`apply` is the reducer that both refuses and evolves, so each rule is written once and a replay is a
re-validation. Chance is one of those who act: a state that awaits `Chance` is answered by a `Draw`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, Literal, NewType, Protocol, TypeAlias, TypeVar, runtime_checkable

from moveledger.errors import IllegalMove

Seat = NewType("Seat", int)
Json: TypeAlias = "None | bool | int | str | Sequence[Json] | Mapping[str, Json]"
View: TypeAlias = Mapping[str, Json]
Cause: TypeAlias = Literal["resigned", "timed_out", "removed"]


# --- who is looking ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Observer:
    """Who is looking: a seat, the referee (who sees all), or, with neither, a spectator."""

    seat: Seat | None = None
    referee: bool = False


SPECTATOR = Observer()
REFEREE = Observer(referee=True)


# --- what chance is asked ------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Roll:
    """`count` dice with `sides` sides; the answer is `count` numbers 1..sides."""

    count: int
    sides: int


@dataclass(frozen=True, slots=True)
class Pick:
    """`count` distinct numbers of 0..out_of-1, in order: a deal, a shuffle, a draw from a bag."""

    count: int
    out_of: int


@dataclass(frozen=True, slots=True)
class Seed:
    """`bits` (a multiple of 32) of raw material for a generator; the answer is bits/32 numbers below 2^32."""

    bits: int


Request: TypeAlias = Roll | Pick | Seed


# --- who acts next -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Seats:
    """These seats are awaited, each on its own when there are several."""

    seats: frozenset[Seat]


@dataclass(frozen=True, slots=True)
class Chance:
    """Chance is awaited with an answer to `request`."""

    request: Request


@dataclass(frozen=True, slots=True)
class Over:
    """Nobody is awaited: the game has ended."""


Awaiting: TypeAlias = Seats | Chance | Over


# --- what comes in -------------------------------------------------------------------------------------


@runtime_checkable
class Action(Protocol):
    """The content of a move: a frozen dataclass whose class says its `type`, the tag on the wire.

    A field named after a Python keyword carries a trailing underscore, which the wire does not (`from_`).
    Bounds are told by `Annotated[int, Bounds(1, 13)]`, choices by `Literal`.
    """

    type: ClassVar[str]


@dataclass(frozen=True, slots=True)
class Bounds:
    """Annotation of an integer: least and greatest value; of a tuple: least and greatest length."""

    least: int
    most: int


@dataclass(frozen=True, slots=True)
class Move:
    """A seat acts."""

    seat: Seat
    action: Any


@dataclass(frozen=True, slots=True)
class Draw:
    """Chance answers."""

    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Leave:
    """A seat leaves for good."""

    seat: Seat
    cause: Cause


Input: TypeAlias = Move | Draw | Leave


# --- what comes out ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game ended: by seat, `placings` in the form 1, 1, 3 and `scores`; `reason` is a stable word."""

    placings: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str

    @property
    def is_ranking(self) -> bool:
        """Whether the placings are in that form: each is one more than how many are before it (standard competition ranking)."""
        return all(place == 1 + sum(other < place for other in self.placings) for place in self.placings)


@dataclass(frozen=True, slots=True)
class Term:
    """The name of a thing, to be said in the reader's language: a path in the ruleset's `terms.json`."""

    path: str


NoteArgument: TypeAlias = int | str | Term


@dataclass(frozen=True, slots=True)
class Note:
    """One sentence about what happened: a key of the ruleset's `terms.json` under `notes`, and its arguments."""

    key: str
    arguments: Mapping[str, NoteArgument] = field(default_factory=dict)


A = TypeVar("A")
A_co = TypeVar("A_co", covariant=True)
S = TypeVar("S")
O = TypeVar("O")  # noqa: E741 — options


class Legal(Protocol[A_co]):
    """The legal actions of one seat: listed lazily, in a fixed order, and quick to ask `in`."""

    def __iter__(self) -> Iterator[A_co]: ...

    def __contains__(self, action: object, /) -> bool: ...


@dataclass(frozen=True, slots=True)
class LegalActions(Generic[A]):
    """`Legal` made of a generator and the check that `apply` uses too, so that both always agree."""

    generate: Callable[[], Iterator[A]]
    check: Callable[[A], None]

    def __iter__(self) -> Iterator[A]:
        return self.generate()

    def __contains__(self, action: object, /) -> bool:
        try:
            self.check(action)  # type: ignore[arg-type]  # `check` refuses what is no action of this game
        except IllegalMove:
            return False
        return True


def no_actions() -> LegalActions[Any]:
    """What a seat that is not awaited may do: nothing."""

    def refuse(_: Any) -> None:
        raise IllegalMove("not-to-move", "This seat has no choice to make now.")

    return LegalActions(generate=lambda: iter(()), check=refuse)


class Greedy(Protocol):
    """A bot: from what its seat sees and the legal actions as JSON, the index of the one it plays.

    `pick(n)` gives a number 0..n-1 for ties and bluffs.
    """

    def __call__(
        self, view: View, seat: int, actions: Sequence[Mapping[str, Any]], pick: Callable[[int], int], /
    ) -> int: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset(Generic[S, A, O]):
    """The rules of one game: a record of pure functions, pinned to `key@version`.

    `setup` takes no draws. `apply` raises `IllegalMove` with a rule code and never changes its arguments.
    `draws` bounds the draws of a game from above, with room for rewinds. `audience` says who may see an input's
    body: None is everybody, a set of seats seals it for all others until the game is over. A seat may read a draw only if the
    values tell it nothing of what others hold, which an index into what is left would. `view` is built from what may
    be seen, never by deleting. `presets` maps a value of the option `reading` to the options it sets.
    `unofficial_seats` are seat counts that the published game does not have. `hidden` and `chance` say whether
    the game has hidden information and draws. `package` is the import name of the folder with its sources.
    """

    key: str
    version: int
    package: str
    seats: range
    options: type[O]
    actions: tuple[type[Any], ...]
    state: type[S]
    hidden: bool
    chance: bool
    provenance: Mapping[str, Json]
    setup: Callable[[O, int], S]
    awaiting: Callable[[S], Awaiting]
    draws: Callable[[O, int], int]
    legal: Callable[[S, Seat], Legal[A]]
    apply: Callable[[S, Input], S]
    audience: Callable[[S, Input], frozenset[Seat] | None]
    view: Callable[[S, Observer], View]
    outcome: Callable[[S], Outcome | None]
    describe: Callable[[S, Input, S, Observer], tuple[Note, ...]]
    presets: Mapping[str, Mapping[str, Json]] = field(default_factory=dict)
    unofficial_seats: frozenset[int] = frozenset()
    greedy: Greedy | None = None

    @property
    def id(self) -> str:
        """`key@version`, the name under which games are opened and logged."""
        return f"{self.key}@{self.version}"


AnyRuleset: TypeAlias = "Ruleset[Any, Any, Any]"


def place_by(keys: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Placings, by seat, of seats ranked by `keys`, greater is better and equal keys share: 1, 1, 3."""
    return tuple(1 + sum(other > key for other in keys) for key in keys)
