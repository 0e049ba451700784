"""Flask behind granian's RSGI interface: each request is a coroutine, Flask runs in a pool of threads.

Why, and what of granian this goes around, is in docs/decisions/0001-server.md. WSGI is PEP 3333.
"""

from __future__ import annotations

import asyncio
import io
import logging
import sys
from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication
    from granian.rsgi import HTTPProtocol, Scope  # type: ignore[attr-defined]  # granian re-exports without saying so

logger = logging.getLogger(__name__)

BODY_PATIENCE_S = 30.0
"""How long a client may take to send a body."""
IN_MEMORY = 1 << 20
"""A longer response goes through a temporary file."""
FILE_LIFE_S = 30.0
"""How long such a file is kept: granian opens it within milliseconds, and an open file survives its name."""
BODILESS = (HTTPStatus.NO_CONTENT, HTTPStatus.RESET_CONTENT, HTTPStatus.NOT_MODIFIED)
LAST_RESORT = b'{"type": "about:blank", "title": "Internal Server Error", "status": 500, "code": "internal"}'
CUT_SHORT = (
    b'{"type": "urn:moveledger:problem:unreadable", "title": "The request cannot be read", "status": 400, "code": "unreadable", '
    b'"detail": "The body did not come whole, or took too long."}'
)
"""What is answered where the application, which has problems of its own, is not reached."""

UNREADABLE = "\ufffd".encode().decode("latin-1")
"""What stands for a header's value that is not ASCII: granian tells the name and keeps the value to itself. Were it left out, a
condition would not be looked at, and a credential that is no good would pass for none.
"""

Headers = list[tuple[str, str]]
PROBLEM: Headers = [("content-type", "application/problem+json")]


@dataclass(frozen=True, slots=True)
class _Answer:
    """A response that is whole: its body lies in memory, or in a file if it is long."""

    status: int
    headers: Headers
    body: bytes | Path


class Bridge:
    """What granian calls. `threads` requests run at the same time; more wait their turn as cheap coroutines.

    A body longer than `body_limit` is not read to its end: the application sees a length that is too great and
    refuses it. `on_end` is called once when the server process ends.
    """

    def __init__(
        self, app: WSGIApplication, *, threads: int, body_limit: int, on_end: Callable[[], None] | None = None
    ) -> None:
        self._app = app
        self._body_limit = body_limit
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="request")
        self._on_end = on_end
        self._spooled: set[Path] = set()

    def __rsgi_del__(self, loop: AbstractEventLoop) -> None:
        """Let requests that run come to their end, then give back what the application holds."""
        self._pool.shutdown(wait=True)
        for path in list(self._spooled):
            self._forget(path)
        if self._on_end is not None:
            self._on_end()

    async def __rsgi__(self, scope: Scope, protocol: HTTPProtocol) -> None:
        """Answer one request."""
        environ = environ_of(scope)
        try:
            if ("CONTENT_LENGTH" in environ or "HTTP_TRANSFER_ENCODING" in environ) and not (
                await self._read_body(environ, protocol)
            ):
                self._send(_Answer(400, [*PROBLEM, ("connection", "close")], CUT_SHORT), protocol)
                return
            answer = await asyncio.get_running_loop().run_in_executor(self._pool, self._call, environ)
        except Exception:
            logger.exception("%s %r", scope.method, scope.path)
            answer = _Answer(500, PROBLEM, LAST_RESORT)
        self._send(answer, protocol)

    async def _read_body(self, environ: dict[str, Any], protocol: HTTPProtocol) -> bool:
        """Put the body into the environ, or say that it did not come whole.

        Of one that is too long only a beginning is read, and the length says so. granian ends a body quietly when the
        client goes away half-way, hence the comparison at the end.
        """
        declared = int(environ.get("CONTENT_LENGTH", 0))
        environ.pop("HTTP_TRANSFER_ENCODING", None)
        body = bytearray()
        if declared > self._body_limit:
            return True
        try:
            async with asyncio.timeout(BODY_PATIENCE_S):
                async for piece in protocol:
                    body += piece
                    if len(body) > self._body_limit:
                        break
        except TimeoutError:
            return False
        environ["CONTENT_LENGTH"] = str(len(body))
        environ["wsgi.input"] = io.BytesIO(body)
        return len(body) >= declared

    def _call(self, environ: dict[str, Any]) -> _Answer:
        """Run the application to the end of its response, in a thread."""
        started: list[tuple[str, Headers]] = []

        def start_response(status: str, headers: Headers, _exc_info: object = None) -> Callable[[bytes], object]:
            started[:] = [(status, headers)]
            return _refuse_write

        pieces = self._app(environ, start_response)
        try:
            status, headers = int(started[0][0][:3]), [(name, _as_text(value)) for name, value in started[0][1]]
            if environ["REQUEST_METHOD"] == "HEAD" or status in BODILESS:
                return _Answer(status, headers, b"")
            return _Answer(status, headers, _collect(pieces))
        finally:
            close = getattr(pieces, "close", None)
            if close is not None:
                close()

    def _send(self, answer: _Answer, protocol: HTTPProtocol) -> None:
        match answer.body:
            case Path() as path:
                length = ("content-length", str(path.stat().st_size))
                headers = [*(pair for pair in answer.headers if pair[0].lower() != length[0]), length]
                protocol.response_file(answer.status, headers, str(path))
                self._spooled.add(path)
                asyncio.get_running_loop().call_later(FILE_LIFE_S, self._forget, path)
            case b"":
                protocol.response_empty(answer.status, answer.headers)
            case body:
                protocol.response_bytes(answer.status, answer.headers, body)

    def _forget(self, path: Path) -> None:
        self._spooled.discard(path)
        path.unlink(missing_ok=True)


