"""The journey: all students of a village cross a bridge, settle, oust, join or are turned away; the bridge goes."""

from __future__ import annotations

from dataclasses import replace

from moveledger.rules.kernel import Seat
from moveledger.rules.shangrila.actions import Journey
from moveledger.rules.shangrila.data import BRIDGE_BETWEEN, GUILDS, Guild
from moveledger.rules.shangrila.state import (
    Fate,
    JourneyReport,
    State,
    Strength,
    Tile,
    is_open,
    strength,
    tile_at,
    with_supply,
    with_tile,
)


def travel(state: State, seat: Seat, journey: Journey) -> State:
    """The state after a legal journey, with its report; the end of the game is not looked at here.

    The strengths are taken before anyone moves (rulings 3 and 4); every seat's students go (ruling 10), and since
    each guild has one space in a village, no two of them meet (ruling 13).
    """
    source, destination = strength(state, journey.from_), strength(state, journey.to)
    stronger = is_stronger(source, destination)
    fates: list[Fate] = []
    for guild in GUILDS:
        tile = tile_at(state, journey.from_, guild)
        if tile is not None and tile.student:
            state = with_tile(state, journey.from_, guild, Tile(tile.owner, student=False))
            fate = judge(state, owner=tile.owner, guild=guild, village=journey.to, stronger=stronger)
            state = _arrive(state, fate, journey.to)
            fates.append(fate)
    gone = BRIDGE_BETWEEN[journey.from_, journey.to]
    state = replace(state, bridges=tuple(bridge for bridge in state.bridges if bridge != gone))
    report = JourneyReport(
        seat=seat,
        from_=journey.from_,
        to=journey.to,
        source=source,
        destination=destination,
        source_is_stronger=stronger,
        fates=tuple(fates),
        closed=tuple(village for village in sorted((journey.from_, journey.to)) if not is_open(state, village)),
    )
    return replace(state, last_journey=report)


def is_stronger(source: Strength, destination: Strength) -> bool:
    """Whether the source is the stronger village: more tiles, then more masters, and not when both are equal."""
    return (source.tiles, source.masters) > (destination.tiles, destination.masters)


def judge(state: State, *, owner: Seat, guild: Guild, village: int, stronger: bool) -> Fate:
    """What becomes of a traveller of `owner` that reaches `village` (rulings 1, 2, 11, 37 and 38)."""
    there = tile_at(state, village, guild)
    if there is None:
        return Fate(guild, owner, "settled", None, 0)
    if not stronger:
        return Fate(guild, owner, "turned_away", None, 1)
    if there.owner != owner or state.options.own_master_rule == "seed_literal":
        return Fate(guild, owner, "ousted", there.owner, 2 if there.student else 1)
    if there.student:
        return Fate(guild, owner, "slot_full", None, 1)
    return Fate(guild, owner, "joined", None, 0)


def _arrive(state: State, fate: Fate, village: int) -> State:
    """The traveller's space and the supplies after its fate."""
    returned_to = fate.owner if fate.ousted is None else fate.ousted
    if fate.returned:
        state = with_supply(state, returned_to, fate.guild, fate.returned)
    match fate.kind:
        case "settled" | "ousted":
            return with_tile(state, village, fate.guild, Tile(fate.owner, student=False))
        case "joined":
            return with_tile(state, village, fate.guild, Tile(fate.owner, student=True))
        case "turned_away" | "slot_full":
            return state
