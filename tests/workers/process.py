"""Worker and relay as processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import psycopg

from tests.house import LOG_SEED, MASTER_KEY


@contextmanager
def running(
    role: Literal["worker", "relay"], database: str, redis_url: str, folder: Path
) -> Iterator[subprocess.Popen[bytes]]:
    """`moveledger worker` or `moveledger relay`, killed when the block ends; what it says is in `{role}.log` of its folder."""
    environ = {
        **os.environ,
        "DATABASE_URL": database,
        f"{role.upper()}_DATABASE_URL": psycopg.conninfo.make_conninfo(database, user=f"moveledger_{role}"),
        "REDIS_URL": redis_url,
        "MASTER_KEY": MASTER_KEY.hex(),
        "LOG_KEY": LOG_SEED.hex(),
        "STATE_FOLDER": str(folder),
    }
    with (folder / f"{role}.log").open("ab") as log:
        process = subprocess.Popen([sys.executable, "-m", "moveledger", role], env=environ, stderr=log, stdout=log)
        try:
            yield process
        finally:
            process.kill()
            process.wait()
