"""The components: kinds, dice, track, card counts and points, read from `santiiba.json` (section "Components").

A publisher who holds the real figures ships a file of the same shape with a ruleset of its own version.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib import resources
from typing import Annotated, Any, Literal

from moveledger.rules.encoding import decode
from moveledger.rules.kernel import Bounds
from moveledger.rules.santiiba.actions import Kind

Face = Annotated[int, Bounds(1, 6)]
Count = Annotated[int, Bounds(0, 10_000)]
Landmark = Literal["intuition", "high_solemnity", "near_triumph", "master_seer"]


@dataclass(frozen=True, slots=True)
class KindOfCard:
    """One kind: its pile holds `count` cards of `value` points each; or `values` lists the cards one by one."""

    id: Kind
    colour: str
    count: Count = 0
    value: Count = 0
    values: tuple[Count, ...] = ()


@dataclass(frozen=True, slots=True)
class Shrine:
    """A named space of the dark half of the track; it has no effect (ruling R16)."""

    id: Landmark
    space: Count


@dataclass(frozen=True, slots=True)
class Track:
    """Where seers start, which space brings the end, and where the castle stands."""

    start: Count
    trigger: Count
    castle: Count
    landmarks: tuple[Shrine, ...]


@dataclass(frozen=True, slots=True)
class Guard:
    """Who has the fewest cards of kind `guard` may not count kind `guarded` (ruling R8d)."""

    guard: Kind
    guarded: Kind


@dataclass(frozen=True, slots=True)
class Guards:
    """The two ways to read which kinds are neighbours, by the value of the option `guards`."""

    pairs: tuple[Guard, ...]
    ring: tuple[Guard, ...]


@dataclass(frozen=True, slots=True)
class Components:
    """A whole data file. The order of `kinds` is the order of the dice in a draw."""

    data_version: str
    track: Track
    star_faces: tuple[Face, ...]
    max_named: Annotated[int, Bounds(1, 4)]
    turn_limit: Annotated[int, Bounds(1, 100_000)]
    consolation_kind: Kind
    tie_break_kind: Kind
    guards: Guards
    kinds: tuple[KindOfCard, ...]


def read_components(raw: Mapping[str, Any]) -> Components:
    """The components in a data file; raises `MalformedValue` for its shape and `ValueError` for what it says.

    `values` may stand in place of `count` and `value`, but all cards of one kind must be worth the same
    (ruling X8): boards and piles are numbers of cards, and no pile has an order.
    """
    found = decode(Components, {name: part for name, part in raw.items() if name != "provenance"})
    if len(found.kinds) != 5 or len({kind.id for kind in found.kinds}) != 5:
        raise ValueError("a data file lists each of the five kinds once")
    return replace(found, kinds=tuple(_counted(kind) for kind in found.kinds))


def _counted(kind: KindOfCard) -> KindOfCard:
    if not kind.values:
        return kind
    if kind.count or kind.value:
        raise ValueError(f"{kind.id}: give either values, or count and value")
    if len(set(kind.values)) > 1:
        raise ValueError(f"{kind.id}: cards of one kind must all be worth the same; this file has {kind.values}")
    return replace(kind, count=len(kind.values), value=kind.values[0], values=())


RAW: Mapping[str, Any] = json.loads(
    resources.files("moveledger.rules.santiiba").joinpath("santiiba.json").read_text(encoding="utf-8")
)
COMPONENTS = read_components(RAW)
KINDS: tuple[Kind, ...] = tuple(kind.id for kind in COMPONENTS.kinds)
INDEX: Mapping[Kind, int] = {kind: at for at, kind in enumerate(KINDS)}
VALUES: tuple[int, ...] = tuple(kind.value for kind in COMPONENTS.kinds)
TRIGGER, CASTLE = COMPONENTS.track.trigger, COMPONENTS.track.castle


def shows_stars(face: int) -> bool:
    """Whether a die's face has stars, so that its normal reward is movement and not a card."""
    return face in COMPONENTS.star_faces
