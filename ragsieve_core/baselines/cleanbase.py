"""CleanBase: cliques of documents whose similarity is unusual for the corpus, no regard to wording.

Re-implemented from the description of the method; the reference takes a random half of the edges to set its
threshold, here all of them count, so the result is the same every time.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.knn import Neighbors


@dataclass(frozen=True, slots=True)
class CleanBaseResult:
    """CleanBase on N documents.

    Attributes
    ----------
    flagged : bool (N,), member of a clique of 3 to k + 1 documents that is not made of exact duplicates.
    threshold : mean + deviations times the standard deviation of the edge weights; an edge needs more.
    triangle : float64 (N,), the largest, over triangles of the unpruned graph that hold the document, of their
        smallest edge weight; -1 without one. Higher = more suspicious. The document is in a clique of three or more
        exactly where it exceeds the threshold.
    cliques : maximal cliques kept, members increasing, in order of their smallest members.
    """

    flagged: NDArray[np.bool_]
    threshold: float
    triangle: NDArray[np.float64]
    cliques: tuple[tuple[int, ...], ...]


def cleanbase(neighbors: Neighbors, *, k: int = 10, deviations: float = 2.5) -> CleanBaseResult:
    """The binary rule and its score.

    Parameters
    ----------
    neighbors : at least ``k`` nearest neighbours of each document, fewer only in a smaller corpus.
    k : neighbours that give edges.
    deviations : alpha of the threshold.
    """
    count = neighbors.index.shape[0]
    weights = edge_weights(neighbors, k)
    values = np.array(list(weights.values()), dtype=np.float64)
    threshold = float(values.mean() + deviations * values.std()) if values.size else float("inf")
    near: list[set[int]] = [set() for _ in range(count)]
    for (one, other), weight in weights.items():
        if weight > threshold:
            near[one].add(other)
            near[other].add(one)
    flagged = np.zeros(count, dtype=bool)
    kept = []
    for clique in maximal_cliques(near):
        if not 3 <= len(clique) <= k + 1:
            continue
        pairs = [weights[one, other] for place, one in enumerate(clique) for other in clique[place + 1 :]]
        if float(np.mean(pairs)) < 1.0:
            kept.append(clique)
            flagged[list(clique)] = True
    return CleanBaseResult(flagged, threshold, triangle_score(weights, count), tuple(sorted(kept)))


def edge_weights(neighbors: Neighbors, k: int) -> dict[tuple[int, int], float]:
    """Cosine of each undirected edge (smaller row, larger row): either is among the other's k nearest."""
    k = min(k, neighbors.index.shape[1])
    weights: dict[tuple[int, int], float] = {}
    for row, (others, cosines) in enumerate(
        zip(neighbors.index[:, :k].tolist(), neighbors.cosine[:, :k].tolist(), strict=True)
    ):
        for other, cosine in zip(others, cosines, strict=True):
            weights[min(row, other), max(row, other)] = cosine
    return weights


def triangle_score(weights: dict[tuple[int, int], float], count: int) -> NDArray[np.float64]:
    """Largest over triangles with the document of their smallest weight, float64 (count,); -1 without a triangle."""
    near: list[set[int]] = [set() for _ in range(count)]
    for one, other in weights:
        near[one].add(other)
        near[other].add(one)
    score = np.full(count, -1.0)
    for (one, other), weight in weights.items():
        for third in near[one] & near[other]:
            if third > other:
                least = min(weight, weights[one, third], weights[other, third])
                for corner in (one, other, third):
                    score[corner] = max(score[corner], least)
    return score


def maximal_cliques(near: list[set[int]]) -> Iterator[tuple[int, ...]]:
    """Maximal cliques of two or more, by Bron and Kerbosch with Tomita's pivot (Communications of the ACM 16, 1973)."""
    stack: list[tuple[tuple[int, ...], set[int], set[int]]] = [
        ((), {row for row, others in enumerate(near) if others}, set())
    ]
    while stack:
        clique, candidates, excluded = stack.pop()
        if not candidates:
            if not excluded and len(clique) > 1:
                yield tuple(sorted(clique))
            continue
        pivot = max(candidates | excluded, key=lambda row: len(near[row] & candidates))
        for row in sorted(candidates - near[pivot]):
            stack.append(((*clique, row), candidates & near[row], excluded & near[row]))
            candidates = candidates - {row}
            excluded = excluded | {row}
