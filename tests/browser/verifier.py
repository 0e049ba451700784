"""The verifier page under test: opened from disk or as the service gives it, and asked about records."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import FilePayload, Page, Route

from moveledger.app import create_app

FILE = Path(__file__).parents[2] / "moveledger" / "web" / "verify.html"
SERVED = "http://localhost/verify"
PLAIN = "http://games.example/verify"
"""Not encrypted and not this machine: browsers give such a page no WebCrypto."""
PATIENCE_MS = 60_000

Found = tuple[str, int | None]
"""What a check says, and at which event."""


@dataclass(frozen=True, slots=True)
class Verifier:
    """The open page."""

    page: Page

    def drop(self, record: bytes, name: str = "game.ndjson") -> None:
        """Choose a record as a person does, and wait for the verdict."""
        file = FilePayload(name=name, mimeType="application/octet-stream", buffer=record)
        self.page.get_by_label("Choose a record").set_input_files(file)
        self.wait()

    def wait(self) -> None:
        """Until a verdict is there."""
        self.page.locator("#report").wait_for(state="visible", timeout=PATIENCE_MS)

    @property
    def verdict(self) -> str | None:
        """`valid`, `invalid`, `not-a-record`."""
        return self.page.locator("#verdict").get_attribute("data-verdict")

    @property
    def words(self) -> str:
        """The verdict as it is read."""
        return self.page.locator("#verdict").inner_text()

    @property
    def checks(self) -> dict[str, Found]:
        """Each row of the table."""
        rows = self.page.locator("#checks tbody tr").all()
        return {row.get_attribute("data-check") or "": _found(row.get_attribute) for row in rows}

    def detail(self, check: str) -> str:
        """What a row says was found."""
        return self.page.locator(f"tr[data-check={check}] .found").inner_text()

    def ask(self, record: bytes, key: str = "") -> dict[str, Any]:
        """The report of the page's functions on a record; `{"verdict": "not-a-record"}` where it is none."""
        answer: dict[str, Any] = self.page.evaluate(
            """async ([text, keyText]) => {
                try { return await verifyFile(new Blob([unbase64(text)]), { keyText }); }
                catch (wrong) { if (wrong instanceof NotARecord) return { verdict: "not-a-record" }; throw wrong; }
            }""",
            [base64.b64encode(record).decode(), key],
        )
        return answer

    def call(self, expression: str, argument: Any = None) -> Any:
        """The value of an expression in the page, with `it` for an argument."""
        return self.page.evaluate(f"async (it) => ({expression})", argument)


def _found(attribute: Any) -> Found:
    seq = attribute("data-seq")
    return attribute("data-result"), None if seq is None else int(seq)


def results(report: Mapping[str, Any]) -> dict[str, Found]:
    """The checks of a report by name."""
    return {check["name"]: (check["result"], check.get("seq")) for check in report.get("checks", ())}


def open_verifier(page: Page, address: str) -> Verifier:
    """Open the page from disk, or as the application answers; every other request is refused and a failure."""

    def answer(route: Route) -> None:
        assert route.request.url == address, f"the page asks for {route.request.url}"
        given = create_app().test_client().get("/verify")
        route.fulfill(status=given.status_code, headers=dict(given.headers), body=given.get_data())

    if not address.startswith("file:"):
        page.route("**/*", answer)
    page.goto(address)
    return Verifier(page)
