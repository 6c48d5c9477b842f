from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ragsieve_core.document import Document
from ragsieve_core.formats import release
from ragsieve_core.formats.evaluation import Attack, Counterfactual, Label, Qrel, Query, Target
from ragsieve_core.formats.reading import format_of, read_records
from ragsieve_core.formats.records import Record
from ragsieve_core.formats.rejected import Rejected

Reader = Callable[..., Iterator[Any]]
QUERY: dict[str, Any] = {"query_id": "q", "query": "who", "target_answer": "X"}
DOCUMENT = {"id": "p0", "title": "Note", "text": "one", "metadata": {"poison": True}}

GOOD: list[tuple[Reader, dict[str, Any], Any]] = [
    (
        release.read_queries,
        {"id": "q", "text": "who", "answers": ["a"], "metadata": {"split": "v"}},
        Query("q", "who", ("a",), (), {"split": "v"}),
    ),
    (
        release.read_queries,
        {"id": "q", "text": "who", "answers": "a", "relevant": ["d"]},
        Query("q", "who", ("a",), ("d",)),
    ),
    (release.read_qrels, {"query_id": "q", "document_id": "d", "score": 0}, Qrel("q", "d", 0)),
    (release.read_targets, QUERY | {"correct_answers": ["a", "b"], "strategy": "s"}, Target("q", "X", ("a", "b"), "s")),
    (
        release.read_counterfactuals,
        QUERY | {"correct_answer": "Y", "source_answers": ["z"], "judge": {"ok": True}},
        Counterfactual("q", "who", "X", "Y", ("z",), "", {"ok": True}),
    ),
    (
        release.read_attacks,
        QUERY | {"attack": "pr_w", "correct_answers": ["a"], "documents": [DOCUMENT]},
        Attack("q", "who", "pr_w", "X", ("a",), (Document("p0", "one", "Note"),)),
    ),
    (
        release.read_labels,
        {"document_id": "d", "poison": False, "dataset": "nq", "encoder": "bge-m3", "condition": "demo"},
        Label("d", False, "nq", "bge-m3", "demo"),
    ),
]


@pytest.mark.parametrize(("reader", "row", "expected"), GOOD)
def test_reads(reader: Reader, row: dict[str, Any], expected: Any, tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_text(json.dumps(row))
    assert list(reader(path)) == [expected]


BAD: list[tuple[Reader, dict[str, Any], str, str]] = [
    (release.read_queries, {"id": "q"}, "text", "the field is missing (there: id)"),
    (release.read_queries, {"id": "q", "text": "a", "answers": [1]}, "answers", "is a list of 1"),
    (release.read_queries, {"id": "q", "text": "a", "metadata": [1]}, "metadata", "is a list of 1"),
    (release.read_qrels, {"query_id": "q", "document_id": "d", "score": True}, "score", "is true"),
    (release.read_qrels, {"query_id": "q", "document_id": "d", "score": 2**63}, "score", "is 9223372036854775808"),
    (release.read_qrels, {"query_id": "q", "document_id": "", "score": 1}, "document_id", "is empty"),
    (release.read_targets, {"query_id": "q"}, "target_answer", "the field is missing (there: query_id)"),
    (release.read_counterfactuals, {"query_id": "q", "query": 1}, "query", "is 1"),
    (release.read_attacks, {"attack": "a"}, "documents", "the field is missing (there: attack)"),
    (release.read_attacks, {"documents": [DOCUMENT, DOCUMENT]}, "documents[1].id", "is there twice"),
    (release.read_attacks, QUERY | {"attack": "a", "documents": [1]}, "documents[0]", "is 1"),
    (release.read_labels, {"document_id": "d"}, "poison", "the field is missing (there: document_id)"),
    (release.read_labels, {"document_id": "d", "poison": None}, "poison", "is null"),
    (release.read_labels, {"document_id": "d", "poison": 1}, "poison", "is 1"),
]  # fmt: skip


@pytest.mark.parametrize(("reader", "row", "field", "reason"), BAD)
def test_rejects_alone(reader: Reader, row: dict[str, Any], field: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "f.jsonl"
    path.write_text("{}\n\n" + json.dumps(row))
    _, rejected = reader(path)
    assert isinstance(rejected, Rejected)
    assert (rejected.line, rejected.field, rejected.reason, rejected.ordinal) == (3, field, reason, 1)


def test_a_release_folder_gives_its_corpus(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_text('{"document_id": "nq-1:candidate:0", "text": "x"}\n')
    (tmp_path / "qrels.jsonl").write_text("not read here")
    assert format_of(tmp_path) == "release"
    (record,) = read_records(tmp_path)
    assert isinstance(record, Record)
    assert record.id == "nq-1:candidate:0"


@pytest.mark.shared
def test_the_files_beside_the_repository(shared_dir: Path) -> None:
    data = shared_dir / "data"
    corpus = list(read_records(data / "2wiki"))
    assert len(corpus) == 6119
    assert all(isinstance(row, Record) for row in corpus)
    for name in ("nq", "hotpotqa"):
        attacks = list(release.read_attacks(data / "poisonedrag" / f"{name}.jsonl"))
        assert len(attacks) == 100
        assert all(isinstance(row, Attack) and len(row.documents) == 5 for row in attacks)
        flat = list(read_records(data / "poisonedrag" / f"{name}.jsonl", format="attacks"))
        assert [r.id for r in flat if isinstance(r, Record)] == [d.id for a in attacks for d in a.documents]
    for language in ("en", "zh", "ar", "ru"):
        paragraphs = list(read_records(data / "xquad" / f"{language}.corpus.jsonl"))
        queries = list(release.read_queries(data / "xquad" / f"{language}.queries.jsonl"))
        assert (len(paragraphs), len(queries)) == (240, 1190)
        ids = {row.id for row in paragraphs if isinstance(row, Record)}
        assert all(isinstance(query, Query) and set(query.relevant) <= ids for query in queries)
    labels = list(release.read_labels(shared_dir / "golden" / "rsg_labels.jsonl"))
    assert len(labels) == 424
    assert all(isinstance(label, Label) for label in labels)
