"""A reading from an earlier one is that of the texts alone, and reads only what is new."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.errors import InputError
from ragsieve_core.rsg import CalibratedConfig
from ragsieve_core.rsg.calibrated import reading as module
from ragsieve_core.rsg.calibrated.reading import TextReading, read_texts, text_keys
from ragsieve_core.rsg.calibrated.score import score_calibrated
from ragsieve_core.rsg.knn import Neighbors
from ragsieve_core.text.unicode_words import unicode_word_list, unicode_words
from ragsieve_core.text.uts39 import uts39_suspicious

TEXT = st.text(alphabet="ab é中文Жж\ud800", max_size=8)


def assert_reading_of(found: TextReading, texts: list[str]) -> None:
    assert len(found.keys) == len(texts)
    held = [{found.sets.words[place] for place in found.sets.row(row)} for row in range(len(texts))]
    assert held == [set(unicode_words(text)) for text in texts]
    assert list(found.sets.words) == sorted(set().union(*held))
    counts = [sum(word in one for one in held) for word in found.sets.words]
    np.testing.assert_array_equal(found.sets.frequency, counts)
    assert found.suspicious.tolist() == [uts39_suspicious(text, found.stray_families) for text in texts]
    lists = [unicode_word_list(text) or [text] for text in texts]
    for one in range(len(texts)):
        for two in range(one):
            assert (found.sequence[one] == found.sequence[two]).all() == (lists[one] == lists[two])


@settings(deadline=None)
@given(st.lists(st.lists(TEXT, max_size=6), min_size=2, max_size=4))
def test_any_sequence_of_corpora(corpora: list[list[str]]) -> None:
    held: TextReading | None = None
    before: list[str] = []
    for texts in corpora:
        held, fresh = read_texts(texts, previous=held)
        # Where documents only came at the end, an equal text among them is not looked for but read
        at_end = texts[: len(before)] == before
        assert fresh == len(set(texts[len(before) :]) if at_end else set(texts) - set(before))
        assert_reading_of(held, texts)
        before = texts


def test_only_new_texts_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    first, fresh = read_texts(["red fox", "red cat", "red fox"])
    assert fresh == 2
    seen: list[str] = []
    plain = module.unicode_word_list
    monkeypatch.setattr(module, "unicode_word_list", lambda text: (seen.append(text), plain(text))[1])
    again, fresh = read_texts(["red cat", "dog", "red fox", "dog"], previous=first)
    assert (seen, fresh) == (["dog"], 1)
    assert again.sets.words == ("cat", "dog", "fox", "red")
    # "cat" and "fox" are gone with their texts
    assert read_texts(["dog"], previous=again)[0].sets.words == ("dog",)


def test_another_number_of_families_reads_the_scripts_again() -> None:
    texts = ["plain", "ab Жж κλ の ع ب ה ש", "中文 text"]
    loose, _ = read_texts(texts, stray_families=9)
    strict, fresh = read_texts(texts, previous=loose, stray_families=1)
    assert fresh == 0
    assert strict.suspicious.tolist() == [uts39_suspicious(text, 1) for text in texts]
    assert strict.suspicious.tolist() != loose.suspicious.tolist()


def test_a_saved_reading_is_the_same(tmp_path: Path) -> None:
    texts = ["red fox", "", "\ud800 中文", "red fox"]
    first, _ = read_texts(texts)
    first.save(tmp_path / "r")
    found = TextReading.load(tmp_path / "r")
    assert_reading_of(found, texts)
    assert found.keys == first.keys == text_keys(texts)
    assert read_texts(texts, previous=found)[1] == 0
    np.save(tmp_path / "r" / "edges.npy", np.array([0, 1]))
    with pytest.raises(InputError, match="do not fit"):
        TextReading.load(tmp_path / "r")
    with pytest.raises(InputError, match="text reading"):
        TextReading.load(tmp_path / "none")


def test_a_reading_of_other_texts_is_refused() -> None:
    with pytest.raises(InputError, match="2 keys"):
        read_texts(["a"], keys=["x", "y"])
    near = Neighbors(np.array([[1], [0]], dtype=np.int32), np.zeros((2, 1), dtype=np.float32))
    with pytest.raises(InputError, match="a reading of 1 texts"):
        score_calibrated(["a", "b"], ["x", "y"], near, CalibratedConfig(), reading=read_texts(["x"])[0])
    with pytest.raises(InputError, match="stray_families"):
        score_calibrated(
            ["a", "b"], ["x", "y"], near, CalibratedConfig(), reading=read_texts(["x", "y"], stray_families=2)[0]
        )
