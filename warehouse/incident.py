"""Everything that is stored of one alert, as the entries of a self-contained archive."""

from __future__ import annotations

import json
from dataclasses import asdict
from datetime import date, datetime
from typing import Any

from ragsieve_core import __version__
from ragsieve_core.review.archive import build_archive
from warehouse import audit, sql
from warehouse.alerts import alert_detail
from warehouse.canary import canary_results, canary_runs
from warehouse.database import Warehouse
from warehouse.holds import list_holds
from warehouse.ids import utc_now
from warehouse.principal import Principal
from warehouse.quarantine_versions import timeline
from warehouse.realerting import allow_list
from warehouse.remediation import list_remedies
from warehouse.truth import list_claims

LIMITS = {"evidence": 50, "reach": 200}
"""Latest rows of these that an archive holds; the totals stand beside them."""


def incident_archive(wh: Warehouse, alert: str, *, principal: Principal) -> tuple[bytes, dict[str, Any]]:
    """Bytes of the archive and what it holds: alert, document, entries, audit head.

    Holds, as far as the caller may see it: the alert and its history; the document's versions with text; scan rows with
    config, snapshot, encoder and model versions; candidate evidence and the events that ranked it; holds; every
    quarantine version that added or removed the document; canary results; releases; claims with checks; remediation;
    and the rows of the audit chain about any of these, with the chain's head. Needs the role reviewer.

    Raises
    ------
    InputError
        unknown alert.
    """
    principal.require("reviewer", "export an incident")
    detail = alert_detail(wh, alert, principal=principal)
    corpus, document_id = str(detail.alert["corpus"]), str(detail.alert["document_id"])
    with wh.reading() as cursor:
        same = {"corpus_id": detail.alert["corpus_id"], "document_id": document_id, **principal.scope()}
        texts = sql.rows(cursor, "incident_versions", **same)
        changes = sql.rows(cursor, "incident_changes", **same)
        scans = sql.rows(cursor, "incident_scans", scan_ids=[row["scan_id"] for row in detail.scores] or [""])
    named = {row["quarantine_id"] for row in changes}
    versions = [row for row in timeline(wh, principal=principal) if row["quarantine_id"] in named]
    runs = [run for run in canary_runs(wh, principal=principal) if run["quarantine_id"] in named]
    results = [
        row
        for run in runs
        for row in canary_results(wh, run["run_id"], principal=principal)
        if (row["corpus"], row["document_id"]) == (corpus, document_id)
    ]
    holds = [row for row in list_holds(wh, principal=principal, active_only=False) if row["alert_id"] == alert]
    objects = [alert, *named, *(row["hold_id"] for row in holds), *(run["run_id"] for run in runs)]
    claims = list_claims(wh, principal=principal, corpus=corpus, document_id=document_id)
    remedies = list_remedies(wh, principal=principal, corpus=corpus, document_id=document_id)
    objects += [row["claim_id"] for row in claims] + [row["step_id"] for row in remedies]
    objects += [check["check_id"] for row in claims for check in row["checks"]]
    with wh.reading() as cursor:
        log = sql.rows(cursor, "audit_of", objects=objects)
    head = audit.head(wh)
    parts: dict[str, Any] = {
        "alert.json": {"alert": detail.alert, "reach_totals": detail.reach_totals, "limits": LIMITS},
        "history.json": detail.history,
        "document_versions.json": texts,
        "scans.json": scans,
        "scores.json": detail.scores,
        "neighbors.json": detail.neighbors,
        "candidates.json": detail.evidence,
        "queries.json": detail.reach,
        "holds.json": holds,
        "quarantine.json": {"versions": versions, "changes": changes},
        "canary.json": {"runs": runs, "results": results},
        "releases.json": allow_list(wh, principal=principal, alert=alert),
        "truth.json": claims,
        "remediation.json": remedies,
        "audit.json": {"head": asdict(head), "rows": log},
    }
    about = {
        "kind": "incident",
        "alert": alert,
        "corpus": corpus,
        "document": document_id,
        "content_hash": detail.alert["content_hash"],
        "made_at": utc_now().isoformat(),
        "made_by": principal.identity,
        "product": __version__,
        "audit_head": asdict(head),
    }
    data = build_archive({name: _json(value) for name, value in parts.items()}, about)
    return data, {"alert": alert, "document": document_id, "entries": len(parts), "audit_sequence": head.sequence}


def _json(value: Any) -> bytes:
    text = json.dumps(value, indent=1, ensure_ascii=False, default=_plain)
    # A lone surrogate has no UTF-8 form; JSON can escape it
    return text.encode("utf-8", "backslashreplace")


def _plain(value: Any) -> Any:
    if isinstance(value, date | datetime):
        return value.isoformat()
    if isinstance(value, frozenset | set | tuple):
        return sorted(value)
    raise TypeError(f"no JSON form of {type(value).__name__}")
