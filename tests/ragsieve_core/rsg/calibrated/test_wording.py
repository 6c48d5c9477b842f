from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.rsg.calibrated import wording
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


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 60), st.integers(1, 12), st.integers(1, 40))
def test_weighted_overlap_adds_up_rarities(seed: int, count: int, k: int, longest: int) -> None:
    rng = np.random.default_rng(seed)
    texts = [" ".join(f"w{word}" for word in rng.zipf(1.4, rng.integers(0, longest))) for _ in range(count)]
    k = min(k, count - 1)
    index = np.array(
        [[other for other in rng.permutation(count) if other != row][:k] for row in range(count)], dtype=np.int32
    )
    plain, weighted = neighbor_overlap(word_sets(texts), index)
    held = [set(text.split()) for text in texts]
    rarity = {word: math.log((count + 1) / (sum(word in one for one in held) + 1)) for word in set().union(*held)}
    for row in range(count):
        for place, other in enumerate(index[row].tolist()):
            both, either = held[row] & held[other], held[row] | held[other]
            assert plain[row, place] == (len(both) / len(either) if either else 0)
            whole = math.fsum(rarity[word] for word in either)
            wanted = math.fsum(rarity[word] for word in both) / whole if whole > 1e-9 else 0
            assert weighted[row, place] == pytest.approx(wanted, abs=1e-9)


def test_parts_of_any_size_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(5)
    texts = [" ".join(f"w{word}" for word in rng.zipf(1.2, 30)) for _ in range(300)]
    index = np.array(
        [[other for other in rng.permutation(300) if other != row][:9] for row in range(300)], dtype=np.int32
    )
    sets = word_sets(texts)
    whole = neighbor_overlap(sets, index)
    for name, value in (("_ROWS", 1), ("_WORDS", 1), ("_CELLS", 1), ("_WORDS", 5000)):
        with monkeypatch.context() as patch:
            patch.setattr(wording, name, value)
            part = neighbor_overlap(sets, index)
        np.testing.assert_array_equal(part[0], whole[0])
        np.testing.assert_array_equal(part[1], whole[1])
