"""Scans on a real warehouse with stand-in models."""

from __future__ import annotations

import numpy as np
import pytest

from app.services import vectors
from app.services.scanning import scan_corpus
from ragsieve_core.errors import InputError
from ragsieve_core.rsg import RSGConfig, score_corpus
from warehouse.alerts import QueueFilter, alert_detail, queue_page
from warehouse.ingest import ingest
from warehouse.records import EncoderSpec
from warehouse.scans import scan_scores
from warehouse.snapshots import load_snapshot

ROWS = [{"id": f"d{i:02d}", "text": f"page {i} about topic{i} and thing{i * 7}"} for i in range(40)]
ROWS[7]["text"] = "mixed scripts: Моscow and Αthens and Москва"


def test_stored_scores_are_those_of_the_method(wh, models, principal, batches) -> None:
    ingest(wh, "c", batches(ROWS), principal=principal)
    done = scan_corpus(wh, "c", models, principal=principal)
    documents = load_snapshot(wh, done.snapshot, principal=principal, encoder=models.retriever.key)
    texts = documents.full_texts()
    plain = score_corpus(documents.ids, texts, models.retriever.encode(texts, kind="passage"), RSGConfig())
    stored = scan_scores(wh, done.scan, principal=principal).to_pydict()
    by_version = dict(zip(stored["version_id"], stored["score"], strict=True))
    np.testing.assert_array_equal([by_version[v] for v in documents.version_ids], plain.score)
    assert done.flagged == int(plain.flagged.sum()) >= 1
    assert done.documents == 40


def test_flagged_documents_are_in_the_queue_with_all_their_neighbours(wh, models, principal, batches) -> None:
    ingest(wh, "c", batches(ROWS), principal=principal)
    scan_corpus(wh, "c", models, principal=principal)
    page = queue_page(wh, principal=principal, filters=QueueFilter(search="d07"))
    detail = alert_detail(wh, page.rows[0]["alert_id"], principal=principal)
    assert len(detail.neighbors) == 16
    assert detail.scores[0]["integrity"] == 1.0


def test_the_same_scan_is_stored_once_and_computes_nothing(wh, models, principal, batches) -> None:
    ingest(wh, "c", batches(ROWS), principal=principal)
    first = scan_corpus(wh, "c", models, principal=principal)
    encoded = len(models.retriever.encoded)
    second = scan_corpus(wh, "c", models, principal=principal)
    assert (second.scan, second.already, second.new_alerts) == (first.scan, True, 0)
    assert (second.documents, second.flagged, second.state) == (first.documents, first.flagged, first.state)
    assert len(models.retriever.encoded) == encoded == 40


def test_an_interrupted_encoding_goes_on_where_it_stopped(wh, models, principal, batches, monkeypatch) -> None:
    monkeypatch.setattr(vectors, "ENCODE_CHUNK", 16)
    ingest(wh, "c", batches(ROWS), principal=principal)
    encode = models.retriever.encode

    def stop_in_the_third_chunk(texts, *, kind, progress=None):
        if len(models.retriever.encoded) >= 32:
            raise KeyboardInterrupt
        return encode(texts, kind=kind)

    monkeypatch.setattr(models.retriever, "encode", stop_in_the_third_chunk)
    with pytest.raises(KeyboardInterrupt):
        scan_corpus(wh, "c", models, principal=principal)
    monkeypatch.setattr(models.retriever, "encode", encode)
    scan_corpus(wh, "c", models, principal=principal)
    assert sorted(models.retriever.encoded) == sorted(row["text"] for row in ROWS)


def test_vectors_of_the_user_are_used_without_encoding(wh, models, principal, batches) -> None:
    matrix = np.random.default_rng(0).standard_normal((40, 8)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    spec = EncoderSpec("mine", "mine", 8, {})
    ingest(wh, "c", batches(ROWS), principal=principal, embeddings=matrix, encoder=spec)
    scan_corpus(wh, "c", models, principal=principal)
    assert models.retriever.encoded == []


def test_unknown_names(wh, models, principal, batches) -> None:
    ingest(wh, "corpus", batches(ROWS), principal=principal)
    with pytest.raises(InputError, match="corpus"):
        scan_corpus(wh, "corpsu", models, principal=principal)
    with pytest.raises(InputError, match="no vectors of encoder 'x'"):
        scan_corpus(wh, "corpus", models, principal=principal, encoder="x")
    with pytest.raises(InputError, match="unknown RSG rule"):
        scan_corpus(wh, "corpus", models, principal=principal, rule="best")


def test_a_budget_used_up_by_integrity_is_a_state(wh, models, principal, batches) -> None:
    rows = [*ROWS[:20], *({"id": f"m{i}", "text": f"Моscow {i}"} for i in range(5))]
    ingest(wh, "c", batches(rows), principal=principal)
    assert scan_corpus(wh, "c", models, principal=principal).state == "topology_silent"
