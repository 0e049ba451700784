"""Leaks in legal moves, previews, refusals, and the answers to moves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from zlib import crc32

from moveledger.audit.event import Event
from moveledger.audit.game import Game
from moveledger.errors import IllegalMove, NotToMove
from moveledger.rules.encoding import encode, state_hash
from moveledger.rules.kernel import REFEREE, Input, LegalActions, Move, Observer, Seat
from moveledger.rules.tiwanaku.actions import Divine
from moveledger.services import moves, standing, submission
from tests.sight.leaks.table import Patch, leak, wrap, wrap_rules

# --- legal moves and previews --------------------------------------------------------------------------


@leak("the order of legal moves", "closed_hands: legal", "legal moves")
def _(patch: Patch) -> None:
    def leaky(legal: Any, state: Any, seat: Seat) -> Any:
        known = legal(state, seat)
        return LegalActions(
            lambda: iter(sorted(known, key=lambda one: crc32(f"{one} {state.target}".encode()))), known.check
        )

    wrap_rules(patch, "closed_hands", "legal", leaky)


@leak("the number of legal moves: no hopeless guess is listed", "tiwanaku: legal", "legal moves", "tiwanaku")
def _(patch: Patch) -> None:
    def leaky(legal: Any, state: Any, seat: Seat) -> Any:
        known = legal(state, seat)

        def hopeful() -> Iterator[Any]:
            crops = state.board.crops
            for action in known:
                if not isinstance(action, Divine) or action.value >= int(_at(crops, action.at)):
                    yield action

        return LegalActions(hopeful, known.check)

    wrap_rules(patch, "tiwanaku", "legal", leaky)


def _at(land: str, space: tuple[int, int]) -> str:
    return land[space[0] * (len(land) // 5) + space[1]]


@leak("what a move would bring to light, in its preview", "services.moves: preview_move", "preview", "tiwanaku")
def _(patch: Patch) -> None:
    def leaky(preview_move: Any, tools: Any, caller: Any, game_id: Any, wanted: Any, *asked: Any) -> Any:
        answer = preview_move(tools, caller, game_id, wanted, *asked)
        if not answer["legal"]:
            return answer
        game = standing.current_game(tools, standing.game_facts(tools, game_id))
        action = wanted.reader.read_action(game.ruleset, wanted.body["action"])
        after = game.ruleset.apply(game.state, Move(answer["seat"], action))
        return {**answer, "found": encode(after.table.land)}

    wrap(patch, moves, "preview_move", leaky)


# --- refusals ------------------------------------------------------------------------------------------


def refuse_with(patch: Patch, say: Callable[[Any, IllegalMove], IllegalMove]) -> None:
    """Let the rules of closed hands say more when they refuse."""

    def leaky(apply: Any, state: Any, given: Input) -> Any:
        try:
            return apply(state, given)
        except IllegalMove as wrong:
            raise say(state, wrong) from wrong

    wrap_rules(patch, "closed_hands", "apply", leaky)


@leak("the target in the text of a refusal", "closed_hands: apply", "refused moves")
def _(patch: Patch) -> None:
    refuse_with(patch, lambda state, wrong: IllegalMove(wrong.code, f"{wrong.detail} Not for {state.target}."))


@leak("the target as a fact of a refusal", "closed_hands: apply", "refused moves")
def _(patch: Patch) -> None:
    refuse_with(patch, lambda state, wrong: IllegalMove(wrong.code, wrong.detail, near=state.target))


@leak("the code of a refusal, in a preview", "closed_hands: apply", "preview")
def _(patch: Patch) -> None:
    refuse_with(patch, lambda state, wrong: IllegalMove(f"{wrong.code}_{state.target}", wrong.detail))


@leak("the board, to a seat that is not awaited", "services.moves: require_turn", "refused moves", "tiwanaku")
def _(patch: Patch) -> None:
    def leaky(require_turn: Any, tools: Any, facts: Any, game: Game, *asked: Any) -> None:
        try:
            require_turn(tools, facts, game, *asked)
        except NotToMove as wrong:
            raise NotToMove(wrong.detail, awaited=encode(game.state.board)) from wrong

    wrap(patch, moves, "require_turn", leaky)


@leak("missed events as the referee sees them", "services.moves: require_turn", "stale decision")
def _(patch: Patch) -> None:
    def leaky(show_event: Any, event: Event, _: Observer, *, over: bool) -> Any:
        return show_event(event, REFEREE, over=over)

    wrap(patch, moves, "show_event", leaky)


# --- answers to moves ----------------------------------------------------------------------------------


@leak("others' cards in the answer to a move", "services.moves: submit_move", "own moves")
def _(patch: Patch) -> None:
    def leaky(show_written: Any, game: Game, written: Any, _: Observer, *signed: Any) -> Any:
        return show_written(game, written, REFEREE, *signed)

    wrap(patch, moves, "show_written", leaky)


@leak("others' cards in the answer to a repeated move", "services.submission: find_written", "repeated moves")
def _(patch: Patch) -> None:
    def leaky(find_written: Any, *args: Any) -> Any:
        written = find_written(*args)
        opened = [replace(event, sealed_for=None) for event in written.events] if written else []
        return replace(written, events=opened) if written else None

    wrap(patch, submission, "find_written", leaky)


@leak("a receipt over the state", "services.showing: show_receipt", "own moves")
def _(patch: Patch) -> None:
    def leaky(show_written: Any, game: Game, written: Any, observer: Observer, *signed: Any) -> Any:
        answer = show_written(game, written, observer, *signed)
        return {**answer, "receipt": {**answer["receipt"], "state_hash": state_hash(game.state)}}

    wrap(patch, moves, "show_written", leaky)
