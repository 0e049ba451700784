"""The command line says in a sentence what is wrong with what it is given, and finds the service where `up` has put it."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from uuid import UUID

import pytest
from click.testing import CliRunner, Result

from moveledger import bots
from moveledger.cli import main

NOBODY = "http://127.0.0.1:9"
"""Where nothing answers: the port of `discard` (RFC 863)."""
GAME = str(UUID(int=1))


def run(*words: str, **environ: str | None) -> Result:
    unset = dict.fromkeys(("MOVELEDGER_URL", "MOVELEDGER_KEY", "STATE_FOLDER"))
    return CliRunner().invoke(main, list(words), env={**unset, **environ})


def said(result: Result) -> str:
    """The one sentence with which a command failed."""
    assert result.exit_code in (1, 2)
    assert isinstance(result.exception, SystemExit), result.exception
    return result.output.splitlines()[-1]


class _Asked(BaseHTTPRequestHandler):
    """Answers every GET with the path that was asked for."""

    def do_GET(self) -> None:
        body = json.dumps([self.path, self.headers["Authorization"]]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Keep still."""


@pytest.fixture
def address() -> Iterator[str]:
    """Of something that answers."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Asked)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_the_service_is_found_in_the_state_folder(address: str, tmp_path: Path) -> None:
    (tmp_path / "dev.env").write_text(f"MOVELEDGER_URL={address}\nMOVELEDGER_KEY=mlk_x\n")
    asked = json.loads(run("export", GAME, STATE_FOLDER=str(tmp_path)).output)
    assert asked == [f"/v1/games/{GAME}/export", "Bearer mlk_x"]


def test_an_address_may_have_a_path_before_the_api_s(address: str) -> None:
    asked = json.loads(run("export", GAME, MOVELEDGER_URL=f"{address}/games/", MOVELEDGER_KEY="mlk_x").output)
    assert asked[0] == f"/games/v1/games/{GAME}/export"


def test_an_address_with_https_is_asked_by_https(address: str) -> None:
    secure = address.replace("http:", "https:")
    assert "does not answer" in said(run("export", GAME, MOVELEDGER_URL=secure, MOVELEDGER_KEY="mlk_x"))


def test_without_an_address_it_is_said_where_one_was_looked_for(tmp_path: Path) -> None:
    answer = said(run("export", GAME, STATE_FOLDER=str(tmp_path)))
    assert answer.startswith("Error: MOVELEDGER_URL and MOVELEDGER_KEY not set")
    assert str(tmp_path / "dev.env") in answer


@pytest.mark.parametrize("address", ["nonsense", "127.0.0.1:8000", "ftp://127.0.0.1", "http://", "http://host:port"])
@pytest.mark.parametrize("words", [["export", GAME], ["replay", GAME], ["play"]])
def test_an_address_that_is_none_is_refused(words: list[str], address: str) -> None:
    answer = said(run(*words, MOVELEDGER_URL=address, MOVELEDGER_KEY="mlk_x"))
    assert answer == f"Error: MOVELEDGER_URL is not an address as http://HOST:PORT is one: {address!r}."


@pytest.mark.parametrize("words", [["export", GAME], ["replay", GAME], ["play"]])
def test_a_service_that_does_not_answer_is_said_so(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "PATIENCE_S", 0.1)
    answer = said(run(*words, MOVELEDGER_URL=NOBODY, MOVELEDGER_KEY="mlk_x"))
    assert answer == f"Error: {NOBODY} does not answer: Connection refused."


@pytest.mark.parametrize("options", ["{bad", "[1]", "1", '"x"', "null", "NaN"])
def test_options_that_are_no_json_object_are_refused(options: str) -> None:
    assert "Invalid value for '--options'" in said(run("play", "--options", options))


def test_a_file_that_cannot_be_written_is_named(address: str, tmp_path: Path) -> None:
    out = tmp_path / "none" / "record"
    answer = said(run("export", GAME, "--out", str(out), MOVELEDGER_URL=address, MOVELEDGER_KEY="mlk_x"))
    assert answer == f"Error: Could not open file '{out}': No such file or directory"
