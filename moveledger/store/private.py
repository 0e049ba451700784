"""Files that only their owner may read, which are there whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path


def write_private(path: Path, text: str) -> None:
    """Write a file, over the one that may be there; when this returns it is on the disk."""
    unfinished = _unfinished(path, text)
    unfinished.replace(path)
    _sync_folder(path.parent)


def make_private(path: Path, text: str) -> str:
    """The text of a file, which is made if it is not there: of several who make it at the same time, one has its way."""
    if not path.exists():
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        unfinished = _unfinished(path, text)
        try:
            os.link(unfinished, path)
            _sync_folder(path.parent)
        except FileExistsError:
            pass
        finally:
            unfinished.unlink()
    return path.read_text("utf-8")


def _unfinished(path: Path, text: str) -> Path:
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.unfinished")
    unfinished.unlink(missing_ok=True)
    descriptor = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return unfinished


def _sync_folder(folder: Path) -> None:
    """A new name lasts only when its folder is on the disk as well."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
