"""What people say about sources and documents: trust, risk tiers, admission. Appended, with who said it and when."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import duckdb

from ragsieve_core.errors import InputError, nearest
from warehouse import audit, corpora, publish, sql
from warehouse.database import Warehouse
from warehouse.ids import utc_now
from warehouse.principal import Principal

Trust = Literal["trusted", "neutral", "untrusted"]
TRUSTS: tuple[Trust, ...] = get_args(Trust)
TrustKind = Literal["source", "contributor"]
TRUST_KINDS: tuple[TrustKind, ...] = get_args(TrustKind)
TIERS = (1, 2, 3)


def set_trust(
    wh: Warehouse, corpus: str, kind: TrustKind, name: str, trust: Trust, *, principal: Principal, note: str = ""
) -> None:
    """Say how far a source (prefix of the source URI) or a contributor is trusted.

    Trust concerns a whole corpus, so that the caller must see all tenants.
    """
    principal.require_person("approver", "set the trust of a source")
    _require_all(principal)
    if kind not in TRUST_KINDS:
        raise InputError(f"unknown kind {kind!r}", where="kind", expected=nearest(kind, TRUST_KINDS))
    if trust not in TRUSTS:
        raise InputError(f"unknown trust {trust!r}", where="trust", expected=nearest(trust, TRUSTS))
    if not name:
        raise InputError("no source or contributor", where="name", expected="its name")
    corpus_id = corpora.get_corpus(wh, corpus, principal=principal).corpus_id

    def work(cursor: duckdb.DuckDBPyConnection) -> None:
        cursor.execute(
            "INSERT INTO source_trust SELECT coalesce(max(seq), 0) + 1, ?, ?, ?, ?, ?, ?, ? FROM source_trust",
            [corpus_id, kind, name, trust, note, utc_now(), principal.identity],
        ).complete()
        payload = {"kind": kind, "trust": trust}
        audit.append(cursor, principal.identity, "trust_set", corpus_id, payload, {"name": name, "note": note})
        sql.run(cursor, "alert_severity", corpus_id=corpus_id).complete()

    # Alone: the severity of an alert is otherwise written in the bulk lane.
    wh.run_transaction(work, alone=True)


def set_risk_tier(
    wh: Warehouse, corpus: str, tier: int, *, principal: Principal, document_id: str = "", note: str = ""
) -> None:
    """Say how much harm a wrong text would do (1 low to 3 high), of a corpus or one document of it."""
    principal.require_person("approver", "set a risk tier")
    if tier not in TIERS:
        raise InputError(f"no risk tier {tier!r}", where="tier", expected="1, 2 or 3")
    corpus_id = corpora.get_corpus(wh, corpus, principal=principal).corpus_id

    def work(cursor: duckdb.DuckDBPyConnection) -> None:
        if document_id:
            _require_document(cursor, corpus_id, document_id, principal)
        else:
            _require_all(principal)
        cursor.execute(
            "INSERT INTO risk_tiers SELECT coalesce(max(seq), 0) + 1, ?, ?, ?, ?, ?, ? FROM risk_tiers",
            [corpus_id, document_id, tier, note, utc_now(), principal.identity],
        ).complete()
        payload = {"tier": tier, "document": document_id}
        audit.append(cursor, principal.identity, "risk_tier_set", corpus_id, payload, {"note": note})
        sql.run(cursor, "alert_severity", corpus_id=corpus_id).complete()

    wh.run_transaction(work, alone=True)


def admit(wh: Warehouse, corpus: str, document_ids: Sequence[str], *, principal: Principal, note: str = "") -> int:
    """Let current texts into retrieval where the policy is ``after_review``; returns the number published.

    Raises
    ------
    InputError
        a document that does not exist for the caller.
    """
    principal.require_person("reviewer", "admit documents")
    corpus_id = corpora.get_corpus(wh, corpus, principal=principal).corpus_id

    def work(cursor: duckdb.DuckDBPyConnection) -> tuple[dict[str, Any], bytes]:
        now = utc_now()
        for document_id in document_ids:
            digest = _require_document(cursor, corpus_id, document_id, principal)
            cursor.execute(
                "INSERT INTO document_admissions VALUES (?, ?, ?, ?, ?, ?)",
                [corpus_id, document_id, digest, now, principal.identity, note],
            ).complete()
        payload = {"documents": list(document_ids)}
        audit.append(cursor, principal.identity, "admitted", corpus_id, payload, {"note": note})
        return publish.prepare(cursor, principal, "admitted")

    with wh.publishing:
        return publish.release(wh, *wh.run_transaction(work, urgent=True))


def _require_all(principal: Principal) -> None:
    if principal.tenants is not None:
        principal.require_tenant("*", "say this of a whole corpus, which spans all tenants,")


def _require_document(cursor: duckdb.DuckDBPyConnection, corpus_id: str, document_id: str, principal: Principal) -> str:
    found = sql.row(cursor, "document", corpus_id=corpus_id, document_id=document_id, **principal.scope())
    if found is None:
        raise InputError(f"no document {document_id!r}", where="document")
    return str(found["content_hash"])


def trust_history(wh: Warehouse, corpus: str, *, principal: Principal) -> list[dict[str, Any]]:
    """Every statement on sources and contributors of a corpus, latest first; ``in_force`` marks the standing ones."""
    corpus_id = corpora.get_corpus(wh, corpus, principal=principal).corpus_id
    with wh.reading() as cursor:
        return sql.rows(cursor, "trust_history", corpus_id=corpus_id)


def risk_history(wh: Warehouse, corpus: str, *, principal: Principal) -> list[dict[str, Any]]:
    """Risk tiers of a corpus and the caller's documents in it, latest first; ``in_force`` marks the standing ones."""
    corpus_id = corpora.get_corpus(wh, corpus, principal=principal).corpus_id
    with wh.reading() as cursor:
        return sql.rows(cursor, "risk_history", corpus_id=corpus_id, **principal.scope())
