"""Policy versions: thresholds per slice, immutable, parent-linked; in force from their publication on.

A version that only tightens comes into force when it is saved. One that may flag fewer documents needs a second
person, single-user mode excepted. Nothing is edited: a roll-back is a new version with earlier rules.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import duckdb

from ragsieve_core.errors import InputError
from ragsieve_core.policy import Change, Policy, PolicyRule, changes, parse_rules
from warehouse import audit, publish, sql
from warehouse.database import Warehouse
from warehouse.errors import RefusedError
from warehouse.ids import canonical_json, new_id, utc_now
from warehouse.principal import Principal
from warehouse.refusals import Refusal


@dataclass(frozen=True, slots=True)
class PolicyVersion:
    """One version; ``state`` is waiting, in_force, superseded or rejected."""

    policy_id: str
    sequence: int
    parent_id: str | None
    restores_id: str | None
    rules: tuple[PolicyRule, ...]
    loosens: bool
    state: str
    author: str
    approved_by: str | None
    note: str
    created_at: str


def save_policy(
    wh: Warehouse,
    rules: Sequence[PolicyRule],
    *,
    principal: Principal,
    note: str = "",
    parent: str | None = None,
) -> PolicyVersion:
    """Save the whole set of rules as a new version; in force at once unless it loosens and needs a second person.

    Parameters
    ----------
    rules : all slices, at most one rule each; empty returns every preset to what was published.
    parent : version that the author saw in force; None = whichever is. Compared, so that nobody undoes unseen work.

    Raises
    ------
    RefusedError
        ``nothing_to_do``: these rules are in force; ``parent_changed``: another version is in force now.
    """
    principal.require_person("approver", "save a policy")
    fresh = Policy(None, tuple(rules)).rules

    def work(cursor: duckdb.DuckDBPyConnection) -> tuple[str, tuple[dict[str, Any], bytes] | None]:
        current = _current(cursor)
        standing = current["policy_id"] if current else None
        if parent is not None and parent != standing:
            raise RefusedError(
                Refusal.PARENT_CHANGED,
                "another policy version came into force since",
                where=parent,
                expected=f"{standing or 'none'} as the version seen",
                do="look at what is in force and save again",
            )
        return _store(cursor, fresh, current, None, principal, note)

    return _run(wh, work, principal)


def rollback_policy(wh: Warehouse, restores: str, *, principal: Principal, note: str = "") -> PolicyVersion:
    """Save a new version with the rules of an earlier one; ``"none"`` stands for the presets without any policy."""
    principal.require_person("approver", "roll a policy back")

    def work(cursor: duckdb.DuckDBPyConnection) -> tuple[str, tuple[dict[str, Any], bytes] | None]:
        rules: tuple[PolicyRule, ...] = ()
        if restores != "none":
            rules = parse_rules(json.loads(_row(cursor, restores)["rules"]))
        return _store(cursor, rules, _current(cursor), None if restores == "none" else restores, principal, note)

    return _run(wh, work, principal)


def approve_policy(wh: Warehouse, policy_id: str, *, principal: Principal, note: str = "") -> PolicyVersion:
    """Put a waiting version in force.

    Raises
    ------
    RefusedError
        ``same_person``; ``not_proposed``: it is not waiting; ``parent_changed``: another came into force since.
    """
    principal.require_person("approver", "approve a policy")

    def work(cursor: duckdb.DuckDBPyConnection) -> tuple[str, tuple[dict[str, Any], bytes] | None]:
        row = _waiting(cursor, policy_id)
        single = principal.mode == "single_user_mode"
        if row["author"] == principal.identity and not single:
            raise RefusedError(
                Refusal.SAME_PERSON, f"{principal.identity} saved it", where=policy_id, expected="another approver"
            )
        current = _current(cursor)
        if row["parent_id"] != (current["policy_id"] if current else None):
            raise RefusedError(
                Refusal.PARENT_CHANGED, "another version came into force since", where=policy_id, do="save it again"
            )
        return policy_id, _publish(
            cursor, policy_id, principal, "single_user_mode" if single else principal.identity, note
        )

    return _run(wh, work, principal)


def reject_policy(wh: Warehouse, policy_id: str, *, principal: Principal, note: str = "") -> PolicyVersion:
    """Turn a waiting version down; its author may withdraw it so, too."""
    principal.require_person("approver", "reject a policy")

    def work(cursor: duckdb.DuckDBPyConnection) -> tuple[str, tuple[dict[str, Any], bytes] | None]:
        row = _waiting(cursor, policy_id)
        _event(cursor, policy_id, principal, "rejected", None, note)
        audit.append(cursor, principal.identity, "policy_rejected", policy_id, {"author": row["author"]})
        return policy_id, None

    return _run(wh, work, principal)


def list_policies(wh: Warehouse, *, principal: Principal) -> list[PolicyVersion]:
    """Versions, latest first. Thresholds are no tenant's secret: every role may read them."""
    principal.require("viewer", "read policies")
    with wh.reading() as cursor:
        return [_version(row) for row in sql.rows(cursor, "policy_versions", policy_id="")]


def get_policy(wh: Warehouse, policy_id: str, *, principal: Principal) -> PolicyVersion:
    """One version.

    Raises
    ------
    InputError
        unknown.
    """
    principal.require("viewer", "read policies")
    with wh.reading() as cursor:
        return _version(_row(cursor, policy_id))


