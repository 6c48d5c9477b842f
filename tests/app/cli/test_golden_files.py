"""The golden files through the command line: rankings, and a corpus with its embeddings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.cli.main import main
from ragsieve_core.evaluate.auroc import auroc

LOOSE = {"burst_8", "change_8", "burst_16", "change_16", "e_surprisal", "alignment_jump", "score"}
TIE = 2e-3
"""Jumps closer than this may change places, and with them p_alignment by 1/16 (METHOD, "Tolerances")."""


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.open(encoding="utf-8")]


def run(*arguments: str) -> None:
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 0


@pytest.mark.shared
@pytest.mark.models
def test_score_contexts(shared_dir: Path, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    golden = shared_dir / "golden"
    run("score-contexts", str(golden / "rsq_contexts.jsonl"), "--out", str(tmp_path / "out.jsonl"), "--json")
    found, expected = read(tmp_path / "out.jsonl"), read(golden / "rsq_expected.jsonl")
    summary = json.loads(capsys.readouterr().out)
    assert summary["candidates"] == len(expected) == 120
    assert summary["flagged"] == sum(e["flagged"] for e in expected)
    poison = {
        (c["query_id"], c["condition"], d["id"]): d.get("poison")
        for c in read(golden / "rsq_contexts.jsonl")
        for d in c["documents"]
    }
    moved = 0
    for row, wanted in zip(found, expected, strict=True):
        place = (row["query_id"], row["condition"], row["document_id"])
        assert row.pop("poison", None) == poison[place]
        assert row.keys() == wanted.keys()
        shift = 0.0
        if abs(row["p_alignment"] - wanted["p_alignment"]) > 1e-9:
            assert abs(row["p_alignment"] - wanted["p_alignment"]) <= 1 / 16 + 1e-9, place
            shift = abs(row["e_alignment"] - wanted["e_alignment"])
            moved += 1
        for field, value in wanted.items():
            if field in ("p_alignment", "e_alignment"):
                continue
            tolerance = (TIE if field in LOOSE else 1e-6) + (shift if field == "score" else 0)
            assert row[field] == pytest.approx(value, abs=tolerance), (place, field)
    assert moved <= 3


@pytest.mark.shared
def test_score_corpus(shared_dir: Path, tmp_path: Path) -> None:
    golden = shared_dir / "golden"
    run(
        "score-corpus",
        str(golden / "rsg_documents.jsonl"),
        "--embeddings",
        str(golden / "rsg_embeddings.npy"),
        "--out",
        str(tmp_path / "out.jsonl"),
    )
    found, expected = read(tmp_path / "out.jsonl"), read(golden / "rsg_expected.jsonl")
    for row, wanted in zip(found, expected, strict=True):
        for field, value in wanted.items():
            assert row[field] == pytest.approx(value, abs=1e-6), (row["document_id"], field)
    labels = {r["document_id"]: r["poison"] for r in read(golden / "rsg_labels.jsonl")}
    poison = [r["score"] for r in found if labels[r["document_id"]]]
    clean = [r["score"] for r in found if not labels[r["document_id"]]]
    assert auroc(poison, clean) > 0.9


@pytest.mark.shared
@pytest.mark.models
def test_score_corpus_encodes_when_no_matrix_is_given(shared_dir: Path, tmp_path: Path) -> None:
    """The golden matrix was made by the same retriever: encoding here must give the same scores."""
    golden = shared_dir / "golden"
    run("score-corpus", str(golden / "rsg_documents.jsonl"), "--out", str(tmp_path / "out.jsonl"))
    for row, wanted in zip(read(tmp_path / "out.jsonl"), read(golden / "rsg_expected.jsonl"), strict=True):
        assert row["density"] == pytest.approx(wanted["density"], abs=2e-3), row["document_id"]
        assert row["flagged"] == wanted["flagged"]
