"""Who may use the gate: tokens as the owner published them, looked up anew on every request."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from ragsieve_core.publication import Credential

_PREFIX = "rgs"
_ABSENT = hashlib.sha256(b"").hexdigest()


@dataclass(frozen=True, slots=True)
class Who:
    """A caller: ``name`` for limits and logs, ``tenant`` None for all."""

    name: str
    tenant: str | None


@dataclass(frozen=True, slots=True)
class Denied:
    """Why not, with the HTTP status to answer."""

    status: int
    reason: str


ANYONE = Who("local", None)


def authenticate(
    credentials: Mapping[str, Credential], authorization: str, scopes: tuple[str, ...], now: datetime | None = None
) -> Who | Denied:
    """The caller behind an ``Authorization`` header.

    An unknown, wrong, over or revoked token all look alike. Only a valid one learns that its scope is another.

    Parameters
    ----------
    credentials : of the publication in force, by token id.
    scopes : any of these will do.
    """
    kind, _, token = authorization.partition(" ")
    if kind.lower() != "bearer" or not token.strip():
        return Denied(401, "a token is needed: Authorization: Bearer rgs.…")
    parts = token.strip().split(".")
    found = credentials.get(parts[1]) if len(parts) == 3 and parts[0] == _PREFIX else None
    secret = parts[2] if len(parts) == 3 else ""
    given = hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
    matches = hmac.compare_digest(found.secret_hash if found else _ABSENT, given)
    over = found is not None and found.expires_at is not None and found.expires_at <= (now or datetime.now(UTC))
    if found is None or not matches or over:
        return Denied(401, "no valid token")
    if found.scope not in scopes:
        return Denied(403, f"this token has the scope {found.scope!r}, which may not do this: {' or '.join(scopes)}")
    return Who(found.token_id, found.tenant)
