"""Who may do what: roles of signed-in identities, and changes of roles and policy that need a second person.

In shared mode a change of a role, and a policy that loosens anything, is a request until another admin approves it.
Single-user mode makes it at once and records that.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import duckdb

from ragsieve_core.errors import InputError, nearest
from ragsieve_core.review.approval import ReviewPolicy, loosened
from warehouse import audit, sql
from warehouse.acting import SINGLE
from warehouse.database import Warehouse
from warehouse.desk_policy import append_policy, policy_of
from warehouse.errors import RefusedError
from warehouse.ids import canonical_json, new_id, utc_now
from warehouse.principal import ROLES, Principal
from warehouse.refusals import Refusal

NONE = "none"


@dataclass(frozen=True, slots=True)
class Changed:
    """What became of a change: ``in_force`` at once, or ``waiting`` under ``request_id`` for another admin."""

    state: str
    request_id: str | None = None
    loosened: tuple[str, ...] = ()


def principal_for(wh: Warehouse, identity: str, *, mode: str = "authenticated") -> Principal:
    """The principal of a proved identity, with the role that somebody gave it.

    Called by authentication adapters only, on every request: a role that was taken away ends at once.

    Raises
    ------
    RefusedError
        ``not_a_user``: nobody gave it a role.
    """
    with wh.reading() as cursor:
        found = sql.row(cursor, "user_role", identity=identity)
    if found is None:
        raise RefusedError(
            Refusal.NOT_A_USER,
            f"{identity!r} has no role here",
            expected="an identity that an admin gave a role",
            do="ask an admin: ragsieve roles set",
        )
    tenants = None if found["tenants"] is None else frozenset(found["tenants"])
    return Principal(str(found["identity"]), found["role"], tenants, mode)


def set_role(
    wh: Warehouse,
    identity: str,
    role: str,
    *,
    principal: Principal,
    tenants: Sequence[str] | None = None,
    note: str = "",
) -> Changed:
    """Give an identity a role, or take it away (``none``).

    Parameters
    ----------
    tenants : tenants whose rows exist for it; None for all.

    Raises
    ------
    RefusedError
        ``last_admin``: nobody would be left who can change roles.
    InputError
        no name, an unknown role, or an empty list of tenants.
    """
    _require_admin(principal, "change a role")
    name = identity.strip()
    if not name:
        raise InputError("no identity", where="identity", expected="as the identity provider names it")
    if role not in (*ROLES, NONE):
        raise InputError(f"unknown role {role!r}", where="role", expected=nearest(role, (*ROLES, NONE)))
    if tenants is not None and not tenants:
        raise InputError("a role without tenants", where="tenants", expected="at least one, or none given for all")
    payload = {"identity": name, "role": role, "tenants": sorted(set(tenants)) if tenants is not None else None}

    def work(cursor: duckdb.DuckDBPyConnection) -> Changed:
        _require_admin_left(cursor, payload)
        if principal.mode == SINGLE:
            _append_role(cursor, payload, principal.identity, SINGLE, note)
            return Changed("in_force")
        return Changed("waiting", _request(cursor, "role", payload, principal, note))

    return wh.run_transaction(work, urgent=True)


def set_policy(wh: Warehouse, policy: ReviewPolicy, *, principal: Principal, note: str = "") -> Changed:
    """Set the limits of the desk; what loosens any of them waits for another admin in shared mode."""
    _require_admin(principal, "set the review policy")

    def work(cursor: duckdb.DuckDBPyConnection) -> Changed:
        before = policy_of(cursor)
        if policy == before:
            raise RefusedError(Refusal.NOTHING_TO_DO, "this policy is in force already")
        looser = loosened(before, policy)
        if looser and principal.mode != SINGLE:
            return Changed("waiting", _request(cursor, "policy", asdict(policy), principal, note), looser)
        approved_by = SINGLE if principal.mode == SINGLE else "not_needed"
        append_policy(cursor, policy, proposer=principal.identity, approved_by=approved_by, note=note)
        return Changed("in_force", None, looser)

    return wh.run_transaction(work, urgent=True)


def approve_request(wh: Warehouse, request_id: str, *, principal: Principal, note: str = "") -> None:
    """Make a change that another admin asked for.

    Raises
    ------
    RefusedError
        ``same_person``, ``request_ended``, ``last_admin``.
    """
    _require_admin(principal, "approve a change")

    def work(cursor: duckdb.DuckDBPyConnection) -> None:
        row = _waiting(cursor, request_id)
        if row["actor"] == principal.identity and principal.mode != SINGLE:
            raise RefusedError(
                Refusal.SAME_PERSON, f"{principal.identity} asked for it", where=request_id, expected="another admin"
            )
        approved_by = SINGLE if principal.mode == SINGLE else principal.identity
        payload = json.loads(row["payload"])
        _end_request(cursor, request_id, "approved", principal, note)
        if row["kind"] == "role":
            if payload["identity"] == principal.identity and principal.mode != SINGLE:
                raise RefusedError(
                    Refusal.SAME_PERSON, "this is the caller's own role", where=request_id, expected="another admin"
                )
            _require_admin_left(cursor, payload)
            _append_role(cursor, payload, row["actor"], approved_by, row["note"])
        else:
            append_policy(
                cursor, ReviewPolicy(**payload), proposer=row["actor"], approved_by=approved_by, note=row["note"]
            )

    wh.run_transaction(work, urgent=True)


def reject_request(wh: Warehouse, request_id: str, *, principal: Principal, note: str = "") -> None:
    """Turn such a change down, or withdraw one's own. Raises ``request_ended``."""
    _require_admin(principal, "reject a change")

    def work(cursor: duckdb.DuckDBPyConnection) -> None:
        _waiting(cursor, request_id)
        _end_request(cursor, request_id, "rejected", principal, note)

    wh.run_transaction(work, urgent=True)


