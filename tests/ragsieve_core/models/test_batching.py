from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsieve_core.errors import InputError
from ragsieve_core.models.batching import length_batches, map_texts


@given(st.lists(st.integers(0, 600), max_size=80), st.integers(1, 2000), st.integers(1, 20))
def test_batches_hold_every_item_once_within_the_budget(lengths: list[int], budget: int, most: int) -> None:
    batches = list(length_batches(lengths, budget, most))
    assert sorted(i for batch in batches for i in batch) == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) <= most
        assert len(batch) == 1 or max(lengths[i] for i in batch) * len(batch) <= budget


def test_batches_are_of_near_length() -> None:
    assert list(length_batches([1, 9, 2, 8], budget=18)) == [[1, 3], [2, 0]]


@given(st.lists(st.text(max_size=5), max_size=40))
def test_results_come_in_input_order_and_equal_texts_are_computed_once(texts: list[str]) -> None:
    seen: list[str] = []
    steps: list[tuple[int, int]] = []

    def compute(batch: list[str]) -> list[str]:
        seen.extend(batch)
        return [text.upper() for text in batch]

    out = map_texts(
        texts,
        prepare=list,
        length=len,
        compute=compute,
        budget=7,
        progress=lambda done, all_: steps.append((done, all_)),
    )
    assert out == [text.upper() for text in texts]
    assert sorted(seen) == sorted(set(texts))
    assert [step[0] for step in steps] == sorted(step[0] for step in steps)
    assert not texts or steps[-1] == (len(texts), len(texts))


def test_windows_are_joined_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragsieve_core.models.batching.WINDOW", 3)
    texts = [str(i) for i in range(10)]
    assert map_texts(texts, prepare=list, length=len, compute=list, budget=2) == texts


@pytest.mark.parametrize("texts", ["one string", [b"bytes"], ["text", None]])
def test_what_is_not_a_list_of_texts_is_named(texts: object) -> None:
    with pytest.raises(InputError, match="where a"):
        map_texts(texts, prepare=list, length=len, compute=list, budget=2)  # type: ignore[arg-type]
