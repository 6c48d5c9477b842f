"""RSG evidence as flat records: the rows of `score-corpus`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ragsieve_core.rsg.evidence import CorpusEvidence


def corpus_records(evidence: CorpusEvidence) -> Iterator[dict[str, Any]]:
    """One record per document, in corpus order, with METHOD's names."""
    for row, document_id in enumerate(evidence.document_ids):
        yield {
            "document_id": document_id,
            "floor": float(evidence.density.floor[row]),
            "eligible_neighbors": int(evidence.density.eligible_neighbors[row]),
            "density": float(evidence.density.density[row]),
            "tail_probability": float(evidence.tail_probability[row]),
            "integrity": float(evidence.integrity[row]),
            "topology_score": float(evidence.topology_score[row]),
            "score": float(evidence.score[row]),
            "flagged": bool(evidence.flagged[row]),
        }
