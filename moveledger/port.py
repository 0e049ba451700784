"""Whether a port can be listened on."""

from __future__ import annotations

import socket

from moveledger.errors import ConfigurationFault


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
