"""Campaigns, kinds and freshness on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest


@pytest.fixture
def scanned(ragsieve: Callable, tmp_path: Path) -> Callable:
    """Five close documents in different words, a flood of four, one word in all of the five, among 200 others."""
    rng = np.random.default_rng(4)
    texts = [" ".join(f"word{w}" for w in rng.choice(3000, 12, replace=False)) for _ in range(205)]
    rows = [
        {"id": f"p{i - 200}" if i >= 200 else f"d{i:03d}", "text": text, "contributor": "eve" if i >= 200 else ""}
        for i, text in enumerate(texts)
    ]
    for row in rows[200:]:
        row["text"] += " lighthouse\x1b[31m"
    rows += [
        {
            "id": f"f{i}",
            "text": "the same words in four places for everyone to find",
            "source_uri": f"https://{i}.example",
        }
        for i in range(4)
    ]
    matrix = rng.standard_normal((209, 32))
    matrix[200:205] = matrix[200] + 0.15 * rng.standard_normal((5, 32))
    matrix[205:] = matrix[205]
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    np.save(tmp_path / "c.npy", matrix.astype(np.float32))
    vectors = ("--embeddings", "c.npy", "--encoder", "mine")
    done = json.loads(
        ragsieve("ingest", "--corpus", "c", "c.jsonl", *vectors, "--batch", "b1", "--scan", "--json").stdout
    )
    assert (done["scan"]["flagged"], done["scan"]["copies"]) == (5, 4)
    return ragsieve


def test_one_campaign_with_what_is_known_of_it(scanned: Callable) -> None:
    found = json.loads(scanned("alerts", "--kind", "isolation", "--json").stdout)
    (campaign,) = {row["campaign"] for row in found["alerts"]}
    assert {row["campaign_size"] for row in found["alerts"]} == {5}
    shown = scanned("alerts", "--campaign", campaign)
    assert f"campaign {campaign} of c: 5 documents, in the last scan" in shown.stderr
    assert "words of every member: 31m, lighthouse" in shown.stderr
    assert "contributors: eve (5)" in shown.stderr
    assert "batches: b1 (5)" in shown.stderr
    assert "\x1b" not in shown.stderr + shown.stdout
    detail = json.loads(scanned("alerts", "--campaign", campaign, "--json").stdout)["campaign"]
    assert {member["document_id"] for member in detail["members"]} == {"p0", "p1", "p2", "p3", "p4"}
    assert not {other["document_id"] for other in detail["context"]} & {"p0", "p1", "p2", "p3", "p4"}


def test_copies_by_kind_and_by_group(scanned: Callable) -> None:
    found = json.loads(scanned("alerts", "--kind", "copies", "--json").stdout)
    assert {row["document_id"] for row in found["alerts"]} == {"f0", "f1", "f2", "f3"}
    (group,) = {row["campaign"] for row in found["alerts"]}
    assert json.loads(scanned("alerts", "--campaign", group, "--json").stdout)["total"] == 4


def test_an_unknown_campaign_names_the_nearest(scanned: Callable) -> None:
    result = scanned("alerts", "--campaign", "c-nothing")
    assert (result.exit_code, "no campaign 'c-nothing'" in result.stderr) == (2, True)


def test_what_no_scan_has_seen(scanned: Callable, tmp_path: Path) -> None:
    (tmp_path / "late.jsonl").write_text('{"id": "late", "text": "a late note"}\n', encoding="utf-8")
    assert json.loads(scanned("corpus", "list", "--json").stdout)["corpora"][0]["unscanned"] == 0
    scanned("ingest", "--corpus", "c", "late.jsonl")
    (corpus,) = json.loads(scanned("corpus", "list", "--json").stdout)["corpora"]
    assert corpus["unscanned"] == 1
    assert 0 <= corpus["oldest_unscanned_hours"] < 1
    assert "1  " in scanned("corpus", "list").stdout