def list_requests(wh: Warehouse, *, principal: Principal) -> list[dict[str, Any]]:
    """Requests, latest first: request_id, kind, payload (JSON), note, actor, acted_at, outcome (null while it waits),
    ended_by, ended_at."""
    _require_admin(principal, "list changes")
    with wh.reading() as cursor:
        return sql.rows(cursor, "change_requests", request_id="")


def list_roles(wh: Warehouse, *, principal: Principal) -> list[dict[str, Any]]:
    """Roles in force by identity: identity, role, tenants (null = all), approved_by, note, actor, acted_at."""
    _require_admin(principal, "list roles")
    with wh.reading() as cursor:
        return sql.rows(cursor, "user_roles")


def _require_admin(principal: Principal, action: str) -> None:
    principal.require_person("admin", action)
    if principal.tenants is not None:
        principal.require_tenant("*", f"{action}, which concerns all tenants,")


def _require_admin_left(cursor: duckdb.DuckDBPyConnection, payload: dict[str, Any]) -> None:
    admins = {row["identity"] for row in sql.rows(cursor, "user_roles") if _rules(row["role"], row["tenants"])}
    if admins and not (admins - {payload["identity"]}) and not _rules(payload["role"], payload["tenants"]):
        raise RefusedError(
            Refusal.LAST_ADMIN,
            "nobody would be left who can change roles",
            where=payload["identity"],
            do="make somebody else an admin first",
        )


def _rules(role: str, tenants: Sequence[str] | None) -> bool:
    return role == "admin" and tenants is None


def _append_role(
    cursor: duckdb.DuckDBPyConnection, payload: dict[str, Any], proposer: str, approved_by: str, note: str
) -> None:
    before = sql.row(cursor, "user_role", identity=payload["identity"])
    cursor.execute(
        "INSERT INTO user_roles SELECT coalesce(max(seq), 0) + 1, ?, ?, ?, ?, ?, ?, ? FROM user_roles",
        [payload["identity"], payload["role"], payload["tenants"], approved_by, note, utc_now(), proposer],
    ).complete()
    told = {"role": payload["role"], "tenants": payload["tenants"], "approved_by": approved_by}
    told["before"] = {"role": before["role"], "tenants": before["tenants"]} if before else None
    audit.append(cursor, proposer, "role_set", payload["identity"], told)


def _request(
    cursor: duckdb.DuckDBPyConnection, kind: str, payload: dict[str, Any], principal: Principal, note: str
) -> str:
    request_id = new_id("req")
    cursor.execute(
        "INSERT INTO change_requests VALUES (?, ?, ?, ?, ?, ?)",
        [request_id, kind, canonical_json(payload), note, utc_now(), principal.identity],
    ).complete()
    audit.append(cursor, principal.identity, "change_requested", request_id, {"kind": kind, "change": payload})
    return request_id


def _waiting(cursor: duckdb.DuckDBPyConnection, request_id: str) -> dict[str, Any]:
    found = sql.row(cursor, "change_requests", request_id=request_id) if request_id else None
    if found is None:
        raise InputError(f"no request {request_id!r}", where="request")
    if found["outcome"] is not None:
        raise RefusedError(Refusal.REQUEST_ENDED, f"the request was {found['outcome']}", where=request_id)
    return found


def _end_request(
    cursor: duckdb.DuckDBPyConnection, request_id: str, outcome: str, principal: Principal, note: str
) -> None:
    cursor.execute(
        "INSERT INTO change_request_ends VALUES (?, ?, ?, ?, ?)",
        [request_id, outcome, note, utc_now(), principal.identity],
    ).complete()
    audit.append(cursor, principal.identity, f"change_{outcome}", request_id, {})
