"""`ragsieve warm` and what it changes for `query`, `doctor` and `erase`, with the real models."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from app.cli.warm import duration, line
from app.services.warming import Warmed


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    rows = [{"id": f"d{i:02d}", "text": f"Note {i} on the café of the town, written in {1900 + i}."} for i in range(22)]
    path = tmp_path / "docs.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), encoding="utf-8")
    return path


def test_how_far_it_is_in_words() -> None:
    state = Warmed(2_000, 500, 400, 10_000_000, 20_480.0, 2.5, 600.0)
    assert line(state) == "500 of 2,000: 2.5 documents/s, 20 kB a document, 10 min left"
    assert [duration(s) for s in (3, 300, 36_000)] == ["3 s", "5 min", "10.0 h"]
    assert "not known yet" in line(Warmed(10, 5, 0, 0, 0.0, 0.0, None))


def test_mistakes(ragsieve: Callable, corpus: Path) -> None:
    unknown = ragsieve("warm", "--corpus", "nope")
    assert unknown.exit_code == 2
    assert "nope" in unknown.stderr
    ragsieve("ingest", "--corpus", "c", str(corpus))
    (corpus.parent / "mine").mkdir()
    (corpus.parent / "mine" / "thesis.txt").write_text("x")
    taken = ragsieve("warm", "--corpus", "c", "--features", "mine")
    assert taken.exit_code == 2
    assert "holds something else" in taken.stderr
    remote = ragsieve(
        "ingest", "--corpus", "c", str(corpus), "--warm", "--url", "http://127.0.0.1:1", "--token-file", "t"
    )
    assert remote.exit_code == 2


@pytest.mark.models
@pytest.mark.slow
def test_warm_query_doctor_erase(ragsieve: Callable, corpus: Path) -> None:
    first = json.loads(ragsieve("ingest", "--corpus", "c", str(corpus), "--warm", "--json").stdout)
    assert (first["warmed"]["computed"], first["warmed"]["documents"]) == (22, 22)
    again = json.loads(ragsieve("warm", "--corpus", "c", "--json").stdout)
    assert (again["computed"], again["exposed"], again["bytes"]) == (0, 0, first["warmed"]["bytes"])

    cached = json.loads(ragsieve("query", "who wrote the note", "--corpus", "c", "--json").stdout)
    ragsieve("export", "candidates", "--corpus", "c", "--format", "jsonl", "--out", "cached.jsonl")
    # The same event: whoever computes it anew finds it stored, down to the id
    fresh = json.loads(ragsieve("query", "who wrote the note", "--corpus", "c", "--no-cache", "--json").stdout)
    assert fresh == cached

    report = json.loads(ragsieve("doctor", "--json").stdout)
    [features] = [f for f in report["findings"] if f["name"] == "features"]
    assert features["ok"]
    assert "asked for were there" in features["detail"]
    erased = json.loads(ragsieve("erase", "d00", "--corpus", "c", "--reason", "t", "--yes", "--json").stdout)
    # Vectors, NLL, words of `paper`, words of `calibrated`
    assert erased["features"] == 4