def environ_of(scope: Scope) -> dict[str, Any]:
    """The WSGI environ of a request, with an empty body. Text in it stands for bytes, one character a byte."""
    host, _, port = scope.server.rpartition(":")
    client, _, client_port = scope.client.rpartition(":")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": _as_bytes(scope.path),  # granian has resolved the percent signs
        "QUERY_STRING": _as_bytes(scope.query_string),
        "SERVER_NAME": host.strip("[]"),
        "SERVER_PORT": port,
        "SERVER_PROTOCOL": f"HTTP/{scope.http_version}",
        "REMOTE_ADDR": client.strip("[]"),
        "REMOTE_PORT": client_port,
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.scheme,
        "wsgi.input": io.BytesIO(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    seen = set()
    for name, value in scope.headers.items():
        seen.add(name)
        if "_" in name:  # X_Name would pass for X-Name, which a proxy may have cleared
            continue
        key = name.upper().replace("-", "_")
        if key in {"CONTENT_TYPE", "CONTENT_LENGTH"}:
            environ[key] = value
            continue
        key = f"HTTP_{key}"
        joint = "; " if key == "HTTP_COOKIE" else ","
        environ[key] = f"{environ[key]}{joint}{_as_bytes(value)}" if key in environ else _as_bytes(value)
    for name in set(scope.headers.keys()) - seen:
        if "_" not in name:
            environ[f"HTTP_{name.upper().replace('-', '_')}"] = UNREADABLE
    return environ


def _collect(pieces: Iterable[bytes]) -> bytes | Path:
    """All of a body: in memory while it is short, then in a temporary file."""
    rest = iter(pieces)
    body = bytearray()
    for piece in rest:
        body += piece
        if len(body) > IN_MEMORY:
            return _spool(body, rest)
    return bytes(body)


def _spool(beginning: bytearray, rest: Iterator[bytes]) -> Path:
    with NamedTemporaryFile(prefix="moveledger-", suffix=".response", delete=False) as file:
        try:
            file.write(beginning)
            file.writelines(rest)
        except BaseException:
            Path(file.name).unlink()
            raise
        return Path(file.name)


def _as_bytes(text: str) -> str:
    """What WSGI calls a string: the UTF-8 bytes of a text, each as the character of that number."""
    return text if text.isascii() else text.encode("utf-8").decode("latin-1")


def _as_text(string: str) -> str:
    """The text that granian must be given for WSGI's string, since granian writes texts as UTF-8."""
    if string.isascii():
        return string
    with suppress(UnicodeDecodeError):
        return string.encode("latin-1").decode("utf-8")
    return string


def _refuse_write(_: bytes) -> None:
    raise NotImplementedError("WSGI's write() is for applications older than Flask.")
