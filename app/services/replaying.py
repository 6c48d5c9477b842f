"""Labels that come with prepared rankings, kept apart from everything that scores."""

from __future__ import annotations

from collections.abc import Sequence

from ragsieve_core.document import RankedContext
from warehouse.records import LabelRecord


def labels_of(contexts: Sequence[RankedContext], corpus: str, source: str) -> list[LabelRecord]:
    """One label per labelled document and context."""
    return [
        LabelRecord(
            corpus=corpus,
            document_id=document.id,
            poison=document.poison,
            provenance="fixture",
            source=source,
            query_id=context.query_id,
            condition=context.condition,
        )
        for context in contexts
        for document in context.documents
        if document.poison is not None
    ]
