"""Coverage of the rate intervals, simulated: ``python -m benchmarks interval_coverage``.

Beta-binomial clusters of five: 20 and 100 clusters, rates from 0.6 to 0.98, correlation inside a cluster from 0 to 0.6.
Prints the share of 95 % intervals that hold the true rate, as Markdown.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ragsieve_core.evaluate.rate import clustered_rate

SIZE, ROUNDS = 5, 4000
RATES = (0.6, 0.7, 0.8, 0.9, 0.95, 0.98)
CORRELATIONS = (0.0, 0.1, 0.3, 0.6)


def coverage(clusters: int, correlation: float, rate: float, rounds: int = ROUNDS) -> float:
    """Share of intervals that hold the rate."""
    rng = np.random.default_rng([clusters, int(100 * correlation), int(100 * rate)])
    if correlation:
        spread = (1 - correlation) / correlation
        share = rng.beta(rate * spread, (1 - rate) * spread, (rounds, clusters))
    else:
        share = np.full((rounds, clusters), rate)
    hits = rng.binomial(SIZE, share)
    cluster = np.repeat(np.arange(clusters), SIZE)
    held = 0
    for row in hits:
        found = clustered_rate((np.arange(SIZE) < row[:, None]).ravel(), cluster)
        held += found.low <= rate <= found.high
    return held / rounds


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 1 where a cell up to a correlation of 0.3 leaves 93 to 98 % by more than chance."""
    print("| clusters | correlation | " + " | ".join(f"{rate:g}" for rate in RATES) + " |")
    print("|---|---|" + "---|" * len(RATES))
    missed = False
    for clusters in (20, 100):
        for correlation in CORRELATIONS:
            row = [coverage(clusters, correlation, rate) for rate in RATES]
            print(
                f"| {clusters} | {correlation:g} | " + " | ".join(f"{100 * one:.1f}" for one in row) + " |", flush=True
            )
            # Three standard errors of a share near 0.95 over the rounds
            chance = 3 * (0.95 * 0.05 / ROUNDS) ** 0.5
            missed |= correlation <= 0.3 and not all(0.93 - chance <= one <= 0.98 + chance for one in row)
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
