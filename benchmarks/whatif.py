"""What-if over a million candidates and a quarter million documents: ``python -m benchmarks whatif``.

Bounds: a move of RSQ over 1,000,000 candidate rows within 200 ms and its intervals within 200 ms more; a move of RSG
over 250,000 documents with 16 stored neighbours within 300 ms. Medians of several moves on prepared columns; each is
checked against a plain recomputation first.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence

import numpy as np

from ragsieve_core.rsg.config import RSGConfig
from ragsieve_core.rsg.density import local_density
from ragsieve_core.rsg.score import tail_probability, topology_score
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.whatif import rsg, rsq
from ragsieve_core.whatif.outcome import Truth, flips, truth_rates, volume

CANDIDATES, PER_QUERY, DOCUMENTS, K = 1_000_000, 5, 250_000, 16
ROUNDS = 7


def candidates(rng: np.random.Generator) -> tuple[rsq.RSQColumns, Truth, np.ndarray, np.ndarray]:
    """Terms, labels, ages and verdicts."""
    terms = rng.gamma(0.5, 0.3, (4, CANDIDATES))
    event = np.repeat(np.arange(CANDIDATES // PER_QUERY, dtype=np.int32), PER_QUERY)
    columns = rsq.RSQColumns(*terms, terms.sum(axis=0) >= 1, event, CANDIDATES // PER_QUERY)
    poison = (rng.random(CANDIDATES) < 0.1).astype(np.int8)
    age = rng.uniform(0, 90, CANDIDATES // PER_QUERY).astype(np.float32)
    verdict = rng.choice([0, 1, 2], CANDIDATES, p=[0.98, 0.01, 0.01]).astype(np.int8)
    return columns, Truth(poison, event.astype(np.int64), "labels"), age, verdict


def documents(rng: np.random.Generator) -> rsg.RSGColumns:
    """Neighbour cosines as a wiki has them, most below the published cut."""
    cosine = np.sort(rng.beta(9, 6, (DOCUMENTS, K)).astype(np.float32), axis=1)[:, ::-1].copy()
    close = rng.random(DOCUMENTS) < 0.1
    cosine[close] = np.minimum(1, cosine[close] + np.float32(0.25))
    jaccard = rng.beta(2, 6, (DOCUMENTS, K))
    integrity = (rng.random(DOCUMENTS) < 0.003).astype(np.float64)
    blank = np.zeros(DOCUMENTS)
    return rsg.RSGColumns(
        RSGConfig(),
        blank.astype(bool),
        integrity,
        blank,
        np.ascontiguousarray(cosine.T),
        np.ascontiguousarray(jaccard.T),
    )


def timed(work: Callable[[int], object]) -> float:
    """Median milliseconds over the rounds."""
    took = []
    for number in range(ROUNDS):
        start = time.perf_counter()
        work(number)
        took.append((time.perf_counter() - start) * 1000)
    return statistics.median(took)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print each figure beside its bound; 1 if one was missed."""
    rng = np.random.default_rng(0)
    held, truth, age, verdict = candidates(rng)
    settings = [
        rsq.moved(
            RSQConfig(), {"eta_Q": 0.8 + number / 20, "weight.script": 0.5, "gate.anchor": 0.1, "script_support": 0.2}
        )
        for number in range(ROUNDS)
    ]
    flagged = [rsq.rescore(held, one)[1] for one in settings]

    def move(number: int) -> None:
        _, now = rsq.rescore(held, settings[number])
        volume(now, held.event, age)
        flips(held.flagged, now, verdict)

    stored = documents(rng)
    configs = [
        rsg.moved(RSGConfig(), {"tau_e": 0.85 - number / 40, "tau_l": 0.9, "k_G": 16 - number})
        for number in range(ROUNDS)
    ]
    assert stored.cosine is not None
    assert stored.jaccard is not None
    plain = local_density(stored.cosine.T[:, : configs[3].k], stored.jaccard.T[:, : configs[3].k], configs[3]).density
    expected = np.maximum(topology_score(tail_probability(plain), stored.integrity, configs[3]), stored.integrity)
    same = bool((rsg.rescore(stored, configs[3]).score == expected).all())
    print(f"RSG scores equal the plain recomputation: {same}")
    figures = (
        ("RSQ move, volume and flips over 1,000,000 candidates", timed(move), 200),
        ("RSQ rates with intervals, on top", timed(lambda number: truth_rates(flagged[number], truth)), 200),
        ("RSG move over 250,000 documents", timed(lambda number: rsg.rescore(stored, configs[number])), 300),
        (
            "RSG move with every neighbour above the cut",
            timed(
                lambda number: rsg.rescore(
                    stored, rsg.moved(RSGConfig(), {"tau_e": 0.1, "alpha_G": 0.01 + number / 100})
                )
            ),
            300,
        ),
    )
    missed = not same
    for name, took, bound in figures:
        print(f"{name}: {took:.0f} ms (bound {bound} ms){'' if took <= bound else ' MISSED'}")
        missed |= took > bound
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
