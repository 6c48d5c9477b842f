"""Tokens for programs: hashed at rest, one scope and at most one tenant each, expiring, revocable. None can decide."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, get_args

import duckdb

from ragsieve_core.errors import InputError, nearest
from warehouse import audit, publish, sql
from warehouse.database import Warehouse
from warehouse.errors import RefusedError
from warehouse.ids import new_id, utc_now
from warehouse.principal import Principal, Role
from warehouse.refusals import Refusal

Scope = Literal["ingest", "gate", "read"]
SCOPES: tuple[Scope, ...] = get_args(Scope)
_ROLES: Mapping[str, Role] = {"ingest": "reviewer", "gate": "reviewer", "read": "viewer"}
_PREFIX = "rgs"


@dataclass(frozen=True, slots=True)
class IssuedToken:
    """A new token; ``secret`` is the whole text to hand over, shown this once and stored nowhere."""

    token_id: str
    secret: str
    expires_at: datetime | None


def issue_token(
    wh: Warehouse, *, principal: Principal, name: str, scope: Scope, tenant: str | None = None, days: float | None = 90
) -> IssuedToken:
    """Make a token.

    Parameters
    ----------
    scope : ``ingest`` brings documents, vectors and scans; ``gate`` brings events; ``read`` reads.
    tenant : the one tenant it may touch; None for all.
    days : until it expires; None for never.
    """
    principal.require_person("admin", "issue a token")
    if scope not in SCOPES:
        raise InputError(f"unknown scope {scope!r}", where="scope", expected=nearest(scope, SCOPES))
    if not name.strip() or (days is not None and days <= 0):
        raise InputError("a token needs a name and a time to live", expected="a name; days above 0, or none at all")
    if tenant is None and principal.tenants is not None:
        principal.require_tenant("*", "issue a token for all tenants, which is refused")
    elif tenant is not None:
        principal.require_tenant(tenant, "issue a token")
    token_id, secret, now = new_id("token"), secrets.token_urlsafe(32), utc_now()
    expires = now + timedelta(days=days) if days is not None else None

    def work(cursor: duckdb.DuckDBPyConnection) -> tuple[dict[str, Any], bytes]:
        cursor.execute(
            "INSERT INTO tokens VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [token_id, name, _hash(secret), scope, tenant, now, principal.identity, expires],
        ).complete()
        audit.append(
            cursor,
            principal.identity,
            "token_issued",
            token_id,
            {"scope": scope, "tenant": tenant, "expires_at": expires.isoformat() if expires else None},
        )
        return publish.prepare(cursor, principal, "token_issued")

    with wh.publishing:
        publish.release(wh, *wh.run_transaction(work, urgent=True))
    return IssuedToken(token_id, f"{_PREFIX}.{token_id}.{secret}", expires)


def _hash(secret: str) -> str:
    # The secret has 256 random bits: a slow hash would add nothing.
    return hashlib.sha256(secret.encode()).hexdigest()


def revoke_token(wh: Warehouse, token_id: str, *, principal: Principal) -> None:
    """Stop accepting a token from the next request on.

    Raises
    ------
    InputError
        unknown.
    RefusedError
        revoked already (``nothing_to_do``).
    """
    principal.require_person("admin", "revoke a token")

    def work(cursor: duckdb.DuckDBPyConnection) -> tuple[dict[str, Any], bytes]:
        found = next(
            (row for row in sql.rows(cursor, "tokens", **principal.scope()) if row["token_id"] == token_id), None
        )
        if found is None:
            raise InputError(f"no token {token_id!r}", where="token")
        if found["revoked_at"] is not None:
            raise RefusedError(Refusal.NOTHING_TO_DO, "the token was revoked already", where=token_id)
        cursor.execute("INSERT INTO token_revocations VALUES (?, ?, ?)", [token_id, utc_now(), principal.identity])
        audit.append(cursor, principal.identity, "token_revoked", token_id, {})
        return publish.prepare(cursor, principal, "token_revoked")

    with wh.publishing:
        publish.release(wh, *wh.run_transaction(work, urgent=True))


def list_tokens(wh: Warehouse, *, principal: Principal) -> list[dict[str, Any]]:
    """Tokens, latest first, without anything of their secrets."""
    principal.require("admin", "list tokens")
    with wh.reading() as cursor:
        return sql.rows(cursor, "tokens", **principal.scope())


def authenticate(wh: Warehouse, text: str, scope: Scope) -> Principal | None:
    """The principal of a token, or None for one that is unknown, wrong, expired, revoked or of another scope.

    Every reason looks alike to the caller, so that nothing can be learnt by trying.
    """
    parts = text.split(".")
    if len(parts) != 3 or parts[0] != _PREFIX:
        return None
    with wh.reading() as cursor:
        found = sql.row(cursor, "token", token_id=parts[1])
    stored = str(found["secret_hash"]) if found else _hash("")
    matches = hmac.compare_digest(stored, _hash(parts[2]))
    if not matches or found is None or found["scope"] != scope or found["revoked"]:
        return None
    if found["expires_at"] is not None and found["expires_at"] <= utc_now():
        return None
    tenants = frozenset({str(found["tenant"])}) if found["tenant"] is not None else None
    return Principal(f"token:{found['name']}", _ROLES[scope], tenants, "token")
