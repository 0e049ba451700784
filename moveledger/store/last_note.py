"""The last note that this relay has signed, kept apart from the database: a database that was rewound does not rewind it."""

from __future__ import annotations

from pathlib import Path

from moveledger.store.private import write_private

FILE = "log.checkpoint"


class LastNote:
    """The file of the note. Whoever restores a database leaves it as it is."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE

    def read(self) -> str | None:
        """The note, None when none was ever signed here."""
        try:
            return self._path.read_text("utf-8")
        except FileNotFoundError:
            return None

    def keep(self, note: str) -> None:
        """Keep a note in the place of the last one; it is on the disk when this returns."""
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_private(self._path, note)
