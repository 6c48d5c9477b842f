from __future__ import annotations

from pathlib import Path

import pytest

from app.services.sign_in import (
    SignIn,
    check_bind,
    deep_link,
    follow_link,
    oidc_principal,
    proxy_principal,
    read_sign_in,
    single_user,
)
from ragsieve_core.errors import InputError
from warehouse.database import Warehouse
from warehouse.errors import RefusedError
from warehouse.principal import Principal
from warehouse.refusals import Refusal
from warehouse.roles import set_role

LOCAL = Principal("ada", "admin", mode="single_user_mode")
OIDC = SignIn("oidc", issuer="https://id.example")
PROXY = SignIn("proxy", secret="0123456789abcdef", peers=("10.0.0.5/32",))
CLAIMS = {
    "is_logged_in": True,
    "iss": "https://id.example",
    "email": "max@x.example",
    "email_verified": True,
    "iat": 1000,
}
HEADERS = {"x-forwarded-user": "max@x.example", "X-Ragsieve-Proxy-Secret": "0123456789abcdef"}


@pytest.fixture
def wh(tmp_path: Path):
    with Warehouse.open(tmp_path / "w.duckdb", command="pytest") as opened:
        set_role(opened, "ada", "admin", principal=LOCAL)
        set_role(opened, "max@x.example", "reviewer", principal=LOCAL, tenants=["a"])
        yield opened


def reason(call) -> str:
    with pytest.raises(RefusedError) as caught:
        call()
    return str(caught.value.reason)


def test_a_proved_identity_has_the_role_of_the_warehouse(wh: Warehouse) -> None:
    found = oidc_principal(wh, CLAIMS, OIDC, now=2000)
    assert (found.identity, found.role, found.tenants, found.mode) == (
        "max@x.example",
        "reviewer",
        frozenset({"a"}),
        "oidc",
    )
    assert proxy_principal(wh, HEADERS, "10.0.0.5", PROXY).mode == "proxy"
    assert proxy_principal(wh, HEADERS, "::ffff:10.0.0.5", PROXY).role == "reviewer"
    set_role(wh, "max@x.example", "none", principal=LOCAL)
    assert reason(lambda: oidc_principal(wh, CLAIMS, OIDC, now=2000)) == Refusal.NOT_A_USER
    assert single_user().mode == "single_user_mode"


@pytest.mark.parametrize(
    "change",
    [
        {"is_logged_in": False},
        {"iss": "https://evil.example"},
        {"email_verified": False},
        {"email_verified": "true"},
        {"email": ""},
        {"email": "max@x.example\n"},
        {"email": None},
        {"iat": 1000 - 13 * 3600},
        {"iat": None},
        {"iat": 99_999},
    ],
)
def test_claims_that_prove_nothing(wh: Warehouse, change: dict) -> None:
    assert reason(lambda: oidc_principal(wh, CLAIMS | change, OIDC, now=2000)) == Refusal.BAD_IDENTITY


@pytest.mark.parametrize(
    ("headers", "peer"),
    [
        (HEADERS, "10.0.0.6"),
        (HEADERS, "not an address"),
        (HEADERS | {"X-Ragsieve-Proxy-Secret": "0123456789abcdeg"}, "10.0.0.5"),
        ({"x-forwarded-user": "max@x.example"}, "10.0.0.5"),
        ({"X-Ragsieve-Proxy-Secret": "0123456789abcdef"}, "10.0.0.5"),
        (HEADERS | {"X-Forwarded-User": "ada"}, "10.0.0.5"),
        (HEADERS | {"x-forwarded-user": ["max@x.example", "ada"]}, "10.0.0.5"),
        (HEADERS | {"X-Forwarded-For": "10.0.0.5"}, "10.0.0.9"),
    ],
)
def test_headers_that_prove_nothing(wh: Warehouse, headers: dict, peer: str) -> None:
    assert reason(lambda: proxy_principal(wh, headers, peer, PROXY)) == Refusal.BAD_IDENTITY


def test_one_way_is_not_open_in_another(wh: Warehouse) -> None:
    assert reason(lambda: oidc_principal(wh, CLAIMS, PROXY, now=2000)) == Refusal.BAD_IDENTITY
    assert reason(lambda: proxy_principal(wh, HEADERS, "10.0.0.5", OIDC)) == Refusal.BAD_IDENTITY


def test_settings() -> None:
    assert read_sign_in({}).mode == "single"
    given = {"RAGSIEVE_SIGN_IN": "proxy", "RAGSIEVE_PROXY_SECRET": "x" * 16, "RAGSIEVE_PROXY_PEERS": "10.0.0.0/8, ::1"}
    assert read_sign_in(given).peers == ("10.0.0.0/8", "::1")
    for wrong in (
        {"RAGSIEVE_SIGN_IN": "trust"},
        {"RAGSIEVE_SIGN_IN": "oidc"},
        {"RAGSIEVE_SIGN_IN": "proxy", "RAGSIEVE_PROXY_SECRET": "short"},
        given | {"RAGSIEVE_PROXY_PEERS": "everyone"},
    ):
        with pytest.raises(InputError):
            read_sign_in(wrong)
    for address in ("0.0.0.0", "192.168.1.2", "host.example"):
        with pytest.raises(InputError):
            check_bind(address, SignIn())
        check_bind(address, PROXY)
    check_bind("127.0.0.1", SignIn())


def test_a_deep_link_survives_and_never_leads_out() -> None:
    pages = {"queue", "alert"}
    link = deep_link("alert", {"id": "alert_1", "x": "a&b=c"}, pages)
    assert follow_link(link, pages) == ("alert", {"id": "alert_1", "x": "a&b=c"})
    assert deep_link("https://evil.example", {}, pages) == ""
    for hostile in ("https://evil.example", "//evil.example/queue", "queue/../x?y", "", "queue#x"):
        assert follow_link(hostile, pages) is None
    assert follow_link("queue", pages) == ("queue", {})
