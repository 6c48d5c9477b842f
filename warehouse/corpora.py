"""Corpora and their admission policy."""

from __future__ import annotations

from dataclasses import dataclass

import duckdb

from ragsieve_core.errors import InputError, nearest
from warehouse import audit, sql
from warehouse.database import Warehouse
from warehouse.ids import derived_id, utc_now
from warehouse.principal import Principal
from warehouse.records import ADMISSIONS, Admission

_LONGEST = 200


@dataclass(frozen=True, slots=True)
class Corpus:
    """One corpus; ``documents`` counts the current ones the caller may see."""

    corpus_id: str
    name: str
    admission: str
    documents: int
    snapshot_id: str | None


def ensure_corpus(wh: Warehouse, name: str, *, principal: Principal, admission: Admission | None = None) -> Corpus:
    """Make the corpus if it is new; set its admission policy if one is given and differs.

    Raises
    ------
    InputError
        a name that is empty, longer than 200 characters or holds control characters.
    PermissionRefusedError
        below reviewer, or below admin for a change of policy.
    """
    principal.require("reviewer", "create a corpus")
    wh.run_transaction(lambda cursor: ensure(cursor, name, principal, admission))
    return get_corpus(wh, name, principal=principal)


def corpus_id_of(name: str) -> str:
    """Id that a corpus of this name has or will have."""
    return derived_id("corpus", name)


def ensure(
    cursor: duckdb.DuckDBPyConnection, name: str, principal: Principal, admission: Admission | None = None
) -> str:
    """:func:`ensure_corpus` within the caller's write transaction; returns the corpus id."""
    if not name.strip() or len(name) > _LONGEST or not name.isprintable():
        raise InputError(
            f"not a corpus name: {name[:60]!r}", where="corpus", expected=f"1 to {_LONGEST} printable characters"
        )
    if admission is not None and admission not in ADMISSIONS:
        raise InputError(
            f"unknown admission policy {admission!r}", where="admission", expected=nearest(admission, ADMISSIONS)
        )
    corpus_id = corpus_id_of(name)
    known = sql.first(cursor, "SELECT admission FROM corpus_current WHERE corpus_id = ?", [corpus_id])
    if known is None:
        cursor.execute("INSERT INTO corpora VALUES (?, ?, ?, ?)", [corpus_id, name, utc_now(), principal.identity])
    elif admission is None or admission == known[0]:
        return corpus_id
    else:
        principal.require("admin", "change an admission policy")
    chosen = admission or "at_once"
    cursor.execute(
        "INSERT INTO corpus_policies SELECT coalesce(max(seq), 0) + 1, ?, ?, ?, ? FROM corpus_policies",
        [corpus_id, chosen, utc_now(), principal.identity],
    )
    action = "corpus_created" if known is None else "admission_changed"
    audit.append(
        cursor, principal.identity, action, corpus_id, {"admission": chosen, "before": known[0] if known else None}
    )
    return corpus_id


def admission_of(cursor: duckdb.DuckDBPyConnection, corpus_id: str) -> str:
    """Admission policy in force of a corpus that is there."""
    known = sql.first(cursor, "SELECT admission FROM corpus_current WHERE corpus_id = ?", [corpus_id])
    return str(known[0]) if known else "at_once"


def list_corpora(wh: Warehouse, *, principal: Principal) -> list[Corpus]:
    """Corpora by name; a caller of some tenants sees those that hold a document of theirs."""
    with wh.reading() as cursor:
        found = sql.rows(cursor, "corpora", **principal.scope())
    return [Corpus(**entry) for entry in found]


def get_corpus(wh: Warehouse, name: str, *, principal: Principal) -> Corpus:
    """One corpus by name or id.

    Raises
    ------
    InputError
        unknown, or none of its documents may be seen; names the nearest one.
    """
    known = list_corpora(wh, principal=principal)
    for corpus in known:
        if name in (corpus.name, corpus.corpus_id):
            return corpus
    raise InputError(
        f"no corpus {name!r}",
        where="corpus",
        expected=nearest(name, [corpus.name for corpus in known]) if known else "a corpus that was ingested",
        do="ragsieve ingest --corpus NAME PATH",
    )
