"""Bursts and changes by hand, and the lower median as torch defines it."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.surprisal import surprisal, window_surprisal

PAPER = RSQConfig()


def test_burst_and_change_by_hand() -> None:
    nll = np.concatenate([np.full(16, 1.0), np.full(8, 9.0), np.full(16, 1.0)]).astype(np.float32)
    found = window_surprisal(nll, 8, PAPER)
    assert found.gate == pytest.approx(5 * math.log(2) * math.sqrt(2))
    assert (found.burst, found.burst_at) == (pytest.approx(8.0), 16)  # 9 against a median of 1
    assert (found.change, found.change_at) == (
        pytest.approx(8.0),
        16,
    )  # first boundary where 8 before, 8 after differ most
    evidence = surprisal(nll, PAPER)
    assert evidence.e_surprisal == pytest.approx(8 / (5 * math.log(2) * math.sqrt(2)) - 1)


def test_short_and_empty_texts() -> None:
    assert surprisal(np.zeros(0, dtype=np.float32), PAPER).e_surprisal == 0.0
    short = window_surprisal(np.array([3, 5], dtype=np.float32), 8, PAPER)
    assert (short.burst, short.change, short.change_at) == (0.0, 0.0, None)


@given(st.lists(st.floats(0, 20, width=32), min_size=8, max_size=80))
def test_burst_uses_torch_median(values: list[float]) -> None:
    nll = np.array(values, dtype=np.float32)
    rolling = torch.tensor(nll, dtype=torch.float64).unfold(0, 8, 1).mean(1)
    expected = float(rolling.max() - rolling.median())
    assert window_surprisal(nll, 8, PAPER).burst == pytest.approx(expected, abs=1e-9)
