"""Where tests put what servers write."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

MEMORY = Path("/dev/shm")
ENOUGH = 2 << 30


def quick_folder() -> Path:
    """A new folder, in memory where there is plenty: a cluster is 40 MB, which takes some disks seconds to copy.

    Not one of pytest's, whose paths are too long for sockets. The caller removes it.
    """
    roomy = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ENOUGH
    return Path(tempfile.mkdtemp(prefix="ml-test-", dir=MEMORY if roomy else None))
