"""What tests in a browser share: the system's headless Chromium, one for each module."""

from __future__ import annotations

import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
QUIET = [
    "--no-sandbox",  # in containers there is no other way, and it sees only pages of ours
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
]


@pytest.fixture(scope="module")  # while it is open this thread has an event loop, which other modules must not find
def browser() -> Iterator[Browser]:
    """A headless Chromium of the system; playwright's own downloads are not used."""
    program = next((found for name in PROGRAMS if (found := shutil.which(name))), None)
    if program is None:
        pytest.skip(f"there is no browser: none of {', '.join(PROGRAMS)} is on the PATH")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=QUIET)
        yield browser
        browser.close()
