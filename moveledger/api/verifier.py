"""The verifier as a page: one file, which works from disk as well."""

from __future__ import annotations

import base64
import hashlib
import re
from pathlib import Path

from flask import Blueprint, Response, request

blp = Blueprint("verifier", __name__)

PAGE = (Path(__file__).parents[1] / "web" / "verify.html").read_text(encoding="utf-8")


def source_hash(page: str, tag: str) -> str:
    """What a content security policy says to allow the one inline `<style>` or `<script>` of a page."""
    (content,) = re.findall(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


POLICY = "; ".join(
    [
        "default-src 'none'",
        f"script-src {source_hash(PAGE, 'script')}",
        f"style-src {source_hash(PAGE, 'style')}",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
"""It can load nothing and send nothing: a record that is dropped on it stays in the browser."""


@blp.get("/verify")
def show_verifier() -> Response:
    """The page that verifies records."""
    answer = Response(PAGE, content_type="text/html; charset=utf-8")
    answer.headers["Content-Security-Policy"] = POLICY
    answer.headers["Referrer-Policy"] = "no-referrer"
    answer.headers["Cache-Control"] = "no-cache"
    answer.add_etag()
    answer.make_conditional(request)
    return answer
