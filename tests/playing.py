"""Playing through the services, without HTTP: games opened, moves sent, whole games played to their end."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from moveledger.api.moves import READER
from moveledger.audit.game import Game
from moveledger.rules import chance
from moveledger.rules.encoding import encode
from moveledger.rules.kernel import Seat
from moveledger.services.callers import Caller
from moveledger.services.games import NewGame, NewPlayer, claim_seat, give_entropy, open_game
from moveledger.services.moves import WantedMove, leave_game, submit_move
from moveledger.services.repeats import fingerprint_of
from moveledger.services.standing import current_game, game_facts
from moveledger.services.submission import WriteRequest
from moveledger.services.tools import GameFacts, Tools
from moveledger.services.trails import Asked
from moveledger.store.idempotency import RequestKey
from tests.house import fresh_key

ASKED = Asked("game", "reading")
"""What a test looks at, for the trail."""
SHANGRILA, CLOSED_HANDS = "shangrila@1", "closed_hands@1"


def players(count: int) -> list[NewPlayer]:
    """So many players with names of their own."""
    return [NewPlayer(f"player-{seat}", f"Player {seat}") for seat in range(count)]


def request_key(tools: Tools, caller: Caller, route: str, key: str, content: Any) -> RequestKey:
    """What makes a request known again that is no write to a game's log."""
    return RequestKey(caller.client, route, key, fingerprint_of(tools, route, content))


def open_new(
    tools: Tools, caller: Caller, ruleset: str = SHANGRILA, seats: int = 3, *, named: bool = True, **members: Any
) -> UUID:
    """A new game; with `named` all seats are taken."""
    wanted = NewGame(ruleset, seats, players(seats) if named else (), **members)
    request = request_key(tools, caller, "games", fresh_key(), None)
    answer, _ = open_game(tools, caller, wanted, request, "opening")
    return UUID(answer["id"])


@dataclass(frozen=True, slots=True)
class Table:
    """A game, and who writes to it in which process."""

    tools: Tools
    caller: Caller
    game_id: UUID
    rng: random.Random = field(default_factory=lambda: random.Random(1))

    @property
    def facts(self) -> GameFacts:
        """What never changes of the game."""
        return game_facts(self.tools, self.game_id)

    @property
    def game(self) -> Game:
        """The game as this process sees it now."""
        return current_game(self.tools, self.facts)

    def legal(self, seat: int) -> list[Any]:
        """The legal actions of a seat, as JSON."""
        game = self.game
        return [encode(action) for action in game.ruleset.legal(game.state, Seat(seat))]

    def request(self, route: str, content: Any, key: str | None = None) -> WriteRequest:
        """A write request, under a fresh key if none is given."""
        return WriteRequest(self.caller.client, route, key or fresh_key(), content, f"{route}-request")

    def send(
        self, seat: int | None, action: Any, *, key: str | None = None, decision: str | None = None
    ) -> tuple[dict[str, Any], bool]:
        """Submit a move; its answer, and whether that is a repeat."""
        return self.send_body({"seat": seat, "action": action}, key=key, decision=decision)

    def send_body(
        self, body: Any, *, key: str | None = None, decision: str | None = None
    ) -> tuple[dict[str, Any], bool]:
        """Submit a move by the body of its request."""
        wanted = WantedMove(body, READER, decision)
        return submit_move(self.tools, self.caller, self.game_id, wanted, self.request("moves", body, key))

    def step(self) -> dict[str, Any]:
        """A move at random by a seat that is awaited."""
        seat = self.rng.choice(sorted(self.game.awaited))
        answer, _ = self.send(seat, self.rng.choice(self.legal(seat)))
        return answer

    def play(self, *, until_version: int | None = None) -> Table:
        """Move at random until the game is over, or has come to a version."""
        while not self.game.over and (until_version is None or self.game.version < until_version):
            self.step()
        return self

    def resign(self, seat: int | None, *, key: str | None = None) -> tuple[dict[str, Any], bool]:
        """A seat leaves."""
        request = self.request("resignation", {"seat": seat}, key)
        return leave_game(self.tools, self.caller, self.game_id, lambda: seat, request)

    def claim(self, seat: int, player: str, *, key: str | None = None) -> tuple[dict[str, Any], bool]:
        """Take a seat."""
        request = self.request(f"claim:{seat}", {"player": {"id": player}}, key)
        return claim_seat(
            self.tools,
            self.caller,
            self.game_id,
            seat=seat,
            read_player=lambda: NewPlayer(player),
            request=request,
        )

    def add_entropy(
        self, seat: int, given: Mapping[str, str], *, key: str | None = None
    ) -> tuple[dict[str, Any], bool]:
        """Commit or open a seat's entropy."""
        request = self.request(f"entropy:{seat}", dict(given), key)
        return give_entropy(self.tools, self.caller, self.game_id, seat=seat, read_given=lambda: given, request=request)

    def commitment(self, seat: int, entropy: bytes) -> dict[str, str]:
        """What a seat sends to commit."""
        return {"commitment": chance.entropy_commitment(self.game_id.bytes, seat, entropy).hex()}


def new_table(tools: Tools, caller: Caller, ruleset: str = SHANGRILA, seats: int = 3, **members: Any) -> Table:
    """A new game and its key at the table."""
    return Table(tools, caller, open_new(tools, caller, ruleset, seats, **members))
