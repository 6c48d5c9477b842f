"""Flips, volume and rates by hand."""

from __future__ import annotations

import numpy as np
import pytest

from ragsieve_core.whatif.outcome import Truth, flips, truth_rates, volume


def test_flips_by_hand() -> None:
    before = np.array([True, True, False, False, True])
    after = np.array([True, False, True, True, False])
    #            none  quarantine  keep  none  keep
    verdict = np.array([0, 2, 1, 0, 1], dtype=np.int8)
    found = flips(before, after, verdict)
    assert found.raised.tolist() == [2, 3]
    assert found.released.tolist() == [1, 4]
    # Released though quarantined (1), raised though kept (2); releasing a kept one agrees with the person
    assert found.contradicting.tolist() == [1, 2]


def test_volume_of_queries_by_hand() -> None:
    flagged = np.array([True, True, False, False, True, False])
    query = np.array([0, 0, 1, 1, 2, 3], dtype=np.int32)
    found = volume(flagged, query, np.array([0.5, 3.0, 29.9, 45.0], dtype=np.float32))
    assert (found.flagged, found.units, found.touched) == (3, 4, 2)
    assert found.per_thousand == 750
    assert (found.recent_flagged, found.recent_units, found.recent_per_thousand) == (3, 3, 1000)
    assert found.per_day[0] == 2
    assert found.per_day[29] == 1
    assert found.per_day.sum() == 3


def test_volume_of_documents_counts_the_new_ones() -> None:
    found = volume(np.array([True, False, True]), None, np.array([1.0, 2.0, 400.0], dtype=np.float32))
    assert (found.recent_flagged, found.recent_units, found.recent_per_thousand) == (1, 2, 500)
    assert np.isnan(volume(np.zeros(0, bool), None, np.zeros(0, np.float32)).per_thousand)


def test_precision_alone_where_only_flagged_rows_were_labelled() -> None:
    flagged = np.array([True, True, True, False])
    poison = np.array([1, 0, -1, -1], dtype=np.int8)
    cluster = np.arange(4)
    alone = truth_rates(flagged, Truth(poison, cluster, "flagged_only"))
    assert alone.caught is None
    assert alone.removed is None
    assert alone.precision is not None
    assert alone.precision.value == 0.5
    assert alone.precision.n == 2
    nothing = truth_rates(flagged, Truth(poison, cluster, "none"))
    assert nothing.precision is None


def test_an_audit_sample_weighs_by_its_probability() -> None:
    # All flagged rows labelled; of the rest a tenth: one planted row found there stands for ten
    flagged = np.array([True] * 10 + [False] * 10)
    poison = np.array([1] * 10 + [1] + [0] * 9, dtype=np.int8)
    weight = np.array([1.0] * 10 + [10.0] * 10)
    found = truth_rates(flagged, Truth(poison, np.arange(20), "audit_sample", weight))
    assert found.caught is not None
    assert found.caught.value == pytest.approx(10 / 20)
