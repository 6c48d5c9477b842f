"""RSG scan after documents were added, against one from nothing: ``python -m benchmarks rsg_update [-- OPTIONS]``.

Both rules, each with its texts. Bound, where the products alone allow thirty times (65,536 documents and 1,000 more):
search and whole scan by `paper` at least 20 times faster than from nothing. Exits 1 where it is missed, and where the
two scans differ in a bit. No bound is set for `calibrated`, where every group is measured anew. What an earlier scan
kept is at hand: reading it from files is no part of it. Processor seconds are printed besides, which other work on the
machine disturbs less.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from benchmarks._rsg_shapes import encoder_like, texts_like, texts_of
from benchmarks.rsg_scan import PeakMemory
from ragsieve_core.rsg import CalibratedConfig, CorpusEvidence, RSGConfig
from ragsieve_core.rsg.calibrated.score import score_calibrated
from ragsieve_core.rsg.features import text_features
from ragsieve_core.rsg.incremental import update_neighbors
from ragsieve_core.rsg.knn import Neighbors, search_neighbors
from ragsieve_core.rsg.rescan import rescan
from ragsieve_core.rsg.score import score_paper
from ragsieve_core.workers import worker_count

LEAST = 20.0
_COMPARED = ("score", "jaccard", "tail_probability", "integrity", "flagged", "evidence", "expected_number", "group")
_PARTS = ("search", "rest", "search again", "scan again")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class Update:
    """One rule: medians of the rounds, of each part (wall, processor) seconds; ratios are of one round's own figures.

    ``times`` has the search alone and the whole scan, by wall and by processor.
    """

    seconds: dict[str, tuple[float, float]]
    times: dict[str, tuple[float, float]]
    memory_gib: float


def measure_update(
    config: RSGConfig | CalibratedConfig, vectors: NDArray[np.float32], texts: Sequence[str], added: int, rounds: int
) -> Update:
    """Scans from nothing and from the state before the last ``added`` documents came, in turn."""
    ids = [f"d{number:07d}" for number in range(vectors.shape[0])]
    count = vectors.shape[0] - added
    _, state, _ = rescan(ids[:count], texts[:count], vectors[:count], config)
    rows = []
    for _ in range(rounds):
        spent: list[tuple[float, float]] = []
        full = _timed(spent, lambda: search_neighbors(vectors, ids, config.k)[0])
        wanted = _timed(spent, partial(_score, ids, texts, full, config))
        near = _timed(spent, lambda: update_neighbors(state.neighbors, vectors, ids, config.k)[0].neighbors(config.k))
        found = _timed(spent, lambda: rescan(ids, texts, vectors, config, previous=state)[0])
        if not (np.array_equal(near.index, full.index) and np.array_equal(near.cosine, full.cosine)):
            raise SystemExit("the update differs from the full search")
        for name in _COMPARED:
            if hasattr(wanted, name) and not np.array_equal(getattr(found, name), getattr(wanted, name)):
                raise SystemExit(f"{name}: the scan after an update differs from the full scan")
        rows.append(spent)
        print(
            "  " + ", ".join(f"{name} {wall:.2f} s" for name, (wall, _) in zip(_PARTS, spent, strict=True)), flush=True
        )
    with PeakMemory() as peak:
        rescan(ids, texts, vectors, config, previous=state)
    each = np.array(rows)
    times = {"search": each[:, 0] / each[:, 2], "scan": (each[:, 0] + each[:, 1]) / each[:, 3]}
    return Update(
        {name: _pair(np.median(each[:, place], axis=0)) for place, name in enumerate(_PARTS)},
        {name: _pair(np.median(value, axis=0)) for name, value in times.items()},
        peak.gib,
    )


def _pair(values: NDArray[np.float64]) -> tuple[float, float]:
    return float(values[0]), float(values[1])


def _timed(spent: list[tuple[float, float]], work: Callable[[], Result]) -> Result:
    wall, own = time.perf_counter(), time.process_time()
    done = work()
    spent.append((time.perf_counter() - wall, time.process_time() - own))
    return done


def _score(
    ids: Sequence[str], texts: Sequence[str], near: Neighbors, config: RSGConfig | CalibratedConfig
) -> CorpusEvidence:
    if isinstance(config, CalibratedConfig):
        return score_calibrated(ids, texts, near, config)
    return score_paper(ids, near, text_features(texts, near.index), config)


def main(arguments: list[str] | None = None) -> int:
    """Run and print; 1 if a bound was missed."""
    parser = argparse.ArgumentParser(prog="rsg_update", description=__doc__)
    parser.add_argument("--size", type=int, default=65_536, help="documents that others are added to")
    parser.add_argument("--added", type=int, default=1000)
    parser.add_argument("--rules", nargs="*", default=["paper", "calibrated"], choices=["paper", "calibrated"])
    parser.add_argument("--dimension", type=int, default=1024)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--texts", type=Path, help="JSON lines with a field text, instead of made ones")
    options = parser.parse_args([] if arguments is None else arguments)
    size, added = options.size, options.added
    vectors = encoder_like(size + added, options.dimension)
    texts = texts_of(options.texts, size + added) if options.texts else texts_like(size + added)
    # Loading the libraries is no part of a scan
    search_neighbors(encoder_like(512, 64), [str(row) for row in range(512)], 16)
    bound = size / (2 * added)
    print(
        f"{added:,} added to {size:,}, d = {options.dimension}, {worker_count()} processors, load "
        f"{os.getloadavg()[0]:.1f}, medians of {options.rounds}; bound of the products alone {bound:.0f}",
        flush=True,
    )
    missed = []
    for rule in options.rules:
        config = CalibratedConfig() if rule == "calibrated" else RSGConfig()
        done = measure_update(config, vectors, texts, added, options.rounds)
        for clock, name in enumerate(("wall", "processor")):
            parts = ", ".join(f"{part} {done.seconds[part][clock]:.2f}" for part in _PARTS)
            ratios = ", ".join(f"{part} {value[clock]:.1f} times faster" for part, value in done.times.items())
            print(f"{rule}, {name} seconds: {parts}: {ratios}", flush=True)
        print(f"{rule}: the scan again takes {done.memory_gib:.2f} GiB at most")
        for part, value in done.times.items():
            if bound >= 30 and value[0] < LEAST and rule == "paper":
                missed.append(f"{part} by {rule} after {added:,} came to {size:,}: {value[0]:.1f} times faster")
    print(f"load at the end {os.getloadavg()[0]:.1f}")
    for words in missed:
        print(f"MISSED {words}")
    return 1 if missed else 0


if __name__ == "__main__":
    import sys

    raise SystemExit(main(sys.argv[1:]))
