from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from ragsieve_core.formats.contexts import read_contexts


def context(n: int = 6, **fields: Any) -> dict[str, Any]:
    documents = [{"id": f"d{rank}", "rank": rank, "text": f"text {rank}"} for rank in range(1, n + 1)]
    return {"query_id": "q1", "query": "who", "condition": "clean", "documents": documents} | fields


def without(row: dict[str, Any], field: str) -> dict[str, Any]:
    return {key: value for key, value in row.items() if key != field}


def with_document(place: int, **fields: Any) -> dict[str, Any]:
    row = context()
    row["documents"][place] = {k: v for k, v in (row["documents"][place] | fields).items() if v != "REMOVE"}
    return row


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "in.jsonl"


def write(path: Path, *rows: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_reads_every_field(path: Path) -> None:
    row = with_document(1, title="A title", poison=True, similarity=0.25)
    row["documents"][2]["text"] = "Same start, and more"
    row["documents"][2]["title"] = "Same start"
    write(path, row | {"dataset": "ignored", "encoder": None}, context(9, query_id="q2", condition="pr_b"))
    first, second = read_contexts(path, n=6, k=2)
    assert (first.query_id, first.query, first.condition) == ("q1", "who", "clean")
    assert first.documents[1].text == "A title\n\ntext 2"
    assert first.documents[1].poison is True
    assert first.documents[1].similarity == 0.25
    assert first.documents[2].text == "Same start, and more"
    assert first.documents[0].poison is None
    assert first.documents[0].similarity is None
    assert [d.rank for d in second.documents] == list(range(1, 10))


def test_gaps_in_ranks_and_blank_lines_are_fine(path: Path) -> None:
    row = context()
    for document, rank in zip(row["documents"], (2, 3, 5, 8, 13, 21), strict=True):
        document["rank"] = rank
    path.write_bytes(b"\xef\xbb\xbf\r\n" + json.dumps(row).encode() + b"\r\n\n")
    assert [d.rank for d in read_contexts(path, n=6, k=2)[0].documents] == [2, 3, 5, 8, 13, 21]


def test_gzip_is_known_by_its_content(path: Path) -> None:
    path.write_bytes(gzip.compress(json.dumps(context()).encode()))
    assert len(read_contexts(path, n=6, k=2)) == 1


def test_golden_contexts_read_as_they_are(shared_dir: Path) -> None:
    source = shared_dir / "golden" / "rsq_contexts.jsonl"
    rows = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    contexts = read_contexts(source, n=20, k=5)
    assert len(contexts) == 24
    for row, read in zip(rows, contexts, strict=True):
        assert [(d["id"], d["rank"], d["text"], d["poison"], d["similarity"]) for d in row["documents"]] == [
            (d.id, d.rank, d.text, d.poison, d.similarity) for d in read.documents
        ]


RECORDS = {
    "missing_query_id": without(context(), "query_id"),
    "missing_query": without(context(), "query"),
    "missing_condition": without(context(), "condition"),
    "missing_documents": without(context(), "documents"),
    "query_not_text": context(query=7),
    "query_blank": context(query="  "),
    "query_id_list": context(query_id=["q"]),
    "documents_not_list": context(documents={"id": "d1"}),
    "document_not_object": context(documents=["d1"]),
    "document_without_id": with_document(3, id="REMOVE"),
    "document_without_rank": with_document(3, rank="REMOVE"),
    "document_without_text": with_document(3, text="REMOVE"),
    "document_text_null": with_document(3, text=None),
    "document_id_number": with_document(3, id=17),
    "ranks_not_ascending": with_document(3, rank=2),
    "rank_twice": with_document(3, rank=3),
    "rank_zero": with_document(0, rank=0),
    "rank_float": with_document(0, rank=1.0),
    "rank_true": with_document(0, rank=True),
    "rank_huge": with_document(0, rank=-(10**400)),
    "poison_text": with_document(2, poison="yes"),
    "similarity_text": with_document(2, similarity="0.5"),
    "similarity_huge": with_document(2, similarity=10**400),
    "title_list": with_document(2, title=["a"]),
    "duplicate_ids": with_document(4, id="d2"),
    "too_few_documents": context(5),
    "no_documents": context(documents=[]),
    "nul_in_text": with_document(2, text="a\0b"),
    "lone_surrogate": with_document(2, text="a\ud800b"),
}


@pytest.mark.parametrize("name", RECORDS)
def test_bad_record(name: str, path: Path, error_text: Any) -> None:
    write(path, context(query_id="q0"), RECORDS[name])
    error_text(lambda: read_contexts(path, n=6, k=2), path)


FILES: dict[str, bytes] = {
    "empty": b"",
    "blank": b"\n \r\n",
    "empty_gzip": gzip.compress(b""),
    "broken_json": json.dumps(context()).encode() + b"\n\n{'query_id': 1}\n",
    "cut_json": json.dumps(context()).encode()[:-20],
    "list": b"[1, 2]\n",
    "number": b"7\n",
    "nan": b'{"query_id": NaN}\n',
    "duplicate_key": b'{"query_id": "a", "query_id": "b"}\n',
    "not_utf8": b'{"query_id": "caf\xe9"}\n',
    "deep": b'{"a": ' + b"[" * 100_000 + b"\n",
    "digits": b'{"a": ' + b"1" * 5000 + b"}\n",
    "binary": bytes(range(256)),
    "cut_gzip": gzip.compress(json.dumps(context()).encode() * 50)[:-30],
}


@pytest.mark.parametrize("name", FILES)
def test_bad_file(name: str, path: Path, error_text: Any) -> None:
    path.write_bytes(FILES[name])
    error_text(lambda: read_contexts(path, n=6, k=2), path)


def test_missing_file(path: Path, error_text: Any) -> None:
    error_text(lambda: read_contexts(path), path)


@pytest.mark.parametrize(("n", "k"), [(5, 5), (20, 1), (0, 0), (-1, 2)])
def test_depths_must_leave_a_tail(n: int, k: int, path: Path, error_text: Any) -> None:
    write(path, context())
    error_text(lambda: read_contexts(path, n=n, k=k), path)
