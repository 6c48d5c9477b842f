"""Weights of words."""

from __future__ import annotations

import math

import pytest

from ragsieve_core.rsq import DocumentFrequencies


def test_weights_by_hand() -> None:
    counts = DocumentFrequencies.of(["the lamp the lamp", "the keeper", "the lamps"])
    assert counts.documents == 3
    assert counts.holding["lamp"] == 2
    assert counts.weight("the") == 0.0
    assert counts.weight("lamp") == pytest.approx(math.log(4 / 3))
    assert counts.weight("unseen") == pytest.approx(math.log(4))


def test_an_empty_snapshot_weighs_nothing() -> None:
    assert DocumentFrequencies.of([]).weight("word") == 0.0
