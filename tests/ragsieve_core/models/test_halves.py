"""Every finite float16 is widened as NumPy does it."""

import numpy as np

from ragsieve_core.models.halves import widened


def test_every_finite_half_is_exact() -> None:
    every = np.arange(65_536, dtype=np.uint16).view(np.float16)
    finite = every[np.isfinite(every)]
    np.testing.assert_array_equal(widened(finite).view(np.uint32), finite.astype(np.float32).view(np.uint32))


def test_shapes_and_float32_are_kept() -> None:
    half = np.linspace(-1, 1, 24).astype(np.float16).reshape(4, 6)
    np.testing.assert_array_equal(widened(half[::2, 1:]), half[::2, 1:].astype(np.float32))
    single = half.astype(np.float32)
    assert widened(single) is single
    assert widened(np.zeros((0, 8), np.float16)).shape == (0, 8)
