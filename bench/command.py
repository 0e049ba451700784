"""The command: which rows there are, and how their figures are printed."""

from __future__ import annotations

import os
import platform
import sys
import time
from collections.abc import Callable, Mapping

import click

from bench.appending import append_with_1_client, append_with_16_clients
from bench.chain import verify_events
from bench.comparison import Result
from bench.lengths import move_in_a_long_game, seek_in_a_long_game
from bench.playing import move_through_http, read_state
from bench.postgres import measure_fsync
from bench.rules import play_random_games
from bench.stage import Effort, Stage, open_stage
from bench.writers import follow_writers, write_beside_eventsourcing

Row = Callable[[Stage], list[Result]]

ROWS: Mapping[str, Row] = {
    "append16": append_with_16_clients,
    "append1": append_with_1_client,
    "moves": move_through_http,
    "state": read_state,
    "writers": write_beside_eventsourcing,
    "length": move_in_a_long_game,
    "seek": seek_in_a_long_game,
    "follower": follow_writers,
    "rules": play_random_games,
    "chain": verify_events,
}
FULL, QUICK = Effort(seconds=3, rounds=5), Effort(seconds=1, rounds=2)


def _read_rows(_: click.Context, __: click.Parameter, given: str) -> list[str]:
    names = [name.strip() for name in given.split(",") if name.strip()]
    unknown = [name for name in names if name not in ROWS]
    if unknown:
        raise click.BadParameter(f"there is no row {', '.join(unknown)}; there are {', '.join(ROWS)}")
    return names


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--rows", default=",".join(ROWS), callback=_read_rows, help=f"Which, of {', '.join(ROWS)}; all if left out."
)
@click.option("--quick", is_flag=True, help="Shorter and fewer rounds: does it run, not how fast.")
def main(rows: list[str], quick: bool) -> None:
    """Measure. Figures are ratios, taken round by round side by side: the median, then least and greatest."""
    began = time.monotonic()
    with open_stage(QUICK if quick else FULL) as stage:
        _say_where(stage)
        for name in rows:
            at = time.monotonic()
            for result in ROWS[name](stage):
                _say_result(name, result)
            print(f"{'':12}took {time.monotonic() - at:.0f} s\n", flush=True)
    print(f"{time.monotonic() - began:.0f} s in all.")


def _say_where(stage: Stage) -> None:
    print(
        f"Python {platform.python_version()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before the start"
    )
    synced = measure_fsync(stage.folder)
    print("pg_test_fsync, one 8 kB page: " + ", ".join(f"{name} {rate:,.0f}/s" for name, rate in synced.items()) + "\n")
    sys.stdout.flush()


def _say_result(name: str, result: Result) -> None:
    bar = f"   bar {result.bar}   {result.verdict}" if result.bar else ""
    print(f"{name:12}{result.title}\n{'':12}{_figure(result)}{bar}")
    if result.detail:
        print(f"{'':12}{result.detail}")


def _figure(result: Result) -> str:
    return f"{result.median:,.2f} {result.unit} ({min(result.figures):,.2f}–{max(result.figures):,.2f})"
