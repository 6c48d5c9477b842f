"""The SHA-256 chain over every change of state, appended in the change's own transaction.

A chain alone cannot show that its end was cut off: keep :func:`head` somewhere else and verify against it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import duckdb

from ragsieve_core.errors import InputError
from ragsieve_core.formats.safe_open import open_input
from warehouse import sql
from warehouse.chain import GENESIS, append, row_hash
from warehouse.database import Warehouse
from warehouse.errors import StorageError
from warehouse.ids import canonical_json, utc_now
from warehouse.principal import Principal
from warehouse.records import Page

__all__ = [
    "GENESIS",
    "AuditHead",
    "AuditReport",
    "actions",
    "append",
    "append_head",
    "audit_page",
    "export",
    "head",
    "read_heads",
    "row_hash",
    "verify",
]

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


def append_head(wh: Warehouse, sink: str | os.PathLike[str]) -> AuditHead:
    """Append the chain's end to a file outside the warehouse, one JSON line, made durable; returns it.

    The sink is worth what its place is: where the owner of the warehouse cannot rewrite it.

    Raises
    ------
    StorageError
        the sink cannot be written.
    """
    now = head(wh)
    line = canonical_json({"sequence": now.sequence, "hash": now.hash, "at": utc_now().isoformat()}) + "\n"
    try:
        descriptor = os.open(sink, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "ab") as stream:
            stream.write(line.encode())
            stream.flush()
            os.fsync(descriptor)
    except OSError as error:
        raise StorageError(f"the head cannot be kept ({error.strerror})", where=str(sink), do="another file") from error
    return now


def read_heads(sink: str | os.PathLike[str]) -> list[AuditHead]:
    """Heads that :func:`append_head` kept, for :func:`verify`.

    Raises
    ------
    InputError
        no such file, or a line that is no head (named by its number).
    """
    try:
        with open_input(sink) as stream:
            lines = stream.read().decode("utf-8", "replace").splitlines()
    except OSError as error:
        raise InputError(f"the heads cannot be read ({error.strerror})", where=str(sink)) from error
    heads = []
    for number, line in enumerate(lines, 1):
        try:
            fields = json.loads(line)
            heads.append(AuditHead(int(fields["sequence"]), str(fields["hash"])))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                "no head of an audit chain", where=f"{sink}:{number}", expected='{"sequence": …, "hash": …}'
            ) from error
    return heads


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


def actions(wh: Warehouse, *, principal: Principal) -> list[str]:
    """Names of what was done so far, sorted. Needs what :func:`audit_page` needs."""
    _require_reader(principal)
    with wh.reading() as cursor:
        return [str(row[0]) for row in cursor.execute("SELECT DISTINCT action FROM audit_log ORDER BY 1").fetchall()]


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
