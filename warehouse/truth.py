"""The truth track: statements of documents and people's checks of them. Apart from promotion.

No function here reads or takes a score, a flag or a verdict, and none writes one.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import duckdb

from ragsieve_core.errors import InputError, nearest
from ragsieve_core.review.truth import CHECK_KINDS, CHECK_OUTCOMES, Check, CheckKind, CheckOutcome, claim_status
from warehouse import audit, corpora, sql
from warehouse.database import Warehouse
from warehouse.ids import new_id, utc_now
from warehouse.principal import Principal
from warehouse.texts import check_links, current_text

_LONGEST = 10_000


def state_claim(wh: Warehouse, corpus: str, document_id: str, *, principal: Principal, statement: str) -> str:
    """Write down what a document says, to be checked; returns the claim's id.

    Raises
    ------
    InputError
        unknown corpus or document, or a statement that is empty or over 10,000 characters.
    """
    principal.require_person("reviewer", "state a claim")
    if not statement.strip() or len(statement) > _LONGEST:
        raise InputError("no statement of a usable length", where="statement", expected=f"1 to {_LONGEST:,} characters")
    corpus_id = corpora.get_corpus(wh, corpus, principal=principal).corpus_id
    claim_id = new_id("claim")

    def work(cursor: duckdb.DuckDBPyConnection) -> None:
        digest, tenant = current_text(cursor, corpus_id, document_id, principal)
        cursor.execute(
            "INSERT INTO document_claims VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [claim_id, corpus_id, document_id, digest, tenant, statement, utc_now(), principal.identity],
        ).complete()
        body = {"corpus": corpus_id, "document": document_id}
        audit.append(cursor, principal.identity, "claim_stated", claim_id, body, {"statement": statement})

    wh.run_transaction(work, urgent=True)
    return claim_id


def record_check(
    wh: Warehouse,
    claim_id: str,
    *,
    principal: Principal,
    kind: CheckKind,
    outcome: CheckOutcome,
    evidence: Sequence[str],
    note: str = "",
    expires_at: datetime | None = None,
) -> str:
    """Store a person's check of a claim; returns its id.

    Parameters
    ----------
    evidence : http(s) links or record names of what was looked at; at least one.
    expires_at : naive UTC; from when the check counts no more.

    Raises
    ------
    InputError
        unknown claim, kind or outcome, no evidence, a link that is none, or an end that is over.
    """
    principal.require_person("reviewer", "check a claim")
    if kind not in CHECK_KINDS:
        raise InputError(f"unknown kind {kind!r}", where="kind", expected=nearest(kind, CHECK_KINDS))
    if outcome not in CHECK_OUTCOMES:
        raise InputError(f"unknown outcome {outcome!r}", where="outcome", expected=nearest(outcome, CHECK_OUTCOMES))
    check_links(evidence, least=1)
    if len(note) > _LONGEST:
        raise InputError(f"a note of {len(note):,} characters", where="note", expected=f"at most {_LONGEST:,}")
    if expires_at is not None and expires_at <= utc_now():
        raise InputError("the check would count no more", where="expires_at", expected="a later time")
    check_id = new_id("check")

    def work(cursor: duckdb.DuckDBPyConnection) -> None:
        if not sql.rows(cursor, "claims", claim_id=claim_id, corpus="", document_id="", **principal.scope()):
            raise InputError(f"no claim {claim_id!r}", where="claim")
        cursor.execute(
            "INSERT INTO truth_checks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [check_id, claim_id, kind, outcome, list(evidence), note, utc_now(), expires_at, principal.identity],
        ).complete()
        body = {"claim": claim_id, "kind": kind, "outcome": outcome, "evidence": len(evidence)}
        audit.append(cursor, principal.identity, "claim_checked", check_id, body, {"note": note} if note else None)

    wh.run_transaction(work, urgent=True)
    return check_id


def list_claims(
    wh: Warehouse, *, principal: Principal, corpus: str = "", document_id: str = ""
) -> list[dict[str, Any]]:
    """Claims the caller may see, latest first, each with ``status`` now and its ``checks``, latest first.

    Columns: claim_id, corpus, document_id, content_hash, tenant, statement, actor, acted_at, status, checks (check_id,
    kind, outcome, evidence, note, checked_at, expires_at, checker, expired).
    """
    now = utc_now()
    with wh.reading() as cursor:
        claims = sql.rows(cursor, "claims", claim_id="", corpus=corpus, document_id=document_id, **principal.scope())
        checks = sql.rows(cursor, "claim_checks", claim_ids=[row["claim_id"] for row in claims] or [""])
    for claim in claims:
        own = [row for row in checks if row["claim_id"] == claim["claim_id"]]
        for row in own:
            row["expired"] = row["expires_at"] is not None and row["expires_at"] <= now
        claim["checks"] = own
        claim["status"] = claim_status(
            [Check(row["kind"], row["outcome"], row["checked_at"], row["expires_at"]) for row in own], now
        )
    return claims
