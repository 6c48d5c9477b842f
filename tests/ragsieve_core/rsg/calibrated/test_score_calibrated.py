from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.errors import InputError
from ragsieve_core.rsg import CalibratedConfig, CalibratedEvidence, Retention, score_corpus
from ragsieve_core.rsg.campaigns import campaigns
from ragsieve_core.rsg.record import corpus_records

CONFIG = CalibratedConfig()
WORDS = [f"w{number:03d}" for number in range(400)]


def corpus(
    seed: int, *, count: int = 120, planted: int = 5, spread: float = 0.25
) -> tuple[list[str], list[str], np.ndarray]:
    """Random directions and random words; ``planted`` documents at the end are close and share two words."""
    generator = np.random.default_rng(seed)
    base = generator.normal(size=(count, 32))
    if planted:
        base[-planted:] = generator.normal(size=32) + spread * generator.normal(size=(planted, 32))
    texts = [" ".join(generator.choice(WORDS, 12, replace=False)) for _ in range(count)]
    for row in range(count - planted, count):
        texts[row] += " claimed answer"
    return [f"d{row:03d}" for row in range(count)], texts, unit(base)


def unit(matrix: np.ndarray) -> np.ndarray:
    return (matrix / np.linalg.norm(matrix, axis=1, keepdims=True)).astype(np.float32)


def test_a_planted_group_is_the_only_alert_and_comes_with_its_evidence() -> None:
    ids, texts, vectors = corpus(1)
    found = score_corpus(ids, texts, vectors, CONFIG)
    assert np.flatnonzero(found.flagged).tolist() == list(range(115, 120))
    (group,) = found.groups
    assert group.members == tuple(range(115, 120))
    assert group.evidence == found.evidence[115]
    assert (
        group.expected_number
        == pytest.approx(found.expected_number[115])
        == pytest.approx(120 * found.tail_probability[115])
    )
    assert group.expected_number < 1
    # The fellows, and nobody else, are the retained neighbours
    retained = found.neighbors.index[115][found.density.retention[115] == Retention.RETAINED]
    assert sorted(retained.tolist()) == [116, 117, 118, 119]
    assert found.density.eligible_neighbors[115] == 4
    assert (found.score >= 0.5).tolist() == (found.evidence >= CONFIG.evidence_cut).tolist()


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.floats(0.05, 0.95), st.sampled_from([0.2, 0.4, 0.5, 0.6]))
def test_flags_do_not_change_when_all_vectors_gain_a_common_part(seed: int, a: float, spread: float) -> None:
    ids, texts, vectors = corpus(seed, spread=spread)
    shifted = np.hstack([np.full((len(ids), 1), np.sqrt(a)), np.sqrt(1 - a) * vectors.astype(np.float64)])
    one, two = (score_corpus(ids, texts, v, CONFIG) for v in (vectors, unit(shifted)))
    clear = np.abs(one.evidence - CONFIG.evidence_cut) > 1e-3
    assert (one.flagged == two.flagged)[clear].all()
    np.testing.assert_allclose(one.evidence, two.evidence, atol=2e-4)


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 10_000))
def test_order_of_documents_does_not_matter(seed: int) -> None:
    ids, texts, vectors = corpus(seed, count=60)
    order = np.random.default_rng(seed + 1).permutation(60)
    one = score_corpus(ids, texts, vectors, CONFIG)
    two = score_corpus([ids[row] for row in order], [texts[row] for row in order], vectors[order], CONFIG)
    np.testing.assert_allclose(one.evidence[order], two.evidence, atol=1e-9)
    assert (one.flagged[order] == two.flagged).all()


def test_pieces_of_one_source_are_no_evidence() -> None:
    ids, texts, vectors = corpus(1)
    sources = [None] * 115 + ["one page"] * 5
    found = score_corpus(ids, texts, vectors, CONFIG, sources=sources)
    assert not found.flagged.any()
    assert (found.density.retention[115] == Retention.SAME_SOURCE).sum() == 4


