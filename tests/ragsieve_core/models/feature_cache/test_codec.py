"""What is read is what was written, or nothing: every changed byte and every cut is found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsieve_core.models.feature_cache.codec import CorruptEntryError, decode_entry, encode_entry

ARRAYS = {"nll": np.array([1.5, -0.0], np.float32), "offsets": np.array([[0, 1], [1, 9]], np.int32)}
DATA = encode_entry("model", "name", ARRAYS)


def test_round_trip_with_dtype_shape_and_sign_of_zero() -> None:
    found = decode_entry(DATA, "model", "name")
    for label, array in ARRAYS.items():
        assert found[label].dtype == array.dtype
        assert found[label].shape == array.shape
        assert found[label].tobytes() == array.tobytes()


def test_empty_arrays() -> None:
    data = encode_entry("m", "n", {"vectors": np.zeros((0, 384), np.float16)})
    assert decode_entry(data, "m", "n")["vectors"].shape == (0, 384)


@given(st.integers(0, len(DATA) - 1), st.integers(1, 255))
def test_any_changed_byte_is_found(position: int, change: int) -> None:
    damaged = bytearray(DATA)
    damaged[position] ^= change
    with pytest.raises(CorruptEntryError):
        decode_entry(bytes(damaged), "model", "name")


@given(st.integers(0, len(DATA) - 1))
def test_any_cut_is_found(length: int) -> None:
    with pytest.raises(CorruptEntryError):
        decode_entry(DATA[:length], "model", "name")


def test_the_entry_of_another_text_or_model_is_refused() -> None:
    for key, name in (("other", "name"), ("model", "other")):
        with pytest.raises(CorruptEntryError, match="another entry"):
            decode_entry(DATA, key, name)


def test_bytes_after_the_end_are_found() -> None:
    with pytest.raises(CorruptEntryError):
        decode_entry(DATA + b"x", "model", "name")
