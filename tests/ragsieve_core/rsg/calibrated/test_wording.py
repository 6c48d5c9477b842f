from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.rsg.calibrated.wording import neighbor_overlap, word_sets


def test_overlap_by_hand() -> None:
    # "red" is in all three documents: rarity ln(4/4) = 0. "fox" in two: ln(4/3). "dog", "cat" in one: ln 2.
    sets = word_sets(["red fox dog", "red fox", "red cat"])
    plain, weighted = neighbor_overlap(sets, np.array([[1, 2], [0, 2], [0, 1]], dtype=np.int32))
    np.testing.assert_allclose(plain, [[2 / 3, 1 / 4], [2 / 3, 1 / 3], [1 / 4, 1 / 3]])
    fox, rare = math.log(4 / 3), math.log(2)
    np.testing.assert_allclose(weighted, [[fox / (fox + rare), 0], [fox / (fox + rare), 0], [0, 0]], atol=1e-15)


def test_texts_without_words_overlap_with_nothing() -> None:
    plain, weighted = neighbor_overlap(word_sets(["", "…", "a"]), np.array([[1, 2], [0, 2], [0, 1]], dtype=np.int32))
    assert not plain.any()
    assert not weighted.any()


@settings(deadline=None)
@given(st.lists(st.text(alphabet="abc ", max_size=12), min_size=3, max_size=8))
def test_plain_overlap_equals_python_sets(texts: list[str]) -> None:
    count = len(texts)
    index = np.array([[other for other in range(count) if other != row] for row in range(count)], dtype=np.int32)
    plain, weighted = neighbor_overlap(word_sets(texts), index)
    for row in range(count):
        for place, other in enumerate(index[row]):
            one, two = set(texts[row].split()), set(texts[other].split())
            assert plain[row, place] == (len(one & two) / len(one | two) if one | two else 0)
    assert ((weighted >= 0) & (weighted <= 1 + 1e-12)).all()
