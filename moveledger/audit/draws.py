"""The check of the draws, scheme `ml-fair-1`: each when it is made, and all of them when the seed is opened.

It needs no rules: what was asked stands in each draw. Whether the game asked for it is the replay's check.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from moveledger.audit.checks import ENDINGS, CheckResult, name_numbers
from moveledger.audit.event import Event, hex_bytes
from moveledger.audit.fairness import FIXED, Fairness, read_fairness
from moveledger.audit.faults import Check, LogFault
from moveledger.errors import MalformedValue
from moveledger.rules import chance
from moveledger.rules.kernel import Seat


@dataclass(slots=True)
class _Table:
    """What is known of the chance of one game: secrets and closed draws by index, each with its event's seq."""

    game_id: UUID
    ruleset: str
    fairness: Fairness
    entropies: dict[Seat, bytes] = field(default_factory=dict)
    mix: bytes | None = None
    secrets: dict[int, tuple[int, bytes]] = field(default_factory=dict)
    closed: dict[int, int] = field(default_factory=dict)
    is_opened: bool = False

    @property
    def draws(self) -> int:
        return len(self.secrets) + len(self.closed)


class Draws:
    """Every open draw against its commitment and the mix; every draw against the seed, once that is open."""

    name: Check = "draws"

    def __init__(self) -> None:
        self._tables: list[_Table] = []

    def see(self, event: Event) -> None:
        """Raises `LogFault` when chance is not what was committed to."""
        try:
            self._see(event, event.body)
        except (MalformedValue, KeyError, TypeError) as wrong:
            raise LogFault("draws", event.seq, f"the body of {event.type} is not well formed: {wrong}") from wrong

    def _see(self, event: Event, body: Mapping[str, Any] | None) -> None:
        if event.type == "drawn":
            self._see_draw(event, body)
        elif body is None:
            return
        elif event.type == "opened":
            self._tables.append(_Table(event.game_id, str(body["ruleset"]), read_fairness(body)))
        elif event.type == "entropy_opened":
            self._table(event).entropies[Seat(event.seat)] = hex_bytes(body, "entropy")
        elif event.type == "started":
            _see_mix(self._table(event), event, body)
        elif event.type in ENDINGS:
            _see_seed(self._table(event), event, body)

    def _table(self, event: Event) -> _Table:
        if not self._tables or self._tables[-1].game_id != event.game_id:
            raise LogFault("draws", event.seq, "the game has not been opened")
        return self._tables[-1]

    def _see_draw(self, event: Event, body: Mapping[str, Any] | None) -> None:
        table = self._table(event)
        if body is None:
            table.closed[table.draws] = event.seq
            return
        index = table.draws
        if type(body["index"]) is not int or body["index"] != index:
            raise LogFault("draws", event.seq, f"draw index {body['index']!r}, expected {index}")
        if table.fairness.scheme == FIXED:
            table.secrets[index] = event.seq, b""
            return
        secret = hex_bytes(body, "secret")
        if not _is_committed(table.fairness, secret, index, body["path"]):
            raise LogFault("draws", event.seq, f"the secret of draw {index} is not under draws_root")
        if table.mix is None:
            raise LogFault("draws", event.seq, "a draw before the mix is known")
        values = list(chance.draw(secret, table.mix, index, chance.read_request(body["request"])))
        if body["values"] != values:
            raise LogFault("draws", event.seq, f"draw {index} is {body['values']}, its secret gives {values}")
        table.secrets[index] = event.seq, secret

    def end(self) -> None:
        """Nothing is left to say."""

    def results(self) -> Iterator[CheckResult]:
        """One result, `draws`."""
        closed = [seq for table in self._tables for seq in table.closed.values()]
        draws = sum(table.draws for table in self._tables)
        if any(table.fairness.scheme == FIXED for table in self._tables):
            yield CheckResult("draws", "closed", "a test game, whose client gave the draws: nothing can be checked")
        elif closed:
            indexes = [index for table in self._tables for index in table.closed]
            where = f"{name_numbers('draw', indexes)} ({name_numbers('event', closed)})"
            yield CheckResult("draws", "closed", f"{draws - len(closed)} of {draws} draws are proved; closed: {where}")
        elif self._tables and self._tables[-1].is_opened:
            yield CheckResult("draws", "pass", f"{draws} draws are recomputed from the opened seed")
        else:
            yield CheckResult("draws", "pass", f"{draws} draws are proved under draws_root; the seed is not open yet")


def _is_committed(fairness: Fairness, secret: bytes, index: int, path: Any) -> bool:
    steps = [hex_bytes({"path": step}, "path") for step in list(path)]
    return chance.is_committed(secret, index=index, draws=fairness.draws, path=steps, root=fairness.root)


def _see_mix(table: _Table, event: Event, body: Mapping[str, Any]) -> None:
    if table.fairness.scheme == FIXED:
        return
    table.mix = hex_bytes(body, "mix")
    fair = table.fairness
    if table.mix != chance.mix(table.game_id.bytes, fair.seed_commitment, fair.root, table.entropies):
        raise LogFault("draws", event.seq, "the mix is not made of what was committed and opened")


def _see_seed(table: _Table, event: Event, body: Mapping[str, Any]) -> None:
    fair = table.fairness
    if fair.scheme == FIXED:
        return
    seed = hex_bytes(body, "seed")
    if chance.seed_commitment(table.game_id.bytes, table.ruleset, seed) != fair.seed_commitment:
        raise LogFault("draws", event.seq, "the seed is not what the opening committed to")
    if chance.draws_root(seed, fair.draws) != fair.root:
        raise LogFault("draws", event.seq, "draws_root is not made of the seed")
    for index, (seq, secret) in table.secrets.items():
        if secret != chance.draw_secret(seed, index):
            raise LogFault("draws", seq, f"the secret of draw {index} is not that of the seed")
    table.is_opened = True
