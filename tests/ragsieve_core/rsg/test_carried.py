from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.rsg.carried import carried_places, rows_before


@settings(deadline=None, max_examples=80)
@given(
    st.integers(0, 2**32 - 1), st.integers(2, 25), st.integers(0, 12), st.integers(1, 12), st.integers(1, 12),
    st.booleans(), st.booleans(),
)  # fmt: skip
def test_places_by_the_definition(
    seed: int, count: int, added: int, depth: int, k: int, at_end: bool, twice: bool
) -> None:
    rng = np.random.default_rng(seed)
    then = [f"t{number % 9 if twice else number}" for number in range(count)]
    now = [*then, *(f"n{number}" for number in range(added))]
    if not at_end:
        now = [now[row] for row in rng.permutation(len(now))[: max(2, len(now) - 3)]]
    depth, k = min(depth, count - 1), min(k, len(now) - 1)

    def lists(size: int, width: int) -> np.ndarray:
        rows = [[o for o in rng.permutation(size) if o != row][:width] for row in range(size)]
        return np.array(rows, dtype=np.int32).reshape(size, width)

    before, leader = rows_before(tuple(then), tuple(now))
    earlier, asked = lists(count, depth), lists(len(now), k)
    if at_end:
        # Lists that only took in a few new neighbours
        for row in range(count):
            kept = earlier[row].tolist()
            for new in rng.permutation(np.arange(count, len(now)))[: rng.integers(0, 4)].tolist():
                kept.insert(int(rng.integers(0, len(kept) + 1)), new)
            kept = [*kept, *(other for other in asked[row].tolist() if other not in kept and other != row)]
            asked[row] = kept[:k]
    place = carried_places(earlier, asked, before, leader)
    for row in range(len(now)):
        for spot, other in enumerate(asked[row].tolist()):
            texts = (now[row], now[other])
            if place[row, spot] >= 0:
                # The pair that stood there was of the same two texts
                old, at = divmod(int(place[row, spot]), depth)
                assert (then[old], then[int(earlier[old, at])]) == texts
            elif not twice and before[row] >= 0 and before[other] >= 0:
                # Of texts that stand in two documents one may be passed over: it is worked out anew
                assert texts[1] not in [then[one] for one in earlier[before[row]].tolist()]
