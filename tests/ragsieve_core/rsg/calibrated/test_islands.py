from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.rsg.calibrated import islands
from ragsieve_core.rsg.calibrated.islands import own_vocabulary
from ragsieve_core.rsg.calibrated.wording import word_sets


def test_share_by_hand() -> None:
    # Of the first two: "ax" and "by" stand in no other text, "the" does; the fourth has no words
    sets = word_sets(["the ax", "the ax by", "the end", ""])
    assert own_vocabulary(sets, np.array([[0, 1]], dtype=np.int32)) == pytest.approx([(1 / 2 + 2 / 3) / 2])
    assert own_vocabulary(sets, np.array([[2, 3], [0, 2]], dtype=np.int32)) == pytest.approx([1 / 4, 1 / 4])
    assert own_vocabulary(sets, np.empty((0, 3), dtype=np.int32)).size == 0


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 2**32 - 1), st.integers(3, 30), st.integers(2, 9), st.integers(1, 40), st.integers(1, 50))
def test_share_by_the_definition(seed: int, count: int, size: int, groups: int, at_once: int) -> None:
    rng = np.random.default_rng(seed)
    size = min(size, count)
    texts = [" ".join(f"w{word}" for word in rng.integers(0, 60, rng.integers(0, 9))) for _ in range(count)]
    members = np.array([rng.permutation(count)[:size] for _ in range(groups)], dtype=np.int32)
    before, islands._GROUPS = islands._GROUPS, at_once
    try:
        found = own_vocabulary(word_sets(texts), members)
    finally:
        islands._GROUPS = before
    words = [set(text.split()) for text in texts]
    for share, rows in zip(found.tolist(), members.tolist(), strict=True):
        outside = set().union(*(words[row] for row in range(count) if row not in rows))
        parts = [len(words[row] - outside) / len(words[row]) if words[row] else 0.0 for row in rows]
        assert share == float(np.mean(parts))
