"""Density on a case worked by hand."""

import numpy as np
import pytest

from ragsieve_core.rsg.config import RSGConfig
from ragsieve_core.rsg.density import Retention, local_density


def test_hand_worked() -> None:
    # Row 0: retained 0.95, 0.90 (0.93 is a near copy) -> mu = 0.925, b = 0.5: (0.425 / 0.5) = 0.85, two retained: x 1
    # Row 1: one retained 0.90 -> mu = 0.90, b = 0.6: 0.75, one of c_G = 2: x 0.5 -> 0.375
    # Row 2: none retained -> 0
    cosine = np.array([[0.95, 0.93, 0.90, 0.50], [0.90, 0.80, 0.70, 0.60], [0.84, 0.8, 0.7, 0.6]], dtype=np.float32)
    jaccard = np.array([[0.2, 0.61, 0.6, 0.1], [0.0, 0.9, 0.1, 0.1], [0.1, 0.1, 0.1, 0.1]])
    found = local_density(cosine, jaccard, RSGConfig(k=4))
    assert found.density.tolist() == pytest.approx([0.85, 0.375, 0.0], abs=1e-6)
    assert found.eligible_neighbors.tolist() == [2, 1, 0]
    assert found.floor.tolist() == pytest.approx([0.5, 0.6, 0.6])
    assert found.retention.tolist() == [
        [Retention.RETAINED, Retention.ABOVE_JACCARD, Retention.RETAINED, Retention.BELOW_COSINE],
        [Retention.RETAINED, Retention.BELOW_COSINE_AND_ABOVE_JACCARD, Retention.BELOW_COSINE, Retention.BELOW_COSINE],
        [Retention.BELOW_COSINE] * 4,
    ]


def test_only_the_strongest_four_are_averaged() -> None:
    cosine = np.array([[0.99, 0.98, 0.97, 0.96, 0.86, 0.5]], dtype=np.float32)
    found = local_density(cosine, np.zeros((1, 6)), RSGConfig(k=6))
    assert found.mean_cosine[0] == pytest.approx((0.99 + 0.98 + 0.97 + 0.96) / 4, abs=1e-6)
    assert found.eligible_neighbors[0] == 5


@pytest.mark.parametrize(("a", "base"), [(0.3, 0.1), (0.7, 0.4)])
def test_unchanged_under_a_common_direction(a: float, base: float) -> None:
    """cos -> a + (1 - a) cos leaves (mu - b) / (1 - b) unchanged: checked where retention does not change."""
    cosine = np.array([[0.96, 0.94, 0.92, base]], dtype=np.float64)
    plain = local_density(cosine.astype(np.float32), np.zeros((1, 4)), RSGConfig(k=4, cosine_cut=0.9))
    moved = local_density(
        (a + (1 - a) * cosine).astype(np.float32), np.zeros((1, 4)), RSGConfig(k=4, cosine_cut=a + (1 - a) * 0.9)
    )
    assert moved.density[0] == pytest.approx(plain.density[0], abs=1e-5)
