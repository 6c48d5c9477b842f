"""The remediation track: what was done at the source of a document. Apart from promotion and truth.

No function here reads or takes a score, a flag or a verdict, and none writes one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, get_args

import duckdb

from ragsieve_core.errors import InputError, nearest
from warehouse import audit, corpora, sql
from warehouse.database import Warehouse
from warehouse.ids import new_id, utc_now
from warehouse.principal import Principal
from warehouse.texts import check_links, current_text

RemedyStep = Literal["source_notified", "corrected", "removed_upstream"]
REMEDY_STEPS: tuple[RemedyStep, ...] = get_args(RemedyStep)


def record_remedy(
    wh: Warehouse,
    corpus: str,
    document_id: str,
    step: RemedyStep,
    *,
    principal: Principal,
    evidence: Sequence[str] = (),
    note: str = "",
) -> str:
    """Store what was done at a document's source; returns the step's id. Steps come in any order, and again.

    Raises
    ------
    InputError
        unknown corpus, document or step, or a reference that is none.
    """
    principal.require_person("reviewer", "record a remediation")
    if step not in REMEDY_STEPS:
        raise InputError(f"unknown step {step!r}", where="step", expected=nearest(step, REMEDY_STEPS))
    check_links(evidence)
    if len(note) > 10_000:
        raise InputError(f"a note of {len(note):,} characters", where="note", expected="at most 10,000")
    corpus_id = corpora.get_corpus(wh, corpus, principal=principal).corpus_id
    step_id = new_id("remedy")

    def work(cursor: duckdb.DuckDBPyConnection) -> None:
        digest, tenant = current_text(cursor, corpus_id, document_id, principal)
        fields = [step_id, corpus_id, document_id, digest, tenant, step, list(evidence), note]
        cursor.execute(
            "INSERT INTO remediation_steps VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [*fields, utc_now(), principal.identity],
        ).complete()
        body = {"corpus": corpus_id, "document": document_id, "step": step, "evidence": len(evidence)}
        audit.append(cursor, principal.identity, "remediation", step_id, body, {"note": note} if note else None)

    wh.run_transaction(work, urgent=True)
    return step_id


def list_remedies(
    wh: Warehouse, *, principal: Principal, corpus: str = "", document_id: str = ""
) -> list[dict[str, Any]]:
    """Steps the caller may see, latest first: step_id, corpus, document_id, content_hash, tenant, step, evidence, note,
    actor, acted_at."""
    with wh.reading() as cursor:
        return sql.rows(cursor, "remedies", corpus=corpus, document_id=document_id, **principal.scope())
