from __future__ import annotations

from datetime import timedelta

import pytest

from ragsieve_core.errors import InputError
from warehouse import tokens
from warehouse.database import Warehouse
from warehouse.errors import PermissionRefusedError, RefusedError
from warehouse.ids import utc_now
from warehouse.principal import Principal
from warehouse.tokens import SCOPES, authenticate, issue_token, list_tokens, revoke_token


def test_a_token_opens_its_scope_and_tenant_only(wh: Warehouse, me: Principal) -> None:
    issued = issue_token(wh, principal=me, name="scanner", scope="ingest", tenant="a", days=1)
    principal = authenticate(wh, issued.secret, "ingest")
    assert principal is not None
    assert (principal.identity, principal.tenants, principal.mode) == ("token:scanner", frozenset({"a"}), "token")
    assert not principal.is_person
    for scope in SCOPES:
        assert (authenticate(wh, issued.secret, scope) is None) == (scope != "ingest")


def test_the_secret_is_nowhere(wh: Warehouse, me: Principal) -> None:
    issued = issue_token(wh, principal=me, name="t", scope="read")
    secret = issued.secret.split(".")[2]
    for table in ("tokens", "audit_log"):
        assert secret not in str(wh.cursor().execute(f"SELECT * FROM {table}").fetchall())
    assert "secret_hash" not in list_tokens(wh, principal=me)[0]


@pytest.mark.parametrize("change", [lambda s: s[:-1], lambda s: s + "x", lambda s: "", lambda s: "rgs.x.y", str.upper])
def test_wrong_tokens_open_nothing(wh: Warehouse, me: Principal, change) -> None:
    issued = issue_token(wh, principal=me, name="t", scope="read")
    assert authenticate(wh, change(issued.secret), "read") is None


def test_expiry_and_revocation(wh: Warehouse, me: Principal, monkeypatch) -> None:
    short, long = (issue_token(wh, principal=me, name="t", scope="read", days=days) for days in (1, None))
    with monkeypatch.context() as patch:
        later = utc_now() + timedelta(days=1, seconds=1)
        patch.setattr(tokens, "utc_now", lambda: later)
        assert authenticate(wh, short.secret, "read") is None
        assert authenticate(wh, long.secret, "read") is not None
    revoke_token(wh, long.token_id, principal=me)
    assert authenticate(wh, long.secret, "read") is None
    with pytest.raises(RefusedError):
        revoke_token(wh, long.token_id, principal=me)
    rows = {row["token_id"]: row["revoked_by"] for row in list_tokens(wh, principal=me)}
    assert rows == {short.token_id: None, long.token_id: "ada"}


def test_who_may_issue_what(wh: Warehouse, me: Principal) -> None:
    tenant_admin = Principal("t", "admin", frozenset({"a"}))
    issued = issue_token(wh, principal=tenant_admin, name="t", scope="read", tenant="a")
    for arguments in ({"tenant": None}, {"tenant": "b"}):
        with pytest.raises(PermissionRefusedError):
            issue_token(wh, principal=tenant_admin, name="t", scope="read", **arguments)
    with pytest.raises(PermissionRefusedError):
        issue_token(wh, principal=Principal("r", "approver"), name="t", scope="read")
    with pytest.raises(InputError, match="unknown scope"):
        issue_token(wh, principal=me, name="t", scope="decide")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no token"):
        revoke_token(wh, issued.token_id, principal=Principal("o", "admin", frozenset({"b"})))
