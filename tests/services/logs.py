"""The public log under test: leaves put into the one order by the thousand, and a relay that signs them without waiting."""

from __future__ import annotations

from pathlib import Path

import psycopg

from moveledger.audit.checkpoint import Checkpoint, verify_checkpoint
from moveledger.services.publication import Publisher
from moveledger.services.tools import Tools
from moveledger.store.last_note import LastNote
from moveledger.store.publication import last_checkpoint

PUT = """
INSERT INTO ml.log_leaf (leaf_index, game_id, seq, hash)
SELECT n, lpad(to_hex(n), 32, '0')::uuid, 1, sha256(int4send(n))
FROM generate_series((SELECT coalesce(max(leaf_index) + 1, 0)::integer FROM ml.log_leaf), %s::integer - 1) AS n
"""
"""Entry n is the one that `tests.audit.trees` has."""


def put_leaves(database: str, upto: int) -> None:
    """Let the one order have so many leaves."""
    with psycopg.connect(database, autocommit=True) as connection:
        connection.execute(PUT, [upto])


def edit(database: str, statement: str) -> None:
    """What an operator with every right can do: switch triggers off and change what is written."""
    with psycopg.connect(database, autocommit=True) as connection:
        for table in ("log_leaf", "tiles", "checkpoints", "events"):
            connection.execute(f"ALTER TABLE ml.{table} DISABLE TRIGGER ALL".encode())
        connection.execute(statement.encode())
        for table in ("log_leaf", "tiles", "checkpoints", "events"):
            connection.execute(f"ALTER TABLE ml.{table} ENABLE TRIGGER ALL".encode())


class Relay:
    """A relay's publisher that is started when it is made."""

    def __init__(self, tools: Tools, folder: Path) -> None:
        self.tools, self.last_note = tools, LastNote(folder)
        self.publisher = Publisher(tools, self.last_note)

    @property
    def alarm(self) -> str | None:
        """Why it does not sign."""
        return self.publisher.alarm

    def sign(self) -> Checkpoint | None:
        """What it signs now, without the pause between notes; the check on start goes first."""
        publisher = self.publisher
        for _ in range(1000):
            publisher._signed_at = float("-inf")
            signed = publisher.tend(grown=True)
            if signed is not None or publisher.alarm is not None or not publisher._is_due:
                return signed
        raise AssertionError("the check on start does not come to its end")

    def published(self) -> Checkpoint:
        """The newest checkpoint in the database, its signature checked."""
        with self.tools.database.connection() as connection:
            head = last_checkpoint(connection)
        assert head is not None
        checkpoint = verify_checkpoint(head.note, self.tools.signer.verifier)
        assert (checkpoint.size, checkpoint.root) == (head.size, head.root)
        return checkpoint
