"""Copies of one text are one voice."""

from __future__ import annotations

from ragsieve_core.rsq import CalibratedRSQConfig
from ragsieve_core.rsq.calibrated.copies import representatives

TEN = [f"word{chr(97 + i)}" for i in range(20)]


def test_nineteen_of_twenty_words_are_a_copy_and_a_superset_is_none() -> None:
    texts = [" ".join(TEN), " ".join(TEN[:19]), " ".join(TEN) + " and much more of another sort than that before"]
    # 19/20 = 0.95; 20/28 = 0.71
    assert representatives(texts, CalibratedRSQConfig()) == [0, 0, 2]


def test_equal_texts_without_words_are_copies() -> None:
    assert representatives(["!!", "??", "!!"], CalibratedRSQConfig()) == [0, 1, 0]


def test_only_the_first_ranks_are_searched() -> None:
    texts = ["one same text"] + [f"other number{i}" for i in range(19)] + ["one same text"]
    assert representatives(texts, CalibratedRSQConfig())[20] == 20
