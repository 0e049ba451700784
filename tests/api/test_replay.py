"""GET /v1/games/{id}/replay: frames, their words, what a rewind took back, and the readable log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Thread
from typing import Any
from uuid import uuid4

import pytest
from click.testing import CliRunner
from werkzeug.serving import make_server

from moveledger.cli import main
from moveledger.rules.registry import LANGUAGES, find_ruleset, load_rulesets
from tests.api.service import CLOSED_HANDS, Client, Service, parameters, refused

TEXT = {"Accept": "text/plain"}


def frames(client: Client, game_id: str, query: str = "", **headers: str) -> list[Any]:
    """All frames of a game."""
    answer = client.get(f"/v1/games/{game_id}/replay?limit=100{query}", headers)
    assert answer.status_code == 200, answer.get_data()
    found: list[Any] = answer.json["data"]  # type: ignore[index]
    return found


def keys(frame: Any) -> list[str]:
    """The keys of a frame's notes."""
    return [note["key"] for note in frame["notes"]]


def rule(service: Service, game_id: str, **ruling: Any) -> Any:
    """A referee's ruling."""
    answer = service.client("games:referee").post(f"/v1/games/{game_id}/rulings", {"reason": "a test", **ruling})
    assert answer.status_code == 201, answer.get_data()
    return answer.json


@pytest.mark.parametrize("ruleset", load_rulesets())
def test_every_frame_of_a_game_says_something_in_every_language(client: Client, ruleset: str) -> None:
    game = client.open_game(ruleset, seats=find_ruleset(ruleset).seats[-1])["id"]
    client.play(game, moves=6)
    for language in LANGUAGES:
        for frame in frames(client, game, **{"Accept-Language": language}):
            assert frame["notes"], frame
            assert all(note["text"] for note in frame["notes"])


def test_the_service_tells_what_the_rules_do_not(client: Client) -> None:
    game = client.open_game()["id"]
    assert [keys(frame) for frame in frames(client, game)] == [
        ["game.opened"], ["game.seated"], ["game.seated"], ["game.seated"], ["game.started"],
    ]  # fmt: skip
    assert [frame["notes"][0]["text"] for frame in frames(client, game, **{"Accept-Language": "nl"})][
        -1
    ] == "De partij begint."


def test_an_end_by_a_referee_is_told_with_its_reasons(service: Service, client: Client) -> None:
    game = client.open_game()["id"]
    rule(service, game, type="adjudicate", placings=[1, 2, 2], reason="the table fell over")
    rule(service, game, type="annul", reason="it was a rehearsal")
    ruled, finished, annulled = frames(client, game)[-3:]
    assert ruled["notes"][0]["text"] == "The referee ends the game and decides its outcome: the table fell over"
    assert finished["notes"][0]["text"] == "The game is over (adjudicated by the referee)."
    assert [note["text"] for note in finished["notes"][1:]] == [
        "Red: place 1, score 0.", "Blue: place 2, score 0.", "Yellow: place 2, score 0.",
    ]  # fmt: skip
    assert annulled["notes"][0]["key"] == "game.ruled_annul"


def test_a_fork_says_where_it_comes_from(client: Client) -> None:
    parent = client.open_game()["id"]
    fork: Any = client.post(f"/v1/games/{parent}/forks", {"at": 5}).json
    assert keys(frames(client, fork["id"])[0]) == ["game.opened", "game.forked"]


def test_what_was_rewound_stays_in_the_replay_and_is_marked(service: Service, client: Client) -> None:
    game = client.open_game()["id"]
    client.play(game, moves=3)
    ruled = rule(service, game, type="rewind", to=6)["version"]
    client.play(game, moves=1)
    marks = {frame["seq"]: frame["rewound_by"] for frame in frames(client, game)}
    assert marks == {1: None, 2: None, 3: None, 4: None, 5: None, 6: None, 7: ruled, 8: ruled, 9: None, 10: None}
    shown = frames(client, game, "&from=7&to=7")[0]
    assert keys(shown)[-1] == "game.rewound"
    assert shown["notes"][-1]["arguments"] == {"seq": ruled}


def test_a_game_is_printed_as_a_log(client: Client, service: Service) -> None:
    game = client.open_game()["id"]
    client.play(game, moves=2)
    rule(service, game, type="rewind", to=6, reason="a slip\u202e of the hand")
    answer = client.get(f"/v1/games/{game}/replay", {**TEXT, "Accept-Language": "de"})
    lines = answer.get_data(as_text=True).splitlines()
    assert answer.content_type == "text/plain; charset=utf-8"
    assert answer.headers["Content-Language"] == "de"
    assert lines[0] == f"Die Brücken von Shangrila (shangrila@1) · {game} · spectator"
    assert [line[:6] for line in lines[1:6]] == ["     1", "     2", "     3", "     4", "     5"]
    assert " Haus " in lines[1]
    assert [line for line in lines if line.startswith("~    7")]
    assert lines[-1].endswith("nach Ereignis 6 zurück: a slip\\u202e of the hand")


def test_the_format_may_be_said_in_the_address(client: Client) -> None:
    game = client.open_game()["id"]
    text, lines = (client.get(f"/v1/games/{game}/replay?format={name}") for name in ("text", "ndjson"))
    assert (text.mimetype, lines.mimetype) == ("text/plain", "application/x-ndjson")
    assert len(lines.get_data().splitlines()) == 5
    assert parameters(client.get(f"/v1/games/{game}/replay?format=pdf")) == ["format"]


def test_other_types_cannot_be_had(client: Client) -> None:
    game = client.open_game()["id"]
    refused(client.get(f"/v1/games/{game}/replay", {"Accept": "image/png"}), 406, "not-acceptable")


def test_the_log_of_a_running_game_tells_a_spectator_no_hidden_thing(client: Client) -> None:
    game = client.open_game(CLOSED_HANDS)["id"]
    client.play(game, moves=1)
    asked = f"/v1/games/{game}/replay?format=text"
    spectator, seat = (client.get(f"{asked}{as_}").get_data(as_text=True) for as_ in ("", "&as=seat:0"))
    assert "Seat 1 gets a card." in spectator
    assert "Seat 1 gets the " not in spectator
    assert "Seat 1 gets the " in seat


def test_the_command_line_prints_a_game(service: Service, client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    game = client.open_game(CLOSED_HANDS)["id"]
    client.play(game, moves=1)
    with serving(service) as url:
        monkeypatch.setenv("MOVELEDGER_URL", url)
        monkeypatch.setenv("MOVELEDGER_KEY", client.token or "")
        ran = CliRunner().invoke(main, ["replay", game, "--lang", "fr", "--as", "seat:0"])
        missing = CliRunner().invoke(main, ["replay", str(uuid4())])
    assert ran.exit_code == 0, ran.output
    assert ran.output.startswith("Mains fermées (closed_hands@1)")
    assert "Place 1 reçoit le " in ran.output
    assert (missing.exit_code, missing.output) == (
        1,
        "Error: 404: There is no such game, or it is not for this caller.\n",
    )


@contextmanager
def serving(service: Service) -> Iterator[str]:
    """The application behind a real socket."""
    server = make_server("127.0.0.1", 0, service.app, threaded=True)
    thread = Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
