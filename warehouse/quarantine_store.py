"""Quarantine versions inside a transaction: members, what a version changes and who proposed it, its events."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

import duckdb
import pyarrow as pa

from ragsieve_core.errors import InputError
from warehouse import audit, sql
from warehouse.errors import RefusedError
from warehouse.ids import canonical_json, new_id, utc_now
from warehouse.principal import Principal
from warehouse.refusals import Refusal

Key = tuple[str, str]
"""(corpus id, document id)."""
Cause = Literal["quarantine", "release", "undo", "rollback", "expiry"]


@dataclass(frozen=True, slots=True)
class Change:
    """One document that a version adds or removes, why, and who proposed it first."""

    key: Key
    tenant: str
    change: Literal["added", "removed"]
    cause: Cause
    proposer: str
    alert_id: str | None = None
    reason: str = ""
    note: str = ""
    release_until: datetime | None = None


def current(cursor: duckdb.DuckDBPyConnection) -> str | None:
    """Id of the version in force, None before the first."""
    found = sql.first(cursor, "SELECT quarantine_id FROM quarantine_current")
    return str(found[0]) if found else None


def members(cursor: duckdb.DuckDBPyConnection, quarantine_id: str | None) -> dict[Key, dict[str, Any]]:
    """Members of a version, all tenants; none for None."""
    if quarantine_id is None:
        return {}
    found = sql.rows(cursor, "quarantine_members", quarantine_id=quarantine_id, all_tenants=True, tenants=[""])
    return {(row["corpus_id"], row["document_id"]): {name: row[name] for name in _MEMBERS.names[1:]} for row in found}


def member_of(row: Mapping[str, Any], expires_at: datetime | None = None) -> dict[str, Any]:
    """The member that an alert's row stands for."""
    names = ("corpus_id", "document_id", "tenant", "content_hash", "alert_id")
    return {name: row[name] for name in names} | {"expires_at": expires_at}


def store(
    cursor: duckdb.DuckDBPyConnection,
    held: Mapping[Key, Mapping[str, Any]],
    changes: Sequence[Change],
    *,
    parent: str | None,
    restores: str | None,
    author: str,
    note: str,
) -> str:
    """Append a proposed version with its members and changes; returns its id."""
    quarantine_id, now = new_id("quar"), utc_now()
    digest = hashlib.sha256(canonical_json(sorted(map(list, held))).encode()).hexdigest()
    last = sql.first(cursor, "SELECT coalesce(max(sequence), 0) FROM quarantine_versions")
    cursor.execute(
        "INSERT INTO quarantine_versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [quarantine_id, int(last[0] if last else 0) + 1, parent, restores, len(held), digest, author, now, note],
    ).complete()
    rows = [{"quarantine_id": quarantine_id} | dict(held[key]) for key in sorted(held)]
    sql.insert(cursor, "quarantine_members", pa.Table.from_pylist(rows, schema=_MEMBERS))
    sql.insert(
        cursor,
        "quarantine_changes",
        pa.Table.from_pylist(
            [
                {
                    "quarantine_id": quarantine_id,
                    "corpus_id": change.key[0],
                    "document_id": change.key[1],
                    **{name: getattr(change, name) for name in _CHANGES.names[3:]},
                }
                for change in changes
            ],
            schema=_CHANGES,
        ),
    )
    event(cursor, quarantine_id, author, "proposed", None, note)
    audit.append(
        cursor,
        author,
        "quarantine_proposed",
        quarantine_id,
        {
            "members": len(held),
            "members_hash": digest,
            "parent": parent,
            "restores": restores,
            "added": sum(change.change == "added" for change in changes),
            "removed": sum(change.change == "removed" for change in changes),
            "causes": sorted({change.cause for change in changes}),
        },
        {"note": note} if note else None,
    )
    return quarantine_id


def changes_of(cursor: duckdb.DuckDBPyConnection, quarantine_id: str) -> list[Change]:
    """What a version changes of its parent."""
    names = _CHANGES.names[3:]
    return [
        Change(key=(row["corpus_id"], row["document_id"]), **{name: row[name] for name in names})
        for row in sql.rows(cursor, "quarantine_changes", quarantine_id=quarantine_id)
    ]


def event(
    cursor: duckdb.DuckDBPyConnection, name: str, actor: str, kind: str, approved_by: str | None, note: str
) -> None:
    """Append what happened to a version."""
    cursor.execute(
        "INSERT INTO quarantine_events SELECT coalesce(max(seq), 0) + 1, ?, ?, ?, ?, ?, ? FROM quarantine_events",
        [name, utc_now(), actor, kind, approved_by, note],
    ).complete()


def version_row(cursor: duckdb.DuckDBPyConnection, quarantine_id: str) -> dict[str, Any]:
    """One version with its state.

    Raises
    ------
    InputError
        unknown.
    """
    found = sql.row(cursor, "quarantine_versions", quarantine_id=quarantine_id)
    if found is None:
        raise InputError(f"no quarantine version {quarantine_id!r}", where="quarantine", do="list them")
    return found


def require_proposed(cursor: duckdb.DuckDBPyConnection, quarantine_id: str) -> dict[str, Any]:
    """The row of a version that still waits; raises ``not_proposed`` for any other."""
    row = version_row(cursor, quarantine_id)
    if row["state"] != "proposed":
        raise RefusedError(Refusal.NOT_PROPOSED, f"the version is {row['state']}", where=quarantine_id)
    return row


def require_all_tenants(cursor: duckdb.DuckDBPyConnection, quarantine_id: str, principal: Principal) -> None:
    """Raise unless the caller may see every document that the version changes of the one in force.

    One version is in force for all tenants: whoever changes another tenant's documents must be allowed to see them.
    """
    before, after = members(cursor, current(cursor)), members(cursor, quarantine_id)
    for key in before.keys() ^ after.keys():
        principal.require_tenant((before.get(key) or after[key])["tenant"], "change the quarantine")


_MEMBERS = pa.schema(
    [
        *(
            (name, pa.string())
            for name in ("quarantine_id", "corpus_id", "document_id", "tenant", "content_hash", "alert_id")
        ),
        ("expires_at", pa.timestamp("us")),
    ]
)
_CHANGES = pa.schema(
    [
        *(
            (name, pa.string())
            for name in (
                "quarantine_id", "corpus_id", "document_id", "tenant", "change", "cause", "proposer", "alert_id",
                "reason", "note",
            )
        ),
        ("release_until", pa.timestamp("us")),
    ]
)  # fmt: skip
