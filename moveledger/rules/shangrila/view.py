"""What an observer sees: everything, for nothing is hidden in this game (ruling 42)."""

from __future__ import annotations

from dataclasses import asdict

from moveledger.rules.encoding import encode
from moveledger.rules.kernel import Json, Observer, Seat, View
from moveledger.rules.shangrila.data import BRIDGES, CANVAS, GUILD_GRID, GUILDS, SITES, Bridge, Site
from moveledger.rules.shangrila.opening import NO_CAPS, caps_in_force, guilds_to_place
from moveledger.rules.shangrila.state import (
    State,
    is_in_play,
    is_open,
    open_villages,
    score_of,
    strength,
    students_of,
    supply_of,
    tile_at,
    villages_of,
)


def view(state: State, observer: Observer) -> View:  # noqa: ARG001 — every observer sees the same
    """The public picture: map, villages with their spaces, bridges, supplies, whose turn, the last journey."""
    return {
        "options": encode(state.options),
        "phase": state.phase,
        "turn": None if state.phase == "over" else state.turn,
        "canvas": dict(CANVAS),
        "guilds": list(GUILDS),
        "guild_grid": [list(row) for row in GUILD_GRID],
        "villages": [_village(state, site) for site in SITES],
        "bridges": [_bridge(state, bridge) for bridge in BRIDGES],
        "seats": [_seat(state, Seat(number)) for number in range(state.seats)],
        "open_villages": len(open_villages(state)),
        "setup_caps": _caps(state),
        "passed": list(state.passed),
        "left": list(state.left),
        "last_journey": encode(state.last_journey),
        "ended": state.ended,
    }


def _village(state: State, site: Site) -> Json:
    strong = strength(state, site.id)
    return {
        **asdict(site),
        "in_play": is_in_play(state, site.id),
        "stone": not is_open(state, site.id),
        "tiles": strong.tiles,
        "masters": strong.masters,
        "slots": {guild: encode(tile_at(state, site.id, guild)) for guild in GUILDS},
    }


def _bridge(state: State, bridge: Bridge) -> Json:
    return {
        "id": bridge.id,
        "a": bridge.a,
        "b": bridge.b,
        "gap": list(bridge.gap),
        "stands": bridge.id in state.bridges,
    }


def _seat(state: State, seat: Seat) -> Json:
    return {
        "seat": seat,
        "left": seat in state.left,
        "masters": score_of(state, seat),
        "villages": villages_of(state, seat),
        "students": students_of(state, seat),
        "supply": {guild: supply_of(state, seat, guild) for guild in GUILDS},
        "to_place": list(guilds_to_place(state, seat)) if state.phase == "setup" else [],
    }


def _caps(state: State) -> Json:
    """The caps on the placement that is awaited; null when there is none, or nothing caps it."""
    if state.phase != "setup":
        return None
    caps = caps_in_force(state, state.turn)
    return None if caps == NO_CAPS else {"total": caps.total, "own": min(caps.own, caps.total)}
