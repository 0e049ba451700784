"""GET /verify: the verifier as a page that can neither load nor send anything."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from moveledger.api.verifier import PAGE, source_hash
from moveledger.app import create_app


@pytest.fixture
def client() -> FlaskClient:
    """Whoever opens the page; it takes no database."""
    return create_app().test_client()


def test_its_policy_allows_its_own_style_and_script_and_nothing_else(client: FlaskClient) -> None:
    answer = client.get("/verify")
    assert answer.get_data(as_text=True) == PAGE
    policy = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))
    assert policy.pop("script-src") == source_hash(PAGE, "script")
    assert policy.pop("style-src") == source_hash(PAGE, "style")
    assert policy.pop("img-src") == "data:"
    assert set(policy.values()) == {"'none'"}


def test_it_names_no_other_file_and_no_address() -> None:
    assert "://" not in PAGE
    assert [name for name in ("@import", "url(", "<script ", "<iframe", " src=") if name in PAGE] == []


def test_it_is_not_sent_again_to_who_has_it(client: FlaskClient) -> None:
    tag = client.get("/verify").headers["ETag"]
    again = client.get("/verify", headers={"If-None-Match": tag})
    assert (again.status_code, again.get_data()) == (304, b"")
