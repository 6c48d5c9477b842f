"""Questions to a corpus: exact retrieval, serial deployment, event."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import TYPE_CHECKING

from app.services.corpus import snapshot_id
from app.services.events import Answer, Origin, run_rankings
from app.services.vectors import embedded_snapshot
from ragsieve_core.document import RankedContext, RankedDocument
from ragsieve_core.errors import InputError
from ragsieve_core.models.roles import Progress
from ragsieve_core.retrieve import ExactIndex
from ragsieve_core.rsq import rsq_preset
from warehouse.database import Warehouse
from warehouse.events import RecordedEvents, list_events
from warehouse.principal import Principal

if TYPE_CHECKING:
    from ragsieve_core.models.loading import LoadedModels

DEPTH = 100
"""Documents kept of a ranking: n are scored, the rest is what a refill can draw from."""


def answered(wh: Warehouse, corpus: str, snapshot: str, rule: str, *, principal: Principal) -> set[str]:
    """Query ids with a stored answer from this snapshot under this rule."""
    found: set[str] = set()
    offset = 0
    while True:
        page = list_events(wh, principal=principal, corpus=corpus, limit=500, offset=offset)
        found |= {
            str(row["query_id"])
            for row in page.rows
            if row["source"] == "query" and row["snapshot_id"] == snapshot and row["rule"] == rule
        }
        offset += 500
        if offset >= page.total:
            return found


def ask(
    wh: Warehouse,
    corpus: str,
    questions: Sequence[tuple[str, str]],
    models: LoadedModels,
    *,
    principal: Principal,
    rule: str = "paper",
    snapshot: str | None = None,
    progress: Progress | None = None,
) -> Generator[tuple[list[Answer], RecordedEvents]]:
    """Answer questions from a snapshot and record each as an event.

    Parameters
    ----------
    questions : (query id, text) pairs.
    models : profile of retriever, causal LM and trace encoder.
    rule : preset of RSQ.

    Raises
    ------
    InputError : unknown corpus, rule or snapshot; an empty question; vectors of another encoder than the profile's.
    """
    config = rsq_preset(rule)
    for name, text in questions:
        if not text.strip():
            raise InputError("the question is empty", where=f"query {name!r}" if name else "query")
    chosen = snapshot_id(wh, corpus, snapshot, principal=principal)
    documents, key = embedded_snapshot(wh, chosen, models, principal=principal)
    if key != models.retriever.key:
        raise InputError(
            f"the corpus is stored with vectors of encoder {key!r}, which this profile cannot make for a question",
            where="--profile",
            expected=f"the profile whose retriever made them (this one's key: {models.retriever.key})",
            do="choose that profile, or ingest the corpus without vectors",
        )
    assert documents.embeddings is not None  # embedded_snapshot leaves none missing
    texts = documents.full_texts()
    index = ExactIndex(documents.embeddings, documents.ids)
    vectors = models.retriever.encode([text for _, text in questions], kind="query")
    contexts = []
    for (name, text), vector in zip(questions, vectors, strict=True):
        hits = index.search(vector, DEPTH)
        ranked = tuple(
            RankedDocument(documents.ids[row], rank, texts[row], None, float(similarity))
            for rank, (row, similarity) in enumerate(zip(hits.rows, hits.similarity, strict=True), start=1)
        )
        contexts.append(RankedContext(name, text, "", ranked))
    versions = {name: int(version) for name, version in zip(documents.ids, documents.version_ids, strict=True)}
    yield from run_rankings(
        wh,
        contexts,
        Origin(corpus, "query", chosen, key),
        models,
        config,
        principal=principal,
        versions=versions,
        progress=progress,
    )
