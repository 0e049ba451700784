"""What the use cases work with: built once a process by `wiring`, handed to every one of them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Generic, Literal, Protocol, TypeAlias, TypeVar
from uuid import UUID

from moveledger.audit.game import Game
from moveledger.audit.note import SignerKey, VerifierKey
from moveledger.config import DEFAULT_TRAIL_DAYS
from moveledger.store.cache import Cache
from moveledger.store.database import Database
from moveledger.store.games import GameRow
from moveledger.store.sealing import Vault
from moveledger.store.secrets import open_vault

K = TypeVar("K")
V = TypeVar("V")


Job: TypeAlias = Literal["snapshots", "verification"]
"""What workers do with games: bring their snapshots up to date, verify them."""


class Bell(Protocol):
    """Tells the workers what to do with which games; a lost ring costs delay only."""

    def __call__(self, job: Job, game_ids: Sequence[UUID], /) -> None: ...


class Shelf(Generic[K, V]):
    """A bounded memory of one process, the least recently used thrown out first. Safe between threads."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._items: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: K) -> V | None:
        """What was put under `key`, if it is still there."""
        with self._lock:
            if key in self._items:
                self._items.move_to_end(key)
            return self._items.get(key)

    def put(self, key: K, value: V) -> None:
        """Remember `value`."""
        with self._lock:
            self._items[key] = value
            self._items.move_to_end(key)
            while len(self._items) > self._size:
                self._items.popitem(last=False)

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._items.clear()


@dataclass(frozen=True, slots=True)
class GameFacts:
    """What never changes of a game, opened for use: its row, its 32-byte data key and its seed S."""

    row: GameRow
    data_key: bytes
    seed: bytes

    @property
    def game_id(self) -> UUID:
        """The game's id."""
        return self.row.game_id


class VaultDoor:
    """The vault, opened when it is first needed, so that a process comes up while the database is still away."""

    def __init__(self, database: Database, master_key: bytes, entropy: Callable[[int], bytes]) -> None:
        self._database, self._master_key, self._entropy = database, master_key, entropy
        self._vault: Vault | None = None

    def open(self) -> Vault:
        """The vault. Raises `StoreUnavailable`, `WrongMasterKey`."""
        if self._vault is None:
            with self._database.connection() as connection:
                self._vault = open_vault(connection, master_key=self._master_key, fresh_secret=self._entropy(32))
        return self._vault


class SignerDoor:
    """The log's key, read or made when it is first needed: few processes need it."""

    def __init__(self, read: Callable[[], SignerKey]) -> None:
        self._read = read
        self._key: SignerKey | None = None

    def open(self) -> SignerKey:
        """The key. Raises `ConfigurationFault`."""
        if self._key is None:
            self._key = self._read()
        return self._key


@dataclass(frozen=True, slots=True)
class Tools:
    """Database, cache, vault, clock (microseconds since 1970), entropy (n random bytes), the log's key and its witnesses, for how
    many days refusals are kept, and what this process remembers.
    """

    database: Database
    cache: Cache
    vault_door: VaultDoor
    clock: Callable[[], int]
    entropy: Callable[[int], bytes]
    ring_workers: Bell
    signer_door: SignerDoor
    witnesses: Sequence[VerifierKey] = ()
    trail_days: int = DEFAULT_TRAIL_DAYS
    games: Shelf[UUID, Game] = field(default_factory=lambda: Shelf(2_000))
    facts: Shelf[UUID, GameFacts] = field(default_factory=lambda: Shelf(10_000))
    credentials: Shelf[object, tuple[str, float, object]] = field(default_factory=lambda: Shelf(10_000))

    @property
    def vault(self) -> Vault:
        """The vault. Raises `StoreUnavailable`, `WrongMasterKey`."""
        return self.vault_door.open()

    @property
    def signer(self) -> SignerKey:
        """The key of the public log, which signs checkpoints and receipts. Raises `ConfigurationFault`."""
        return self.signer_door.open()

    def close(self) -> None:
        """Close every connection."""
        self.database.close()
        self.cache.close()
