from __future__ import annotations

from dataclasses import replace

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.review.approval import ReviewPolicy
from tests.warehouse.desk import ADA, BOB, LOCAL, OF_B
from warehouse import audit
from warehouse.database import Warehouse
from warehouse.desk_policy import policy_history, review_policy
from warehouse.errors import PermissionRefusedError, RefusedError
from warehouse.principal import Principal
from warehouse.refusals import Refusal
from warehouse.roles import (
    approve_request,
    list_requests,
    list_roles,
    principal_for,
    reject_request,
    set_policy,
    set_role,
)

EVE = Principal("eve", "admin")


def reason(call) -> str:
    with pytest.raises(RefusedError) as caught:
        call()
    return str(caught.value.reason)


def test_roles_need_two_admins_in_shared_mode(wh: Warehouse) -> None:
    assert set_role(wh, "ada", "admin", principal=LOCAL).state == "in_force"
    asked = set_role(wh, "max", "reviewer", principal=ADA, tenants=["b", "a"], note="new")
    assert asked.state == "waiting"
    assert reason(lambda: principal_for(wh, "max")) == Refusal.NOT_A_USER
    assert reason(lambda: approve_request(wh, str(asked.request_id), principal=ADA)) == Refusal.SAME_PERSON
    with pytest.raises(PermissionRefusedError):
        approve_request(wh, str(asked.request_id), principal=BOB)
    approve_request(wh, str(asked.request_id), principal=EVE)
    found = principal_for(wh, "max")
    assert (found.role, found.tenants, found.mode) == ("reviewer", frozenset({"a", "b"}), "authenticated")
    assert reason(lambda: approve_request(wh, str(asked.request_id), principal=EVE)) == Refusal.REQUEST_ENDED
    assert [(row["identity"], row["approved_by"]) for row in list_roles(wh, principal=ADA)] == [
        ("ada", "single_user_mode"),
        ("max", "eve"),
    ]
    assert audit.verify(wh).ok


def test_nobody_approves_their_own_role(wh: Warehouse) -> None:
    set_role(wh, "ada", "admin", principal=LOCAL)
    asked = set_role(wh, "eve", "admin", principal=ADA)
    assert reason(lambda: approve_request(wh, str(asked.request_id), principal=EVE)) == Refusal.SAME_PERSON
    assert list_requests(wh, principal=ADA)[0]["outcome"] is None


def test_the_last_admin_stays(wh: Warehouse) -> None:
    set_role(wh, "ada", "admin", principal=LOCAL)
    assert reason(lambda: set_role(wh, "ada", "none", principal=LOCAL)) == Refusal.LAST_ADMIN
    assert reason(lambda: set_role(wh, "ada", "admin", tenants=["a"], principal=LOCAL)) == Refusal.LAST_ADMIN
    set_role(wh, "eve", "admin", principal=LOCAL)
    set_role(wh, "ada", "none", principal=LOCAL)
    assert reason(lambda: principal_for(wh, "ada")) == Refusal.NOT_A_USER


def test_loosening_waits_tightening_does_not(wh: Warehouse) -> None:
    tight = replace(ReviewPolicy(), alone_contexts=1)
    assert set_policy(wh, tight, principal=ADA).state == "in_force"
    assert reason(lambda: set_policy(wh, tight, principal=ADA)) == Refusal.NOTHING_TO_DO
    asked = set_policy(wh, ReviewPolicy(), principal=ADA)
    assert (asked.state, asked.loosened) == ("waiting", ("alone_contexts",))
    assert review_policy(wh, principal=ADA) == tight
    assert reason(lambda: approve_request(wh, str(asked.request_id), principal=ADA)) == Refusal.SAME_PERSON
    reject_request(wh, str(asked.request_id), principal=ADA)
    asked = set_policy(wh, ReviewPolicy(), principal=ADA)
    approve_request(wh, str(asked.request_id), principal=EVE)
    assert review_policy(wh, principal=ADA) == ReviewPolicy()
    assert [row["approved_by"] for row in policy_history(wh, principal=ADA)] == ["eve", "not_needed"]
    assert set_policy(wh, replace(ReviewPolicy(), alone_tier=3), principal=LOCAL).state == "in_force"


def test_what_is_no_role(wh: Warehouse) -> None:
    for identity, role, tenants in ((" ", "admin", None), ("x", "king", None), ("x", "viewer", [])):
        with pytest.raises(InputError):
            set_role(wh, identity, role, principal=LOCAL, tenants=tenants)
    with pytest.raises(PermissionRefusedError):
        set_role(wh, "x", "viewer", principal=OF_B)
    with pytest.raises(InputError, match="no request"):
        approve_request(wh, "req_x", principal=ADA)
    with pytest.raises(RefusedError):
        set_role(wh, "x", "viewer", principal=Principal("t", "admin", mode="token"))
