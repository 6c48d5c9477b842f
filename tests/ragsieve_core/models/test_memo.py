"""Remembering changes no value, computes each text once, and never holds more than its limit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsieve_core.errors import InputError
from ragsieve_core.models.memo import MemoCausalLM, MemoTraceEncoder
from ragsieve_core.models.roles import TokenSurprisal, TokenVectors


class Counting:
    """A text's NLL is its code points; its vectors are as many as ``max_tokens`` allows."""

    key = "counting"

    def __init__(self) -> None:
        self.seen: list[str] = []

    def surprisal(self, texts: Sequence[str], *, progress: object = None) -> list[TokenSurprisal]:
        self.seen += texts
        return [
            TokenSurprisal(np.array([ord(c) for c in t], np.float32), np.zeros((len(t), 2), np.int32)) for t in texts
        ]

    def token_vectors(self, texts: Sequence[str], *, max_tokens: int, progress: object = None) -> list[TokenVectors]:
        self.seen += texts
        return [TokenVectors(np.ones((max_tokens, 2), np.float32), np.zeros((max_tokens, 2), np.int32)) for _ in texts]


@given(st.lists(st.lists(st.text("abc", max_size=4), max_size=6), max_size=8), st.integers(0, 200))
def test_values_are_those_of_the_model_and_the_limit_holds(calls: list[list[str]], limit: int) -> None:
    memo, plain = MemoCausalLM(Counting(), limit), Counting()
    for texts in calls:
        for found, wanted in zip(memo.surprisal(texts), plain.surprisal(texts), strict=True):
            np.testing.assert_array_equal(found.nll, wanted.nll)
        assert memo.held_bytes <= limit


def test_each_text_is_computed_once() -> None:
    model = Counting()
    memo = MemoCausalLM(model)
    memo.surprisal(["a", "b", "a"])
    memo.surprisal(["b", "c"])
    assert model.seen == ["a", "b", "c"]
    assert memo.key == "counting"


def test_the_least_recently_used_leaves_first() -> None:
    model = Counting()
    memo = MemoCausalLM(model, limit=24)  # two one-letter texts of 4 + 8 bytes
    memo.surprisal(["a"])
    memo.surprisal(["b"])
    memo.surprisal(["a"])
    memo.surprisal(["c"])
    memo.surprisal(["a"])
    assert model.seen == ["a", "b", "c"]
    memo.surprisal(["b"])
    assert model.seen == ["a", "b", "c", "b"]


def test_lengths_are_kept_apart() -> None:
    memo = MemoTraceEncoder(Counting())
    [long], [short] = memo.token_vectors(["a"], max_tokens=5), memo.token_vectors(["a"], max_tokens=3)
    assert (len(long.vectors), len(short.vectors)) == (5, 3)


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(InputError, match="memory limit"):
        MemoCausalLM(Counting(), -1)
