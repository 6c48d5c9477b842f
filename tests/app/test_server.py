"""The server: settings that hold from any folder, refusals, a clean stop, and only one owner."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result
from streamlit.testing.v1 import AppTest

from app.server import check_oidc, serve_dashboard, settings
from app.services.sign_in import SignIn, check_bind
from ragsieve_core.errors import InputError
from tests.browser import dashboard
from warehouse.database import Warehouse
from warehouse.owner import current_holder

SERVE = [sys.executable, "-c", "from app.cli.main import main; main()", "serve", "--no-browser"]


def run(*options: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = [*SERVE, *options]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """A running dashboard, started in a folder that has no configuration."""
    path = tmp_path_factory.mktemp("served") / "w.duckdb"
    Warehouse.open(path, command="test").close()
    with dashboard(path) as url:
        yield url, path


def test_settings_say_what_the_threat_model_needs() -> None:
    found = settings()
    assert found["server.address"] == "127.0.0.1"
    assert set(found["server.allowedHosts"]) == {"127.0.0.1", "localhost", "::1"}
    assert found["browser.gatherUsageStats"] is False
    assert found["client.showErrorDetails"] == "none"
    assert found["client.disableDataExport"] is True
    assert found["server.enableStaticServing"] is False
    assert found["server.enableAgentApi"] is False


def test_every_setting_exists_in_this_streamlit() -> None:
    from streamlit import config

    known = config.get_config_options()
    assert [name for name in settings() if name not in known] == []


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.168.1.4", "example.org", ""])
def test_an_address_others_could_reach_is_refused(address: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nobody signs in"):
        serve_dashboard(tmp_path / "w.duckdb", address=address)


@pytest.mark.parametrize("address", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_loopback_is_accepted(address: str) -> None:
    check_bind(address, SignIn())


@pytest.mark.parametrize(
    ("given", "word"),
    [
        ({"RAGSIEVE_SIGN_IN": "trust"}, "unknown way to sign in"),
        ({"RAGSIEVE_SIGN_IN": "proxy"}, "incomplete sign-in"),
        ({"RAGSIEVE_SIGN_IN": "oidc"}, "incomplete sign-in"),
    ],
)
def test_a_sign_in_that_is_not_set_up_is_exit_2(
    given: dict[str, str], word: str, ragsieve: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    done = ragsieve("serve", "--no-browser", "--port", "0", "--warehouse", "w.duckdb")
    assert done.exit_code == 2
    assert word in done.stderr
    assert "Traceback" not in done.stderr


def test_oidc_needs_its_package_and_its_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    import streamlit as st
    from streamlit import auth_util

    monkeypatch.setattr(auth_util, "is_authlib_installed", lambda: False)
    with pytest.raises(InputError, match="requirements-oidc"):
        check_oidc()
    monkeypatch.setattr(auth_util, "is_authlib_installed", lambda: True)
    monkeypatch.setattr(st, "secrets", {"auth": {"client_id": "x", "client_secret": "y"}})
    with pytest.raises(InputError, match="lacks redirect_uri, cookie_secret, server_metadata_url"):
        check_oidc()
    wanted = ("redirect_uri", "cookie_secret", "client_id", "client_secret", "server_metadata_url")
    monkeypatch.setattr(st, "secrets", {"auth": dict.fromkeys(wanted, "x")})
    check_oidc()


def test_hosts_are_of_the_dashboard_alone(ragsieve: Callable[..., Result]) -> None:
    done = ragsieve("serve", "--gate", "--corpus", "c", "--host", "x.example")
    assert done.exit_code == 2
    assert "--host is for the dashboard" in done.stderr


def test_people_behind_a_proxy_reach_it_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "w.duckdb"
    Warehouse.open(path, command="test").close()
    secret = "0123456789abcdef"
    monkeypatch.setenv("RAGSIEVE_SIGN_IN", "proxy")
    monkeypatch.setenv("RAGSIEVE_PROXY_SECRET", secret)
    with dashboard(path, "--host", "console.example", "--ingest") as url:

        def status(host: str, path: str = "/", **headers: str) -> int:
            connection = http.client.HTTPConnection(url.removeprefix("http://"))
            connection.request("GET", path, headers={"Host": host, **headers})
            return connection.getresponse().status

        through = {"X-Ragsieve-Proxy-Secret": secret, "X-Forwarded-User": "max"}
        assert status("console.example", **through) == 200
        # The peer is the socket's: what a proxy says of its client does not take its place
        assert status("console.example", **through, **{"X-Forwarded-For": "203.0.113.7"}) == 200
        assert status("console.example", **{"X-Forwarded-For": "127.0.0.1"}) == 403
        assert status("rebound.example", **through) == 400
        # Programs bring a token of their own
        assert status("127.0.0.1", "/api/ingest") in (401, 405)


def test_an_ended_sign_in_is_said_without_a_trace(caplog: pytest.LogCaptureFixture) -> None:
    def script() -> None:
        from app.server import _report
        from warehouse.errors import RefusedError

        assert _report(RefusedError("not_a_user", "'x' has no role here"))

    page = AppTest.from_function(script).run()
    (box,) = page.error
    assert "Your sign-in ended" in box.value
    assert "no role here" not in caplog.text


def test_a_port_in_use_is_exit_2_and_named(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = run("--port", str(port), cwd=tmp_path)
    assert done.returncode == 2
    assert f"port {port} is not free" in done.stderr
    assert "Traceback" not in done.stderr


def test_health_headers_and_hosts(served: tuple[str, Path]) -> None:
    url, path = served
    with urllib.request.urlopen(url + "/_stcore/health") as answer:
        assert answer.read() == b"ok"
        assert "default-src 'self'" in answer.headers["content-security-policy"]
        assert answer.headers["x-frame-options"] == "DENY"
        assert answer.headers["referrer-policy"] == "no-referrer"
    connection = http.client.HTTPConnection(url.removeprefix("http://"))
    connection.request("GET", "/", headers={"Host": "rebound.example"})
    assert connection.getresponse().status == 400
    holder = current_holder(path)
    assert holder is not None
    assert holder.command == "dashboard"


def test_a_second_dashboard_is_exit_3(served: tuple[str, Path]) -> None:
    _, path = served
    done = run("--port", "0", "--warehouse", str(path), cwd=path.parent)
    assert done.returncode == 3
    assert "held by 'dashboard'" in done.stderr
    assert "dashboard open" not in done.stdout


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_and_closes_the_warehouse(stop: signal.Signals, tmp_path: Path) -> None:
    path = tmp_path / "w.duckdb"
    Warehouse.open(path, command="test").close()
    process = subprocess.Popen(
        [*SERVE, "--port", "0", "--warehouse", str(path)],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    assert process.stdout.readline().startswith("dashboard open on http://127.0.0.1:")
    process.send_signal(stop)
    _, err = process.communicate(timeout=30)
    assert process.returncode == 0
    assert "Traceback" not in err
    assert "warehouse closed" in err
    assert not Path(f"{path}.wal").exists()
    with Warehouse.open(path, command="test"):
        pass


def test_settings_are_json_values() -> None:
    json.dumps(settings())


def test_an_error_shows_a_reference_and_logs_the_rest(caplog: pytest.LogCaptureFixture) -> None:
    def script() -> None:
        from app.server import _report

        assert _report(ValueError("text of a document"))

    page = AppTest.from_function(script).run()
    (box,) = page.error
    assert "text of a document" not in box.value
    reference = box.value.split("reference ")[1][:8]
    assert f"error {reference} on a page" in caplog.text
    assert "text of a document" in caplog.text
