"""The certificate: no exact cosine lies farther from its screened one than the screen says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.rsg.screening import Bf16Screen, Fp32Screen, ordered_bits


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 300), st.integers(0, 10_000), st.sampled_from(["normal", "positive", "constant", "sparse"]))
def test_nothing_at_a_floor_is_screened_out(d: int, seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((60, d))
    x = {"normal": x, "positive": np.abs(x), "constant": np.ones_like(x), "sparse": x * (rng.random(x.shape) < 0.2)}[
        kind
    ]
    x = (x / np.maximum(np.linalg.norm(x, axis=1, keepdims=True), 1e-12)).astype(np.float32)
    exact = x.astype(np.float64) @ x.astype(np.float64).T
    for screen in (Bf16Screen(x, None), Fp32Screen(x, None)):
        tile = screen.tile(slice(0, 60), slice(0, 60))
        for column in range(60):
            # Each exact cosine taken as the floor of its row must be found by that floor
            cut = screen.threshold(exact[:, column] - screen.error)
            assert (tile[:, column] >= cut).all()
        value = screen.value(tile)
        rows = np.repeat(np.arange(60), 60)
        assert (screen.below(value.ravel(), rows) <= exact.ravel() + 1e-12).all()


def test_bits_are_in_the_order_of_the_numbers() -> None:
    torch = pytest.importorskip("torch")
    values = torch.tensor([-2.0, -1.5, -1e-3, 0.0, 1e-3, 0.5, 1.0, 2.0], dtype=torch.bfloat16)
    ordered = ordered_bits(values.view(torch.int16).numpy())
    assert (np.diff(ordered.astype(int)) > 0).all()
    np.testing.assert_array_equal(ordered_bits(ordered), values.view(torch.int16).numpy())
