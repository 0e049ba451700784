"""Leaks in views, in what stands around them, and in who may look as whom."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from flask import Response, g

from moveledger.api import reading as views
from moveledger.audit.game import Game
from moveledger.rules.desertsons.score import prices
from moveledger.rules.encoding import canonical, state_hash
from moveledger.rules.kernel import REFEREE, Observer, Seat
from moveledger.services import access, games, reading, showing, standing
from moveledger.services.reading import Look
from tests.sight.leaks.table import Patch, leak, wrap, wrap_rules

# --- views ---------------------------------------------------------------------------------------------


def as_referee(view: Any, state: Any, _: Observer) -> Any:
    """What the referee sees."""
    return view(state, REFEREE)


@leak("closed predictions", "santiiba: view", "state", "santiiba")
def _(patch: Patch) -> None:
    def leaky(view: Any, state: Any, observer: Observer) -> Any:
        return {**view(state, observer), "predictions": list(state.turn.predictions) if state.turn else []}

    wrap_rules(patch, "santiiba", "view", leaky)


@leak("the whole board", "tiwanaku: view", "state", "tiwanaku")
def _(patch: Patch) -> None:
    wrap_rules(patch, "tiwanaku", "view", as_referee)


@leak("a count: how many of each crop the board has", "tiwanaku: view", "state", "tiwanaku")
def _(patch: Patch) -> None:
    def leaky(view: Any, state: Any, observer: Observer) -> Any:
        crops = state.board.crops if state.board else ""
        return {**view(state, observer), "crops_total": [crops.count(digit) for digit in "12345"]}

    wrap_rules(patch, "tiwanaku", "view", leaky)


@leak("rumours on goods", "desertsons: view", "state", "desertsons")
def _(patch: Patch) -> None:
    wrap_rules(patch, "desertsons", "view", as_referee)


@leak("a sum: prices by all rumours", "desertsons: view", "state", "desertsons")
def _(patch: Patch) -> None:
    def leaky(view: Any, state: Any, observer: Observer) -> Any:
        return {**view(state, observer), "prices": list(prices(state))}

    wrap_rules(patch, "desertsons", "view", leaky)


@leak("the target", "closed_hands: view", "state")
def _(patch: Patch) -> None:
    def leaky(view: Any, state: Any, observer: Observer) -> Any:
        return {**view(state, observer), "target": state.target}

    wrap_rules(patch, "closed_hands", "view", leaky)


@leak("the order of a view's members", "closed_hands: view", "state")
def _(patch: Patch) -> None:
    def leaky(view: Any, state: Any, observer: Observer) -> Any:
        return dict(sorted(view(state, observer).items(), reverse=(state.target or 0) > 10))

    wrap_rules(patch, "closed_hands", "view", leaky)


@leak("an earlier standing as the referee saw it", "services.reading: state_at", "state at")
def _(patch: Patch) -> None:
    def leaky(state_at: Any, tools: Any, look: Look, at: int | None) -> Any:
        return state_at(tools, look if at is None else Look(look.facts, look.game, REFEREE), at)

    wrap(patch, reading, "state_at", leaky)


@leak("a spectator's view kept from another observer's", "services.reading: spectator_state", "state again")
def _(patch: Patch) -> None:
    def leaky(spectator_state: Any, tools: Any, facts: Any, game: Game) -> Any:
        etag, body = spectator_state(tools, facts, game)
        shown = canonical(reading.show_state(Look(facts, game, REFEREE), game))
        tools.cache.put_spectator_view(facts.game_id, version=game.version, etag=etag, body=shown)
        return etag, body

    wrap(patch, reading, "spectator_state", leaky)


# --- around the view -----------------------------------------------------------------------------------


def answer_with(patch: Patch, mark: Any) -> None:
    """Let `mark` change the answer to a reading of the state, by the state."""

    def watching(state_at: Any, tools: Any, look: Look, at: int | None) -> Any:
        g.state = look.game.state
        return state_at(tools, look, at)

    def leaky(reply: Any, body: Any, *args: Any, **how: Any) -> Response:
        answer: Response = reply(body, *args, **how)
        if "state" in g:
            mark(answer, g.state)
        return answer

    wrap(patch, reading, "state_at", watching)
    wrap(patch, views, "reply", leaky)


@leak("a length: as many blanks after the body as the target says", "api.reading: read_state", "state")
def _(patch: Patch) -> None:
    answer_with(patch, lambda answer, state: answer.set_data(answer.get_data() + b" " * (state.target or 0)))


@leak("a header", "api.reading: read_state", "state")
def _(patch: Patch) -> None:
    answer_with(patch, lambda answer, state: answer.headers.set("Server-Timing", f"apply;dur={state.target}"))


@leak("an ETag made of the state", "services.reading: Look.etag", "ETag")
def _(patch: Patch) -> None:
    patch.setattr(Look, "etag", property(lambda look: state_hash(look.game.state)[:12]))


@leak("decisions made of the state", "audit.game: Game.decision", "legal moves")
def _(patch: Patch) -> None:
    def leaky(game: Game, seat: Seat) -> str | None:
        return state_hash(game.state)[:8] if seat in game.awaited else None

    patch.setattr(Game, "decision", leaky)


@leak("who is awaited, in the order of their cards", "services.showing: show_awaiting", "game")
def _(patch: Patch) -> None:
    def leaky(show_awaiting: Any, game: Game) -> Any:
        hands = game.state.hands
        return {**show_awaiting(game), "seats": sorted(game.awaited, key=lambda seat: (hands[seat].card, seat))}

    wrap(patch, showing, "show_awaiting", leaky)


@leak("a provisional outcome", "services.showing: show_outcome", "state", "desertsons")
def _(patch: Patch) -> None:
    patch.setattr(reading, "show_outcome", lambda game: list(prices(game.state)))


@leak("a hash of the state in the game", "services.showing: show_game", "game")
def _(patch: Patch) -> None:
    def leaky(show_game: Any, connection: Any, facts: Any, game: Game, **how: Any) -> Any:
        return {**show_game(connection, facts, game, **how), "state_hash": state_hash(game.state)}

    wrap(patch, games, "show_game", leaky)


@leak("a hash of the state in a list of games", "services.games: find_games", "list of games")
def _(patch: Patch) -> None:
    def leaky(find_games: Any, tools: Any, *args: Any, **how: Any) -> Any:
        found, following = find_games(tools, *args, **how)
        games_found = [standing.current_game(tools, standing.game_facts(tools, UUID(game["id"]))) for game in found]
        hashes = [state_hash(game.state) for game in games_found]
        return [{**game, "state_hash": text} for game, text in zip(found, hashes, strict=True)], following

    wrap(patch, games, "find_games", leaky)


# --- who looks as whom ---------------------------------------------------------------------------------


@leak("looking as the referee where `as` is left out", "services.access: own_observer", "state")
def _(patch: Patch) -> None:
    patch.setattr(access, "own_observer", lambda *_: REFEREE)


@leak("looking as any seat, or as the referee", "services.access: observer_named", "as")
def _(patch: Patch) -> None:
    def leaky(observer_named: Any, caller: Any, facts: Any, game: Game, name: str | None) -> Any:
        if name is None or name == "spectator":
            return observer_named(caller, facts, game, name)
        return REFEREE if name == "referee" else Observer(Seat(int(name.removeprefix("seat:"))))

    wrap(patch, reading, "observer_named", leaky)


@leak("legal moves of another seat", "services.access: deciding_seat", "other's legal moves")
def _(patch: Patch) -> None:
    def leaky(deciding_seat: Any, caller: Any, facts: Any, seat: int | None, seats: int) -> Any:
        return deciding_seat(caller, facts, None, seats) if seat is None else Seat(seat)

    wrap(patch, reading, "deciding_seat", leaky)
