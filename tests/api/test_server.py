"""The bridge between granian and Flask, over real connections to a tiny application."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

HOST = "127.0.0.1"
PROGRAM = """
import sys
from moveledger.config import Config
from moveledger.server import serve
given = {"DATABASE_URL": "postgresql:///none", "REDIS_URL": "redis://none", "MASTER_KEY": "0" * 64}
environ = {**given, "PORT": sys.argv[1], "API_WORKERS": sys.argv[2]}
serve(Config.read(environ), "tests.api.tiny:build")
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


class Running:
    """A server in a process of its own, and ways to speak to it."""

    def __init__(self, workers: int = 1) -> None:
        self.port = free_port()
        command = [sys.executable, "-c", PROGRAM, str(self.port), str(workers)]
        self.process = subprocess.Popen(command, cwd=Path(__file__).parents[2])
        deadline = time.monotonic() + 20
        while not self.answers():
            assert self.process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)

    def answers(self) -> bool:
        try:
            return self.ask("GET", "/status/204")[0] == 204
        except OSError:
            return False

    def ask(
        self, method: str, path: str, body: bytes | Iterator[bytes] | None = None, **headers: str
    ) -> tuple[int, http.client.HTTPMessage, bytes]:
        connection = http.client.HTTPConnection(HOST, self.port, timeout=20)
        try:
            connection.request(method, path, body, headers)
            response = connection.getresponse()
            return response.status, response.headers, response.read()
        finally:
            connection.close()

    def echo(self, method: str, path: str, body: bytes | Iterator[bytes] | None = None, **headers: str) -> Any:
        status, _, answer = self.ask(method, path, body, **headers)
        assert status == 200, answer
        return json.loads(answer)

    def raw(self, request: bytes) -> bytes:
        """What comes back for bytes as they are, until the server closes."""
        with socket.create_connection((HOST, self.port), timeout=20) as connection:
            connection.sendall(request)
            answer = b""
            while piece := connection.recv(1 << 16):
                answer += piece
        return answer

    def stop(self) -> int:
        self.process.terminate()
        return self.process.wait(20)


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    running = Running()
    yield running
    running.stop()


def test_path_and_query_arrive_as_they_were_meant(server: Running) -> None:
    echo = server.echo("GET", "/echo/a%20b/%C3%A9/100%25/%2525?x=1&x=%C3%A9&y=a%26b+c")
    assert echo["path"] == "a b/é/100%/%25"
    assert echo["query"] == {"x": ["1", "é"], "y": ["a&b c"]}
    assert echo["client"] == HOST


def test_a_path_that_is_not_utf_8_harms_nobody(server: Running) -> None:
    assert server.ask("GET", "/echo/%ff%00")[0] == 200


def test_request_headers_arrive_and_names_with_underscores_do_not(server: Running) -> None:
    answer = server.raw(
        b"GET /echo/x HTTP/1.1\r\nHost: here\r\nConnection: close\r\nX-Two: 1\r\nX-Two: 2\r\n"
        b"X_Forwarded_For: evil\r\nCookie: a=1\r\nCookie: b=2\r\nX-Word: Z\xc3\xbcrich\r\n\r\n"
    )
    headers = dict(json.loads(answer.partition(b"\r\n\r\n")[2])["headers"])
    assert headers["X-Two"] == "1,2"
    assert headers["Cookie"] == "a=1; b=2"
    assert "evil" not in str(headers)


def test_a_header_that_is_not_ascii_is_not_taken_for_one_that_was_left_out(server: Running) -> None:
    answer = server.raw(
        b'GET /echo/x HTTP/1.1\r\nHost: here\r\nConnection: close\r\nAuthorization: Bearer mlk_\xc3\xa9\r\nIf-Match: "\xff"\r\n'
        b"X-Word: Z\xc3\xbcrich\r\nX_Forwarded_For: \xc3\xa9\r\n\r\n"
    )
    headers = dict(json.loads(answer.partition(b"\r\n\r\n")[2])["headers"])
    assert {headers[name] for name in ("Authorization", "If-Match", "X-Word")} == {"\xef\xbf\xbd"}
    assert "X-Forwarded-For" not in headers


def test_a_response_header_may_come_twice_and_is_not_garbled(server: Running) -> None:
    assert server.ask("GET", "/cookies")[1].get_all("Set-Cookie") == ["a=1; Path=/", "b=2; Path=/"]
    assert server.ask("GET", "/status/200")[1]["X-Place"].encode("latin-1") in ("Zürich".encode(), b"Z\xfcrich")


@pytest.mark.parametrize("status", [204, 304])
def test_a_status_without_a_body_has_none(server: Running, status: int) -> None:
    answer = server.raw(f"GET /status/{status} HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n".encode())
    head, _, body = answer.partition(b"\r\n\r\n")
    assert f" {status} ".encode() in head
    assert body == b""
    assert b"transfer-encoding" not in head.lower()


