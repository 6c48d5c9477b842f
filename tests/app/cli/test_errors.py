"""Bad input through the command line: exit code and text of each kind, kept as golden files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

CONTEXT = {
    "query_id": "q1",
    "query": "who?",
    "condition": "clean",
    "documents": [{"id": f"d{i}", "rank": i, "text": f"text {i}"} for i in range(1, 21)],
}
DOCUMENTS = [{"id": f"d{i}", "text": f"text {i}"} for i in range(4)]


def changed(**fields: object) -> dict:
    return {**CONTEXT, **fields}


def without(field: str) -> dict:
    return {k: v for k, v in CONTEXT.items() if k != field}


def ranks(*pairs: tuple[int, object]) -> dict:
    documents = [dict(d) for d in CONTEXT["documents"]]
    for position, value in pairs:
        documents[position]["rank"] = value
    return changed(documents=documents)


CONTEXT_FILES = {
    "contexts-empty-file": "",
    "contexts-broken-json": json.dumps(CONTEXT) + '\n{"query_id": "q2", "query"\n',
    "contexts-missing-field": json.dumps(without("query")) + "\n",
    "contexts-missing-document-field": json.dumps(
        changed(documents=[{k: v for k, v in d.items() if k != "text"} for d in CONTEXT["documents"]])
    ),
    "contexts-ranks-not-ascending": json.dumps(ranks((3, 3))) + "\n",
    "contexts-rank-not-a-number": json.dumps(ranks((0, "1"))) + "\n",
    "contexts-too-few": json.dumps(changed(documents=CONTEXT["documents"][:19])) + "\n",
    "contexts-duplicate-id": json.dumps(
        changed(documents=[*CONTEXT["documents"][:19], {"id": "d1", "rank": 20, "text": "x"}])
    ),
    "contexts-not-an-object": "[1, 2]\n",
    "contexts-wrong-type": json.dumps(changed(documents={"id": "d1"})) + "\n",
}


@pytest.mark.parametrize("name", CONTEXT_FILES)
def test_contexts(name: str, ragsieve: Callable, expect_error: Callable, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(CONTEXT_FILES[name], encoding="utf-8")
    expect_error(ragsieve("score-contexts", "in.jsonl", "--out", "out.jsonl"), 2, name)
    assert not (tmp_path / "out.jsonl").exists()


def test_missing_file(ragsieve: Callable, expect_error: Callable) -> None:
    expect_error(ragsieve("score-contexts", "nowhere.jsonl", "--out", "out.jsonl"), 2, "contexts-missing-file")
    expect_error(ragsieve("score-corpus", "nowhere.jsonl", "--out", "out.jsonl"), 2, "corpus-missing-file")


def rows(*documents: dict) -> str:
    return "".join(json.dumps(d) + "\n" for d in documents)


CORPUS_FILES = {
    "corpus-empty-file": "",
    "corpus-broken-json": rows(*DOCUMENTS) + "{]\n",
    "corpus-missing-field": rows(DOCUMENTS[0], {"id": "d1"}),
    "corpus-duplicate-id": rows(*DOCUMENTS, DOCUMENTS[1]),
    "corpus-one-document": rows(DOCUMENTS[0]),
    "corpus-text-not-text": rows(DOCUMENTS[0], {"id": "d1", "text": 5}),
}


@pytest.mark.parametrize("name", CORPUS_FILES)
def test_corpus(name: str, ragsieve: Callable, expect_error: Callable, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(CORPUS_FILES[name], encoding="utf-8")
    np.save(tmp_path / "e.npy", np.eye(4, dtype=np.float32))
    expect_error(ragsieve("score-corpus", "in.jsonl", "--embeddings", "e.npy", "--out", "out.jsonl"), 2, name)
    assert not (tmp_path / "out.jsonl").exists()


MATRICES = {
    "embeddings-wrong-rows": np.eye(5, dtype=np.float32),
    "embeddings-one-dimensional": np.ones(4, dtype=np.float32),
    "embeddings-nan": np.where(np.eye(4) > 0, np.nan, 0.5).astype(np.float32),
    "embeddings-zero": np.diag([1.0, 0, 1, 0]).astype(np.float32),
    "embeddings-integers": np.eye(4, dtype=np.int64),
}


@pytest.mark.parametrize("name", MATRICES)
def test_embeddings(name: str, ragsieve: Callable, expect_error: Callable, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(rows(*DOCUMENTS), encoding="utf-8")
    np.save(tmp_path / "e.npy", MATRICES[name])
    expect_error(ragsieve("score-corpus", "in.jsonl", "--embeddings", "e.npy", "--out", "out.jsonl"), 2, name)


def test_pickled_embeddings_are_never_loaded(ragsieve: Callable, expect_error: Callable, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(rows(*DOCUMENTS), encoding="utf-8")
    np.save(tmp_path / "e.npy", np.array([{}, {}, {}, {}], dtype=object), allow_pickle=True)
    expect_error(
        ragsieve("score-corpus", "in.jsonl", "--embeddings", "e.npy", "--out", "out.jsonl"), 2, "embeddings-pickled"
    )


def test_unknown_names(ragsieve: Callable, expect_error: Callable, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text(json.dumps(CONTEXT), encoding="utf-8")
    run = ("score-contexts", "in.jsonl", "--out", "out.jsonl")
    expect_error(ragsieve(*run, "--profile", "embeded"), 2, "unknown-profile")
    expect_error(ragsieve(*run, "--rule", "papper"), 2, "unknown-rule")
    expect_error(ragsieve("scna"), 2, "unknown-command")
    expect_error(ragsieve(*run, "--layer", "3"), 2, "option-not-for-profile")


def test_model_not_available(
    ragsieve: Callable, expect_error: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "empty"))
    (tmp_path / "in.jsonl").write_text(json.dumps(CONTEXT), encoding="utf-8")
    done = ragsieve("score-contexts", "in.jsonl", "--out", "out.jsonl", "--profile", "paper")
    expect_error(done, 4, "model-not-available")


def test_every_golden_text_is_used() -> None:
    import re

    folder = Path(__file__).parent / "errors"
    used = set(CONTEXT_FILES) | set(CORPUS_FILES) | set(MATRICES)
    for test in Path(__file__).parent.glob("test_*.py"):
        used |= set(re.findall(r'"([a-z0-9-]+)"\s*\)', test.read_text(encoding="utf-8")))
    assert {p.stem for p in folder.glob("*.txt")} <= used
