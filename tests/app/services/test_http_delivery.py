"""Where a token may be sent, and how often a segment is tried."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from app.services import http_delivery
from app.services.http_delivery import endpoint, post_segment, read_token
from ragsieve_core.errors import BusyError, InputError

RECEIPT = {"state": "taken", "result": {"accepted": 1}}


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://127.0.0.1:8501", "http://127.0.0.1:8501/api/ingest"),
        ("http://localhost:8501/", "http://localhost:8501/api/ingest"),
        ("http://[::1]:8501/api/ingest", "http://[::1]:8501/api/ingest"),
        ("https://rag.example/console/", "https://rag.example/console/api/ingest"),
    ],
)
def test_address_of_the_route(url: str, expected: str) -> None:
    assert endpoint(url) == expected


@pytest.mark.parametrize(
    "url",
    [
        "http://rag.example", "http://127.0.0.1.rag.example", "http://10.0.0.4:8501", "ftp://127.0.0.1",
        "127.0.0.1:8501", "file:///etc/passwd", "https://me:secret@rag.example", "https://rag.example/?a=b", "http://127.0.0.1:port",
        "",
    ],
)  # fmt: skip
def test_addresses_that_are_refused(url: str) -> None:
    with pytest.raises(InputError):
        endpoint(url)


def test_a_token_file_is_private_and_holds_a_token(tmp_path: Path) -> None:
    file = tmp_path / "t"
    file.write_text("rgs.token_a.b\n")
    file.chmod(0o600)
    assert read_token(file) == "rgs.token_a.b"
    for text in ("", "hello", "rgs.a b.c", "rgs.a.b\nX-Other: 1"):
        file.write_text(text)
        with pytest.raises(InputError):
            read_token(file)
    with pytest.raises(InputError):
        read_token(tmp_path / "none")


class Server(HTTPServer):
    statuses: list[int]
    seen: list[bytes]


class Answer(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, Server)
        server.seen.append(self.rfile.read(int(self.headers["Content-Length"])))
        status = server.statuses.pop(0)
        self.send_response(status)
        if status in (301, 307):
            self.send_header("Location", "http://127.0.0.1:9/elsewhere")
        self.end_headers()
        self.wfile.write(json.dumps(RECEIPT if status == 200 else {"error": "why"}).encode())

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    monkeypatch.setattr(http_delivery.time, "sleep", lambda seconds: None)
    # A proxy of the environment must not stand between a process and its own machine
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    with Server(("127.0.0.1", 0), Answer) as found:
        found.seen = []
        threading.Thread(target=found.serve_forever, daemon=True).start()
        yield found
        found.shutdown()


def post(server: Server, statuses: list[int]) -> object:
    server.statuses = statuses
    return post_segment(f"http://127.0.0.1:{server.server_port}", "rgs.a.b", b"bytes", say=lambda line: None)


def test_the_same_bytes_are_sent_until_they_are_taken(server: Server) -> None:
    assert post(server, [503, 502, 200]) == {"accepted": 1}
    assert server.seen == [b"bytes"] * 3


def test_a_refusal_is_not_tried_again(server: Server) -> None:
    with pytest.raises(InputError, match="status 422: why"):
        post(server, [422])
    with pytest.raises(InputError, match="status 307"):
        post(server, [307])
    assert len(server.seen) == 2


def test_it_gives_up_with_exit_3(server: Server) -> None:
    with pytest.raises(BusyError, match="answers 503"):
        post(server, [503] * 4)
