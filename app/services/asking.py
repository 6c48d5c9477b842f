"""Questions to a corpus: exact retrieval, serial deployment, event."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from app.services.access import Access
from app.services.events import Answer, Origin, run_rankings
from app.services.vectors import embedded_snapshot
from ragsieve_core.document import RankedContext, RankedDocument
from ragsieve_core.errors import InputError
from ragsieve_core.gate.frequencies import evenly_spaced
from ragsieve_core.models.feature_cache import Features
from ragsieve_core.models.roles import Progress
from ragsieve_core.retrieve import ExactIndex
from ragsieve_core.rsq import DocumentFrequencies, RSQConfig, rsq_preset

if TYPE_CHECKING:
    from ragsieve_core.models.loading import LoadedModels

DEPTH = 100
"""Documents kept of a ranking: n are scored, the rest is what a refill can draw from."""


def snapshot_frequencies(texts: Sequence[str], config: RSQConfig) -> DocumentFrequencies | None:
    """Weights of words in a snapshot; None for a rule that has no use for them."""
    if config.rule == "paper":
        return None
    return DocumentFrequencies.of(texts[row] for row in evenly_spaced(len(texts)))


def ask(
    access: Access,
    corpus: str,
    questions: Sequence[tuple[str, str]],
    models: LoadedModels,
    *,
    rule: str = "calibrated",
    snapshot: str | None = None,
    features: Features | None = None,
    progress: Progress | None = None,
    tenant: str = "default",
) -> Generator[tuple[list[Answer], Mapping[str, Any]]]:
    """Answer questions from a snapshot and record each as an event.

    Parameters
    ----------
    questions : (query id, text) pairs.
    models : profile of retriever, causal LM and trace encoder.
    rule : preset of RSQ; the policy in force may change its parameters for this corpus and retriever.
    features : cache in front of the models; None keeps features for this call only.
    tenant : whose questions they are.

    Raises
    ------
    InputError : unknown corpus, rule or snapshot; an empty question; vectors of another encoder than the profile's.
    """
    config = rsq_preset(rule)
    for name, text in questions:
        if not text.strip():
            raise InputError("the question is empty", where=f"query {name!r}" if name else "query")
    found = embedded_snapshot(access, corpus, models, snapshot=snapshot)
    documents, key = found.documents, found.encoder
    if key != models.retriever.key:
        raise InputError(
            f"the corpus is stored with vectors of encoder {key!r}, which this profile cannot make for a question",
            where="--profile",
            expected=f"the profile whose retriever made them (this one's key: {models.retriever.key})",
            do="choose that profile, or ingest the corpus without vectors",
        )
    texts = documents.full_texts()
    index = ExactIndex(found.vectors, documents.ids)
    vectors = models.retriever.encode([text for _, text in questions], kind="query")
    published = access.published()
    config = published.policy.applied(config, corpus, key)
    why = [published.excluded_by(corpus, name) for name in documents.ids]
    hidden = np.array([by == "unadmitted" for by in why], dtype=np.bool_)
    # Listed where it would stand, and taking no place from others
    out = np.array([by in ("quarantine", "hold") for by in why], dtype=np.bool_)
    contexts = []
    for (name, text), vector in zip(questions, vectors, strict=True):
        hits = index.search_marked(vector, DEPTH, hidden, out)
        ranked = tuple(
            RankedDocument(documents.ids[row], rank, texts[row], None, float(similarity))
            for rank, (row, similarity) in enumerate(zip(hits.rows, hits.similarity, strict=True), start=1)
        )
        contexts.append(RankedContext(name, text, "", ranked))
    versions = {name: int(version) for name, version in zip(documents.ids, documents.version_ids, strict=True)}
    yield from run_rankings(
        access,
        contexts,
        Origin(corpus, "query", documents.snapshot, key, tenant),
        models,
        config,
        versions=versions,
        features=features,
        frequencies=snapshot_frequencies(texts, config),
        progress=progress,
    )
