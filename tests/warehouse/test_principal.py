from __future__ import annotations

import pytest

from ragsieve_core.errors import InputError
from warehouse.errors import PermissionRefusedError
from warehouse.principal import ROLES, Principal, local_principal


def test_roles_are_ordered() -> None:
    for place, role in enumerate(ROLES):
        principal = Principal("p", role)
        assert [principal.at_least(other) for other in ROLES] == [True] * (place + 1) + [False] * (
            len(ROLES) - place - 1
        )
    with pytest.raises(PermissionRefusedError, match="may not decide"):
        Principal("p", "viewer").require("reviewer", "decide")


@pytest.mark.parametrize("arguments", [(" ", "admin"), ("p", "root"), ("p", "admin", frozenset())])
def test_what_is_no_principal(arguments: tuple) -> None:
    with pytest.raises(InputError):
        Principal(*arguments)


def test_tenants() -> None:
    some, everyone = Principal("p", "viewer", frozenset({"b", "a"})), Principal("p", "viewer")
    assert (some.may_see("a"), some.may_see("c"), everyone.may_see("c")) == (True, False, True)
    assert some.scope() == {"all_tenants": False, "tenants": ["a", "b"]}
    assert everyone.scope()["all_tenants"] is True
    assert some.scope_key() != everyone.scope_key()
    with pytest.raises(PermissionRefusedError):
        some.require_tenant("c", "look")


def test_local_principal_is_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOGNAME", "grace")
    local = local_principal()
    assert (local.identity, local.role, local.tenants, local.mode) == ("grace", "admin", None, "single_user_mode")
