"""What a naming brings, and the ways in which a turn ends (sections "The turn" and rulings R1 to R6c)."""

from __future__ import annotations

from dataclasses import replace

from moveledger.rules.kernel import Seat
from moveledger.rules.santiiba.actions import Item, Kind
from moveledger.rules.santiiba.data import CASTLE, COMPONENTS, TRIGGER, shows_stars
from moveledger.rules.santiiba.end import end_turn, trigger_reached
from moveledger.rules.santiiba.state import (
    Ending,
    Hit,
    State,
    Summary,
    Turn,
    cards_left,
    counted,
    face_of,
    turn_of,
    unhit,
    with_seer,
)


def name_kind(state: State, kind: Kind) -> State:
    """The active seat names `kind`: whoever predicted it is rewarded at once, then the active seat takes or busts."""
    turn = turn_of(state)
    caught = tuple(seat for seat in unhit(state) if turn.predictions[seat] == kind)
    hits = (*turn.hits, *(Hit(seat, kind) for seat in caught))
    state = replace(state, turn=replace(turn, named=(*turn.named, kind), hits=hits))
    if not caught:
        return replace(state, phase="take", turn=replace(turn_of(state), pending=kind))
    for seat in caught:
        state = _reward(state, seat, kind)
    if state.options.end_trigger == "immediate" and trigger_reached(state):
        return _close(clear_area(state), "cut_short")
    if not unhit(state):
        return _bust(state)
    return _collect(state, kind, _normal_item(turn, kind), must_name=False)


def take_item(state: State, item: Item) -> State:
    """The active seat takes its choice of the colour that nobody predicted; a reverse take binds it to go on."""
    turn = turn_of(state)
    kind = turn.pending
    assert kind is not None
    return _collect(state, kind, item, must_name=item != _normal_item(turn, kind))


def bank(state: State, ending: Ending) -> State:
    """What lies in the area is safe: cards to the board, the seer forward by the sum of the dice."""
    turn = turn_of(state)
    steps = sum(face_of(turn, kind) for kind in turn.area_dice)
    seer = state.seers[turn.seat]
    cards = seer.cards
    for kind in turn.area_cards:
        cards = counted(cards, kind, 1)
    seer = replace(seer, cards=cards, position=_forward(state, seer.position, steps))
    state = replace(with_seer(state, turn.seat, seer), turn=replace(turn, area_cards=(), area_dice=()))
    return _close(state, ending, cards=turn.area_cards, steps=steps)


def forfeit(state: State) -> State:
    """The active seat has left: its turn ends here and its area is lost without consolation (ruling X2)."""
    return _close(clear_area(state), "left")


def clear_area(state: State) -> State:
    """The area's cards go back to their piles and its dice away (ruling R5i)."""
    turn, piles = turn_of(state), state.piles
    for kind in turn.area_cards:
        piles = counted(piles, kind, 1)
    return replace(state, piles=piles, turn=replace(turn, area_cards=(), area_dice=(), pending=None))


# --- parts ---------------------------------------------------------------------------------------------


def _normal_item(turn: Turn, kind: Kind) -> Item:
    return "die" if shows_stars(face_of(turn, kind)) else "card"


def _reward(state: State, seat: Seat, kind: Kind) -> State:
    """The normal reward of the die, on the seat's own track and board at once (rulings R5f, R5g, R6)."""
    turn, seer = turn_of(state), state.seers[seat]
    if _normal_item(turn, kind) == "die":
        return with_seer(state, seat, replace(seer, position=_forward(state, seer.position, face_of(turn, kind))))
    return _give_card(state, seat, kind)


def _give_card(state: State, seat: Seat, kind: Kind) -> State:
    if not cards_left(state, kind):
        return state
    seer = state.seers[seat]
    state = with_seer(state, seat, replace(seer, cards=counted(seer.cards, kind, 1)))
    return replace(state, piles=counted(state.piles, kind, -1))


def _forward(state: State, position: int, steps: int) -> int:
    """Movement by dice: no farther than the castle, nor than the trigger space if so agreed (rulings R7a, R7b)."""
    limit = TRIGGER if state.options.cap_at_trigger else CASTLE
    return min(position + steps, limit)


def _collect(state: State, kind: Kind, item: Item, *, must_name: bool) -> State:
    """The active seat's item goes into its area; no card comes from an empty pile (ruling R6b)."""
    turn = turn_of(state)
    if item == "die":
        turn = replace(turn, area_dice=(*turn.area_dice, kind))
    elif cards_left(state, kind):
        turn = replace(turn, area_cards=(*turn.area_cards, kind))
        state = replace(state, piles=counted(state.piles, kind, -1))
    turn = replace(turn, must_name=must_name, pending=None)
    state = replace(state, turn=turn, phase="name")
    return bank(state, "four_named") if len(turn.named) == COMPONENTS.max_named else state


def _bust(state: State) -> State:
    """Every opponent is hit: the area is lost, a bowl consoles (rulings R5, R5h, R6c)."""
    state = clear_area(state)
    seat, bowl = turn_of(state).seat, COMPONENTS.consolation_kind
    consoled = bool(cards_left(state, bowl))
    return _close(_give_card(state, seat, bowl), "bust", cards=(bowl,) if consoled else ())


def _close(state: State, ending: Ending, *, cards: tuple[Kind, ...] = (), steps: int = 0) -> State:
    turn = turn_of(state)
    summary = Summary(
        number=turn.number,
        seat=turn.seat,
        ending=ending,
        named=turn.named,
        hits=turn.hits,
        cards=cards,
        steps=steps,
    )
    return end_turn(replace(state, last=summary))
