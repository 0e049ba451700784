"""The `moveledger` command.

Each command imports what it runs when it runs: `moveledger --help` and the commands that need no server then start
without loading Flask and the rules.
"""

from __future__ import annotations

import os
import sys

import click

from moveledger.config import Config
from moveledger.errors import MoveledgerError


class _Command(click.Group):
    """A group whose errors that have a sentence of their own end in that sentence, not in a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except MoveledgerError as error:
            raise click.ClickException(error.detail) from error


@click.group(cls=_Command, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="moveledger")
def main() -> None:
    """Moveledger: an event-sourced game-log service."""


@main.command()
def up() -> None:
    """Start everything: servers, migrations, API, worker and relay, until Ctrl-C."""
    from moveledger.supervisor import run_up

    run_up(os.environ)


@main.command()
def api() -> None:
    """Serve the API."""
    from moveledger.server import serve

    serve(Config.read(os.environ))


@main.command()
def worker() -> None:
    """Run one worker."""
    from moveledger.wiring import build_tools
    from moveledger.workers.main import run_worker

    config = Config.read(os.environ)
    run_worker(build_tools(config, "worker"), config.redis_url)


@main.command()
def relay() -> None:
    """Run the relay: the outbox into the one order that all followers share."""
    from moveledger.wiring import build_tools
    from moveledger.workers.relay import run_relay

    run_relay(build_tools(Config.read(os.environ), "relay"))


@main.command(hidden=True)
def development_key() -> None:
    """Print the development key, which `up` writes down; made when there is none."""
    from moveledger.services.keys import ensure_development_key
    from moveledger.wiring import build_tools

    click.echo(ensure_development_key(build_tools(Config.read(os.environ))))


@main.command()
def migrate() -> None:
    """Bring the database up to the newest migration."""
    from moveledger.store.migrate import migrate as migrate_database

    migrate_database(Config.read(os.environ).database_url)


@main.command()
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Say it as JSON.")
@click.option("--quiet", "is_quiet", is_flag=True, help="Say nothing: the exit code tells.")
def verify(file: str, as_json: bool, is_quiet: bool) -> None:
    """Verify the exported record of a game, offline: exit 0 valid, 1 invalid, 2 not a record. `-` is standard input."""
    from moveledger.audit.report import check_file

    sys.exit(check_file(file, as_json=as_json, is_quiet=is_quiet))