def test_head_tells_the_length_and_sends_nothing(server: Running) -> None:
    answer = server.raw(b"HEAD /status/200 HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"content-length: 5" in head.lower()
    assert body == b""


def test_head_of_a_stream_closes_it(server: Running) -> None:
    assert server.ask("HEAD", "/stream/3?head")[0] == 200
    assert any("?head" in url for url in json.loads(server.ask("GET", "/closed")[2]))


def test_a_body_arrives_whole_with_or_without_a_length(server: Running) -> None:
    assert server.echo("POST", "/", b"x" * 1000)["body"] == "x" * 1000
    assert server.echo("POST", "/", iter([b"ab", b"cd"]))["body"] == "abcd"
    assert server.echo("POST", "/", b"")["body"] == ""


def test_a_body_that_is_too_long_is_refused_before_it_is_read(server: Running) -> None:
    head = b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 1000000000\r\n\r\n"
    assert b" 413 " in server.raw(head + b"x" * 100).partition(b"\r\n")[0]


def test_a_body_that_is_too_long_is_refused_without_a_length_too(server: Running) -> None:
    assert server.ask("POST", "/", iter([b"x" * 1001]))[0] == 413


def test_a_body_that_breaks_off_reaches_no_view(server: Running) -> None:
    with socket.create_connection((HOST, server.port), timeout=20) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHost: here\r\nContent-Length: 10\r\n\r\nabc")
        connection.shutdown(socket.SHUT_WR)
        head, _, body = connection.recv(1 << 16).partition(b"\r\n\r\n")
    assert b" 400 " in head.partition(b"\r\n")[0]
    assert b"content-type: application/problem+json" in head
    assert (json.loads(body)["status"], json.loads(body)["code"]) == (400, "unreadable")


def test_a_short_stream_comes_as_one_piece_with_a_length(server: Running) -> None:
    _, headers, body = server.ask("GET", "/stream/100?short")
    assert headers["Content-Length"] == "10000"
    assert len(body) == 10_000
    assert body.endswith(b".99\n")
    assert any("?short" in url for url in json.loads(server.ask("GET", "/closed")[2]))


def test_a_long_stream_comes_whole_and_does_not_lie_in_memory_for_a_client_that_does_not_read(server: Running) -> None:
    lines = 300_000
    pid = server.echo("GET", "/")["pid"]
    before = peak_memory(pid)
    with socket.create_connection((HOST, server.port), timeout=60) as connection:
        connection.sendall(f"GET /stream/{lines}?long HTTP/1.1\r\nHost: here\r\n\r\n".encode())
        head = connection.recv(1000)
        time.sleep(1.0)
        assert peak_memory(pid) - before < 10_000_000
        assert f"content-length: {lines * 100}".encode() in head.lower()
        received = len(head.partition(b"\r\n\r\n")[2])
        while received < lines * 100:
            received += len(connection.recv(1 << 20))
    assert any("?long" in url for url in json.loads(server.ask("GET", "/closed")[2]))


def test_a_stream_that_fails_half_way_is_an_error_and_not_a_short_answer(server: Running) -> None:
    for lines in (5, 50_000):
        status, headers, body = server.ask("GET", f"/stream/{lines}?fail={lines - 1}")
        assert (status, headers["Content-Type"]) == (500, "application/problem+json")
        assert b"private" not in body
        assert json.loads(body)["status"] == 500


def test_an_exception_that_flask_lets_through_becomes_a_500_that_tells_nothing(server: Running) -> None:
    status, headers, body = server.ask("GET", "/fault")
    assert (status, headers["Content-Type"]) == (500, "application/problem+json")
    assert b"private" not in body


def test_slow_requests_do_not_make_each_other_wait(server: Running) -> None:
    began = time.monotonic()
    connections = [http.client.HTTPConnection(HOST, server.port, timeout=20) for _ in range(4)]
    for connection in connections:
        connection.request("GET", "/slow")
    assert [connection.getresponse().read() for connection in connections] == [b"done"] * 4
    assert time.monotonic() - began < 3.0
    for connection in connections:
        connection.close()


def test_a_request_under_way_is_answered_before_the_server_ends() -> None:
    server = Running()
    connection = http.client.HTTPConnection(HOST, server.port, timeout=20)
    connection.request("GET", "/slow")
    time.sleep(0.3)
    assert server.stop() == 0
    assert connection.getresponse().read() == b"done"
    connection.close()


def test_no_file_is_left_of_a_long_response(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    server = Running()
    assert len(server.ask("GET", "/stream/20000")[2]) == 2_000_000
    server.stop()
    assert list(tmp_path.iterdir()) == []


def test_a_killed_server_process_is_replaced() -> None:
    server = Running(workers=2)
    try:
        os.kill(server.echo("GET", "/")["pid"], signal.SIGKILL)
        deadline = time.monotonic() + 20
        pids: set[int] = set()
        while len(pids) < 2 and time.monotonic() < deadline:
            try:
                pids.add(server.echo("GET", "/")["pid"])
            except OSError:
                time.sleep(0.1)
        assert len(pids) == 2
    finally:
        server.stop()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child that its parent died")
def test_no_server_process_outlives_a_killed_server() -> None:
    server = Running(workers=2)
    server.process.kill()
    server.process.wait()
    deadline = time.monotonic() + 20
    while server.answers():
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_a_port_that_is_taken_is_said_in_one_line() -> None:
    with socket.socket() as holder:
        holder.bind((HOST, 0))
        holder.listen()
        port = str(holder.getsockname()[1])
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, port, "1"], capture_output=True, text=True, check=False, timeout=30
        )
    assert done.returncode != 0
    assert f"Cannot listen on {HOST}:{port}" in done.stderr


def peak_memory(pid: int) -> int:
    """The most memory that a process has ever held, in bytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))
