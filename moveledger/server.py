"""How `moveledger api` serves: granian's processes, each with an application, a pool of threads and connections.

The code is loaded before the processes are forked, so that they share it; what has threads or connections is made after.
"""

from __future__ import annotations

import os

from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server import Server

from moveledger.api.bridge import Bridge
from moveledger.app import create_app
from moveledger.child import die_with_parent
from moveledger.config import Config
from moveledger.port import refuse_taken_port

BODY_LIMIT = 64 * 1024
"""For an application that sets no MAX_CONTENT_LENGTH."""
CONNECTIONS = 4096
"""What one process keeps open. Idle ones count, so granian's default of some hundreds is soon used up by streams."""
PATIENCE_S = 10
"""What requests get to come to their end when the server is told to stop."""


def serve(config: Config, target: str = "moveledger.server:build_application") -> None:
    """Serve until SIGTERM or SIGINT. `target` names the function that each server process builds its `Bridge` with."""
    refuse_taken_port(config.host, config.port)
    Server(
        target,
        factory=True,
        address=config.host,
        port=config.port,
        interface=Interfaces.RSGI,
        http=HTTPModes.http1,
        websockets=False,
        workers=config.api_workers,
        backlog=2048,
        backpressure=CONNECTIONS,
        respawn_failed_workers=True,  # without it the death of one process ends the server
        workers_kill_timeout=PATIENCE_S,
        log_level=LogLevels.warning,
    ).serve()


def build_application() -> Bridge:
    """What each server process runs first: its own application, made after the fork."""
    die_with_parent()
    config = Config.read(os.environ)
    app = create_app(config)
    return Bridge(
        app,
        threads=config.api_threads,
        body_limit=app.config.get("MAX_CONTENT_LENGTH") or BODY_LIMIT,
        on_end=app.extensions.get("moveledger.close"),
    )
