"""The Flask application: tools, request ids, blueprints, problems."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Any

import uuid_utils
from flask import Flask, Response, g, request

from moveledger.api import audit, games, keys, log, metrics, moves, operation, reading, rulesets, rulings, verifier
from moveledger.api.description import refuse_unknown_parameters
from moveledger.api.problems import register_problems
from moveledger.api.spec import build_api
from moveledger.config import Config
from moveledger.services.tools import Tools
from moveledger.wiring import build_tools

BODY_LIMIT = 64 * 1024
"""Bytes of the longest request body that is read."""

_REQUEST_ID = re.compile(r"[A-Za-z0-9._~-]{1,100}")


class _Application(Flask):
    """A Flask without coroutines: otherwise it looks at every function it is about to call, at each request, whether it is one."""

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        return func


def create_app(config: Config | None = None, tools: Tools | None = None) -> Flask:
    """The application. `tools` given beside or instead of a configuration are used as they are."""
    app = _Application("moveledger", static_folder=None)
    app.config.update(MAX_CONTENT_LENGTH=BODY_LIMIT, PROPAGATE_EXCEPTIONS=False)
    app.url_map.merge_slashes = False  # it would answer `/v1//games` with a redirection in HTML
    app.json.sort_keys = False  # type: ignore[attr-defined]  # of the default provider
    if tools is not None or config is not None:
        app.extensions["moveledger"] = found = tools or build_tools(_required(config))
        app.extensions["moveledger.close"] = found.close
    register_problems(app)
    api = build_api(app, config.public_url if config else None)
    for resource in (rulesets, games, moves, reading, audit, rulings, log, keys):
        api.register_blueprint(resource.blp)
    for pages in (operation, verifier):
        app.register_blueprint(pages.blp)
    app.extensions["moveledger_api"] = api
    app.before_request(_begin)
    app.before_request(refuse_unknown_parameters)
    app.after_request(_end)
    return app


def _required(config: Config | None) -> Config:
    assert config is not None  # the caller has checked
    return config


def _begin() -> None:
    given = request.headers.get("Request-Id", "")
    g.request_id = given if _REQUEST_ID.fullmatch(given) else str(uuid_utils.uuid7())
    g.began = time.perf_counter()


def _end(response: Response) -> Response:
    response.headers["Request-Id"] = g.request_id
    response.headers["X-Content-Type-Options"] = "nosniff"
    metrics.observe(request, response, seconds=time.perf_counter() - g.began)
    return response
