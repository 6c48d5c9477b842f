"""How rows of the audit log follow from one another, and how they wait for their transaction's commit.

A row is written at the very end of its transaction, under the commit lock and after the last committed row:
transactions that run side by side get their places in the order of their commits.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

import duckdb

from warehouse.ids import canonical_json, utc_now

GENESIS = "0" * 64


@dataclass(frozen=True, slots=True)
class _Entry:
    acted_at: datetime
    actor: str
    action: str
    object_id: str
    payload: str
    salts: Mapping[str, str] = field(default_factory=dict)


# Entries of open write transactions, by the identity of their cursor, which the transaction keeps alive.
_waiting: dict[int, list[_Entry]] = {}


def row_hash(
    sequence: int, acted_at: datetime, actor: str, action: str, object_id: str, payload: str, previous: str
) -> str:
    """SHA-256 (hex) over the canonical JSON list of the row's other columns; the time as ISO text in microseconds."""
    fields = [sequence, acted_at.isoformat(timespec="microseconds"), actor, action, object_id, payload, previous]
    return hashlib.sha256(canonical_json(fields).encode("utf-8", "surrogatepass")).hexdigest()


def begin(cursor: duckdb.DuckDBPyConnection) -> None:
    """Let entries of this cursor's transaction wait."""
    _waiting[id(cursor)] = []


def end(cursor: duckdb.DuckDBPyConnection) -> None:
    """Forget what waits: written, or rolled back with its transaction."""
    _waiting.pop(id(cursor), None)


def append(
    cursor: duckdb.DuckDBPyConnection,
    actor: str,
    action: str,
    object_id: str,
    payload: Mapping[str, object],
    commitments: Mapping[str, str] | None = None,
) -> None:
    """Append one row with the caller's write transaction.

    Parameters
    ----------
    payload : ids, counts and settings; never text of a document, query or note.
    commitments : values to be committed to without being shown: the payload gets SHA-256(salt + value) under the
        name, the salt goes to ``audit_salts``, from where erasure can take it.

    Raises
    ------
    RuntimeError
        outside a write transaction.
    """
    if id(cursor) not in _waiting:
        raise RuntimeError("an audit row belongs into the transaction of the change that it records")
    body, salts = dict(payload), {}
    for name, value in (commitments or {}).items():
        salts[name] = secrets.token_hex(16)
        body[name] = hashlib.sha256(f"{salts[name]}{value}".encode("utf-8", "surrogatepass")).hexdigest()
    _waiting[id(cursor)].append(_Entry(utc_now(), actor, action, object_id, canonical_json(body), salts))


def flush(cursor: duckdb.DuckDBPyConnection, outside: duckdb.DuckDBPyConnection) -> None:
    """Write what waits, as the last thing before the commit; the commit lock must be held.

    Parameters
    ----------
    outside : a cursor without a transaction: it sees the last committed row, which ``cursor``, whose transaction may be
        older, does not.
    """
    entries = _waiting[id(cursor)]
    if not entries:
        return
    last = outside.execute("SELECT sequence, hash FROM audit_log ORDER BY sequence DESC LIMIT 1").fetchall()
    sequence, previous = (int(last[0][0]), str(last[0][1])) if last else (0, GENESIS)
    rows: list[object] = []
    salts: list[object] = []
    for entry in entries:
        sequence += 1
        fields = (entry.acted_at, entry.actor, entry.action, entry.object_id, entry.payload)
        digest = row_hash(sequence, *fields, previous)
        rows += [sequence, *fields, previous, digest]
        for name, salt in entry.salts.items():
            salts += [sequence, name, salt]
        previous = digest
    values = ", ".join(["(?, ?, ?, ?, ?, ?, ?, ?)"] * len(entries))
    cursor.execute(f"INSERT INTO audit_log VALUES {values}", rows).complete()
    if salts:
        values = ", ".join(["(?, ?, ?)"] * (len(salts) // 3))
        cursor.execute(f"INSERT INTO audit_salts VALUES {values}", salts).complete()
