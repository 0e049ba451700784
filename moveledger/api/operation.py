"""Operation: health, metrics, and the API's own documentation."""

from __future__ import annotations

import contextlib
from pathlib import Path

import flask_swagger_ui
from flask import Blueprint, Response, current_app, render_template_string, send_from_directory

from moveledger.api import metrics
from moveledger.api.requests import reply, tools
from moveledger.errors import MoveledgerError
from moveledger.services.vigilance import log_status
from moveledger.store.secrets import require_master_key

blp = Blueprint("operation", __name__)

SWAGGER_UI = Path(flask_swagger_ui.__file__).parent / "dist"
DOCS = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Moveledger API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="icon" href="data:,">
</head>
<body>
<div id="swagger-ui"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
"""
START = 'SwaggerUIBundle({url: "openapi.json", dom_id: "#swagger-ui", deepLinking: true, validatorUrl: null});\n'


@blp.get("/healthz")
def tell_health() -> Response:
    """Whether this process answers."""
    return reply({"status": "ok"})


@blp.get("/readyz")
def tell_readiness() -> Response:
    """Whether moves can be taken: the database answers. Redis being away only makes things slower.

    What is wrong with the public log stands beside it: moves are taken all the same.
    """
    try:
        vault = tools().vault
        with tools().database.connection() as connection:
            connection.execute("SELECT 1 FROM ml.games LIMIT 1")
            require_master_key(connection, vault)
        status = log_status(tools())
    except MoveledgerError as away:
        answer = reply({"status": "unavailable", "database": False, "detail": away.detail}, 503)
        answer.headers["Retry-After"] = "2"
        return answer
    return reply(
        {
            "status": "ready",
            "database": True,
            "redis": tools().cache.is_there(),
            "log": status.state,
            **({"log_detail": status.detail} if status.detail else {}),
        }
    )


@blp.get("/metrics")
def tell_metrics() -> Response:
    """Counts and times, for Prometheus."""
    with contextlib.suppress(MoveledgerError):  # with the database away the other metrics are wanted all the more
        metrics.observe_log(log_status(tools()))
    text, content_type = metrics.exposition()
    return Response(text, content_type=content_type)


@blp.get("/openapi.json")
def tell_openapi() -> Response:
    """The OpenAPI document."""
    return reply(current_app.extensions["moveledger_api"].spec.to_dict())


@blp.get("/docs")
def show_docs() -> str:
    """The API's documentation, to read and to try."""
    return render_template_string(DOCS)


@blp.get("/docs/start.js")
def show_docs_script() -> Response:
    """What starts the documentation page."""
    return Response(START, content_type="text/javascript")


@blp.get("/docs/<path:name>")
def show_docs_file(name: str) -> Response:
    """A file of the documentation page."""
    return send_from_directory(SWAGGER_UI, name, max_age=86_400)
