"""Kinds: the rounding, what tells them apart, and entries that do not have their form."""

from __future__ import annotations

import numpy as np
import pytest

from ragsieve_core.models.feature_cache.kinds import halved, lexical_kind, query_kind, surprisal_kind, vectors_kind
from ragsieve_core.models.feature_cache.lexical import lexical_features
from ragsieve_core.models.roles import TokenSurprisal, TokenVectors


def test_rounding_is_to_the_nearest_half_and_widening_exact() -> None:
    # 1 + 2^-11 lies between 1 and 1 + 2^-10: to even, so down; 1 + 3 * 2^-11 goes up
    values = np.array([[1 + 2**-11, 1 + 3 * 2**-11]], np.float32)
    wide = halved(TokenVectors(values, np.array([[0, 1]], np.int32))).widened()
    assert wide.vectors.tolist() == [[1.0, 1 + 2**-9]]
    assert wide.vectors.dtype == np.float32


def test_tags_differ_by_model_length_and_kind() -> None:
    kinds = [
        surprisal_kind("m"),
        surprisal_kind("n"),
        vectors_kind("m", 256),
        vectors_kind("m", 64),
        query_kind("m", 64),
    ]
    assert len({kind.tag for kind in kinds}) == 5
    assert [kind.stored for kind in kinds] == [True, True, True, True, False]


@pytest.mark.parametrize("text", ["", "Hello hello 42", "Привет world", "日本語 mixed ß"])
def test_lexical_round_trip(text: str) -> None:
    kind, value = lexical_kind(), lexical_features(text)
    assert kind.unpack(kind.pack(value)) == value


def test_arrays_of_another_form_are_refused() -> None:
    kind = surprisal_kind("m")
    good = kind.pack(TokenSurprisal(np.ones(2, np.float32), np.zeros((2, 2), np.int32)))
    kind.unpack(good)
    for wrong in (
        {"nll": good["nll"]},
        {**good, "offsets": np.zeros((3, 2), np.int32)},
        {**good, "nll": np.ones((2, 1), np.float32)},
        {**good, "nll": np.array([1, np.nan], np.float32)},
    ):
        with pytest.raises((KeyError, ValueError)):
            kind.unpack(wrong)
