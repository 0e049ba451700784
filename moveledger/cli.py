"""The `moveledger` command.

Each command imports what it runs when it runs: `moveledger --help` and the commands that need no server then start
without loading Flask and the rules.
"""

from __future__ import annotations

import json
import os
import re
import sys
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

import click

from moveledger.config import Config, read_stored_config
from moveledger.errors import MalformedValue, MoveledgerError, NotAnArchive


class _Unusable(click.ClickException):
    """What a command is given cannot be used at all. Click ends so for arguments, `verify` for what is no record."""

    exit_code = 2


class _Command(click.Group):
    """A group whose errors that have a sentence of their own end in that sentence, not in a traceback."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except MoveledgerError as error:
            raise (_Unusable if isinstance(error, NotAnArchive) else click.ClickException)(error.detail) from error


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
    config = Config.read(os.environ)
    from moveledger.server import serve

    serve(config)


@main.command()
def worker() -> None:
    """Run one worker."""
    config = Config.read(os.environ)
    from moveledger.wiring import build_tools
    from moveledger.workers.main import run_worker

    run_worker(build_tools(config, "worker"), config.redis_url)


@main.command()
def relay() -> None:
    """Run the relay: the outbox into the one order that all followers share, and the signed public log over it."""
    config = Config.read(os.environ)
    from moveledger.wiring import build_tools
    from moveledger.workers.relay import run_relay

    run_relay(build_tools(config, "relay"), config.state_folder)


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
@click.option(
    "--checkpoint", metavar="NOTE", help="A checkpoint of the public log that you have from elsewhere: a file."
)
@click.option("--key", metavar="VKEY", help="The key of the public log, as you were told it: the text, or a file.")
@click.option(
    "--consistency", metavar="PROOF", help="That the log has only grown between --checkpoint and the record's: a file."
)
def verify(
    *, file: str, as_json: bool, is_quiet: bool, checkpoint: str | None, key: str | None, consistency: str | None
) -> None:
    """Verify the exported record of a game, offline: exit 0 valid, 1 invalid, 2 not a record. `-` is standard input.

    The record may be packed with gzip, as those of an archive are.
    """
    from moveledger.audit.report import check_file, read_trust

    try:
        trust = read_trust(checkpoint, key, consistency)
    except (MalformedValue, OSError, UnicodeDecodeError) as wrong:
        raise click.BadParameter(str(wrong), param_hint="--checkpoint, --key, --consistency") from wrong
    sys.exit(check_file(file, as_json=as_json, is_quiet=is_quiet, trust=trust))


@main.command()
def openapi() -> None:
    """Print the OpenAPI document of the API as YAML."""
    from moveledger.commands import print_openapi

    print_openapi()


def json_object(_context: click.Context, _option: click.Parameter, text: str) -> dict[str, object]:
    """The object that a text of JSON is. Raises `BadParameter`."""
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise click.BadParameter("it is no object in JSON")
    return found


@main.command()
@click.option("--ruleset", default="shangrila@1", show_default=True)
@click.option("--seats", default=3, show_default=True, type=click.IntRange(1, 16))
@click.option("--games", default=1, show_default=True, type=click.IntRange(1))
@click.option("--bots", default="random", show_default=True, help="random or greedy; several, with commas, take turns.")
@click.option("--options", default="{}", callback=json_object, help="The game's options, as JSON.")
@click.option("--at-once", default=4, show_default=True, type=click.IntRange(1, 64), help="Games at the same time.")
def play(*, ruleset: str, seats: int, games: int, bots: str, options: dict[str, object], at_once: int) -> None:
    """Let bots play whole games over HTTP. Exit 1 when a move was refused or a game did not finish."""
    from moveledger.bots import Plan
    from moveledger.commands import play as play_games

    names = [bot_name(name) for name in bots.split(",")]
    plan = Plan(ruleset=ruleset, seats=seats, games=games, bots=names, options=options, at_once=at_once)
    sys.exit(play_games(os.environ, plan))


def bot_name(name: str) -> Literal["random", "greedy"]:
    """The bot of that name. Raises `BadParameter`."""
    match name:
        case "random" | "greedy":
            return name
        case _:
            raise click.BadParameter(f"there is no bot called {name!r}", param_hint="--bots")


@main.command()
@click.argument("game_id", required=False)
@click.option(
    "--out", default="-", help="The file to write, standard output if left out; with --all the archive's folder."
)
@click.option("--all", "is_all", is_flag=True, help="All games that are over, out of the database, into an archive.")
@click.option(
    "--since", type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]), help="Of --all: those with an event since (UTC)."
)
@click.option("--running", is_flag=True, help="Of --all: games that go on, too. Such records cannot be imported.")
def export(game_id: str | None, out: str, is_all: bool, since: datetime | None, running: bool) -> None:
    """Export the record of a game, for `moveledger verify`; or with --all an archive, for `moveledger import`."""
    from moveledger.commands import export as export_record
    from moveledger.commands import export_all

    if is_all == (game_id is not None) or (is_all and out == "-") or (not is_all and (since or running)):
        raise click.UsageError("Say GAME_ID [--out FILE], or --all [--since DATE] [--running] --out DIR.")
    since = since.replace(tzinfo=UTC) if since else None
    try:
        if game_id is not None:
            sys.exit(export_record(os.environ, game_id, out))
        sys.exit(export_all(read_stored_config(os.environ), out, since=since, running=running))
    except BrokenPipeError:
        raise  # nobody reads on: click ends then without a word
    except OSError as wrong:
        raise click.FileError(str(wrong.filename or out), wrong.strerror) from wrong


@main.command("import")
@click.argument("folder", type=click.Path(exists=True, file_okay=False))
def import_(folder: str) -> None:
    """Import an archive: each game is verified whole, then written with the hashes that it had. Exit 1 if any was
    refused, 2 if it is no archive.
    """
    from moveledger.commands import import_archive

    sys.exit(import_archive(read_stored_config(os.environ), folder))


@main.command()
@click.argument("game_id", type=click.UUID)
@click.option("--lang", "language", default="en", show_default=True, type=click.Choice(["en", "de", "fr", "nl"]))
@click.option("--as", "as_name", help="As who sees it: spectator, seat:2 or referee.")
def replay(game_id: UUID, language: str, as_name: str | None) -> None:
    """Print a game as a readable log."""
    from moveledger.commands import replay as print_replay

    sys.exit(print_replay(os.environ, str(game_id), language=language, as_name=as_name))


@main.command()
@click.argument("game_ids", nargs=-1, type=click.UUID)
@click.option("--against", help="Replay under this version of the rules, e.g. tiwanaku@2.")
@click.option("--ruleset", help="With --against: the version whose games are replayed, e.g. tiwanaku@1.")
@click.option("--processes", default=os.cpu_count(), show_default="one a core", type=click.IntRange(1, 64))
def check(game_ids: tuple[UUID, ...], against: str | None, ruleset: str | None, processes: int) -> None:
    """Replay stored games (all of them if none is named) against their snapshots, and say what differs: then exit 1.

    With --against and --ruleset: replay them under another version of their rules instead, and say which would differ, and
    from which event on. That runs in processes of its own, whether or not workers of the service run.
    """
    from moveledger.commands import check as check_games
    from moveledger.commands import check_against

    if (against is None) != (ruleset is None):
        raise click.UsageError("--against and --ruleset belong together.")
    config = read_stored_config(os.environ)
    if against is not None and ruleset is not None:
        sys.exit(check_against(config, ruleset, against, games=game_ids, processes=processes))
    sys.exit(check_games(config, game_ids))


@main.group()
def keys() -> None:
    """API keys, for whoever has the master key."""


@keys.command("create")
@click.argument("name")
@click.option("--scope", "scopes", multiple=True, required=True, help="Once for each scope, e.g. games:write.")
def create_key(name: str, scopes: tuple[str, ...]) -> None:
    """Make an API key and print its id and its text."""
    from moveledger.services.keys import issue_key
    from moveledger.wiring import build_tools

    key_id, text = issue_key(build_tools(read_stored_config(os.environ)), name=name, scopes=list(scopes))
    click.echo(f"{key_id}\n{text}")


@keys.command("list")
def list_keys() -> None:
    """List API keys, without their texts."""
    from moveledger.services.keys import all_keys
    from moveledger.wiring import build_tools

    for row in all_keys(build_tools(read_stored_config(os.environ))):
        state = "revoked" if row["revoked_at"] else "valid"
        click.echo(f"{row['id']}  {state:<8} {row['name']:<20} {' '.join(row['scopes'])}")


@keys.command("revoke")
@click.argument("key_id", type=click.UUID)
def revoke_key(key_id: UUID) -> None:
    """Revoke an API key, everywhere and for good."""
    from moveledger.services.keys import revoke
    from moveledger.wiring import build_tools

    revoke(build_tools(read_stored_config(os.environ)), key_id)


@keys.command("rewrap")
@click.option(
    "--new-master-key", envvar="NEW_MASTER_KEY", required=True, help="64 hex digits; better in NEW_MASTER_KEY."
)
def rewrap_keys(new_master_key: str) -> None:
    """Wrap every data key under a new master key. Tokens and records stay valid; start the service with the new key afterwards.

    The service may run meanwhile; until it is started anew it opens no games.
    """
    from moveledger.services.rewrapping import rewrap
    from moveledger.wiring import build_tools

    if not re.fullmatch("[0-9a-fA-F]{64}", new_master_key):
        raise click.BadParameter("it is not 64 hexadecimal digits", param_hint="--new-master-key")
    config = read_stored_config(os.environ)
    count = rewrap(build_tools(config, "owner"), old=config.master_key, new=bytes.fromhex(new_master_key))
    click.echo(f"{count} keys are wrapped under the new master key")
