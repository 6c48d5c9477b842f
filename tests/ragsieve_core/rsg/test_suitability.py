from __future__ import annotations

import numpy as np

from ragsieve_core.rsg import CalibratedConfig, score_corpus
from ragsieve_core.rsg.suitability import corpus_suitability


def scan(count: int, common: float) -> object:
    generator = np.random.default_rng(0)
    base = generator.normal(size=(count, 24))
    base /= np.linalg.norm(base, axis=1, keepdims=True)
    vectors = np.hstack([np.full((count, 1), np.sqrt(common)), np.sqrt(1 - common) * base]).astype(np.float32)
    texts = [" ".join(f"w{word}" for word in generator.choice(2000, 10)) for _ in range(count)]
    return score_corpus([f"d{row:04d}" for row in range(count)], texts, vectors, CalibratedConfig())


def test_a_plain_corpus_with_sources_is_suited() -> None:
    suited = corpus_suitability(scan(600, 0.0), [f"s{row}" for row in range(600)])
    assert {measure.name: measure.state for measure in suited.measures} == {
        "documents": "suited",
        "floor_above_cut": "suited",
        "density_above_zero": "suited",
        "source_coverage": "suited",
        "expected_clean_alerts": "suited",
    }
    assert suited.state == "suited"
    assert list(suited.floor_quantiles) == sorted(suited.floor_quantiles)


def test_missing_sources_and_narrow_vectors_are_named() -> None:
    # A common part of 0.9 lifts every floor above the `paper` cut
    read = {measure.name: measure for measure in corpus_suitability(scan(600, 0.9)).measures}
    assert read["source_coverage"].state == "weak"
    assert read["source_coverage"].value == 0
    assert read["floor_above_cut"].state == "unsuited"
    assert "calibrated" in read["floor_above_cut"].reason


def test_a_handful_of_documents_is_unsuited() -> None:
    assert corpus_suitability(scan(12, 0.0), ["s"] * 12).state == "unsuited"
