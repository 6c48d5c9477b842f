"""RSG scan against the bare float32 product X Xᵀ of the same run: ``python -m benchmarks rsg_scan [-- OPTIONS]``.

Bounds, from 24,576 documents of 512 dimensions or more on: search at most 0.5 of the bare product with bf16 units, and
at most 0.65 without; everything else at most 0.07; memory at most the embeddings and 1 GiB. Exits 1 where one is
missed. A scan after documents were added is measured by ``rsg_update``.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks._rsg_shapes import encoder_like, texts_like, texts_of
from ragsieve_core.rsg import RSGConfig, score_corpus
from ragsieve_core.rsg.features import text_features
from ragsieve_core.rsg.knn import search_neighbors
from ragsieve_core.rsg.score import score_paper
from ragsieve_core.rsg.screening import has_bf16_units
from ragsieve_core.workers import worker_count

_BLOCK = 512
_BINDING = 24_576
"""Documents from which the bounds hold; below, what does not grow with N^2 is most of the work."""
LIMITS = {"bf16": 0.5, "fp32": 0.65, "rest": 0.07, "memory": 1.0}


def bare_product(vectors: NDArray[np.float32], rows: int) -> float:
    """Seconds of X Xᵀ in blocks of 512 rows, measured over ``rows`` of them and scaled to all."""
    transposed = vectors.T
    starts = range(0, min(rows, vectors.shape[0]), _BLOCK)
    vectors[:_BLOCK] @ transposed
    clock = time.perf_counter()
    for start in starts:
        vectors[start : start + _BLOCK] @ transposed
    return (time.perf_counter() - clock) * vectors.shape[0] / min(len(starts) * _BLOCK, vectors.shape[0])


@dataclass(frozen=True, slots=True)
class Run:
    """One size; seconds and ratios are medians of the rounds, a ratio is of one round's own bare product."""

    count: int
    bare: float
    search: dict[str, float]
    ratio: dict[str, float]
    rest: float
    memory_gib: float
    redone: float
    over_cut: float


class PeakMemory:
    """Highest memory above that at the start, by sampling: a process's own maximum never falls.

    Pages of files are not counted: those of a memory-mapped matrix are the embeddings themselves.
    """

    def __enter__(self) -> PeakMemory:
        self.start = self.peak = _anonymous()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._over.wait(0.01):
            self.peak = max(self.peak, _anonymous())

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()
        self.gib = (self.peak - self.start) / 2**30


def _anonymous() -> int:
    with open("/proc/self/status", encoding="ascii") as file:
        return sum(int(line.split()[1]) * 1024 for line in file if line.startswith(("RssAnon", "RssShmem")))


def measure(vectors: NDArray[np.float32], texts: Sequence[str], rounds: int, k: int, paths: Sequence[str]) -> Run:
    """Bare product, search by each path and the rest of a scan, one after another in each round."""
    count = vectors.shape[0]
    ids = [f"d{number:07d}" for number in range(count)]
    config = RSGConfig(k=k)
    bare: list[float] = []
    search: dict[str, list[float]] = {path: [] for path in paths}
    rest, memory, redone = [], [], 0.0
    for _ in range(rounds):
        bare.append(bare_product(vectors, 8192))
        for path in paths:
            clock = time.perf_counter()
            with PeakMemory() as peak:
                found, report = search_neighbors(vectors, ids, k, precision=path)
            search[path].append(time.perf_counter() - clock)
            memory.append(peak.gib)
            redone = max(redone, report.redone_share)
        clock = time.perf_counter()
        score_paper(ids, found, text_features(texts, found.index), config)
        rest.append(time.perf_counter() - clock)
    over = float(((found.cosine >= config.cosine_cut).sum(axis=1) >= 4).mean())
    ratio = {path: float(np.median(np.divide(seconds, bare))) for path, seconds in search.items()}
    ratio["rest"] = float(np.median(np.divide(rest, bare)))
    return Run(
        count,
        float(np.median(bare)),
        {path: float(np.median(seconds)) for path, seconds in search.items()},
        ratio,
        float(np.median(rest)),
        max(memory),
        redone,
        over,
    )


