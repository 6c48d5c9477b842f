"""The SHA-256 chain over every change of state, appended in the change's own transaction.

A chain alone cannot show that its end was cut off: keep :func:`head` somewhere else and verify against it.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import duckdb

from ragsieve_core.errors import InputError
from warehouse import sql
from warehouse.database import Warehouse
from warehouse.ids import canonical_json, utc_now
from warehouse.principal import Principal
from warehouse.records import Page

GENESIS = "0" * 64
_CHUNK = 10_000


@dataclass(frozen=True, slots=True)
class AuditHead:
    """Length of the chain and hash of its last row (64 zeros while empty)."""

    sequence: int
    hash: str


@dataclass(frozen=True, slots=True)
class AuditReport:
    """Result of :func:`verify`.

    Attributes
    ----------
    ok : every row follows from the one before and every given head is in the chain.
    rows : rows checked.
    broken_at : sequence of the first row that does not hold, or None.
    problem : in words, empty where ok.
    unproved : what this check cannot prove.
    """

    ok: bool
    rows: int
    head: AuditHead
    broken_at: int | None
    problem: str
    unproved: str


def row_hash(
    sequence: int, acted_at: datetime, actor: str, action: str, object_id: str, payload: str, previous: str
) -> str:
    """SHA-256 (hex) over the canonical JSON list of the row's other columns; the time as ISO text in microseconds."""
    fields = [sequence, acted_at.isoformat(timespec="microseconds"), actor, action, object_id, payload, previous]
    return hashlib.sha256(canonical_json(fields).encode("utf-8", "surrogatepass")).hexdigest()


def append(
    cursor: duckdb.DuckDBPyConnection,
    actor: str,
    action: str,
    object_id: str,
    payload: Mapping[str, object],
    commitments: Mapping[str, str] | None = None,
) -> int:
    """Append one row within the caller's write transaction; returns its sequence.

    Parameters
    ----------
    payload : ids, counts and settings; never text of a document, query or note.
    commitments : values to be committed to without being shown: the payload gets SHA-256(salt + value) under the
        name, the salt goes to ``audit_salts``, from where erasure can take it.
    """
    last = sql.first(cursor, "SELECT sequence, hash FROM audit_log ORDER BY sequence DESC LIMIT 1")
    sequence, previous = (last[0] + 1, last[1]) if last else (1, GENESIS)
    body = dict(payload)
    for name, value in (commitments or {}).items():
        salt = secrets.token_hex(16)
        body[name] = hashlib.sha256(f"{salt}{value}".encode("utf-8", "surrogatepass")).hexdigest()
        cursor.execute("INSERT INTO audit_salts VALUES (?, ?, ?)", [sequence, name, salt])
    text, acted_at = canonical_json(body), utc_now()
    digest = row_hash(sequence, acted_at, actor, action, object_id, text, previous)
    cursor.execute(
        "INSERT INTO audit_log VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [sequence, acted_at, actor, action, object_id, text, previous, digest],
    )
    return int(sequence)


def head(wh: Warehouse) -> AuditHead:
    """The chain's end, to be kept where the file's writer cannot reach it."""
    with wh.reading() as cursor:
        return _head(cursor)


def _head(cursor: duckdb.DuckDBPyConnection) -> AuditHead:
    last = sql.first(cursor, "SELECT sequence, hash FROM audit_log ORDER BY sequence DESC LIMIT 1")
    return AuditHead(int(last[0]), str(last[1])) if last else AuditHead(0, GENESIS)


def verify(wh: Warehouse, *, against: Iterable[AuditHead] = ()) -> AuditReport:
    """Recompute the chain from its first row and compare it with heads kept elsewhere.

    Parameters
    ----------
    against : heads exported earlier; a chain whose tail was cut, or that was rewritten, lacks them.
    """
    wanted: dict[int, str] = {}
    for known in against:
        if wanted.setdefault(known.sequence, known.hash) != known.hash:
            raise InputError(f"two different heads are given for row {known.sequence}", do="keep the one you trust")
    count, previous = 0, GENESIS
    kept = f"a tail cut off after the last of the {len(wanted)} given heads" if wanted else "a tail that was cut off"
    unproved = f"{kept}, and rows that were never written"

    def broken(sequence: int, problem: str) -> AuditReport:
        return AuditReport(False, count, AuditHead(count, previous), sequence, problem, unproved)

    with wh.reading() as cursor:
        result = cursor.execute(
            "SELECT sequence, acted_at, actor, action, object, payload, previous_hash, hash "
            "FROM audit_log ORDER BY sequence"
        )
        while chunk := result.fetchmany(_CHUNK):
            for sequence, acted_at, actor, action, object_id, payload, stated, digest in chunk:
                if sequence != count + 1:
                    return broken(count + 1, f"row {count + 1} is missing or doubled: row {sequence} follows {count}")
                if stated != previous:
                    return broken(sequence, f"row {sequence} names another row before it")
                if row_hash(sequence, acted_at, actor, action, object_id, payload, stated) != digest:
                    return broken(sequence, f"row {sequence} ({action}) does not match its hash")
                if wanted.pop(sequence, digest) != digest:
                    return broken(sequence, f"row {sequence} differs from the head that was kept")
                count, previous = sequence, digest
    if wanted and (missing := min((s for s in wanted if s > 0), default=0)):
        return broken(missing, f"the chain ends at row {count}, a kept head names row {missing}: the tail was cut off")
    return AuditReport(True, count, AuditHead(count, previous), None, "", unproved)


def audit_page(
    wh: Warehouse,
    *,
    principal: Principal,
    action: str = "",
    actor: str = "",
    object_id: str = "",
    limit: int = 50,
    offset: int = 0,
) -> Page:
    """Rows of the log, newest first; empty filters match all. Needs the role approver and all tenants.

    The log is one chain over all tenants, so that a caller of some tenants may not read it.
    """
    _require_reader(principal)
    with wh.reading() as cursor:
        parameters = {"action": action, "actor": actor, "object": object_id}
        found = sql.rows(cursor, "audit_page", **parameters, limit=limit, offset=offset)
        total = sql.row(cursor, "audit_count", **parameters)
    return Page(found, int(total["total"]) if total else 0, limit, offset)


def export(wh: Warehouse, *, principal: Principal, first: int = 1) -> list[dict[str, Any]]:
    """All rows from ``first`` on, oldest first, times as ISO text: enough to verify the chain outside."""
    _require_reader(principal)
    with wh.reading() as cursor:
        found = sql.rows(cursor, "audit_export", first=first)
    for entry in found:
        entry["acted_at"] = entry["acted_at"].isoformat(timespec="microseconds")
        entry["payload"] = json.loads(entry["payload"])
    return found


def _require_reader(principal: Principal) -> None:
    principal.require("approver", "read the audit log")
    if principal.tenants is not None:
        principal.require_tenant("*", "read the audit log, which spans all tenants,")
