"""How `moveledger api` serves: granian's processes, each with an application, a pool of threads and connections."""

from __future__ import annotations

import os
import socket

from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server import Server

from moveledger.api.bridge import Bridge
from moveledger.child import die_with_parent
from moveledger.config import Config
from moveledger.errors import ConfigurationFault

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
    from moveledger.app import create_app  # noqa: PLC0415 - the process that only watches over these has no use for it

    die_with_parent()
    config = Config.read(os.environ)
    app = create_app(config)
    return Bridge(
        app,
        threads=config.api_threads,
        body_limit=app.config.get("MAX_CONTENT_LENGTH") or BODY_LIMIT,
        on_end=app.extensions.get("moveledger.close"),
    )


def refuse_taken_port(host: str, port: int) -> None:
    """Raise `ConfigurationFault` if something listens there: granian shares its ports and would share that one too."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((host, port))
        except OSError as error:
            raise ConfigurationFault(
                f"Cannot listen on {host}:{port}: {error.strerror}. Choose another PORT."
            ) from None
