"""What the house adds to the log: it opens games, answers chance and declares the end.

A `Pending` batch is the events that one request will append: each is folded at once, by the same `evolve` that will
read it back, so what the log would not accept is never written.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from moveledger.audit.event import HOUSE, NIL, SCHEMA, ZERO_HASH, Event, commitment
from moveledger.audit.faults import LogFault
from moveledger.audit.game import Game, evolve, expected_mix
from moveledger.errors import IllegalMove
from moveledger.rules import chance
from moveledger.rules.encoding import canonical, encode, state_hash
from moveledger.rules.kernel import Chance, Draw, Input, Over, Request
from moveledger.services.standing import recall_with
from moveledger.services.tools import Tools
from moveledger.store.events import Appended, Draft


class Pending:
    """A batch in the making, on top of a game (None before its opening)."""

    def __init__(self, tools: Tools, game: Game | None, *, game_id: UUID, seed: bytes, request_id: str) -> None:
        self.tools, self.game_id, self.seed, self.request_id = tools, game_id, seed, request_id
        self.drafts: list[Draft] = []
        self._before = game.status if game else None
        self._game = game

    @property
    def game(self) -> Game:
        """The game with everything pending."""
        assert self._game is not None  # the first event added is the opening
        return self._game

    @property
    def new_status(self) -> str | None:
        """The status that the batch gives the game, None if it stays."""
        return self.game.status if self.game.status != self._before else None

    def add(
        self,
        type_: str,
        body: Mapping[str, Any],
        *,
        seat: int = HOUSE,
        client: UUID = NIL,
        sealed_for: frozenset[int] | None = None,
    ) -> None:
        """Add one event. Raises `IllegalMove` when the rules refuse it; then the batch is of no further use.

        The event holds its body as the log will give it back, members in canonical order: an answer made of it is then the
        same to the byte as one made of what was read.
        """
        salt, text = self.tools.entropy(32), canonical(body)
        event = Event(
            game_id=self.game_id,
            seq=self._game.version + 1 if self._game else 1,
            type=type_,
            schema=SCHEMA,
            seat=seat,
            client=client,
            request_id=self.request_id,
            recorded_us=0,
            prev_hash=ZERO_HASH,
            commitment=commitment(salt, text),
            hash=ZERO_HASH,
            sealed=sealed_for is not None,
            salt=salt,
            body=json.loads(text),
            sealed_for=sealed_for,
        )
        try:
            self._game = evolve(self._game, event, recall_with(self.tools))
        except LogFault as fault:
            if isinstance(fault.__cause__, IllegalMove):
                raise fault.__cause__ from None
            raise
        self.drafts.append(Draft(event, text))

    def audience(self, given: Input) -> frozenset[int] | None:
        """The seats that may see an input's body before the end; None is everybody."""
        seats = self.game.ruleset.audience(self.game.state, given)
        return None if seats is None else frozenset(int(seat) for seat in seats)

    def settle(self) -> None:
        """Let the house do what is its part: answer chance, declare the end, or abort when the draws have run out."""
        while self.game.status == "running":
            if self.game.adjudicated is not None:
                self._finish()
                continue
            match self.game.ruleset.awaiting(self.game.state):
                case Chance(request):
                    self._draw(request)
                case Over():
                    self._finish()
                case _:
                    return

    def start(self) -> None:
        """Start the game if every seat is taken and has opened what entropy it owes."""
        game = self.game
        if game.status != "open" or None in game.players:
            return
        if game.opened.get("entropy") == "required" and None in game.entropies:
            return
        self.add("started", {"mix": expected_mix(game).hex()})
        self.settle()

    def abort(self, reason: str) -> None:
        """End the game without an outcome, its seed opened."""
        self.add("aborted", {"reason": reason, "seed": self.seed.hex()})

    def recorded(self, appended: Appended) -> tuple[Game, list[Event]]:
        """The game and the events as the log has written them."""
        events, previous = [], appended.prev_hash
        for draft, hash_ in zip(self.drafts, appended.hashes, strict=True):
            events.append(replace(draft.event, prev_hash=previous, hash=hash_, recorded_us=appended.recorded_us))
            previous = hash_
        return replace(self.game, head_hash=previous), events

    def _draw(self, request: Request) -> None:
        game, index = self.game, self.game.draws
        if index >= game.fairness.draws:
            self.abort("draws-exhausted")
            return
        assert game.mix is not None  # a running game has started
        secret = chance.draw_secret(self.seed, index)
        values = chance.draw(secret, game.mix, index, request)
        path = chance.draw_path(self.seed, game.fairness.draws, index)
        body = {
            "index": index,
            "request": chance.request_text(request),
            "values": list(values),
            "secret": secret.hex(),
            "path": [step.hex() for step in path],
        }
        self.add("drawn", body, sealed_for=self.audience(Draw(values)))

    def _finish(self) -> None:
        game = self.game
        outcome = game.adjudicated or game.ruleset.outcome(game.state)
        self.add(
            "finished",
            {"outcome": encode(outcome), "state_hash": state_hash(game.state), "seed": self.seed.hex()},
        )
