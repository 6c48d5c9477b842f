"""Scans on a real warehouse with stand-in models."""

from __future__ import annotations

import json

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


def test_stored_scores_are_those_of_the_method(wh, access, models, principal, batches) -> None:
    ingest(wh, "c", batches(ROWS), principal=principal)
    done = scan_corpus(access, "c", models, rule="paper")
    documents = load_snapshot(wh, done.snapshot, principal=principal, encoder=models.retriever.key)
    texts = documents.full_texts()
    plain = score_corpus(documents.ids, texts, models.retriever.encode(texts, kind="passage"), RSGConfig())
    stored = scan_scores(wh, done.scan, principal=principal).to_pydict()
    by_version = dict(zip(stored["version_id"], stored["score"], strict=True))
    np.testing.assert_array_equal([by_version[v] for v in documents.version_ids], plain.score)
    assert done.flagged == int(plain.flagged.sum()) >= 1
    assert done.documents == 40


def test_flagged_documents_are_in_the_queue_with_all_their_neighbours(wh, access, models, principal, batches) -> None:
    ingest(wh, "c", batches(ROWS), principal=principal)
    scan_corpus(access, "c", models, rule="paper")
    page = queue_page(wh, principal=principal, filters=QueueFilter(search="d07"))
    detail = alert_detail(wh, page.rows[0]["alert_id"], principal=principal)
    assert len(detail.neighbors) == 16
    assert detail.scores[0]["integrity"] == 1.0


def test_the_same_scan_is_stored_once_and_computes_nothing(wh, access, models, principal, batches) -> None:
    ingest(wh, "c", batches(ROWS), principal=principal)
    first = scan_corpus(access, "c", models, rule="paper")
    encoded = len(models.retriever.encoded)
    second = scan_corpus(access, "c", models, rule="paper")
    assert (second.scan, second.already, second.new_alerts) == (first.scan, True, 0)
    assert (second.documents, second.flagged, second.state) == (first.documents, first.flagged, first.state)
    assert len(models.retriever.encoded) == encoded == 40


def test_an_interrupted_encoding_goes_on_where_it_stopped(wh, access, models, principal, batches, monkeypatch) -> None:
    monkeypatch.setattr(vectors, "ENCODE_CHUNK", 16)
    ingest(wh, "c", batches(ROWS), principal=principal)
    encode = models.retriever.encode

    def stop_in_the_third_chunk(texts, *, kind, progress=None):
        if len(models.retriever.encoded) >= 32:
            raise KeyboardInterrupt
        return encode(texts, kind=kind)

    monkeypatch.setattr(models.retriever, "encode", stop_in_the_third_chunk)
    with pytest.raises(KeyboardInterrupt):
        scan_corpus(access, "c", models, rule="paper")
    monkeypatch.setattr(models.retriever, "encode", encode)
    scan_corpus(access, "c", models, rule="paper")
    assert sorted(models.retriever.encoded) == sorted(row["text"] for row in ROWS)


def test_vectors_of_the_user_are_used_without_encoding(wh, access, models, principal, batches) -> None:
    matrix = np.random.default_rng(0).standard_normal((40, 8)).astype(np.float32)
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    spec = EncoderSpec("mine", "mine", 8, {})
    ingest(wh, "c", batches(ROWS), principal=principal, embeddings=matrix, encoder=spec)
    scan_corpus(access, "c", models, rule="paper")
    assert models.retriever.encoded == []


def test_unknown_names(wh, access, models, principal, batches) -> None:
    ingest(wh, "corpus", batches(ROWS), principal=principal)
    with pytest.raises(InputError, match="corpus"):
        scan_corpus(access, "corpsu", models)
    with pytest.raises(InputError, match="no vector of encoder 'x'"):
        scan_corpus(access, "corpus", models, encoder="x")
    with pytest.raises(InputError, match="unknown RSG rule"):
        scan_corpus(access, "corpus", models, rule="best")


def test_a_budget_used_up_by_integrity_is_a_state(wh, access, models, principal, batches) -> None:
    rows = [*ROWS[:20], *({"id": f"m{i}", "text": f"Моscow {i}"} for i in range(5))]
    ingest(wh, "c", batches(rows), principal=principal)
    assert scan_corpus(access, "c", models, rule="paper").state == "topology_silent"


def test_the_calibrated_rule_is_the_default_and_says_what_a_group_rests_on(
    wh, access, models, principal, batches
) -> None:
    """Five documents close together in meaning, in different words, among 200 that stand far apart."""
    rng = np.random.default_rng(4)
    words = [" ".join(f"word{w}" for w in rng.choice(300, 12, replace=False)) for _ in range(205)]
    names = [*(f"d{i:03d}" for i in range(200)), *(f"p{i}" for i in range(5))]
    rows = [{"id": name, "text": text} for name, text in zip(names, words, strict=True)]
    matrix = rng.standard_normal((205, 32))
    matrix[200:] = matrix[200] + 0.15 * rng.standard_normal((5, 32))
    matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
    spec = EncoderSpec("mine", "mine", 32, {})
    ingest(wh, "c", batches(rows), principal=principal, embeddings=matrix.astype(np.float32), encoder=spec)
    done = scan_corpus(access, "c", models)
    found = scan_scores(wh, done.scan, principal=principal).to_pylist()
    flagged = {row["document_id"]: json.loads(row["detail"]) for row in found if row["flagged"]}
    assert flagged.keys() == {"p0", "p1", "p2", "p3", "p4"}
    assert set(flagged["p0"]["group"]["members"]) == flagged.keys()
    assert flagged["p0"]["evidence"] >= flagged["p0"]["evidence_cut"]
    assert 0 <= flagged["p0"]["expected_number"] < 5
    alert = queue_page(wh, principal=principal, filters=QueueFilter(search="p0")).rows[0]
    assert alert["campaign_size"] == 5


class NoModels:
    """A profile whose models are not to be touched."""

    @property
    def retriever(self) -> object:
        raise AssertionError("a model was asked for")


@pytest.mark.parametrize("named", [True, False])
def test_a_scan_with_every_vector_stored_loads_no_model(wh, access, models, principal, batches, named) -> None:
    ingest(wh, "c", batches(ROWS), principal=principal)
    with pytest.raises(AssertionError, match="a model was asked for"):
        scan_corpus(access, "c", NoModels(), rule="paper")
    scan_corpus(access, "c", models, rule="paper")
    done = scan_corpus(access, "c", NoModels(), encoder=models.retriever.key if named else None)
    assert done.documents == 40
    assert not done.already
    ingest(wh, "c", batches([{"id": "new", "text": "one more"}]), principal=principal)
    with pytest.raises(AssertionError, match="a model was asked for"):
        scan_corpus(access, "c", NoModels())
