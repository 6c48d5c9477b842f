"""A quarantine version for the index side: ids and hashes, and receipts of what was delivered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import duckdb

from ragsieve_core.errors import InputError
from warehouse import audit, exports, sql
from warehouse.database import Warehouse
from warehouse.ids import canonical_json, new_id, utc_now
from warehouse.principal import Principal
from warehouse.quarantine_versions import get_version


@dataclass(frozen=True, slots=True)
class Receipt:
    """What came of a delivery; ``target`` is the address without query, ``answer`` the start of the index's answer."""

    target: str
    body_sha256: str
    nonce: str
    attempts: int
    state: str
    status_code: int | None
    problem: str
    answer: str


def message(wh: Warehouse, quarantine_id: str, *, principal: Principal) -> bytes:
    """Body of a delivery: the version and all its members as corpus, document id and content hash; canonical JSON.

    One version spans all tenants, so that the caller must see them all.
    """
    principal.require_person("approver", "deliver a quarantine version")
    if principal.tenants is not None:
        principal.require_tenant("*", "deliver a quarantine version, which spans all tenants,")
    version = get_version(wh, quarantine_id, principal=principal)
    if version.state != "in_force":
        raise InputError(f"the version is {version.state}", where=quarantine_id, expected="the version in force")
    rows = exports.quarantine(wh, principal=principal, version=quarantine_id).to_pylist()
    members = [{name: row[name] for name in ("corpus", "document_id", "content_hash")} for row in rows]
    body = {"format": 1, "quarantine": quarantine_id, "sequence": version.sequence, "members": members}
    return canonical_json(body).encode("utf-8", "backslashreplace")


def record_receipt(wh: Warehouse, quarantine_id: str, receipt: Receipt, *, principal: Principal) -> str:
    """Store what came of a delivery; returns the receipt's id."""
    principal.require_person("approver", "deliver a quarantine version")
    receipt_id = new_id("deliv")
    names = ("target", "body_sha256", "nonce", "attempts", "state", "status_code", "problem", "answer")
    values = [getattr(receipt, name) for name in names]

    def work(cursor: duckdb.DuckDBPyConnection) -> None:
        cursor.execute(
            "INSERT INTO index_receipts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [receipt_id, quarantine_id, *values, utc_now(), principal.identity],
        ).complete()
        body = {"quarantine": quarantine_id, "state": receipt.state, "status": receipt.status_code}
        body |= {"attempts": receipt.attempts, "body": receipt.body_sha256}
        audit.append(cursor, principal.identity, "delivered", receipt_id, body, {"target": receipt.target})

    wh.run_transaction(work, urgent=True)
    return receipt_id


def list_receipts(wh: Warehouse, *, principal: Principal, quarantine_id: str = "") -> list[dict[str, Any]]:
    """Receipts, latest first; columns of the table index_receipts. Needs the role approver."""
    principal.require("approver", "list deliveries")
    with wh.reading() as cursor:
        return sql.rows(cursor, "index_receipts", quarantine_id=quarantine_id)
