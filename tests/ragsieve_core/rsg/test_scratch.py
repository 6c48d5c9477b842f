"""A search killed in the middle leaves whole blocks, and the next one starts from them."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from ragsieve_core.rsg.knn import nearest_neighbors, search_neighbors
from ragsieve_core.rsg.scratch import Scratch

CHILD = """
import sys
from pathlib import Path
import numpy as np
from ragsieve_core.rsg.knn import search_neighbors
vectors = np.load(sys.argv[1])
search_neighbors(vectors, [str(row) for row in range(len(vectors))], 8, block=100, scratch=Path(sys.argv[2]))
"""
ROOT = Path(__file__).parents[3]


def corpus(count: int) -> np.ndarray:
    x = np.random.default_rng(0).standard_normal((count, 256))
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)


def test_a_killed_search_goes_on_from_its_blocks(tmp_path: Path) -> None:
    vectors = corpus(4000)
    np.save(tmp_path / "vectors.npy", vectors)
    scratch = tmp_path / "scratch"
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(tmp_path / "vectors.npy"), str(scratch)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"},
    )
    until = time.monotonic() + 60
    while len(list(scratch.glob("*/block-*.npz"))) < 3 and time.monotonic() < until and child.poll() is None:
        time.sleep(0.002)
    assert child.poll() is None
    child.send_signal(signal.SIGKILL)
    child.wait()
    ids = [str(row) for row in range(len(vectors))]
    found, report = search_neighbors(vectors, ids, 8, block=100, scratch=scratch)
    assert report.reused_blocks >= 3
    whole = nearest_neighbors(vectors, ids, 8)
    np.testing.assert_array_equal(found.index, whole.index)
    np.testing.assert_array_equal(found.cosine, whole.cosine)
    assert not list(scratch.iterdir())


def test_an_interrupted_search_goes_on_and_other_vectors_do_not_use_its_blocks(tmp_path: Path) -> None:
    vectors = corpus(600)
    ids = [str(row) for row in range(600)]

    def stop(done: int, total: int) -> None:
        if done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        search_neighbors(vectors, ids, 8, block=100, scratch=tmp_path, progress=stop)
    assert len(list(tmp_path.glob("*/block-*.npz"))) >= 1
    assert not list(tmp_path.glob("*/*.part"))
    assert search_neighbors(vectors[::-1], ids, 8, block=100, scratch=tmp_path)[1].reused_blocks == 0
    found, report = search_neighbors(vectors, ids, 8, block=100, scratch=tmp_path)
    assert report.reused_blocks >= 1
    np.testing.assert_array_equal(found.index, nearest_neighbors(vectors, ids, 8).index)


def test_a_torn_file_is_no_block(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path, "key")
    scratch.save("block", np.arange(5))
    file = scratch.folder / "block.npz"
    file.write_bytes(file.read_bytes()[:40])
    assert scratch.load("block") is None
