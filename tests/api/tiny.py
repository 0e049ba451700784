"""A small application for the tests of the server: it shows what comes in, and answers in every way that Flask can."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator

from flask import Flask, Response, jsonify, request
from flask.typing import ResponseReturnValue

from moveledger.api.bridge import Bridge
from moveledger.child import die_with_parent

CLOSED: list[str] = []
"""The streams of this process that were closed."""


def build() -> Bridge:
    """What granian calls in each server process."""
    die_with_parent()
    return Bridge(create(), threads=4, body_limit=1000)


def create() -> Flask:
    """The application."""
    app = Flask("tiny")
    app.config["MAX_CONTENT_LENGTH"] = 1000

    @app.route("/", defaults={"path": ""}, methods=["GET", "POST"])
    @app.route("/echo/<path:path>", methods=["GET", "POST"])
    def echo(path: str) -> ResponseReturnValue:
        return jsonify(
            path=path,
            query=request.args.to_dict(flat=False),
            headers=request.headers.to_wsgi_list(),
            body=request.get_data(as_text=True),
            client=request.remote_addr,
            pid=os.getpid(),
        )

    @app.get("/status/<int:status>")
    def status(status: int) -> ResponseReturnValue:
        return Response("words" if status == 200 else "", status=status, headers={"X-Place": "Zürich"})

    @app.get("/cookies")
    def cookies() -> ResponseReturnValue:
        response = Response("two")
        response.set_cookie("a", "1")
        response.set_cookie("b", "2")
        return response

    @app.get("/stream/<int:lines>")
    def stream(lines: int) -> ResponseReturnValue:
        url, fail = request.url, request.args.get("fail")

        def pieces() -> Iterator[str]:
            for number in range(lines):
                if fail == str(number):
                    raise RuntimeError("the database said something private")
                yield f"{number}".rjust(99, ".") + "\n"

        response = Response(pieces(), mimetype="application/x-ndjson")
        response.call_on_close(lambda: CLOSED.append(url))
        return response

    @app.get("/closed")
    def closed() -> ResponseReturnValue:
        return jsonify(CLOSED)

    @app.get("/slow")
    def slow() -> ResponseReturnValue:
        time.sleep(1.0)
        return "done"

    @app.get("/fault")
    def fault() -> ResponseReturnValue:
        app.config["PROPAGATE_EXCEPTIONS"] = True
        raise RuntimeError("the database said something private")

    return app
