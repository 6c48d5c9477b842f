"""The byte limit holds whatever is asked; least recently used leaves first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragsieve_core.errors import InputError
from ragsieve_core.models.feature_cache.memory import MemoryTier


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 60)), max_size=60), st.integers(0, 100))
def test_the_limit_holds_and_the_count_is_right(puts: list[tuple[int, int]], limit: int) -> None:
    memory, sizes = MemoryTier(limit), {}
    for name, size in puts:
        memory.put(("k", str(name)), size, size)
        sizes[str(name)] = size
        held = [n for n in sizes if ("k", n) in memory]
        assert memory.bytes == sum(sizes[n] for n in held) <= limit
        assert len(memory) == len(held)


def test_least_recently_used_leaves_first() -> None:
    memory = MemoryTier(20)
    memory.put(("k", "a"), "A", 10)
    memory.put(("k", "b"), "B", 10)
    assert memory.get(("k", "a")) == "A"
    memory.put(("k", "c"), "C", 10)
    assert ("k", "b") not in memory
    assert memory.get(("k", "a")) == "A"


def test_one_larger_than_the_limit_replaces_nothing_but_itself() -> None:
    memory = MemoryTier(20)
    memory.put(("k", "a"), "A", 10)
    memory.put(("k", "b"), "B", 21)
    assert memory.get(("k", "a")) == "A"
    memory.put(("k", "a"), "A2", 21)
    assert memory.get(("k", "a")) is None
    assert memory.bytes == 0


def test_drop() -> None:
    memory = MemoryTier()
    for name in ("xa", "xb", "ya"):
        memory.put(("k", name), name, 1)
    assert memory.drop(lambda name: name.startswith("x")) == 2
    assert len(memory) == memory.bytes == 1


def test_a_negative_limit_is_refused() -> None:
    with pytest.raises(InputError, match="-1 bytes"):
        MemoryTier(-1)
