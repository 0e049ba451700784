"""A cheap HTTP client: requests whose bytes are made beforehand, over kept-alive connections, in processes of its own.

Each connection sends its next request as soon as the last one is answered. Nothing of an answer is read but its status
and where it ends.
"""

from __future__ import annotations

import re
import selectors
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from functools import partial

from bench.together import run_together, wait_for_all

PROCESSES = 2
_LENGTH = re.compile(rb"\r\ncontent-length: (\d+)", re.IGNORECASE)

Requests = Sequence[bytes]


def send_all(host: str, port: int, plans: Sequence[Requests], *, seconds: float) -> float:
    """Each plan over a connection of its own, for so long or until one has no more to send; requests answered a second.

    Raises `RuntimeError` at an answer that is not a success.
    """
    shares = [share for number in range(PROCESSES) if (share := plans[number::PROCESSES])]
    return sum(run_together([partial(_send_share, host, port, share, seconds) for share in shares]))


def _send_share(host: str, port: int, plans: Sequence[Requests], seconds: float) -> float:
    with selectors.DefaultSelector() as selector:
        connections = [_Connection(host, port, plan) for plan in plans]
        try:
            wait_for_all()
            return _drive(selector, connections, seconds)
        finally:
            for connection in connections:
                connection.socket.close()


def _drive(selector: selectors.BaseSelector, connections: Sequence[_Connection], seconds: float) -> float:
    began = time.monotonic()
    end, count = began + seconds, 0
    for connection in connections:
        connection.send_next()
        selector.register(connection.socket, selectors.EVENT_READ, connection)
    while (now := time.monotonic()) < end:
        for key, _ in selector.select(min(1.0, end - now)):
            if key.data.receive():
                count += 1
                if not key.data.send_next():
                    return count / (time.monotonic() - began)
    return count / (time.monotonic() - began)


class _Connection:
    """One connection with one request under way."""

    def __init__(self, host: str, port: int, plan: Requests) -> None:
        self.socket = socket.create_connection((host, port), timeout=30)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._plan: Iterator[bytes] = iter(plan)
        self._answer = b""

    def send_next(self) -> bool:
        """Send the next request, if there is one."""
        request = next(self._plan, None)
        if request is None:
            return False
        self._answer = b""
        self.socket.sendall(request)
        return True

    def receive(self) -> bool:
        """Take what has come; whether the answer is whole. Raises `RuntimeError` when it is a refusal."""
        piece = self.socket.recv(262144)
        if not piece:
            raise RuntimeError("the server closed a connection")
        self._answer += piece
        head, separator, body = self._answer.partition(b"\r\n\r\n")
        length = _LENGTH.search(head)
        if not separator or length is None or len(body) < int(length.group(1)):
            return False
        if not head.startswith(b"HTTP/1.1 20"):
            raise RuntimeError(f"refused: {self._answer[:500]!r}")
        return True


def get_repeatedly(host: str, port: int, path: str, *, connections: int, seconds: float) -> float:
    """GETs of one path a second: by `wrk` where that is installed, since it takes less of the machine; else our own."""
    if shutil.which("wrk"):
        return _get_by_wrk(f"http://{host}:{port}{path}", connections, seconds)
    request = f"GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode()
    return send_all(host, port, [[request] * int(seconds * 5_000)] * connections, seconds=seconds)


def _get_by_wrk(url: str, connections: int, seconds: float) -> float:
    command = ["wrk", f"-t{PROCESSES}", f"-c{connections}", f"-d{max(1, round(seconds))}s", url]  # found on the PATH
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=seconds + 60)
    rate = re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)
    if rate is None or "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        raise RuntimeError(f"wrk: {done.stdout}")
    return float(rate.group(1))
