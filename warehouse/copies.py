"""Groups of copies: stored as what they are, and alerts of a kind of their own where a named rule says so."""

from __future__ import annotations

from typing import Any

import duckdb
import numpy as np
import pyarrow as pa

from ragsieve_core.errors import InputError
from ragsieve_core.rsg.copies import COPY_RULE, CopyKind
from warehouse import sql
from warehouse.database import Warehouse
from warehouse.facts import ensure_fact
from warehouse.ids import utc_now
from warehouse.lasting_ids import lasting_ids
from warehouse.principal import Principal
from warehouse.records import Integers, ScanRecord

DETECTOR = "copies"
_GROUPS = pa.schema(
    [
        *((name, pa.string()) for name in ("scan_id", "group_id", "corpus_id", "kind")),
        *((name, pa.int32()) for name in ("documents", "exact", "sources", "contributors")),
        *((name, pa.float64()) for name in ("least_jaccard", "own_share")),
        ("raised", pa.bool_()),
        ("rule", pa.string()),
        ("recorded_at", pa.timestamp("us")),
    ]
)
_MEMBERS = pa.schema(
    [
        *((name, pa.string()) for name in ("scan_id", "group_id")),
        ("version_id", pa.int64()),
        *((name, pa.string()) for name in ("document_id", "tenant")),
    ]
)
EVIDENCE = pa.schema(
    [
        ("version_id", pa.int64()),
        ("score", pa.float64()),
        *((name, pa.string()) for name in ("scan_id", "event_id", "campaign")),
        ("campaign_size", pa.int32()),
        ("kinds", pa.list_(pa.string())),
    ]
)
"""What :func:`warehouse.opening.feed` takes, with the kinds of evidence for alert_kinds."""


def check_copies(scan: ScanRecord, count: int) -> None:
    """Raise InputError for a group of fewer than two rows, a row outside the scan or in two groups, or unknown kind."""
    rows = [row for group in scan.copies for row in group.members]
    if any(len(group.members) < 2 for group in scan.copies) or len(set(rows)) != len(rows):
        raise InputError("a copy group of one document, or a document in two groups", where="scan field copies")
    if not all(0 <= row < count for row in rows):
        raise InputError("a copy of a document that is not in the scan", where="scan field copies")
    for group in scan.copies:
        if group.kind not in set(CopyKind) or not (0 <= group.least_jaccard <= 1 and 0 <= group.own_share <= 1):
            raise InputError(f"a copy group of kind {group.kind!r:.40}", where="scan field copies")


def record_copies(
    cursor: duckdb.DuckDBPyConnection, scan_id: str, corpus_id: str, scan: ScanRecord, versions: Integers
) -> pa.Table:
    """Store the copy groups of a scan within its transaction; evidence of those that the rule makes alerts of."""
    if not scan.copies:
        return EVIDENCE.empty_table()
    numbers = np.repeat(np.arange(len(scan.copies)), [len(group.members) for group in scan.copies])
    rows = np.concatenate([np.asarray(group.members, dtype=np.int64) for group in scan.copies])
    cursor.register("copied", pa.table({"number": pa.array(numbers), "version_id": pa.array(versions[rows])}))
    try:
        places = sql.rows(cursor, "copy_places")
    finally:
        cursor.unregister("copied")
    members: list[list[dict[str, Any]]] = [[] for _ in scan.copies]
    for row in places:
        members[int(row["number"])].append(row)
    earlier = sql.rows(cursor, "copy_earlier", corpus_id=corpus_id, before=scan_id)
    ids = lasting_ids(
        ensure_fact(cursor, "query_key"),
        corpus_id,
        [[str(row["document_id"]) for row in held] for held in members],
        earlier,
        name="group_id",
        member="document_id",
        prefix="g-",
    )
    now = utc_now()
    groups, listed, evidence = [], [], []
    for name, group, held in zip(ids, scan.copies, members, strict=True):
        counted = {key: len({row[key] for row in held if row[key]}) for key in ("source", "contributor")}
        raised = COPY_RULE.raises(group.kind, len(held), counted["source"], counted["contributor"])
        groups.append(
            {
                "scan_id": scan_id,
                "group_id": name,
                "corpus_id": corpus_id,
                "kind": group.kind,
                "documents": len(held),
                "exact": group.exact,
                "sources": counted["source"],
                "contributors": counted["contributor"],
                "least_jaccard": group.least_jaccard,
                "own_share": group.own_share,
                "raised": raised,
                "rule": COPY_RULE.name,
                "recorded_at": now,
            }
        )
        listed += [{"scan_id": scan_id, "group_id": name} | row for row in held]
        if raised:
            # The oldest versions, so that the same ones stand for the group in every scan. Its size stays out of the
            # severity: the same words twice is a reason to look, not to hurry
            evidence += [
                {
                    "version_id": row["version_id"],
                    "score": group.least_jaccard,
                    "scan_id": scan_id,
                    "event_id": None,
                    "campaign": name,
                    "campaign_size": 1,
                    "kinds": ["copies"],
                }
                for row in held[: COPY_RULE.most]
            ]
    sql.insert(cursor, "copy_groups", pa.Table.from_pylist(groups, schema=_GROUPS))
    sql.insert(cursor, "copy_members", pa.Table.from_pylist(listed, schema=_MEMBERS))
    return pa.Table.from_pylist(evidence, schema=EVIDENCE)


def list_copy_groups(wh: Warehouse, *, principal: Principal, corpus: str = "") -> list[dict[str, Any]]:
    """Copy groups of each corpus's last scan that looked for them; raised ones first, then largest.

    Rows: group_id, corpus, scan_id, kind (flood, versions, template), documents, exact, sources, contributors,
    least_jaccard, raised, rule, members (document ids). A caller of some tenants sees their own members alone.
    """
    with wh.reading() as cursor:
        return sql.rows(cursor, "copy_groups", corpus=corpus, **principal.scope())
