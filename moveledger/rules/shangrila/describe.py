"""What happened, as notes in the reader's language: the action, each traveller, stones, phases, the end and scores."""

from __future__ import annotations

from typing import assert_never

from moveledger.rules.kernel import Draw, Input, Leave, Move, Note, Observer, Seat, Term
from moveledger.rules.shangrila.actions import Action, Journey, Pass, PlaceInitial, PlaceMaster, Recruit, in_order
from moveledger.rules.shangrila.data import CAPS
from moveledger.rules.shangrila.opening import caps_in_force
from moveledger.rules.shangrila.score import outcome
from moveledger.rules.shangrila.state import Fate, JourneyReport, State, villages_of


def describe(before: State, given: Input, after: State, observer: Observer) -> tuple[Note, ...]:  # noqa: ARG001 — nothing is hidden
    """The notes on one input, the same for every observer."""
    match given:
        case Move(seat, action):
            notes = _action(before, after, seat, action)
        case Leave(seat, cause):
            notes = [Note("left", {"seat": _seat(seat), "cause": Term(f"cause.{cause}")})]
        case Draw():
            notes = []
        case _:
            assert_never(given)
    if before.phase == "setup" and after.phase == "main":
        notes.append(Note("main_begins", {"seat": _seat(after.turn)}))
    return (*notes, *_end(after))


def _seat(seat: int) -> Term:
    return Term(f"seat.{seat}")


def _village(village: int) -> Term:
    return Term(f"village.{village}")


def _guild(guild: str) -> Term:
    return Term(f"guild.{guild}")


def _action(before: State, after: State, seat: Seat, action: Action) -> list[Note]:
    match action:
        case PlaceInitial(village, guild):
            placed = {"seat": _seat(seat), "village": _village(village), "guild": _guild(guild)}
            return [Note("placed_initial", placed), *_relaxed(before, seat)]
        case PlaceMaster(village, guild):
            return [Note("placed_master", {"seat": _seat(seat), "village": _village(village), "guild": _guild(guild)})]
        case Recruit():
            return [_recruit(seat, action)]
        case Journey():
            return _journey(after.last_journey) if after.last_journey else []
        case Pass():
            return [Note("passed", {"seat": _seat(seat)})]
        case _:
            assert_never(action)


def _relaxed(before: State, seat: Seat) -> list[Note]:
    """A word on a cap that gave way (ruling 27)."""
    if not before.options.setup_caps:
        return []
    caps, full = caps_in_force(before, seat), CAPS[before.seats]
    if caps == full:
        return []
    return [Note("cap_own_relaxed" if caps.total == full.total else "caps_relaxed", {"seat": _seat(seat)})]


def _recruit(seat: Seat, action: Recruit) -> Note:
    targets = in_order(action.targets)
    first = {"seat": _seat(seat), "village": _village(targets[0].village), "guild": _guild(targets[0].guild)}
    if len(targets) == 1:
        return Note("recruited_one", first)
    return Note(
        "recruited_two",
        {**first, "village_2": _village(targets[1].village), "guild_2": _guild(targets[1].guild)},
    )


def _journey(report: JourneyReport) -> list[Note]:
    ends = {"source": _village(report.from_), "destination": _village(report.to)}
    strengths = {
        "source_tiles": report.source.tiles,
        "source_masters": report.source.masters,
        "destination_tiles": report.destination.tiles,
        "destination_masters": report.destination.masters,
    }
    return [
        Note("journey", {"seat": _seat(report.seat), **ends}),
        Note("source_stronger" if report.source_is_stronger else "destination_stronger", {**ends, **strengths}),
        *(_fate(fate, report.to) for fate in report.fates),
        Note("bridge_gone", ends),
        *(Note("stone", {"village": _village(village)}) for village in report.closed),
    ]


def _fate(fate: Fate, village: int) -> Note:
    facts: dict[str, int | str | Term] = {
        "owner": _seat(fate.owner),
        "guild": _guild(fate.guild),
        "village": _village(village),
    }
    if fate.ousted is not None:
        facts |= {"ousted": _seat(fate.ousted), "returned": fate.returned}
    return Note(fate.kind, facts)


def _end(after: State) -> list[Note]:
    ended = outcome(after)
    if ended is None:
        return []
    notes = [Note(f"end_{ended.reason}")]
    for number, (place, score) in enumerate(zip(ended.placings, ended.scores, strict=True)):
        villages = villages_of(after, Seat(number))
        notes.append(Note("score", {"seat": _seat(number), "score": score, "villages": villages, "place": place}))
    return notes
