"""A Flask view that says hello, on the server that serves the API: what is left is the server, the bridge and Flask."""

from __future__ import annotations

import os

from flask import Flask

from moveledger.api.bridge import Bridge
from moveledger.child import die_with_parent
from moveledger.config import Config
from moveledger.server import BODY_LIMIT, serve


def build_application() -> Bridge:
    """What each server process runs first."""
    die_with_parent()
    app = Flask(__name__, static_folder=None)

    @app.get("/")
    def hello() -> str:
        return "hello"

    return Bridge(app, threads=Config.read(os.environ).api_threads, body_limit=BODY_LIMIT)


if __name__ == "__main__":
    serve(Config.read(os.environ), target="bench.hello:build_application")
