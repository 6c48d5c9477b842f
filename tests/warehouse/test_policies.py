"""Policy versions: what is in force, who may loosen it, and how one goes back."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.policy import PolicyRule
from ragsieve_core.publication import PublicationReader
from ragsieve_core.rsq.config import RSQConfig
from warehouse import audit, policies
from warehouse.database import Warehouse
from warehouse.errors import PermissionRefusedError, RefusedError
from warehouse.principal import Principal, local_principal
from warehouse.publish import ensure_published
from warehouse.refusals import Refusal

ADA, BEA = Principal("ada", "approver"), Principal("bea", "approver")
TIGHTER = PolicyRule("rsq", "paper", {"eta_Q": 0.8})
LOOSER = PolicyRule("rsq", "paper", {"eta_Q": 1.4}, corpus="c")


def reader(wh: Warehouse) -> PublicationReader:
    return PublicationReader(wh.side.root / "published", missing="open")


def test_tightening_is_in_force_at_once_and_published(wh: Warehouse) -> None:
    saved = policies.save_policy(wh, [TIGHTER], principal=ADA, note="more caution")
    assert (saved.state, saved.loosens, saved.approved_by, saved.parent_id) == ("in_force", False, "not_required", None)
    policy = reader(wh).read().in_force.policy
    assert policy.version == saved.policy_id
    assert policy.applied(RSQConfig(), "any", None).threshold == 0.8
    assert audit.verify(wh).ok
    actions = [row["action"] for row in audit.export(wh, principal=Principal("x", "admin"))]
    assert actions[-3:] == ["policy_saved", "policy_published", "published"]


def test_loosening_waits_for_another_person(wh: Warehouse) -> None:
    first = policies.save_policy(wh, [TIGHTER], principal=ADA)
    saved = policies.save_policy(wh, [TIGHTER, LOOSER], principal=ADA)
    assert (saved.state, saved.loosens, saved.parent_id) == ("waiting", True, first.policy_id)
    assert reader(wh).read().in_force.policy.version == first.policy_id
    with pytest.raises(RefusedError) as same:
        policies.approve_policy(wh, saved.policy_id, principal=ADA)
    assert same.value.reason is Refusal.SAME_PERSON
    assert policies.approve_policy(wh, saved.policy_id, principal=BEA).state == "in_force"
    policy = reader(wh).read().in_force.policy
    assert policy.applied(RSQConfig(), "c", "enc").threshold == 1.4
    assert policy.applied(RSQConfig(), "other", "enc").threshold == 0.8


def test_roll_back_is_a_new_version(wh: Warehouse) -> None:
    first = policies.save_policy(wh, [TIGHTER], principal=local_principal())
    policies.save_policy(wh, [LOOSER], principal=local_principal())
    back = policies.rollback_policy(wh, first.policy_id, principal=local_principal())
    assert (back.sequence, back.restores_id, back.rules, back.state) == (3, first.policy_id, first.rules, "in_force")
    assert [v.state for v in policies.list_policies(wh, principal=ADA)] == ["in_force", "superseded", "superseded"]
    none = policies.rollback_policy(wh, "none", principal=local_principal())
    assert none.rules == ()
    assert reader(wh).read().in_force.policy.applied(RSQConfig(), "c", None) == RSQConfig()


def test_diff_by_hand(wh: Warehouse) -> None:
    first = policies.save_policy(wh, [TIGHTER], principal=local_principal())
    second = policies.save_policy(wh, [PolicyRule("rsq", "paper", {"eta_Q": 0.9})], principal=local_principal())
    (change,) = policies.diff_policies(wh, first.policy_id, second.policy_id, principal=ADA)
    assert (change.name, change.before, change.after, change.loosens) == ("eta_Q", 0.8, 0.9, True)
    (change,) = policies.diff_policies(wh, None, first.policy_id, principal=ADA)
    assert (change.before, change.after, change.loosens) == (None, 0.8, False)


def test_a_version_saved_over_unseen_work_is_refused(wh: Warehouse) -> None:
    first = policies.save_policy(wh, [TIGHTER], principal=local_principal())
    policies.save_policy(wh, [LOOSER], principal=local_principal())
    with pytest.raises(RefusedError) as stale:
        policies.save_policy(wh, [], principal=local_principal(), parent=first.policy_id)
    assert stale.value.reason is Refusal.PARENT_CHANGED
    with pytest.raises(RefusedError) as same:
        policies.save_policy(wh, [LOOSER], principal=local_principal())
    assert same.value.reason is Refusal.NOTHING_TO_DO


def test_who_may_not(wh: Warehouse) -> None:
    with pytest.raises(PermissionRefusedError):
        policies.save_policy(wh, [TIGHTER], principal=Principal("cy", "reviewer"))
    with pytest.raises(RefusedError) as program:
        policies.save_policy(wh, [TIGHTER], principal=Principal("t", "admin", mode="token"))
    assert program.value.reason is Refusal.NOT_A_PERSON
    with pytest.raises(InputError, match="set twice"):
        policies.save_policy(wh, [TIGHTER, TIGHTER], principal=ADA)


def test_a_rejected_version_stays_out(wh: Warehouse) -> None:
    saved = policies.save_policy(wh, [LOOSER], principal=ADA)
    assert policies.reject_policy(wh, saved.policy_id, principal=BEA).state == "rejected"
    with pytest.raises(RefusedError):
        policies.approve_policy(wh, saved.policy_id, principal=BEA)


def test_a_lost_pointer_is_published_again_with_the_policy(wh: Warehouse, tmp_path: Path) -> None:
    saved = policies.save_policy(wh, [TIGHTER], principal=ADA)
    (wh.side.root / "published" / "current").unlink()
    ensure_published(wh, principal=ADA)
    assert reader(wh).read().in_force.policy.version == saved.policy_id
    number = ensure_published(wh, principal=ADA)
    assert number == reader(wh).read().in_force.number
