"""Places of group members in neighbour lists, against looking them up one by one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.rsg.calibrated.seats import seats


def place_of(row: list[int], document: int) -> int:
    return row.index(document) if document in row else len(row)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(2, 40), st.integers(1, 35), st.integers(1, 13), st.integers(1, 20))
def test_places_and_outsiders(seed: int, count: int, depth: int, widest: int, groups: int) -> None:
    rng = np.random.default_rng(seed)
    index = np.full((count, depth), -1, dtype=np.int32)
    for row in range(count):
        some = rng.permutation([other for other in range(count) if other != row])[: rng.integers(0, depth + 1)]
        index[row, : some.size] = some
    members = np.full((groups, widest), -1, dtype=np.int32)
    for group in members:
        some = rng.permutation(count)[: rng.integers(1, widest + 1)]
        group[: some.size] = some
    place, first, second = seats(index, members)
    assert place.shape == (widest, widest, groups)
    for group, rows in enumerate(members.tolist()):
        held = [row for row in rows if row >= 0]
        for i, own in enumerate(held):
            listed = index[own].tolist()
            outside = [at for at, other in enumerate(listed) if other >= 0 and other not in held]
            assert [first[i, group], second[i, group]] == [*outside, depth, depth][:2]
            for j, other in enumerate(rows):
                # A missing member, -1, is not met in an unused place
                assert place[j, i, group] == (place_of(listed, other) if other >= 0 else depth)


@pytest.mark.parametrize("depth", [8, 16, 247, 300])
def test_the_last_place_of_a_list_of_any_length(depth: int) -> None:
    index = np.arange(1, depth + 1, dtype=np.int32)[None, :].repeat(depth + 1, axis=0)
    place, first, second = seats(index, np.array([[0, depth]], dtype=np.int32))
    assert place[1, 0, 0] == depth - 1
    assert (first[0, 0], second[0, 0]) == (0, 1)
