"""Rows that only an evaluation reads: queries, relevance, targets, counterfactuals, attacks and labels.

They never reach a detector: a label is truth to measure against, kept apart from the documents.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ragsieve_core.document import Document


@dataclass(frozen=True, slots=True)
class Query:
    """A question; ``relevant`` holds document ids where the query file names them itself."""

    id: str
    text: str
    answers: tuple[str, ...] = ()
    relevant: tuple[str, ...] = ()
    metadata: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Qrel:
    """A relevance judgment; ``score`` 0 means judged and not relevant."""

    query_id: str
    document_id: str
    score: int


@dataclass(frozen=True, slots=True)
class Target:
    """The answer an attacker wants for a query."""

    query_id: str
    target_answer: str
    correct_answers: tuple[str, ...] = ()
    strategy: str = ""


@dataclass(frozen=True, slots=True)
class Counterfactual:
    """A false answer, and what was done to check that it contradicts the right one."""

    query_id: str
    query: str
    target_answer: str
    correct_answer: str = ""
    source_answers: tuple[str, ...] = ()
    strategy: str = ""
    judge: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Attack:
    """Poison documents planted for one query."""

    query_id: str
    query: str
    attack: str
    target_answer: str
    correct_answers: tuple[str, ...]
    documents: tuple[Document, ...]


@dataclass(frozen=True, slots=True)
class Label:
    """Truth about one document: ``poison`` if an attack fixture planted it.

    ``sampling_probability``: with which the document was drawn for labelling, (0, 1]; None = it was not drawn.
    """

    document_id: str
    poison: bool
    dataset: str = ""
    encoder: str = ""
    condition: str = ""
    query_id: str = ""
    attack: str = ""
    sampling_probability: float | None = None
