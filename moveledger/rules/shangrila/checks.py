"""The check of an action: silence, or `IllegalMove` with the code of the first rule that it breaks."""

from __future__ import annotations

from collections import Counter
from typing import NoReturn

from moveledger.errors import IllegalMove
from moveledger.rules.kernel import Seat
from moveledger.rules.shangrila.actions import Journey, Pass, PlaceInitial, PlaceMaster, Recruit, Target
from moveledger.rules.shangrila.choices import is_stuck, must_recruit_two
from moveledger.rules.shangrila.data import BRIDGE_BETWEEN, Guild
from moveledger.rules.shangrila.opening import caps_in_force, guilds_to_place
from moveledger.rules.shangrila.state import (
    State,
    has_student_in,
    is_in_play,
    is_open,
    masters_in,
    strength,
    supply_of,
    tile_at,
)


def refuse(reason: str, detail: str, **facts: object) -> NoReturn:
    """Raises the refusal with the code `shangrila.reason`."""
    raise IllegalMove(f"shangrila.{reason}", detail, **facts)


def check_action(state: State, seat: Seat, action: object) -> None:
    """Refuses an action that `seat` may not take now; raises `IllegalMove` with a rule code."""
    require_turn(state, seat)
    match action:
        case PlaceInitial():
            require_phase(state, "setup")
            _check_first_master(state, seat, action)
        case PlaceMaster():
            require_phase(state, "main")
            _check_new_master(state, seat, action)
        case Recruit(targets):
            require_phase(state, "main")
            _check_recruit(state, seat, targets)
        case Journey():
            require_phase(state, "main")
            _check_journey(state, seat, action)
        case Pass():
            require_phase(state, "main")
            if not is_stuck(state, seat):
                refuse("pass_not_allowed", "A seat that can act must act.")
        case _:
            refuse("unknown_action", "This is no action of this game.")


def require_turn(state: State, seat: Seat) -> None:
    """Refuses a seat that is not awaited (ruling 42)."""
    if state.phase == "over":
        refuse("game_over", "The game has ended.")
    if state.turn != seat:
        refuse("not_your_turn", "It is another seat's turn.", turn=state.turn)


def require_phase(state: State, phase: str) -> None:
    """Refuses an action of the other phase."""
    if state.phase != phase:
        refuse("wrong_phase", f"This action belongs to the {phase} phase.", phase=state.phase)


def _require_open_village(state: State, village: int) -> None:
    if not is_in_play(state, village):
        refuse("village_not_in_play", "This village is not part of the game.", village=village)
    if not is_open(state, village):
        refuse("village_closed", "Nothing more can be done in a village with a stone.", village=village)


def _require_empty(state: State, village: int, guild: Guild) -> None:
    if tile_at(state, village, guild) is not None:
        refuse("slot_taken", "The space of this guild is taken.", village=village, guild=guild)


def _check_first_master(state: State, seat: Seat, action: PlaceInitial) -> None:
    """Rulings 27 to 30: each guild once, anywhere, under the caps in force."""
    if action.guild not in guilds_to_place(state, seat):
        refuse("guild_already_placed", "This seat has placed its first master of this guild.", guild=action.guild)
    _require_open_village(state, action.village)
    _require_empty(state, action.village, action.guild)
    caps = caps_in_force(state, seat)
    if strength(state, action.village).masters >= caps.total:
        refuse("setup_cap_total", "This village holds as many first masters as it may.", cap=caps.total)
    if masters_in(state, action.village, seat) >= caps.own:
        refuse("setup_cap_own", "This seat has as many first masters here as it may.", cap=caps.own)


def _check_new_master(state: State, seat: Seat, action: PlaceMaster) -> None:
    """Rulings 15, 31 and 36: company of one's own, an empty space, a tile to lay."""
    _require_open_village(state, action.village)
    if masters_in(state, action.village, seat) == 0:
        refuse("no_own_master", "This seat has no master in this village.", village=action.village)
    _require_empty(state, action.village, action.guild)
    _require_tiles(state, seat, action.guild, 1)


def _require_tiles(state: State, seat: Seat, guild: Guild, needed: int) -> None:
    if supply_of(state, seat, guild) < needed:
        refuse("supply_empty", "This seat has too few tiles of this guild.", guild=guild, needed=needed)


def _check_recruit(state: State, seat: Seat, targets: tuple[Target, ...]) -> None:
    """Rulings 5 to 8: one or two targets, different ones, each an own master without a student."""
    if not targets:
        refuse("no_targets", "A student needs a master.")
    if len(targets) > 2:
        refuse("too_many_targets", "A turn brings two students at most.")
    if len(set(targets)) != len(targets):
        refuse("duplicate_target", "Two students need two masters.")
    for target in targets:
        _check_target(state, seat, target)
    for guild, needed in Counter(target.guild for target in targets).items():
        _require_tiles(state, seat, guild, needed)
    if len(targets) == 1 and must_recruit_two(state, seat):
        refuse("two_students_required", "Where two students are possible, one is too few.")


def _check_target(state: State, seat: Seat, target: Target) -> None:
    _require_open_village(state, target.village)
    tile = tile_at(state, target.village, target.guild)
    where = {"village": target.village, "guild": target.guild}
    if tile is None:
        refuse("no_master_there", "No master is on this space.", **where)
    if tile.owner != seat:
        refuse("not_your_master", "This master belongs to another seat.", **where)
    if tile.student:
        refuse("already_has_student", "This master has a student.", **where)


def _check_journey(state: State, seat: Seat, action: Journey) -> None:
    """Rulings 9 and 14: a bridge that stands, and a student of one's own to cross it."""
    if BRIDGE_BETWEEN.get((action.from_, action.to)) not in state.bridges:
        refuse("no_bridge", "No bridge stands between these villages.", **{"from": action.from_, "to": action.to})
    if not has_student_in(state, action.from_, seat):
        refuse("no_own_student", "This seat has no student in this village.", village=action.from_)
