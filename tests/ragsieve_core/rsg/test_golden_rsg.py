"""RSG against an independent implementation: small corpora kept here, a larger one beside the repository."""

import json
from pathlib import Path

import numpy as np
import pytest

from ragsieve_core.document import document_text
from ragsieve_core.rsg import RSGConfig, score_corpus
from ragsieve_core.rsg.record import corpus_records

EDGE = json.loads((Path(__file__).parents[2] / "golden" / "rsg_edge_cases.json").read_text(encoding="utf-8"))


def assert_equal(records: list[dict], expected: list[dict]) -> None:
    assert [r["document_id"] for r in records] == [e["document_id"] for e in expected]
    for record, wanted in zip(records, expected, strict=True):
        assert record.keys() == wanted.keys()
        for field, value in wanted.items():
            assert record[field] == pytest.approx(value, abs=1e-6), (record["document_id"], field)


@pytest.mark.parametrize("case", EDGE, ids=[case["name"] for case in EDGE])
def test_edge_cases(case: dict) -> None:
    vectors = np.array(case["embeddings"], dtype=np.float32)
    ids = [e["document_id"] for e in case["expected"]]
    assert_equal(list(corpus_records(score_corpus(ids, case["texts"], vectors, RSGConfig()))), case["expected"])


@pytest.mark.shared
def test_corpus(shared_dir: Path) -> None:
    golden = shared_dir / "golden"
    rows = [json.loads(line) for line in (golden / "rsg_documents.jsonl").open(encoding="utf-8")]
    expected = [json.loads(line) for line in (golden / "rsg_expected.jsonl").open(encoding="utf-8")]
    vectors = np.load(golden / "rsg_embeddings.npy", allow_pickle=False)
    texts = [document_text(r["text"], r.get("title")) for r in rows]
    assert_equal(list(corpus_records(score_corpus([r["id"] for r in rows], texts, vectors, RSGConfig()))), expected)
