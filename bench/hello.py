"""Two Flask views that do next to nothing, on the server that serves the API: what is left is server, bridge and Flask."""

from __future__ import annotations

import os

from flask import Flask, request

from moveledger.api.bridge import Bridge
from moveledger.child import die_with_parent
from moveledger.config import Config
from moveledger.server import BODY_LIMIT, serve
from moveledger.store.database import Database


def build_application() -> Bridge:
    """What each server process runs first."""
    die_with_parent()
    config = Config.read(os.environ)
    database = Database(config.api_database_url, role="moveledger_api", size=config.api_pool)
    database.open()
    app = Flask(__name__, static_folder=None)

    @app.get("/")
    def hello() -> str:
        return "hello"

    @app.post("/insert")
    def insert() -> tuple[str, int]:
        with database.connection() as connection:
            connection.execute("INSERT INTO bare (id, body) VALUES (uuidv7(), %s)", [request.get_data()])
        return "written", 201

    return Bridge(app, threads=config.api_threads, body_limit=BODY_LIMIT, on_end=database.close)


if __name__ == "__main__":
    serve(Config.read(os.environ), target="bench.hello:build_application")
