"""The dashboard as an HTTP server of this process, which owns the warehouse while it runs."""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
import threading
import tomllib
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any, Final

from app.services.sign_in import SignIn, check_bind, read_sign_in
from app.session import VARIABLE, MissingWarehouseError, close_warehouses, open_warehouse
from ragsieve_core.errors import InputError
from warehouse.errors import RefusedError
from warehouse.refusals import Refusal

_HERE: Final = Path(__file__).resolve().parent
HEALTH: Final = "/_stcore/health"
_log = logging.getLogger("ragsieve.dashboard")

# Nothing is fetched from or sent to another host even if a hostile string got past the renderer. Streamlit's own
# scripts need inline styles, blob workers and eval-free code only.
_POLICY: Final = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval' blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "connect-src 'self'",
        "worker-src 'self' blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)
_HEADERS: Final = (
    (b"content-security-policy", _POLICY.encode()),
    (b"x-frame-options", b"DENY"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
)


class SecurityHeaders:
    """ASGI middleware that adds the fixed headers to every HTTP response."""

    def __init__(self, app: Any) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Forward one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                extra = [pair for pair in _HEADERS if pair[0] not in present]
                message = {**message, "headers": [*message["headers"], *extra]}
            await send(message)

        await self._app(scope, receive, with_headers)


def settings() -> dict[str, Any]:
    """Every option of ``app/.streamlit/config.toml`` by dotted name."""
    with open(_HERE / ".streamlit" / "config.toml", "rb") as stream:
        return dict(_flat(tomllib.load(stream), ""))


def _flat(table: dict[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for name, value in table.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def serve_dashboard(
    warehouse: Path,
    *,
    port: int = 8501,
    address: str = "127.0.0.1",
    ingest: bool = False,
    hosts: Sequence[str] = (),
    on_ready: Callable[[str], None] | None = None,
) -> int:
    """Serve the dashboard until Ctrl-C or SIGTERM; call it from the main thread, once per process.

    Parameters
    ----------
    warehouse : DuckDB file. If it does not exist yet, the dashboard says what to run and opens it once it is there.
    port : TCP port; 0 lets the system choose one.
    address : loopback address or ``localhost``; another one only where people sign in.
    ingest : add the route on which programs with a token deliver segments (:mod:`app.http_ingest`).
    hosts : names by which browsers reach it beside this machine's own; requests for other names are refused.
    on_ready : called once with the URL, from another thread, when the server answers its health check.

    Returns
    -------
    0 after a clean stop; the warehouse is closed then.

    Raises
    ------
    InputError
        an address that other machines could reach while nobody signs in, a sign-in that is not set up, a port that is
        not free, a file that is no warehouse.
    BusyError
        another process owns the warehouse.
    """
    sign_in = read_sign_in()
    check_bind(address, sign_in)
    if sign_in.mode == "oidc":
        check_oidc()
    port = free_port(address, port)
    os.environ[VARIABLE] = str(Path(warehouse).absolute())
    try:
        with suppress(MissingWarehouseError):
            open_warehouse(warehouse)
        url = f"http://{f'[{address}]' if ':' in address else address}:{port}"
        stopped = threading.Event()
        watcher = threading.Thread(target=_announce, args=(url, on_ready, stopped), daemon=True)
        watcher.start()
        with stoppable(), suppress(KeyboardInterrupt):
            _run(address, port, ingest, hosts, sign_in)
        stopped.set()
        watcher.join(timeout=2)
    finally:
        close_warehouses()
    return 0


def check_oidc() -> None:
    """Raise :class:`InputError` where Streamlit could not sign anybody in: a package or a setting is missing."""
    import streamlit as st
    from streamlit.auth_util import is_authlib_installed
    from streamlit.errors import StreamlitSecretNotFoundError

    if not is_authlib_installed():
        raise InputError(
            "signing in by OIDC needs the package Authlib",
            where="RAGSIEVE_SIGN_IN",
            expected="Authlib 1.3.2 or later",
            do="pip install -r requirements-oidc.txt",
        )
    wanted = ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url")
    try:
        given = dict(st.secrets.get("auth", {}))
    except StreamlitSecretNotFoundError:
        given = {}
    if missing := [name for name in wanted if not given.get(name)]:
        raise InputError(
            f"the sign-in lacks {', '.join(missing)}",
            where=".streamlit/secrets.toml [auth]",
            expected=", ".join(wanted),
            do="docs/operations.md, Signing in",
        )


def free_port(address: str, port: int) -> int:
    """The port itself, or one the system chose for 0; :class:`InputError` where somebody listens on it."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((address, port))
            probe.listen(1)
        except OSError as error:
            raise InputError(
                f"port {port} is not free on {address} ({error.strerror})",
                where="--port",
                expected="a port nobody listens on",
                do="stop the other program, or choose another --port",
            ) from error
        return int(probe.getsockname()[1])


def _run(address: str, port: int, ingest: bool, hosts: Sequence[str], sign_in: SignIn) -> None:
    import streamlit as st
    from starlette.middleware import Middleware
    from starlette.middleware.trustedhost import TrustedHostMiddleware

    from app.http_ingest import PATH, ingest_route
    from app.proxy_door import ProxyDoor

    options = settings() | {"server.address": address, "server.port": port}
    options["server.allowedHosts"] = [*options["server.allowedHosts"], *hosts]
    allowed = [f"[{host}]" if ":" in host else host for host in options["server.allowedHosts"]]
    layers = [Middleware(TrustedHostMiddleware, allowed_hosts=allowed), Middleware(SecurityHeaders)]
    if sign_in.mode == "proxy":
        # The peer that is checked is the socket's: nobody's forwarded address may take its place
        os.environ["FORWARDED_ALLOW_IPS"] = ""
        layers.insert(0, Middleware(ProxyDoor, settings=sign_in, open_paths=(PATH,) if ingest else ()))
    app = st.App(
        _HERE / "main.py", routes=[ingest_route()] if ingest else None, middleware=layers, on_script_error=_report
    )
    app.run(config=options)


def _report(error: Exception) -> bool:
    """An uncaught error of a page: logged with its trace here, a reference there."""
    import streamlit as st

    if isinstance(error, RefusedError) and error.reason in (Refusal.BAD_IDENTITY, Refusal.NOT_A_USER):
        st.error(
            f"**Your sign-in ended** ({error.reason}). Nothing was changed. Reload the page.", icon=":material/lock:"
        )
        return True
    reference = secrets.token_hex(4)
    _log.error("error %s on a page", reference, exc_info=error)
    st.error(
        f"Something went wrong on this page (reference {reference}). Nothing was changed. "
        "The terminal of `ragsieve serve` has the details. Reload the page to try again.",
        icon=":material/error:",
    )
    return True


def _announce(url: str, on_ready: Callable[[str], None] | None, stopped: threading.Event) -> None:
    # No proxy of the environment may stand between this process and itself
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    while not stopped.wait(0.1):
        with suppress(OSError), opener.open(url + HEALTH, timeout=2) as answer:
            if answer.status == 200 and answer.read().strip() == b"ok":
                if on_ready is not None:
                    on_ready(url)
                return


@contextmanager
def stoppable() -> Iterator[None]:
    """SIGTERM ends the server as Ctrl-C does: uvicorn raises the signal again when it has stopped, which would kill
    the process before the warehouse is closed."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
