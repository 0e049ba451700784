"""People are not in the log: a name can be erased, by the statement that docs/operations.md gives, and nothing else changes."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

from moveledger.audit.verify import verify_record
from tests.api.service import open_service
from tests.playing import SHANGRILA
from tests.store.drafts import connected

PAGE = Path(__file__).parents[2] / "docs" / "operations.md"


def test_a_name_is_erased_and_the_game_still_verifies(database: str, redis_url: str) -> None:
    statement = re.search(r"UPDATE ml\.players .*;", PAGE.read_text(encoding="utf-8"))
    assert statement is not None
    with open_service(database, redis_url) as service:
        client = service.client()
        players = [{"id": f"person-{seat}", "name": f"Somebody {seat}"} for seat in range(3)]
        game: Any = client.post("/v1/games", {"ruleset": SHANGRILA, "seats": 3, "players": players}).json
        client.play(game["id"], moves=3)
        erased = game["seats"][1]["player"]["id"]
        with connected(database) as owner:
            owner.execute(statement.group().replace("…", erased).encode())
        seats: Any = client.get(f"/v1/games/{game['id']}").json["seats"]  # type: ignore[index]  # a game
        assert [seat["player"]["name"] for seat in seats] == ["Somebody 0", None, "Somebody 2"]
        assert seats[1]["player"] == {"id": erased, "name": None, "external_id": erased}
        assert client.get("/v1/games?player=person-1").json == {"data": [], "has_more": False, "next": None}
        record = client.get(f"/v1/games/{game['id']}/export").get_data()
        assert verify_record(io.BytesIO(record)).valid
        assert b"Somebody" not in record
        assert b"person-" not in record
        again: Any = client.post("/v1/games", {"ruleset": SHANGRILA, "seats": 3, "players": players}).json
        assert [a["player"]["id"] == b["player"]["id"] for a, b in zip(again["seats"], seats, strict=True)] == [
            True,
            False,
            True,
        ]
