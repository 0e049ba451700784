"""Rows `append16` and `append1`: the function `ml.append`, called by pgbench, against a bare INSERT."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from bench.comparison import Bar, Result, Side, compare
from bench.postgres import BARE_INSERT, BARE_TABLE, run_pgbench
from bench.stage import Stage
from moveledger.audit.event import TYPES, commitment

BODY = b'{"action":{"from_":7,"guild":"dragon_breeder","to":12,"type":"journey"}}'
"""As long as a move of a board game."""
SALT = bytes(range(32))
MOVES = 100
"""After so many moves a client goes on with a new game."""

APPEND = f"""\\if :seq % {MOVES} = 0
SELECT uuidv7() AS game \\gset
\\set seq 0
\\endif
SELECT 1 / (result = 'ok')::int FROM ml.append(:game::uuid, :seq, gen_random_uuid(), :fingerprint::bytea, 'bench', NULL,
    ARRAY[{TYPES["moved"]}]::smallint[], ARRAY[:seat]::smallint[], ARRAY[:writer]::uuid[], ARRAY[:commitment]::bytea[],
    ARRAY[:salt]::bytea[], ARRAY[:body]::bytea[], ARRAY[NULL]::integer[]);
\\set seq :seq + 1
"""

VARIABLES: Mapping[str, str | int] = {
    "seq": 0,
    "game": "00000000-0000-0000-0000-000000000000",
    "writer": "019ad000-0000-7000-8000-000000000001",
    "seat": 2,
    "fingerprint": rf"\x{SALT.hex()}",
    "commitment": rf"\x{commitment(SALT, BODY).hex()}",
    "salt": rf"\x{SALT.hex()}",
    "body": rf"\x{BODY.hex()}",
}


def append_with_16_clients(stage: Stage) -> list[Result]:
    """Where commits share a flush to disk, so that what counts is the work between them."""
    bar = Bar("≥", 0.40, aim=0.50)
    return [_against_bare(stage, "ml.append against a bare INSERT, 16 clients", clients=16, bar=bar)]


def append_with_1_client(stage: Stage) -> list[Result]:
    """Where the flush to disk is nearly all that counts."""
    return [_against_bare(stage, "ml.append against a bare INSERT, 1 client", clients=1, bar=Bar("≥", 0.90))]


def _against_bare(stage: Stage, title: str, *, clients: int, bar: Bar) -> Result:
    database = stage.make_database()
    bare = bare_insert(stage, database, clients=clients)
    script = _write(stage.folder / "append.sql", APPEND)
    measure = partial(
        run_pgbench,
        stage.url(database, "api"),
        script,
        clients=clients,
        seconds=stage.effort.seconds,
        variables=VARIABLES,
    )
    stage.settle()
    return compare(title, Side("ml.append", measure), bare, rounds=stage.effort.rounds, bar=bar)


def bare_insert(stage: Stage, database: str, *, clients: int) -> Side:
    """pgbench with a table of two columns, in a database of the stage."""
    stage.execute(database, BARE_TABLE)
    script = _write(stage.folder / "bare.sql", BARE_INSERT)
    body = {"body": VARIABLES["body"]}
    url, seconds = stage.url(database, "api"), stage.effort.seconds
    return Side("bare INSERT", partial(run_pgbench, url, script, clients=clients, seconds=seconds, variables=body))


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="ascii")
    return path
