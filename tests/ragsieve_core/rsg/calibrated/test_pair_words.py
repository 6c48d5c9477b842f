from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.errors import InputError
from ragsieve_core.rsg.calibrated import pair_words as module
from ragsieve_core.rsg.calibrated.pair_words import PairWords, pair_words
from ragsieve_core.rsg.calibrated.reading import read_texts
from ragsieve_core.rsg.calibrated.wording import neighbor_overlap
from ragsieve_core.text.unicode_words import unicode_words

WORDS = ["red", "fox", "Straße", "собака", "µm", "x9", "éa", *(f"w{number}" for number in range(30))]


def lists(rng: np.random.Generator, count: int, k: int) -> np.ndarray:
    rows = [[o for o in rng.permutation(count) if o != row][:k] for row in range(count)]
    return np.array(rows, dtype=np.int32)


def assert_words_of(found: PairWords, texts: list[str]) -> None:
    words = [unicode_words(text) for text in texts]
    for row in range(len(texts)):
        for spot, other in enumerate(found.index[row].tolist()):
            number = int(found.pair[row, spot])
            held = found.word[found.edges[number] : found.edges[number + 1]]
            assert [found.words[one] for one in held.tolist()] == sorted(words[row] & words[other])


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 2**32 - 1), st.integers(2, 25), st.integers(1, 8),
    st.lists(st.tuples(st.sampled_from([0.0, 0.2, 0.9]), st.integers(0, 9), st.booleans()), min_size=1, max_size=4),
    st.booleans(),
)  # fmt: skip
def test_any_sequence_of_corpora(
    seed: int, count: int, k: int, steps: list[tuple[float, int, bool]], tight: bool
) -> None:
    rng = np.random.default_rng(seed)

    def text() -> str:
        return " ".join(rng.choice(WORDS, rng.integers(0, 7)))

    texts, held, reading = [text() for _ in range(count)], None, None
    spare, at_once = (module._SPARE_WORDS, module._WORDS)
    if tight:
        # Every part by itself, and no word of a pair that is gone kept for long
        module._SPARE_WORDS, module._WORDS = 0, 3
    try:
        for lost, added, shuffled in [(0.0, 0, False), *steps]:
            texts = [one for one in texts if rng.random() >= lost] + [text() for _ in range(added)]
            texts += [text() for _ in range(2 - len(texts))]
            if shuffled:
                texts = [texts[row] for row in rng.permutation(len(texts))]
            reading, _ = read_texts(texts, previous=reading)
            index = lists(rng, len(texts), min(k, len(texts) - 1))
            held = pair_words(reading, index, held)
            assert_words_of(held, texts)
            for one, other in zip(held.overlap(reading.sets), neighbor_overlap(reading.sets, index), strict=True):
                np.testing.assert_array_equal(one, other)
            if tight:
                used = np.unique(held.pair)
                limit = 2 * (np.diff(held.edges)[used].sum() + used.size) + index.size * (len(WORDS) + 1)
                assert held.word.size + held.edges.size <= limit
    finally:
        module._SPARE_WORDS, module._WORDS = spare, at_once


def test_only_new_pairs_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    texts = [" ".join(rng.choice(WORDS, 6)) for _ in range(40)]
    first, _ = read_texts(texts[:39])
    index = lists(rng, 39, 5)
    held = pair_words(first, index)
    asked: list[int] = []
    some = module._shared_by_some
    monkeypatch.setattr(module, "_shared_by_some", lambda s, a, b: (asked.append(a.size), some(s, a, b))[1])
    pair_words(first, index, held)
    # A new document: its five pairs, and it comes into two lists that are of the five
    now, _ = read_texts(texts, previous=first)
    more = np.concatenate([index, [[0, 1, 2, 3, 4]]]).astype(np.int32)
    more[0, 4] = more[1, 4] = 39
    pair_words(now, more, held)
    assert asked == [0, 5]


def test_a_corpus_that_lost_all_its_words() -> None:
    index = np.array([[1], [0]], dtype=np.int32)
    first, _ = read_texts(["red fox", "red"])
    now, _ = read_texts(["", "!"], previous=first)
    held = pair_words(now, index, pair_words(first, index))
    assert [part.tolist() for part in held.overlap(now.sets)] == [[[0.0], [0.0]]] * 2
    again, _ = read_texts(["red fox", ""], previous=now)
    assert pair_words(again, index, held).overlap(again.sets)[0].tolist() == [[0.0], [0.0]]


def test_saved_words_are_the_same(tmp_path: Path) -> None:
    texts = ["red fox", "red Straße fox", "", "red собака"]
    reading, _ = read_texts(texts)
    held = pair_words(reading, lists(np.random.default_rng(0), 4, 3))
    held.save(tmp_path / "pairs")
    again = PairWords.load(tmp_path / "pairs")
    assert (again.keys, again.words) == (held.keys, held.words)
    for name in ("index", "pair", "edges", "word"):
        np.testing.assert_array_equal(getattr(again, name), getattr(held, name))
    np.save(tmp_path / "pairs" / "pair.npy", held.pair + 100)
    with pytest.raises(InputError, match="words of pairs"):
        PairWords.load(tmp_path / "pairs")
    with pytest.raises(InputError, match="words of pairs"):
        PairWords.load(tmp_path / "nothing")
