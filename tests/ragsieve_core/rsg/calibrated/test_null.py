from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from ragsieve_core.rsg.calibrated.config import CalibratedConfig
from ragsieve_core.rsg.calibrated.null import CleanTail, tail_scale

CONFIG = CalibratedConfig()
WIDTH = CONFIG.tail_end - CONFIG.tail_start


def draws(count: int, scale: float, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).exponential(scale, count)


def test_scale_is_the_maximum_likelihood_of_a_truncated_exponential() -> None:
    values = draws(3000, 0.2, 1)
    below = values[values < WIDTH]
    alone = tail_scale(below + CONFIG.tail_start, replace(CONFIG, tail_weight=0.0))

    def loss(scale: float) -> float:
        return -float(stats.truncexpon.logpdf(below, WIDTH / scale, scale=scale).sum())

    independent = optimize.minimize_scalar(loss, bounds=(0.05, 1.0), method="bounded", options={"xatol": 1e-9}).x
    assert alone == pytest.approx(independent, rel=1e-5)


def test_expected_number_of_an_exponential_corpus_is_right() -> None:
    # 20,000 documents whose evidence is exponential from tail_start on; nothing is lent by the reference
    evidence = CONFIG.tail_start + draws(20_000, 0.25, 2)
    null = CleanTail.of(evidence, replace(CONFIG, reference_share=1e-12))
    seen = int((evidence >= CONFIG.evidence_cut).sum())
    assert 20_000 * float(null.share(np.array([CONFIG.evidence_cut]))[0]) == pytest.approx(seen, rel=0.1)


def test_the_reference_tail_is_added_to_the_own_one() -> None:
    # 1,000 documents, 40 of them at 0.7: own level 40 / 1,200 over the part of the tail inside the interval
    evidence = np.concatenate([np.full(960, -1.0), np.full(40, 0.7)])
    null = CleanTail.of(evidence, CONFIG)
    inside = 1 - np.exp(-WIDTH / null.scale)
    own = 40 / 1200 / inside * np.exp(-(CONFIG.evidence_cut - 0.65) / null.scale)
    at_cut, later = null.share(np.array([CONFIG.evidence_cut, CONFIG.evidence_cut + 0.28]))
    assert at_cut == pytest.approx(own + 0.0012)
    assert later == pytest.approx(own * np.exp(-0.28 / null.scale) + 0.0012 / np.e)


def test_planted_documents_above_the_cut_do_not_inform_the_tail() -> None:
    clean = np.random.default_rng(3).normal(0.2, 0.3, 5000)
    planted = np.full(500, 3.0)
    alone, attacked = (CleanTail.of(values, CONFIG) for values in (clean, np.concatenate([clean, planted])))
    assert attacked.scale == alone.scale
    cut = np.array([CONFIG.evidence_cut])
    # The own part hardly moves, its share falls as the corpus grows; the reference's grows with the corpus
    assert 5500 * attacked.share(cut)[0] == pytest.approx(5000 * alone.share(cut)[0] + 500 * 0.0012, rel=0.02)


def test_documents_just_below_the_cut_do_not_inform_the_tail_either() -> None:
    # Planted groups that narrowly miss the cut are as little a measure of clean text as those that reach it
    clean = np.random.default_rng(3).normal(0.2, 0.3, 5000)
    near = np.full(100, (CONFIG.tail_end + CONFIG.evidence_cut) / 2)
    alone, attacked = (CleanTail.of(values, CONFIG) for values in (clean, np.concatenate([clean, near])))
    assert attacked.scale == alone.scale


def test_without_evidence_of_its_own_a_corpus_leans_on_the_reference() -> None:
    null = CleanTail.of(np.full(100, -1.0), CONFIG)
    assert null.level == 0
    assert null.scale == pytest.approx(CONFIG.tail_scale)
    assert null.share(np.array([CONFIG.evidence_cut]))[0] == pytest.approx(CONFIG.reference_share)


@settings(deadline=None)
@given(st.lists(st.floats(-3, 4), min_size=1, max_size=60))
def test_share_falls_with_evidence_in_the_tail(values: list[float]) -> None:
    null = CleanTail.of(np.array(values), CONFIG)
    grid = np.linspace(-4, 5, 200)
    share = null.share(grid)
    assert ((share > 0) & (share <= 1)).all()
    for part in (grid < CONFIG.tail_start, grid >= CONFIG.tail_start):
        assert (np.diff(share[part]) <= 1e-12).all()


def test_a_moved_cut_does_not_move_what_is_expected() -> None:
    """The null describes the corpus: a policy that alerts earlier or later expects the same number at an evidence."""
    evidence = np.random.default_rng(3).exponential(0.3, 4000)
    at = np.array([0.7, 1.0, 1.3, 2.0])
    plain = CleanTail.of(evidence, CONFIG).share(at)
    for cut in (0.8, 1.0, 1.6):
        assert CleanTail.of(evidence, replace(CONFIG, evidence_cut=cut)).share(at) == pytest.approx(plain, rel=1e-12)
