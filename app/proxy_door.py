"""ASGI middleware of proxy sign-in: who does not come through the proxy gets nothing at all.

It is the outermost layer, sees the socket's other end, and hands that on to the pages under a name that no client can
know. Streamlit's own address of a visitor hides loopback, and a header of a client proves nothing.
"""

from __future__ import annotations

import secrets
from typing import Any, Final

from app.services.sign_in import SignIn, comes_from_proxy

PEER: Final = f"X-Ragsieve-Peer-{secrets.token_hex(16)}"
"""Header with the socket's other end, made up anew by every process."""
HEALTH: Final = "/_stcore/health"


class ProxyDoor:
    """Refuses every request without the proxy's secret and address; marks the rest with the address.

    Parameters
    ----------
    open_paths : paths with a check of their own, for instance of tokens.
    """

    def __init__(self, app: Any, settings: SignIn, open_paths: tuple[str, ...] = ()) -> None:
        self._app, self._settings, self._open = app, settings, (HEALTH, *open_paths)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Forward or refuse one request."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        peer = scope["client"][0] if scope.get("client") else ""
        if scope["path"] not in self._open and not comes_from_proxy(_decoded(scope), peer, self._settings):
            await _refuse(scope, receive, send)
            return
        name = PEER.lower().encode()
        kept = [pair for pair in scope["headers"] if pair[0].lower() != name]
        await self._app({**scope, "headers": [*kept, (name, peer.encode())]}, receive, send)


def _decoded(scope: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1"), []).append(value.decode("latin-1"))
    return found


async def _refuse(scope: Any, receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await receive()
        await send({"type": "websocket.close", "code": 1008})
        return
    body = b"This server is reached through its sign-in proxy only.\n"
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 403, "headers": headers})
    await send({"type": "http.response.body", "body": body})
