"""The commands on a warehouse, as a user types them, with the real models on a handful of documents."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from app.cli.demo import EXAMPLES

TOPICS = ("harbour", "volcano", "ferry", "library", "orchid", "tram", "observatory", "chess")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    rows = [
        {"id": f"d{i:02d}", "text": f"Note {i} on the {TOPICS[i % 8]} of the town, written in {1900 + i}."}
        for i in range(24)
    ]
    path = tmp_path / "docs.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return path


def test_ingest_twice_and_rejects(ragsieve: Callable, corpus: Path) -> None:
    first = json.loads(ragsieve("ingest", "--corpus", "c", str(corpus), "--json").stdout)
    assert (first["accepted"], first["duplicates"], first["rejected"]) == (24, 0, 0)
    again = ragsieve("ingest", "--corpus", "c", str(corpus), "--json")
    second = json.loads(again.stdout)
    assert (second["accepted"], second["duplicates"], second["snapshot"]) == (0, 24, first["snapshot"])
    assert "nothing new" in again.stderr
    corpus.write_text('{"id": "new", "text": "good"}\n{"id": 5}\n', encoding="utf-8")
    third = ragsieve("ingest", "--corpus", "c", str(corpus), "--json")
    assert third.exit_code == 1
    counts = json.loads(third.stdout)
    assert (counts["accepted"], counts["rejected"]) == (1, 1)
    [line] = Path(counts["rejects_file"]).read_text(encoding="utf-8").splitlines()
    reject = json.loads(line)
    assert reject["line"] == 2


def test_vectors_of_the_user_through_the_command_line(ragsieve: Callable, corpus: Path, tmp_path: Path) -> None:
    matrix = np.random.default_rng(1).standard_normal((24, 6)).astype(np.float32)
    np.save(tmp_path / "e.npy", matrix)
    no_key = ragsieve("ingest", "--corpus", "c", str(corpus), "--embeddings", "e.npy")
    assert no_key.exit_code == 2
    assert "--encoder KEY" in no_key.stderr
    done = ragsieve("ingest", "--corpus", "c", str(corpus), "--embeddings", "e.npy", "--encoder", "mine", "--json")
    assert json.loads(done.stdout)["embedded"] == 24
    assert "normalised 24 of 24 rows" in done.stderr
    scan = ragsieve("scan", "--corpus", "c", "--encoder", "mine", "--json")
    assert json.loads(scan.stdout)["documents"] == 24


@pytest.mark.models
def test_scan_query_and_replay(ragsieve: Callable, corpus: Path, tmp_path: Path) -> None:
    ragsieve("ingest", "--corpus", "c", str(corpus))
    scan = json.loads(ragsieve("scan", "--corpus", "c", "--json").stdout)
    assert {"scan", "documents", "flagged", "alerts", "seconds"} <= scan.keys()
    answer = json.loads(ragsieve("query", "--corpus", "c", "when was the note on the tram written?", "--json").stdout)
    assert {"context", "removed", "quarantined", "state"} <= answer.keys()
    assert len(answer["context"]) == 5
    assert answer["context"][0] in {"d05", "d13", "d21"}
    documents = [{"id": f"d{i}", "rank": i + 1, "text": f"Plain words about matter {i}."} for i in range(20)]
    row = {"query_id": "q", "query": "what matters?", "condition": "clean", "documents": documents}
    (tmp_path / "contexts.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    replay = json.loads(ragsieve("replay", "contexts.jsonl", "--corpus", "c", "--json").stdout)
    assert (replay["events"], replay["candidates"]) == (1, 5)
    again = json.loads(ragsieve("replay", "contexts.jsonl", "--corpus", "c", "--json").stdout)
    assert (again["events"], again["duplicates"]) == (0, 1)


@pytest.mark.models
def test_doctor_says_whether_a_corpus_is_suited(ragsieve: Callable, corpus: Path) -> None:
    ragsieve("ingest", "--corpus", "c", str(corpus))
    done = ragsieve("doctor", "--corpus", "c", "--json")
    findings = {f["name"]: f for f in json.loads(done.stdout)["findings"]}
    # 24 documents with 16 neighbours each: every neighbourhood is most of the corpus
    assert not findings["documents"]["ok"]
    assert "half of the corpus" in findings["documents"]["fix"]
    assert "unsuited" in findings["corpus"]["detail"]
    assert done.exit_code == 2


@pytest.mark.models
def test_demo_on_a_part_of_the_examples(ragsieve: Callable, tmp_path: Path) -> None:
    folder = tmp_path / "examples"
    folder.mkdir()
    kept = (EXAMPLES / "corpus.jsonl").read_text(encoding="utf-8").splitlines()[:40]
    ids = {json.loads(line)["id"] for line in kept}
    labels = [json.loads(line) for line in (EXAMPLES / "labels.jsonl").open(encoding="utf-8")]
    queries = (EXAMPLES / "queries.jsonl").read_text(encoding="utf-8").splitlines()[:2]
    (folder / "corpus.jsonl").write_text("\n".join(kept), encoding="utf-8")
    (folder / "queries.jsonl").write_text("\n".join(queries) + "\n", encoding="utf-8")
    (folder / "labels.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in labels if row["document_id"] in ids), encoding="utf-8"
    )
    run = ("demo", "--warehouse", "demo/w.duckdb", "--examples", str(folder), "--no-dashboard")
    first = ragsieve(*run)
    assert first.exit_code == 0, first.output
    assert "40 documents (40 new)" in first.stderr
    assert "2 questions answered" in first.stderr
    second = ragsieve(*run)
    assert "(stored before)" in second.stderr
    assert "2 questions were answered before" in second.stderr


def test_doctor(ragsieve: Callable) -> None:
    done = ragsieve("doctor", "--json")
    report = json.loads(done.stdout)
    assert {f["name"] for f in report["findings"]} == {
        "python",
        "packages",
        "retriever",
        "causal_lm",
        "trace_encoder",
        "device",
        "warehouse",
        "lock",
        "disk",
        "features",
    }
    assert all(f["fix"] for f in report["findings"] if not f["ok"])
    assert done.exit_code == (0 if report["ok"] else done.exit_code)


def test_an_owner_that_takes_nothing_in_is_named_with_exit_code_3(
    ragsieve: Callable, corpus: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process owns the file and never looks at the inbox: its command and process id are in the message."""
    monkeypatch.setattr("app.services.access.be_considerate", lambda: 1)
    code = (
        "import sys; from warehouse.database import Warehouse\n"
        f"wh = Warehouse.open({str(tmp_path / 'ragsieve.duckdb')!r}, command='other');"
        "print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"held\n"
        done = ragsieve("ingest", "--corpus", "c", str(corpus), "--wait", "1")
        assert done.exit_code == 3
        assert "no receipt" in done.stderr
        assert "'other'" in done.stderr
        assert str(other.pid) in done.stderr
        assert "stays in the inbox" in done.stderr
        other.stdin.close()
        other.wait(timeout=30)
    # Handed over is not lost: the next command takes the lock, and the inbox with it
    again = json.loads(ragsieve("ingest", "--corpus", "c", str(corpus), "--json").stdout)
    assert again["documents"] == 24
