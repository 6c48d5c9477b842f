"""The certificate: no exact cosine lies farther from its screened one than the screen says."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.rsg import all_pairs
from ragsieve_core.rsg.knn import search_neighbors
from ragsieve_core.rsg.products import DEVICE_UNIT
from ragsieve_core.rsg.screening import (
    Bf16Screen,
    Fp32Screen,
    PassingBf16Screen,
    PassingFp32Screen,
    bf16_error,
    holds,
    norm_bounds,
    ordered_bits,
    rounding_bounds,
)


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
    few = (PassingBf16Screen(x, norm_bounds(x), rounding_bounds(x)), PassingFp32Screen(x, norm_bounds(x)))
    for screen in (Bf16Screen(x, None), Fp32Screen(x, None), *few):
        tile = screen.tile(slice(0, 60), slice(0, 60))
        for column in range(60):
            # Each exact cosine taken as the floor of its row must be found by that floor
            cut = screen.threshold(exact[:, column] - screen.error)
            assert (tile[:, column] >= cut).all()
        value = screen.value(tile)
        rows = np.repeat(np.arange(60), 60)
        assert (screen.below(value.ravel(), rows) <= exact.ravel() + 1e-12).all()


def test_nothing_is_screened_out_however_far_every_number_is_rounded() -> None:
    """All numbers of these rows are 1 / sqrt(d): rounded one way and equally far, up to 2^-8 of them, they add up."""
    far = 0.0
    for d in range(1, 700):
        x = np.full((2, d), 1 / np.sqrt(d), dtype=np.float32)
        exact = x.astype(np.float64) @ x.astype(np.float64).T
        for screen in (Bf16Screen(x, None), PassingBf16Screen(x, norm_bounds(x), rounding_bounds(x))):
            tile = screen.tile(slice(0, 2), slice(0, 2))
            assert (tile >= screen.threshold(exact - screen.error[:, None])).all(), d
            value = screen.value(tile).astype(np.float64)
            far = max(far, float(np.abs(value - exact).max()))
    # Rounding numbers to half of 2^-8 could not do that
    assert far > 2 * 2.0**-8


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 300), st.integers(0, 10_000), st.floats(1e-9, 1e3))
def test_residues_are_those_of_torch(d: int, seed: int, scale: float) -> None:
    torch = pytest.importorskip("torch")
    x = (np.random.default_rng(seed).standard_normal((30, d)) * scale).astype(np.float32)
    x[0] = 0.0
    rounded = torch.from_numpy(x).to(torch.bfloat16).to(torch.float64).numpy()
    exact = np.linalg.norm(x.astype(np.float64) - rounded, axis=1)
    found = rounding_bounds(x)
    assert (found >= exact).all()
    assert (found <= exact * 1.001 + 1e-30).all()


def test_bits_are_in_the_order_of_the_numbers() -> None:
    torch = pytest.importorskip("torch")
    values = torch.tensor([-2.0, -1.5, -1e-3, 0.0, 1e-3, 0.5, 1.0, 2.0], dtype=torch.bfloat16)
    ordered = ordered_bits(values.view(torch.int16).numpy())
    assert (np.diff(ordered.astype(int)) > 0).all()
    np.testing.assert_array_equal(ordered_bits(ordered), values.view(torch.int16).numpy())


def unit(x: np.ndarray) -> np.ndarray:
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 1500), st.integers(0, 10_000), st.integers(1, 16))
def test_a_sum_that_cuts_off_as_tensor_cores_do_is_within_the_device_error(d: int, seed: int, together: int) -> None:
    """Products of bfloat16 added in groups, each sum cut off (not rounded) to 23 bits below its largest part."""
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(seed)
    x = unit(rng.standard_normal((20, d)))
    rounded = torch.from_numpy(x).to(torch.bfloat16).to(torch.float64).numpy()
    total = np.zeros((20, 20))
    for start in range(0, d, together):
        part = rounded[:, None, start : start + together] * rounded[None, :, start : start + together]
        largest = np.maximum(np.abs(total), np.abs(part).max(axis=2))
        grain = 2.0 ** (np.floor(np.log2(np.maximum(largest, 1e-300))) - 22)
        total = (np.trunc(total / grain) + np.trunc(part / grain[..., None]).sum(axis=2)) * grain
    exact = x.astype(np.float64) @ x.astype(np.float64).T
    norm = np.linalg.norm(x.astype(np.float64), axis=1)
    residue = np.linalg.norm(x - rounded, axis=1)
    assert (np.abs(total - exact) <= bf16_error(norm, residue, d, DEVICE_UNIT)[:, None]).all()


@pytest.mark.parametrize("precision", ["bf16", "fp32"])
def test_what_the_process_asked_of_torch_changes_nothing(precision: str) -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(5)
    x = unit(rng.standard_normal((700, 96)) + 3)
    ids = [f"d{i}" for i in range(700)]
    wanted = search_neighbors(x, ids, 9, precision=precision)[0]
    before = torch.get_float32_matmul_precision()
    try:
        # Float32 products in bfloat16 are farther off than the float32 screen allows for
        torch.set_float32_matmul_precision("medium")
        found = search_neighbors(x, ids, 9, precision=precision)[0]
        assert torch.get_float32_matmul_precision() == "medium"
    finally:
        torch.set_float32_matmul_precision(before)
    np.testing.assert_array_equal(found.index, wanted.index)
    np.testing.assert_array_equal(found.cosine.view(np.uint32), wanted.cosine.view(np.uint32))


def test_a_screen_that_breaks_its_word_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    class Worse(Bf16Screen):
        def tile(self, rows: object, columns: object) -> np.ndarray:
            return np.asarray(super().tile(rows, columns) - np.int16(40))

    x = unit(np.random.default_rng(6).standard_normal((300, 32)) + 2)
    ids = [f"d{i}" for i in range(300)]
    assert holds(Bf16Screen(x, None), x, None)
    assert not holds(Worse(x, None), x, None)
    wanted, _ = search_neighbors(x, ids, 5, precision="fp32")
    monkeypatch.setattr(all_pairs, "Bf16Screen", Worse)
    found, report = search_neighbors(x, ids, 5, precision="bf16")
    assert report.precision == "fp32"
    np.testing.assert_array_equal(found.index, wanted.index)


@pytest.mark.parametrize("precision", ["bf16", "fp32"])
def test_a_gpu_gives_the_same_bits(precision: str) -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device here")
    rng = np.random.default_rng(7)
    x = unit(rng.standard_normal((300, 1024))[rng.integers(0, 300, 6000)] + 0.5 * rng.standard_normal((6000, 1024)))
    ids = [f"d{i}" for i in range(6000)]
    wanted, _ = search_neighbors(x, ids, 16, precision="fp32")
    found, report = search_neighbors(x, ids, 16, precision=precision, device="cuda")
    assert report.precision == precision
    np.testing.assert_array_equal(found.index, wanted.index)
    np.testing.assert_array_equal(found.cosine.view(np.uint32), wanted.cosine.view(np.uint32))
