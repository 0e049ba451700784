"""Health, metrics and documentation."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urljoin

import pytest

from moveledger.app import create_app
from moveledger.config import Config
from moveledger.services.rewrapping import rewrap
from tests.api.service import Client, Service, open_service, refused
from tests.house import MASTER_KEY, open_house

ADDRESSES = {"DATABASE_URL": "postgresql:///none", "REDIS_URL": "redis://none", "MASTER_KEY": "00" * 32}


def test_a_healthy_process_says_so(anybody: Client) -> None:
    assert anybody.get("/healthz").json == {"status": "ok"}


def test_a_ready_service_says_what_it_reaches(anybody: Client) -> None:
    assert anybody.get("/readyz").json == {"status": "ready", "database": True, "redis": True, "log": "empty"}


def test_metrics_count_requests_by_what_was_asked_for(client: Client, anybody: Client) -> None:
    game = client.open_game()
    anybody.get(f"/v1/games/{game['id']}")
    text = anybody.get("/metrics").get_data(as_text=True)
    assert re.search(r'moveledger_requests_total\{endpoint="games.find_game",method="GET",status="200"\} [1-9]', text)
    assert game["id"] not in text


def test_paths_that_are_not_there_make_no_metric_of_their_own(anybody: Client) -> None:
    for at in range(3):
        anybody.get(f"/v1/guess-{at}")
    assert "guess" not in anybody.get("/metrics").get_data(as_text=True)


def test_methods_that_are_not_there_make_no_metric_of_their_own(anybody: Client) -> None:
    """A stranger must not be able to fill the memory with names of its own."""
    for at in range(3):
        anybody.ask(f"GUESS{at}", "/v1/games")
    assert "GUESS" not in anybody.get("/metrics").get_data(as_text=True)


@pytest.mark.parametrize("path", ["/docs", "/docs/start.js", "/docs/swagger-ui.css", "/docs/swagger-ui-bundle.js"])
def test_the_documentation_is_served_from_here(anybody: Client, path: str) -> None:
    answer = anybody.get(path)
    assert answer.status_code == 200
    assert not re.search(rb'(src|href)="https?://', answer.get_data())


def test_the_documentation_works_behind_a_proxy_that_puts_a_path_before_it(service: Service) -> None:
    """Nothing of the page is asked for at the root, and requests are tried where clients find the service."""
    config = Config.read({**ADDRESSES, "PUBLIC_URL": "https://games.example/ledger/"})
    asking = create_app(config, service.tools).test_client()
    document: Any = asking.get("/openapi.json").json
    assert document["servers"] == [{"url": "https://games.example/ledger"}]
    page = asking.get("/docs").get_data(as_text=True) + asking.get("/docs/start.js").get_data(as_text=True)
    found = re.findall(r'(?:src=|href=|url: )"([^"]+)"', page)
    assert {urljoin("https://games.example/ledger/docs", at) for at in found if not at.startswith("data:")} == {
        f"https://games.example/ledger/{name}"
        for name in ("openapi.json", "docs/start.js", "docs/swagger-ui.css", "docs/swagger-ui-bundle.js")
    }


@pytest.mark.parametrize(
    "path", ["/docs/nothing.js", "/docs/../api.py", "/docs/%2e%2e/__init__.py", "/docs//etc/passwd"]
)
def test_nothing_else_is_served_beside_it(anybody: Client, path: str) -> None:
    answer: Any = anybody.app.test_client().get(path)
    assert answer.status_code in (308, 404)
    assert b"root:" not in answer.get_data()


def test_a_process_whose_master_key_was_changed_is_not_ready_and_opens_no_game(database: str, redis_url: str) -> None:
    with open_service(database, redis_url) as service, open_house(database, redis_url, role="owner") as owner:
        client = service.client()
        game = client.open_game()
        rewrap(owner.tools, old=MASTER_KEY, new=bytes(range(100, 132)))
        assert service.anybody.get("/readyz").status_code == 503
        answer = client.post("/v1/games", {"ruleset": "shangrila@1", "seats": 3})
        refused(answer, 503, "master-key-changed")
        assert answer.headers["Retry-After"]
        assert client.play(game["id"], moves=1)["version"] > game["version"]
        service.tools.facts.clear()
        refused(client.get(f"/v1/games/{game['id']}"), 503, "master-key-changed")
