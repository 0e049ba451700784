"""Exporting games in bulk: into a folder of records that `moveledger import` and `moveledger verify` read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

from moveledger.rules.kernel import SPECTATOR
from moveledger.services.archive_folder import ArchiveFolder
from moveledger.services.reading import Look, export_record
from moveledger.services.standing import current_game, game_facts
from moveledger.services.tools import Tools
from moveledger.store.archive import Changed, changed_games, count_changed

PAGE = 500
OVER, GOING_ON = ("finished", "aborted"), ("open", "running")


@dataclass(frozen=True, slots=True)
class Selection:
    """Which games: those with an event at or after `since_us` (microseconds since 1970) that are over, and if `running`, the others."""

    since_us: int = 0
    running: bool = False

    @property
    def statuses(self) -> tuple[str, ...]:
        """The statuses of such games."""
        return (*OVER, *GOING_ON) if self.running else OVER


def count_games(tools: Tools, selection: Selection) -> int:
    """How many games an export comes by."""
    with tools.database.connection() as connection:
        return count_changed(connection, since_us=selection.since_us, statuses=selection.statuses)


def export_games(
    tools: Tools, path: Path, selection: Selection, *, find_checkpoint: Callable[[], str | None] = lambda: None
) -> Iterator[tuple[UUID, bool]]:
    """Write the records of games into an archive; gives each game, and whether it was written or lay there whole already.

    Records are those that a spectator gets: bodies of games that go on may be closed. `find_checkpoint` gives the newest note of the
    public log, if there is one. Raises `NotAnArchive` for a folder whose manifest is damaged.
    """
    folder = ArchiveFolder.begin(path)
    for changed in _changed(tools, selection):
        is_there = folder.holds(changed.game_id, changed.version, changed.head_hash)
        if not is_there:
            _export_game(tools, folder, changed.game_id)
        yield changed.game_id, not is_there
    note = find_checkpoint()
    if note is not None:
        folder.write_checkpoint(note)
    folder.tidy()


def _export_game(tools: Tools, folder: ArchiveFolder, game_id: UUID) -> None:
    facts = game_facts(tools, game_id)
    game = current_game(tools, facts, certain=True)
    lines = export_record(tools, Look(facts, game, SPECTATOR))
    folder.write(game_id, game.version, game.head_hash, created_us=facts.row.created_us, lines=lines)


def _changed(tools: Tools, selection: Selection) -> Iterator[Changed]:
    after = UUID(int=0)
    while True:
        with tools.database.connection() as connection:
            page = changed_games(
                connection, since_us=selection.since_us, statuses=selection.statuses, after=after, limit=PAGE
            )
        if not page:
            return
        yield from page
        after = page[-1].game_id
