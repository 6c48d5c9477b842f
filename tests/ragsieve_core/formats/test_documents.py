from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragsieve_core.document import Document
from ragsieve_core.formats.documents import read_documents


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "docs.jsonl"


def write(path: Path, *rows: Any) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_reads_in_file_order(path: Path) -> None:
    write(
        path,
        {"id": "b", "text": "two", "title": "T", "source": "book", "metadata": {"x": 1}},
        {"id": "a", "text": "", "title": None},
        {"document_id": "c", "text": "ß 中文"},
    )
    assert read_documents(path) == [Document("b", "two", "T", "book"), Document("a", ""), Document("c", "ß 中文")]


def test_golden_documents(shared_dir: Path) -> None:
    source = shared_dir / "golden" / "rsg_documents.jsonl"
    rows = [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]
    assert [(d.id, d.text) for d in read_documents(source)] == [(row["id"], row["text"]) for row in rows]


def test_one_document_can_be_allowed(path: Path) -> None:
    assert len(read_documents(write(path, {"id": "a", "text": "x"}), min_documents=1)) == 1


OK = {"id": "a", "text": "x"}
BAD = {
    "one": [OK],
    "missing_id": [OK, {"text": "y"}],
    "missing_text": [OK, {"id": "b", "body": "y"}],
    "empty_record": [OK, {}],
    "empty_id": [OK, {"id": " ", "text": "y"}],
    "id_number": [OK, {"id": 3, "text": "y"}],
    "text_null": [OK, {"id": "b", "text": None}],
    "title_number": [OK, {"id": "b", "text": "y", "title": 3}],
    "source_object": [OK, {"id": "b", "text": "y", "source": {"a": 1}}],
    "duplicate_id": [OK, {"id": "b", "text": "y"}, {"id": "a", "text": "z"}],
    "long_duplicate_id": [{"id": "x" * 500, "text": ""}, {"id": "x" * 500, "text": ""}],
    "hostile_id": [{"id": "\u202eevil\n", "text": ""}, {"id": "\u202eevil\n", "text": ""}],
}


@pytest.mark.parametrize("name", BAD)
def test_bad_documents(name: str, path: Path, error_text: Any) -> None:
    write(path, *BAD[name])
    error_text(lambda: read_documents(path), path)


def test_two_ids_on_the_same_line_number_of_other_files_do_not_clash(tmp_path: Path) -> None:
    first = write(tmp_path / "1.jsonl", OK, {"id": "b", "text": ""})
    second = write(tmp_path / "2.jsonl", OK, {"id": "b", "text": ""})
    assert read_documents(first) == read_documents(second)