def measure_memory(count: int, dimension: int, texts: Sequence[str], k: int) -> tuple[float, float]:
    """GiB beyond the embeddings and seconds of a whole scan of a memory-mapped matrix."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "embeddings.npy"
        np.save(path, encoder_like(count, dimension))
        vectors = np.load(path, mmap_mode="r")
        ids = [f"d{number:07d}" for number in range(count)]
        clock = time.perf_counter()
        with PeakMemory() as peak:
            score_corpus(ids, texts, vectors, RSGConfig(k=k))
        return peak.gib, time.perf_counter() - clock


def main(arguments: list[str] | None = None) -> int:
    """Run and print; 1 if a bound was missed."""
    parser = argparse.ArgumentParser(prog="rsg_scan", description=__doc__)
    parser.add_argument(
        "--sizes", type=int, nargs="*", default=[4096, 8192, 16_384, 24_576, 65_536], help="numbers of documents"
    )
    parser.add_argument("--fp32-sizes", type=int, nargs="*", default=[24_576], help="those also searched without bf16")
    parser.add_argument("--memory-size", type=int, default=128_544, help="documents of the memory-mapped scan; 0: none")
    parser.add_argument("--dimension", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--k", type=int, default=16)
    parser.add_argument("--texts", type=Path, help="JSON lines with a field text, instead of made ones")
    options = parser.parse_args([] if arguments is None else arguments)
    largest = max([*options.sizes, *options.fp32_sizes, options.memory_size])
    texts = texts_of(options.texts, largest) if options.texts else texts_like(largest)
    # Loading the libraries is no part of a scan
    search_neighbors(encoder_like(512, 64), [str(row) for row in range(512)], options.k)
    default = "bf16" if has_bf16_units() else "fp32"
    print(
        f"{worker_count()} processors, bf16 units: {has_bf16_units()}, load {os.getloadavg()[0]:.1f}, "
        f"d = {options.dimension}, k = {options.k}, medians of {options.rounds}"
    )
    missed: list[str] = []

    def check(holds: bool, words: str) -> None:
        if not holds:
            missed.append(words)

    print("documents |  bare s | path | search s | search/bare |  rest s | rest/bare | memory GiB | redone | >= 4 near")
    runs = []
    for size in sorted({*options.sizes, *options.fp32_sizes}):
        paths = [default, *(["fp32"] if size in options.fp32_sizes and default != "fp32" else [])]
        run = measure(encoder_like(size, options.dimension), texts[:size], options.rounds, options.k, paths)
        runs.append(run)
        for path in paths:
            print(
                f"{size:9,} | {run.bare:7.2f} | {path} | {run.search[path]:8.2f} | {run.ratio[path]:11.3f} | "
                f"{run.rest:7.3f} | {run.ratio['rest']:9.3f} | {run.memory_gib:10.2f} | {run.redone:6.2%} | "
                f"{run.over_cut:.0%}",
                flush=True,
            )
        check(run.memory_gib <= LIMITS["memory"], f"memory at {size:,}: {run.memory_gib:.2f} GiB beyond the embeddings")
        if size >= _BINDING and options.dimension >= 512:
            for name, value in run.ratio.items():
                check(
                    value <= LIMITS[name], f"{name} at {size:,}: {value:.3f} of the bare product, {LIMITS[name]} asked"
                )
    if len(runs) > 1:
        slope = np.polyfit(np.log([run.count for run in runs]), np.log([run.search[default] for run in runs]), 1)[0]
        print(f"growth of the search from {runs[0].count:,} to {runs[-1].count:,}: N^{slope:.2f}")
        check(slope <= 2.0, f"growth N^{slope:.2f}: more than the pairs grow")
    if options.memory_size:
        gib, seconds = measure_memory(options.memory_size, options.dimension, texts[: options.memory_size], options.k)
        print(f"scan of {options.memory_size:,}, memory-mapped: {seconds:.1f} s, {gib:.2f} GiB beyond the embeddings")
        check(gib <= LIMITS["memory"], f"memory at {options.memory_size:,}: {gib:.2f} GiB beyond the embeddings")
    print(f"load at the end {os.getloadavg()[0]:.1f}")
    for words in missed:
        print(f"MISSED {words}")
    return 1 if missed else 0


if __name__ == "__main__":
    import sys

    raise SystemExit(main(sys.argv[1:]))