def test_copies_are_no_evidence_here() -> None:
    ids, texts, vectors = corpus(1)
    texts[115:] = [texts[115]] * 5
    found = score_corpus(ids, texts, vectors, CONFIG)
    assert not found.flagged.any()
    assert (found.density.retention[115] == Retention.COPY).sum() == 4


def test_a_language_island_is_reported_but_not_flagged() -> None:
    ids, texts, vectors = corpus(1)
    texts[115:] = [f"слово {row} только здесь другое{row} имя{row}" for row in range(5)]
    found = score_corpus(ids, texts, vectors, CONFIG)
    assert not found.flagged.any()
    assert found.islands[0].members == tuple(range(115, 120))
    assert found.islands[0].own_vocabulary > 0.5


def test_integrity_flags_whatever_the_rest_of_the_corpus_does() -> None:
    ids, texts, vectors = corpus(4, planted=0)
    texts = [text + " pаssword" for text in texts]
    found = score_corpus(ids, texts, vectors, CONFIG)
    assert found.flagged.all()
    assert (found.score == 1).all()


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 24), st.integers(0, 1000), st.sampled_from(["random", "constant", "duplicates", "empty"]))
def test_odd_corpora_give_finite_scores(count: int, seed: int, kind: str) -> None:
    generator = np.random.default_rng(seed)
    vectors = unit(generator.normal(size=(count, 6)))
    texts = [" ".join(generator.choice(WORDS, 5)) for _ in range(count)]
    if kind == "constant":
        vectors[:] = vectors[0]
    elif kind == "duplicates":
        vectors[count // 2 :] = vectors[0]
        texts[count // 2 :] = [texts[0]] * (count - count // 2)
    elif kind == "empty":
        texts = [""] * count
    found = score_corpus([f"d{row:02d}" for row in range(count)], texts, vectors, CONFIG)
    assert isinstance(found, CalibratedEvidence)
    for values in (found.score, found.density.density, found.tail_probability, found.expected_number):
        assert np.isfinite(values).all()
    assert ((found.score >= 0) & (found.score <= 1)).all()
    assert not np.isnan(found.evidence).any()
    if kind in ("constant", "empty") or count < 3:
        assert kind != "constant" or not found.flagged.any()
    assert len(list(corpus_records(found))) == count


def test_numbers_that_differ_are_refused() -> None:
    ids, texts, vectors = corpus(1)
    with pytest.raises(InputError, match="119 sources"):
        score_corpus(ids, texts, vectors, CONFIG, sources=[None] * 119)


@pytest.mark.shared
def test_planted_documents_of_the_golden_corpus(shared_dir: Path) -> None:
    """424 documents with vectors: 40 planted, five for each of eight questions, found as exactly those groups."""
    folder = shared_dir / "golden"

    def lines(name: str) -> list[dict[str, object]]:
        return [json.loads(line) for line in (folder / name).read_text(encoding="utf-8").splitlines()]

    documents = lines("rsg_documents.jsonl")
    planted = np.array([bool(row["poison"]) for row in lines("rsg_labels.jsonl")])
    texts = [str(row["text"]) for row in documents]
    ids = [str(row["id"]) for row in documents]
    vectors = np.load(folder / "rsg_embeddings.npy").astype(np.float32)
    found = score_corpus(ids, texts, vectors, CONFIG)
    assert found.flagged[planted].all()
    assert found.flagged[~planted].sum() <= 3 * max(1.0, found.expected_at_cut)
    groups = campaigns(found, texts)
    assert sorted(len(one.members) for one in groups) == [5] * 8
    assert all(planted[list(one.members)].all() for one in groups)
    clean = score_corpus(
        [one for one, bad in zip(ids, planted, strict=True) if not bad],
        [one for one, bad in zip(texts, planted, strict=True) if not bad],
        vectors[~planted],
        CONFIG,
    )
    assert not campaigns(clean, [one for one, bad in zip(texts, planted, strict=True) if not bad])
