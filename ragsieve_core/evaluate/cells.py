"""One cell of the evaluation: a slice with its AUROC, detection at budgets, and what they rest on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.evaluate.bootstrap import RESAMPLES, Estimate, auroc_estimate, draw
from ragsieve_core.evaluate.rate import Rate, clustered_rate

BUDGETS = (0.001, 0.005, 0.01, 0.05)
FEW = 20
"""Positives below which a cell is shown greyed: its interval says nearly nothing."""


@dataclass(frozen=True, slots=True)
class Slice:
    """What a cell is about.

    Attributes
    ----------
    dataset : corpus.
    retriever : encoder whose vectors or rankings were judged.
    attack : kind of planted document; "all" for all together.
    detector : detector and rule, ``rsg/paper``.
    population : ``injected`` (all planted documents) or ``retrieved`` (candidates, the first five).
    """

    dataset: str
    retriever: str
    attack: str
    detector: str
    population: str


@dataclass(frozen=True, slots=True)
class Sample:
    """Labelled scores of one slice.

    Attributes
    ----------
    score : float64 (n,), higher = more suspicious; -inf = a planted document that the detector never saw.
    poison : bool (n,).
    cluster : int64 (n,), independent unit of each row.
    flagged : bool (n,), at the rule's own threshold.
    name : n ids to show.
    terms : further scores (n,) by name, each a term of the score taken alone or left out.
    """

    score: NDArray[np.float64]
    poison: NDArray[np.bool_]
    cluster: NDArray[np.int64]
    flagged: NDArray[np.bool_]
    name: tuple[str, ...]
    terms: Mapping[str, NDArray[np.float64]]

    def __post_init__(self) -> None:
        count = self.score.shape[0]
        columns: tuple[Sized, ...] = (self.poison, self.cluster, self.flagged, self.name, *self.terms.values())
        if any(len(column) != count for column in columns):
            raise InputError("columns of different length in a sample", expected=f"{count} values in each")


@dataclass(frozen=True, slots=True)
class Cell:
    """Measures of a slice.

    Attributes
    ----------
    slice : which.
    n, positives : labelled rows, and planted ones among them.
    prevalence : positives / n; NaN without rows.
    positive_units, negative_units : independent units of each kind.
    auroc : with its interval; None where one kind is missing.
    detection : at each budget, interval conditional on the clean rows that set the threshold.
    caught, removed : planted and clean rows flagged at the rule's own threshold.
    few : fewer than 20 positives.
    """

    slice: Slice
    n: int
    positives: int
    prevalence: float
    positive_units: int
    negative_units: int
    auroc: Estimate | None
    detection: Mapping[float, Rate]
    caught: Rate
    removed: Rate
    few: bool


def measure(
    where: Slice, sample: Sample, *, budgets: Sequence[float] = BUDGETS, resamples: int = RESAMPLES, seed: int = 0
) -> Cell:
    """All measures of one slice; rates by :func:`clustered_rate`, AUROC by the cluster bootstrap."""
    poison = sample.poison
    positives, count = int(poison.sum()), int(poison.size)
    units = [np.unique(sample.cluster[mask]).size for mask in (poison, ~poison)]
    both = 0 < positives < count
    return Cell(
        slice=where,
        n=count,
        positives=positives,
        prevalence=positives / count if count else float("nan"),
        positive_units=units[0],
        negative_units=units[1],
        auroc=auroc_estimate(sample.score, poison, draw(sample.cluster, poison, resamples=resamples, seed=seed))
        if both
        else None,
        detection={budget: detection(sample, budget) for budget in budgets} if both else {},
        caught=clustered_rate(sample.flagged[poison], sample.cluster[poison]),
        removed=clustered_rate(sample.flagged[~poison], sample.cluster[~poison]),
        few=positives < FEW,
    )


def detection(sample: Sample, budget: float) -> Rate:
    """Detection at a clean-removal budget: planted rows strictly above the (m + 1)-th largest clean score."""
    clean = np.sort(sample.score[~sample.poison])[::-1]
    cut = clean[int(clean.size * budget)]
    return clustered_rate(sample.score[sample.poison] > cut, sample.cluster[sample.poison])


def missed(sample: Sample, budget: float | None = None) -> NDArray[np.int64]:
    """Rows of planted documents that stay, lowest score first: below the budget's cut, or below the rule's threshold.

    Parameters
    ----------
    budget : clean-removal budget; None for the rule's own threshold.
    """
    if budget is None:
        stays = sample.poison & ~sample.flagged
    else:
        clean = np.sort(sample.score[~sample.poison])[::-1]
        if not clean.size:
            return np.zeros(0, dtype=np.int64)
        stays = sample.poison & ~(sample.score > clean[int(clean.size * budget)])
    rows = np.flatnonzero(stays)
    return np.asarray(rows[np.argsort(sample.score[rows], kind="stable")], dtype=np.int64)


def ablation(
    sample: Sample, *, budget: float = 0.05, resamples: int = RESAMPLES, seed: int = 0
) -> list[tuple[str, Estimate, Rate]]:
    """AUROC and detection of the full score and of every term of the sample, over the same rows and resamples."""
    if not 0 < int(sample.poison.sum()) < sample.poison.size:
        return []
    drawn = draw(sample.cluster, sample.poison, resamples=resamples, seed=seed)
    found = []
    for name, score in {"full score": sample.score, **sample.terms}.items():
        one = Sample(score, sample.poison, sample.cluster, sample.flagged, sample.name, {})
        found.append((name, auroc_estimate(score, sample.poison, drawn), detection(one, budget)))
    return found
