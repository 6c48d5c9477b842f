"""OpenID Connect through a provider of our own: signing in leads back to the asked page with the warehouse's role."""

from __future__ import annotations

import json
import secrets
import threading
import time
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from app.server import free_port
from tests.browser import chromium, dashboard, need_chromium, settled
from tests.pages.people import shared

pytestmark = pytest.mark.browser
pytest.importorskip("authlib", reason="OIDC is optional: pip install -r requirements-oidc.txt")
_CLIENT = "console"


@contextmanager
def provider(email: str) -> Iterator[str]:
    """Signs everybody in as ``email`` without asking; yields its issuer."""
    from joserfc import jwk, jwt

    key = jwk.RSAKey.generate_key(2048, {"kid": "one", "use": "sig", "alg": "RS256"})
    nonces: dict[str, str | None] = {}

    class Handler(BaseHTTPRequestHandler):
        def log_message(self, *_: Any) -> None:
            """Quiet."""

        def answer(self, value: Any) -> None:
            body = json.dumps(value).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self) -> None:
            asked = urllib.parse.urlparse(self.path)
            query = dict(urllib.parse.parse_qsl(asked.query))
            if asked.path == "/authorize":
                code = secrets.token_hex(8)
                nonces[code] = query.get("nonce")
                back = urllib.parse.urlencode({"code": code, "state": query["state"]})
                self.send_response(302)
                self.send_header("Location", f"{query['redirect_uri']}?{back}")
                self.end_headers()
            elif asked.path == "/jwks":
                self.answer({"keys": [key.as_dict(private=False)]})
            else:
                ends = {"authorization": "/authorize", "token": "/token"}
                found: dict[str, Any] = {f"{name}_endpoint": issuer + path for name, path in ends.items()}
                found |= {"issuer": issuer, "jwks_uri": f"{issuer}/jwks", "response_types_supported": ["code"]}
                found |= {"subject_types_supported": ["public"], "id_token_signing_alg_values_supported": ["RS256"]}
                self.answer(found)

        def do_POST(self) -> None:
            form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
            now = int(time.time())
            claims: dict[str, Any] = {"iss": issuer, "aud": _CLIENT, "sub": "1", "iat": now, "exp": now + 600}
            claims |= {"email": email, "email_verified": True}
            if nonces[form["code"]]:
                claims["nonce"] = nonces[form["code"]]
            token = jwt.encode({"alg": "RS256", "kid": "one"}, claims, key)
            self.answer({"access_token": "a", "token_type": "Bearer", "expires_in": 600, "id_token": token})

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    issuer = f"http://127.0.0.1:{server.server_port}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield issuer
    finally:
        server.shutdown()


def settings(folder: Path, issuer: str, port: int) -> None:
    """The file that Streamlit reads in the folder where the server starts."""
    given = {
        "redirect_uri": f"http://127.0.0.1:{port}/oauth2callback",
        "cookie_secret": secrets.token_hex(32),
        "client_id": _CLIENT,
        "client_secret": "not so secret",
        "server_metadata_url": f"{issuer}/.well-known/openid-configuration",
    }
    (folder / ".streamlit").mkdir()
    lines = [f"{name} = {json.dumps(value)}" for name, value in given.items()]
    (folder / ".streamlit" / "secrets.toml").write_text("[auth]\n" + "\n".join(lines) + "\n")


def test_sign_in_leads_back_and_sign_out_ends_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    need_chromium()
    made = shared(tmp_path / "w.duckdb")
    port = free_port("127.0.0.1", 0)
    with provider("bob") as issuer:
        settings(tmp_path, issuer, port)
        for name, value in (("SIGN_IN", "oidc"), ("OIDC_ISSUER", issuer), ("CANARY_PROFILE", "none")):
            monkeypatch.setenv(f"RAGSIEVE_{name}", value)
        with dashboard(made.path, "--port", str(port)) as url, chromium() as browser:
            page = browser.new_page(viewport={"width": 1440, "height": 900})
            link = f"{url}/alert?alert={made.alerts['d0']}"
            page.goto(link)
            settled(page)
            assert page.locator("h1").inner_text() == "Sign in"
            page.get_by_role("button", name="Sign in").click()
            page.wait_for_url(link)
            page.get_by_text("bob (approver)").wait_for()
            page.reload()
            page.get_by_text("bob (approver)").wait_for()
            page.get_by_role("button", name="Sign out").click()
            page.get_by_role("heading", name="Sign in").wait_for()