def current_policy(wh: Warehouse, *, principal: Principal) -> PolicyVersion | None:
    """The version in force; None before the first."""
    return next((one for one in list_policies(wh, principal=principal) if one.state == "in_force"), None)


def diff_policies(wh: Warehouse, first: str | None, second: str, *, principal: Principal) -> list[Change]:
    """Parameters that differ from one version to another; ``first`` None stands for the presets as published."""
    before = get_policy(wh, first, principal=principal).rules if first else ()
    return changes(before, get_policy(wh, second, principal=principal).rules)


def version_row(version: PolicyVersion) -> dict[str, Any]:
    """A version as JSON values, rules as dicts."""
    return asdict(version) | {"rules": [rule.as_dict() for rule in version.rules]}


def _run(wh: Warehouse, work: Any, principal: Principal) -> PolicyVersion:
    with wh.publishing:
        policy_id, released = wh.run_transaction(work, urgent=True)
        if released is not None:
            publish.release(wh, *released)
    return get_policy(wh, str(policy_id), principal=principal)


def _store(
    cursor: duckdb.DuckDBPyConnection,
    rules: tuple[PolicyRule, ...],
    current: dict[str, Any] | None,
    restores: str | None,
    principal: Principal,
    note: str,
) -> tuple[str, tuple[dict[str, Any], bytes] | None]:
    before = parse_rules(json.loads(current["rules"])) if current else ()
    changed = changes(before, rules)
    if not changed and {r.key for r in before} == {r.key for r in rules}:
        raise RefusedError(Refusal.NOTHING_TO_DO, "these thresholds are in force already", do="change one of them")
    loosens = any(change.loosens for change in changed)
    ordered = sorted(rules, key=lambda one: one.key)
    text = canonical_json([rule.as_dict() for rule in ordered])
    digest = hashlib.sha256(text.encode()).hexdigest()
    policy_id = new_id("policy")
    parent = current["policy_id"] if current else None
    last = sql.first(cursor, "SELECT coalesce(max(sequence), 0) FROM policy_versions")
    cursor.execute(
        "INSERT INTO policy_versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            policy_id,
            int(last[0] if last else 0) + 1,
            parent,
            restores,
            text,
            digest,
            loosens,
            principal.identity,
            utc_now(),
            note,
        ],
    ).complete()
    _event(cursor, policy_id, principal, "saved", None, note)
    audit.append(
        cursor,
        principal.identity,
        "policy_saved",
        policy_id,
        {
            "rules_hash": digest,
            "parent": parent,
            "restores": restores,
            "loosens": loosens,
            "changes": [[c.slice, c.name, c.before, c.after] for c in changed],
        },
    )
    if loosens and principal.mode != "single_user_mode":
        return policy_id, None
    by = "single_user_mode" if principal.mode == "single_user_mode" else "not_required"
    return policy_id, _publish(cursor, policy_id, principal, by, note)


def _publish(
    cursor: duckdb.DuckDBPyConnection, policy_id: str, principal: Principal, approved_by: str, note: str
) -> tuple[dict[str, Any], bytes]:
    _event(cursor, policy_id, principal, "published", approved_by, note)
    audit.append(cursor, principal.identity, "policy_published", policy_id, {"approved_by": approved_by})
    return publish.prepare(cursor, principal, "policy_published")


def _event(
    cursor: duckdb.DuckDBPyConnection, name: str, principal: Principal, kind: str, approved_by: str | None, note: str
) -> None:
    cursor.execute(
        "INSERT INTO policy_events SELECT coalesce(max(seq), 0) + 1, ?, ?, ?, ?, ?, ? FROM policy_events",
        [name, utc_now(), principal.identity, kind, approved_by, note],
    ).complete()


def _current(cursor: duckdb.DuckDBPyConnection) -> dict[str, Any] | None:
    found = sql.first(cursor, "SELECT policy_id, rules FROM policy_current")
    return {"policy_id": str(found[0]), "rules": str(found[1])} if found else None


def _row(cursor: duckdb.DuckDBPyConnection, policy_id: str) -> dict[str, Any]:
    found = sql.row(cursor, "policy_versions", policy_id=policy_id) if policy_id else None
    if found is None:
        raise InputError(f"no policy version {policy_id!r}", where="policy", do="ragsieve policy list")
    return found


def _waiting(cursor: duckdb.DuckDBPyConnection, policy_id: str) -> dict[str, Any]:
    row = _row(cursor, policy_id)
    if row["state"] != "waiting":
        raise RefusedError(Refusal.NOT_PROPOSED, f"the version is {row['state']}", where=policy_id)
    return row


def _version(row: dict[str, Any]) -> PolicyVersion:
    return PolicyVersion(
        policy_id=row["policy_id"],
        sequence=row["sequence"],
        parent_id=row["parent_id"],
        restores_id=row["restores_id"],
        rules=parse_rules(json.loads(row["rules"])),
        loosens=row["loosens"],
        state=row["state"],
        author=row["author"],
        approved_by=row["approved_by"],
        note=row["note"],
        created_at=f"{row['created_at']:%Y-%m-%dT%H:%M:%SZ}",
    )
