"""Who does not come through the proxy gets nothing; who does is marked with the socket's other end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from app.proxy_door import PEER, ProxyDoor
from app.services.sign_in import SignIn

SECRET = "0123456789abcdef"
SETTINGS = SignIn("proxy", secret=SECRET, peers=("10.0.0.5/32", "127.0.0.1/32"))
GOOD = [(b"x-ragsieve-proxy-secret", SECRET.encode()), (b"x-forwarded-user", b"max")]


def ask(
    headers: list[tuple[bytes, bytes]], peer: str | None = "10.0.0.5", kind: str = "http", path: str = "/queue"
) -> tuple[dict[str, Any] | None, list[dict[str, Any]]]:
    """Scope that reached the application, and what was sent back."""
    reached: list[dict[str, Any]] = []
    sent: list[dict[str, Any]] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        reached.append(scope)

    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    scope = {"type": kind, "path": path, "headers": headers, "client": (peer, 1) if peer else None}
    asyncio.run(ProxyDoor(app, SETTINGS, ("/api/ingest",))(scope, receive, send))
    return (reached[0] if reached else None), sent


@pytest.mark.parametrize("kind", ["http", "websocket"])
def test_the_proxy_passes_and_is_marked(kind: str) -> None:
    name = PEER.lower().encode()
    scope, sent = ask([*GOOD, (name, b"127.0.0.1"), (name.upper(), b"127.0.0.1")], kind=kind)
    assert scope is not None
    assert [value for header, value in scope["headers"] if header.lower() == name] == [b"10.0.0.5"]
    assert sent == []


@pytest.mark.parametrize(
    ("headers", "peer"),
    [
        (GOOD, "10.0.0.6"),
        (GOOD, None),
        (GOOD[1:], "10.0.0.5"),
        ([(b"x-ragsieve-proxy-secret", b"0123456789abcdeg"), GOOD[1]], "10.0.0.5"),
        ([*GOOD, (b"X-Ragsieve-Proxy-Secret", b"another")], "10.0.0.5"),
        ([GOOD[1], (b"x-forwarded-for", b"10.0.0.5")], "10.0.0.6"),
    ],
)
def test_others_get_nothing(headers: list[tuple[bytes, bytes]], peer: str | None) -> None:
    scope, sent = ask(headers, peer)
    assert scope is None
    assert sent[0]["status"] == 403
    scope, sent = ask(headers, peer, "websocket")
    assert scope is None
    assert sent == [{"type": "websocket.close", "code": 1008}]


@pytest.mark.parametrize("path", ["/_stcore/health", "/api/ingest"])
def test_paths_with_a_check_of_their_own_are_open(path: str) -> None:
    scope, _ = ask([], "192.168.7.7", path=path)
    assert scope is not None


def test_the_mark_cannot_be_guessed() -> None:
    assert len(PEER) > 40
