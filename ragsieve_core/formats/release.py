"""The files of the RAGSieve release beside the corpus and the prepared contexts, all JSONL.

``queries`` (id, text, answers), ``qrels`` (query_id, document_id, score), ``targets``, ``counterfactuals``,
``attacks`` (query with its poison documents) and ``labels``. ``corpus.jsonl`` is an ordinary corpus for
:func:`.reading.read_records`; contexts are read by :func:`.contexts.read_contexts`. Every reader here yields what it
understood and a :class:`Rejected` for what it did not, in file order.
"""

from __future__ import annotations

from collections.abc import Iterator

from ragsieve_core.document import Document
from ragsieve_core.formats.evaluation import Attack, Counterfactual, Label, Qrel, Query, Target
from ragsieve_core.formats.jsonl import typed_rows
from ragsieve_core.formats.rejected import Rejected
from ragsieve_core.formats.safe_open import DEFAULT_LIMITS, Limits, PathLike
from ragsieve_core.formats.strict import Fields

CORPUS_NAMES = ("corpus.jsonl", "corpus.jsonl.gz", "corpus.jsonl.zst")


def _query(fields: Fields) -> Query:
    return Query(
        fields.text(fields.first_of("id", "_id", "query_id"), empty=False),
        fields.text(fields.first_of("text", "query"), empty=False),
        fields.texts("answers"),
        fields.texts("relevant"),
        fields.optional_object("metadata"),
    )


def _qrel(fields: Fields) -> Qrel:
    return Qrel(
        fields.text("query_id", empty=False),
        fields.text(fields.first_of("document_id", "corpus_id"), empty=False),
        fields.integer("score"),
    )


def _target(fields: Fields) -> Target:
    return Target(
        fields.text("query_id", empty=False),
        fields.text("target_answer", empty=False),
        fields.texts("correct_answers"),
        fields.optional_text("strategy"),
    )


def _counterfactual(fields: Fields) -> Counterfactual:
    return Counterfactual(
        fields.text("query_id", empty=False),
        fields.text("query", empty=False),
        fields.text("target_answer", empty=False),
        fields.optional_text("correct_answer"),
        fields.texts("source_answers"),
        fields.optional_text("strategy"),
        fields.optional_object("judge"),
    )


def _attack(fields: Fields) -> Attack:
    documents: dict[str, Document] = {}
    for entry in fields.objects("documents", "a list of objects with id and text"):
        identifier = entry.text("id", empty=False)
        if identifier in documents:
            entry.fail("id", "is there twice", "each document once in an attack")
        documents[identifier] = Document(identifier, entry.text("text"), entry.optional_text("title"))
    return Attack(
        fields.text("query_id", empty=False),
        fields.text("query", empty=False),
        fields.text("attack", empty=False),
        fields.optional_text("target_answer"),
        fields.texts("correct_answers"),
        tuple(documents.values()),
    )


def _label(fields: Fields) -> Label:
    drawn = fields.optional_number("sampling_probability")
    if drawn is not None and not 0 < drawn <= 1:
        fields.fail("sampling_probability", f"is {drawn}", "above 0, at most 1, or no such field")
    return Label(
        fields.text(fields.first_of("document_id", "id"), empty=False),
        fields.boolean("poison"),
        fields.optional_text("dataset"),
        fields.optional_text("encoder"),
        fields.optional_text("condition"),
        fields.optional_text("query_id"),
        fields.optional_text(fields.first_of("attack", "style")),
        drawn,
    )


def read_queries(path: PathLike, *, limits: Limits = DEFAULT_LIMITS) -> Iterator[Query | Rejected]:
    """``queries.jsonl``: id (or _id, query_id), text (or query), optionally answers, relevant, metadata."""
    return typed_rows(path, _query, limits=limits)


def read_qrels(path: PathLike, *, limits: Limits = DEFAULT_LIMITS) -> Iterator[Qrel | Rejected]:
    """``qrels.jsonl``: query_id, document_id, score. BEIR's tab-separated ones: :mod:`.beir`."""
    return typed_rows(path, _qrel, limits=limits)


def read_targets(path: PathLike, *, limits: Limits = DEFAULT_LIMITS) -> Iterator[Target | Rejected]:
    """``targets.jsonl``: query_id, target_answer, optionally correct_answers, strategy."""
    return typed_rows(path, _target, limits=limits)


def read_counterfactuals(path: PathLike, *, limits: Limits = DEFAULT_LIMITS) -> Iterator[Counterfactual | Rejected]:
    """``counterfactuals.jsonl``: query_id, query, target_answer, optionally the answers and the check behind it."""
    return typed_rows(path, _counterfactual, limits=limits)


def read_attacks(path: PathLike, *, limits: Limits = DEFAULT_LIMITS) -> Iterator[Attack | Rejected]:
    """``attacks.jsonl``: query_id, query, attack, documents[] of id, text, title; optionally the answers."""
    return typed_rows(path, _attack, limits=limits)


def read_labels(path: PathLike, *, limits: Limits = DEFAULT_LIMITS) -> Iterator[Label | Rejected]:
    """``labels.jsonl``: document_id (or id), poison, optionally dataset, encoder, condition, query_id, attack (or
    style) and sampling_probability."""
    return typed_rows(path, _label, limits=limits)
