"""Lists after any sequence of additions, changes and removals are those of a full search, bit for bit."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragsieve_core.errors import InputError
from ragsieve_core.rsg import CalibratedConfig, RSGConfig, score_corpus
from ragsieve_core.rsg.incremental import update_neighbors
from ragsieve_core.rsg.knn import search_neighbors
from ragsieve_core.rsg.neighbor_state import NeighborState, neighbor_state


@pytest.mark.parametrize("d", [58, 155, 167, 201, 222, 598])
@pytest.mark.parametrize("seed", range(3))
def test_rows_of_signs_equal_a_full_search(d: int, seed: int) -> None:
    """Binary embeddings: bfloat16 moves all their numbers equally far, which is the worst that rounding does."""
    rng = np.random.default_rng(seed)
    x = rng.choice([-1.0, 1.0], (40, d))[rng.integers(0, 40, 900)]
    x[rng.random(x.shape) < 0.04] *= -1
    x = unit((x / np.sqrt(d)).astype(np.float32))
    ids = [f"d{i}" for i in range(900)]
    state, _ = update_neighbors(neighbor_state(x[:850], ids[:850], 16), x, ids, 8, precision="bf16")
    found, wanted = state.neighbors(8), search_neighbors(x, ids, 8, precision="fp32")[0]
    np.testing.assert_array_equal(found.index, wanted.index)
    np.testing.assert_array_equal(found.cosine.view(np.uint32), wanted.cosine.view(np.uint32))


STEP = st.tuples(
    st.sampled_from([0.0, 0.02, 0.3, 0.9]), st.sampled_from([0.0, 0.05, 0.5]), st.sampled_from([0, 1, 5, 60]),
    st.booleans(),
)  # fmt: skip


def unit(x: np.ndarray) -> np.ndarray:
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 2**32 - 1), st.integers(1, 200), st.integers(2, 150), st.integers(1, 20),
    st.lists(STEP, min_size=1, max_size=4), st.sampled_from(["bf16", "fp32"]),
)  # fmt: skip
def test_any_sequence_equals_a_full_search(
    seed: int, values: int, count: int, k: int, steps: list[tuple[float, float, int, bool]], precision: str
) -> None:
    rng = np.random.default_rng(seed)
    pool = unit(rng.standard_normal((values, 6)))

    def draw(number: int) -> np.ndarray:
        return pool[rng.integers(0, values, number)]

    ids, x = [f"d{i}" for i in rng.permutation(count)], draw(count)
    state = neighbor_state(x, ids, k + int(rng.integers(0, 6)))
    for number, (removed, changed, added, shuffled) in enumerate(steps):
        keep = rng.random(len(ids)) >= removed
        ids, x = [one for one, kept in zip(ids, keep, strict=True) if kept], x[keep].copy()
        change = rng.random(len(ids)) < changed
        x[change] = draw(int(change.sum()))
        new = [f"n{number}.{i}" for i in range(max(added, 2 - len(ids)))]
        ids, x = ids + new, np.concatenate([x, draw(len(new))])
        order = rng.permutation(len(ids)) if shuffled else np.arange(len(ids))
        ids, x = [ids[row] for row in order], x[order]
        state, _ = update_neighbors(state, x, ids, k, precision=precision)
        found, wanted = state.neighbors(k), search_neighbors(x, ids, k)[0]
        np.testing.assert_array_equal(found.index, wanted.index)
        np.testing.assert_array_equal(found.cosine.view(np.uint32), wanted.cosine.view(np.uint32))


@pytest.mark.parametrize("config", [RSGConfig(), CalibratedConfig()], ids=["paper", "calibrated"])
def test_scores_and_flags_equal_a_full_scan(config: RSGConfig | CalibratedConfig) -> None:
    rng = np.random.default_rng(1)
    x = rng.standard_normal((260, 24))
    x[-5:] = rng.standard_normal(24) + 0.15 * rng.standard_normal((5, 24))
    x = unit(x)
    ids = [f"d{i:03d}" for i in range(260)]
    texts = [" ".join(f"w{word}" for word in rng.choice(300, 12)) for _ in ids]
    state = neighbor_state(x[:240], ids[:240], config.k + 8)
    rows = [row for row in range(260) if row not in (7, 70, 170)]
    now = ([ids[row] for row in rows], [texts[row] for row in rows], x[rows])
    one, two = score_corpus(*now, config), score_corpus(*now, config, previous=state)
    for name in ("score", "flagged", "tail_probability", "topology_score", "jaccard"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    np.testing.assert_array_equal(one.density.density, two.density.density)
    np.testing.assert_array_equal(one.neighbors.index, two.neighbors.index)
    assert one.flagged.any()


def test_lists_are_repaired_only_when_too_short(tmp_path: Path) -> None:
    x = unit(np.random.default_rng(2).standard_normal((400, 16)))
    ids = [f"d{i}" for i in range(400)]
    state = neighbor_state(x, ids, 12)
    state.save(tmp_path / "state")
    state.save(tmp_path / "state")
    assert [path.name for path in tmp_path.iterdir()] == ["state"]
    loaded = NeighborState.load(tmp_path / "state")
    assert loaded.ids == state.ids
    later, report = update_neighbors(loaded, x[:398], ids[:398], 10)
    assert (report.fresh, report.gone, report.moved, report.repaired) == (0, 2, 0, 0)
    _, report = update_neighbors(later, x[:300], ids[:300], 10)
    assert report.repaired > 0


def test_lists_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    x = unit(np.random.default_rng(3).standard_normal((30, 4)))
    ids = [f"d{i}" for i in range(30)]
    state = neighbor_state(x, ids, 5)
    with pytest.raises(InputError, match="at most 5"):
        update_neighbors(state, x, ids, 6)
    with pytest.raises(InputError, match="4 dimensions"):
        update_neighbors(state, x[:, :3], ids, 5)
    with pytest.raises(InputError, match="neighbour state"):
        NeighborState.load(tmp_path)


def test_a_small_update_needs_no_torch() -> None:
    code = """
import sys
import numpy as np
from ragsieve_core.rsg.incremental import update_neighbors
from ragsieve_core.rsg.knn import Neighbors
from ragsieve_core.rsg.neighbor_state import neighbor_state
from ragsieve_core.rsg.rescoring import pair_cosines

x = np.random.default_rng(0).standard_normal((60, 8)).astype(np.float32)
x /= np.linalg.norm(x, axis=1, keepdims=True)
ids = [f"d{row:02d}" for row in range(60)]

def brute(count):
    pairs = np.array([[i, j] for i in range(count) for j in range(count)])
    cosine = pair_cosines(x, pairs[:, 0], pairs[:, 1]).reshape(count, count)
    np.fill_diagonal(cosine, -np.inf)
    index = np.argsort(-cosine, axis=1, kind="stable")[:, :5].astype(np.int32)
    return Neighbors(index, np.take_along_axis(cosine, index, 1))

state = neighbor_state(x[:50], ids[:50], 5, brute(50))
found = update_neighbors(state, x, ids, 5)[0].neighbors(5)
assert (found.index == brute(60).index).all() and (found.cosine == brute(60).cosine).all()
assert "torch" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", code], check=True)
