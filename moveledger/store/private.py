"""Files that only their owner may read, which are there whole or not at all."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Write a file, over the one that may be there; when this returns it is on the disk. One writer at a time."""
    unfinished = path.with_name(f"{path.name}.unfinished")
    unfinished.unlink(missing_ok=True)
    _write(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), text)
    unfinished.replace(path)
    _sync_folder(path.parent)


def make_private(path: Path, text: str) -> str:
    """The text of a file, which is made if it is not there: of several who make it at the same time, one has its way."""
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, unfinished = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)  # private, says its manual
        _write(descriptor, text)
        with contextlib.suppress(FileExistsError):
            os.link(unfinished, path)
        Path(unfinished).unlink()
        _sync_folder(path.parent)
    return path.read_text("utf-8")


def _write(descriptor: int, text: str) -> None:
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    """A new name lasts only when its folder is on the disk as well."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
