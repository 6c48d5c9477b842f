"""RSG scan against the bare float32 product X Xᵀ of the same run: ``python -m benchmarks.rsg_scan [--full]``.

Budgets: the search at most 0.5 of the bare product with bf16 units (0.65 without), everything else at most 0.07 of it,
memory at most the embeddings and 1 GiB, 1,000 documents added at least 20 times faster than the full search.
"""

from __future__ import annotations

import argparse
import os
import resource
import threading
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg import RSGConfig
from ragsieve_core.rsg.density import local_density
from ragsieve_core.rsg.incremental import update_neighbors
from ragsieve_core.rsg.integrity import integrity
from ragsieve_core.rsg.knn import SearchReport, search_neighbors
from ragsieve_core.rsg.lexical import neighbor_jaccard
from ragsieve_core.rsg.neighbor_state import SPARE, neighbor_state
from ragsieve_core.rsg.score import tail_probability, topology_score
from ragsieve_core.workers import worker_count

_BLOCK = 512


def encoder_like(count: int, dimension: int, seed: int = 0) -> NDArray[np.float32]:
    """Unit rows with a common mean, 120 directions of falling weight and topics of 12 pages, some tight."""
    generator = np.random.default_rng(seed)
    rank = min(120, dimension)
    basis = np.linalg.qr(generator.standard_normal((dimension, rank)))[0].T.astype(np.float32)
    weight = (np.arange(1, rank + 1) ** -0.35).astype(np.float32)
    topics = max(4, count // 12)
    centre = generator.standard_normal((topics, rank), dtype=np.float32)
    spread = generator.choice([0.25, 0.45, 0.8], topics, p=[0.3, 0.4, 0.3]).astype(np.float32)
    common = generator.standard_normal(dimension, dtype=np.float32)
    common *= 0.5 / np.linalg.norm(common)
    out = np.empty((count, dimension), dtype=np.float32)
    for start in range(0, count, 4096):
        size = min(4096, count - start)
        topic = generator.integers(0, topics, size)
        noise = generator.standard_normal((size, rank), dtype=np.float32)
        coordinates = (centre[topic] + spread[topic, None] * noise) * weight
        rows = coordinates @ basis
        length = np.linalg.norm(rows, axis=1, keepdims=True)
        rows += 0.01 * length * generator.standard_normal((size, dimension), dtype=np.float32)
        rows = 0.85 * rows / np.linalg.norm(rows, axis=1, keepdims=True) + common
        out[start : start + size] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return out


def texts_like(count: int, seed: int = 0) -> list[str]:
    """Texts of about 70 words with Zipf frequencies; in two of five a word is not ASCII."""
    generator = np.random.default_rng(seed)
    letters = np.array(list("etaoinshrdlucmfwyp"))
    words = ["".join(generator.choice(letters, size)) for size in generator.integers(2, 10, 40_000)]
    chance = 1.0 / np.arange(3, 40_003)
    edges = np.cumsum(chance / chance.sum())
    made = []
    for _ in range(count):
        picked = np.searchsorted(edges, generator.random(70)).tolist()
        made.append(
            " ".join(words[min(pick, 39_999)] for pick in picked) + (" café." if generator.random() < 0.4 else ".")
        )
    return made


def bare_product(vectors: NDArray[np.float32], rows: int) -> float:
    """Seconds of X Xᵀ in blocks of 512 rows, measured over ``rows`` of them and scaled to all."""
    transposed = vectors.T
    starts = range(0, min(rows, vectors.shape[0]), _BLOCK)
    vectors[:_BLOCK] @ transposed
    clock = time.perf_counter()
    for start in starts:
        vectors[start : start + _BLOCK] @ transposed
    return (time.perf_counter() - clock) * vectors.shape[0] / (len(starts) * _BLOCK)


@dataclass(slots=True)
class Run:
    """One size: seconds of each part, medians of the rounds."""

    count: int
    bare: float
    search: float
    rest: float
    memory_gib: float
    over_cut: float
    report: SearchReport


class PeakMemory:
    """Highest resident memory above that at the start, by sampling; the process's own maximum never falls."""

    def __enter__(self) -> PeakMemory:
        self.start = self.peak = _resident()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._over.wait(0.01):
            self.peak = max(self.peak, _resident())

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()
        self.gib = (self.peak - self.start) / 2**30


def _resident() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def measure(count: int, dimension: int, rounds: int, k: int, bare_rows: int) -> Run:
    """Bare product, search and the rest of a scan, one after another in each round."""
    vectors, texts = encoder_like(count, dimension), texts_like(count)
    ids = [f"d{number:07d}" for number in range(count)]
    config = RSGConfig()
    bare, search, rest, memory = [], [], [], []
    for _ in range(rounds):
        bare.append(bare_product(vectors, bare_rows))
        clock = time.perf_counter()
        with PeakMemory() as peak:
            found, report = search_neighbors(vectors, ids, k)
        search.append(time.perf_counter() - clock)
        clock = time.perf_counter()
        density = local_density(found.cosine, neighbor_jaccard(texts, found.index), config)
        topology_score(tail_probability(density.density), integrity(texts, config), config)
        rest.append(time.perf_counter() - clock)
        memory.append(peak.gib)
    over = float(((found.cosine >= config.cosine_cut).sum(axis=1) >= 4).mean())
    return Run(count, *(float(np.median(v)) for v in (bare, search, rest)), max(memory), over, report)


def measure_update(count: int, dimension: int, added: int, rounds: int, k: int) -> tuple[float, float]:
    """Seconds of the full search and of the update when ``added`` documents come to ``count``."""
    vectors = encoder_like(count + added, dimension)
    ids = [f"d{number:07d}" for number in range(count + added)]
    before = search_neighbors(vectors[:count], ids[:count], k + SPARE)[0]
    state = neighbor_state(vectors[:count], ids[:count], k + SPARE, before)
    full, update = [], []
    for _ in range(rounds):
        clock = time.perf_counter()
        whole = search_neighbors(vectors, ids, k)[0]
        full.append(time.perf_counter() - clock)
        clock = time.perf_counter()
        now = update_neighbors(state, vectors, ids, k)[0].neighbors(k)
        update.append(time.perf_counter() - clock)
        if not (np.array_equal(now.index, whole.index) and np.array_equal(now.cosine, whole.cosine)):
            raise SystemExit("the update differs from the full search")
    return float(np.median(full)), float(np.median(update))


def main(arguments: list[str] | None = None) -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--full", action="store_true", help="24,576 and 65,536 documents, 1,024 dimensions")
    parser.add_argument("--sizes", type=int, nargs="*", help="numbers of documents")
    parser.add_argument("--dimension", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--k", type=int, default=16)
    parser.add_argument("--added", type=int, default=1000)
    parser.add_argument("--bare-rows", type=int, default=8192, help="rows of the bare product that are measured")
    options = parser.parse_args([] if arguments is None else arguments)
    sizes = options.sizes or ([4096, 8192, 16_384, 24_576, 65_536] if options.full else [4096, 8192])
    # Loading the libraries is no part of a scan
    warm = encoder_like(512, 64)
    search_neighbors(warm, [str(row) for row in range(512)], options.k)
    print(f"{worker_count()} processors, load {os.getloadavg()[0]:.1f}, d = {options.dimension}, k = {options.k}")
    print("documents | bare s | search s | search/bare | rest/bare | memory GiB | redone | 4 over the cut")
    runs = []
    for size in sizes:
        run = measure(size, options.dimension, options.rounds, options.k, options.bare_rows)
        runs.append(run)
        print(
            f"{run.count:9,} | {run.bare:6.2f} | {run.search:8.2f} | {run.search / run.bare:11.3f} | "
            f"{run.rest / run.bare:9.3f} | {run.memory_gib:10.2f} | {run.report.redone_share:6.2%} | "
            f"{run.over_cut:.0%} ({run.report.precision})",
            flush=True,
        )
    if len(runs) > 1:
        slope = np.polyfit(np.log([run.count for run in runs]), np.log([run.search for run in runs]), 1)[0]
        print(f"growth of the search: N^{slope:.2f}")
    base = max(sizes)
    full, update = measure_update(base, options.dimension, options.added, options.rounds, options.k)
    print(f"{options.added:,} added to {base:,}: {update:.2f} s against {full:.2f} s, {full / update:.1f} times faster")
    print(f"load at the end {os.getloadavg()[0]:.1f}")
    return 0


if __name__ == "__main__":
    import sys

    raise SystemExit(main(sys.argv[1:]))
