"""Labelled columns as the samples of cells: which rows are the positives and negatives of which slice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.evaluate.cells import Sample, Slice

ALL = "all"
"""Attack of the cell over all attacks together."""
UNSEEN = -np.inf
Texts = NDArray[np.str_]


@dataclass(frozen=True, slots=True)
class Candidates:
    """Labelled candidates (row = candidate of an event) of one corpus, retriever and rule.

    Attributes
    ----------
    query, document, condition, attack, event : n texts; ``attack`` of the document's label, empty = none.
    poison : int8 (n,), 1 planted, 0 clean, -1 not labelled.
    score, flagged : (n,).
    terms : anchor, script, surprisal, alignment, float64 (n,) each.
    """

    query: Texts
    document: Texts
    condition: Texts
    attack: Texts
    event: Texts
    poison: NDArray[np.int8]
    score: NDArray[np.float64]
    flagged: NDArray[np.bool_]
    terms: Mapping[str, NDArray[np.float64]]


@dataclass(frozen=True, slots=True)
class Documents:
    """Labelled documents of a scan; ``unit`` from :func:`ragsieve_core.evaluate.units.document_units`."""

    document: Texts
    attack: Texts
    unit: NDArray[np.int64]
    poison: NDArray[np.int8]
    score: NDArray[np.float64]
    flagged: NDArray[np.bool_]
    terms: Mapping[str, NDArray[np.float64]]


def _codes(values: Texts) -> NDArray[np.int64]:
    return np.asarray(np.unique(values, return_inverse=True)[1], dtype=np.int64)


def _attacks(attack: Texts, poison: NDArray[np.int8]) -> list[str]:
    named = sorted(set(attack[poison == 1].tolist()))
    return [*named, ALL] if len(named) != 1 else named


def _clean_rows(held: Candidates, attack: str) -> NDArray[np.bool_]:
    """Clean candidates that belong to an attack's cell: of its own events, and of those without any attack."""
    if attack == ALL:
        return np.asarray(held.poison == 0)
    return np.asarray((held.poison == 0) & np.isin(held.condition, ["", "clean", attack]))


def retrieved_by_rsq(held: Candidates) -> Iterator[tuple[str, Sample]]:
    """(attack, sample) over candidates: what RSQ scored. Unit: the query, planted and clean rows together."""
    unit = _codes(held.query)
    ablated = _rsq_terms(held)
    for attack in _attacks(held.attack, held.poison):
        bad = (held.poison == 1) & ((held.attack == attack) | (attack == ALL))
        rows = np.flatnonzero(bad | _clean_rows(held, attack))
        yield attack, _take(held, unit, held.score, held.flagged, ablated, rows)


def retrieved_by_rsg(held: Candidates, scanned: Documents) -> Iterator[tuple[str, Sample]]:
    """(attack, sample) over the same candidates with RSG's score of their documents; those it lacks are left out."""
    order = np.argsort(scanned.document, kind="stable")
    place = np.searchsorted(scanned.document, held.document, sorter=order).clip(max=max(0, order.size - 1))
    row = order[place] if order.size else np.zeros(0, dtype=np.int64)
    known = (scanned.document[row] == held.document) if order.size else np.zeros(held.document.size, dtype=bool)
    unit = _codes(held.query)
    score = np.where(known, scanned.score[row], 0.0) if order.size else held.score
    flagged = scanned.flagged[row] if order.size else held.flagged
    terms = {name: column[row] for name, column in scanned.terms.items()} if order.size else {}
    for attack in _attacks(held.attack, held.poison):
        bad = (held.poison == 1) & ((held.attack == attack) | (attack == ALL))
        rows = np.flatnonzero((bad | _clean_rows(held, attack)) & known)
        yield attack, _take(held, unit, score, flagged, terms, rows)


def injected_for_rsq(
    held: Candidates, documents: Sequence[str], queries: Sequence[str], attacks: Sequence[str]
) -> Iterator[tuple[str, Sample]]:
    """(attack, sample) over all planted documents of questions that were asked; one never retrieved counts as missed.

    Clean rows are the clean candidates: RSQ sees no others.

    Parameters
    ----------
    documents, queries, attacks : of each planted document, the question it was planted for and its attack.
    """
    best: dict[tuple[str, str], int] = {}
    for row in np.flatnonzero(held.condition != "clean").tolist():
        key = (str(held.query[row]), str(held.document[row]))
        if key not in best or held.score[row] > held.score[best[key]]:
            best[key] = row
    asked = set(held.query[held.condition != "clean"].tolist())
    planted = [
        (query, name, attack) for query, name, attack in zip(queries, documents, attacks, strict=True) if query in asked
    ]
    if not planted:
        return
    found = np.array([best.get((query, name), -1) for query, name, _ in planted])
    score = np.where(found >= 0, held.score[found], UNSEEN)
    flagged = np.where(found >= 0, held.flagged[found], False)
    named = sorted({attack for _, _, attack in planted})
    for attack in [*named, ALL] if len(named) != 1 else named:
        chosen = np.array([attack in (ALL, kind) for _, _, kind in planted])
        clean = np.flatnonzero(_clean_rows(held, attack))
        unit = np.r_[np.array([query for query, _, _ in planted], dtype=str)[chosen], held.query[clean]]
        yield (
            attack,
            Sample(
                np.r_[score[chosen], held.score[clean]],
                np.r_[np.ones(int(chosen.sum()), dtype=bool), np.zeros(clean.size, dtype=bool)],
                _codes(unit),
                np.r_[flagged[chosen], held.flagged[clean]],
                tuple(f"{query} {name}" for (query, name, _), one in zip(planted, chosen, strict=True) if one)
                + tuple(f"{held.query[row]} {held.document[row]}" for row in clean.tolist()),
                {},
            ),
        )


def injected_for_rsg(held: Documents) -> Iterator[tuple[str, Sample]]:
    """(attack, sample) over every labelled document of a scan."""
    for attack in _attacks(held.attack, held.poison):
        bad = (held.poison == 1) & ((held.attack == attack) | (attack == ALL))
        rows = np.flatnonzero(bad | (held.poison == 0))
        yield (
            attack,
            Sample(
                held.score[rows],
                held.poison[rows] == 1,
                held.unit[rows],
                held.flagged[rows],
                tuple(held.document[rows].tolist()),
                {name: column[rows] for name, column in held.terms.items()},
            ),
        )


def _rsq_terms(held: Candidates) -> dict[str, NDArray[np.float64]]:
    """Each term left out of the stored score, and alone."""
    out = {f"without {name}": held.score - term for name, term in held.terms.items()}
    return out | {f"{name} alone": term for name, term in held.terms.items()}


def _take(
    held: Candidates,
    unit: NDArray[np.int64],
    score: NDArray[np.float64],
    flagged: NDArray[np.bool_],
    terms: Mapping[str, NDArray[np.float64]],
    rows: NDArray[np.int64],
) -> Sample:
    return Sample(
        score[rows],
        held.poison[rows] == 1,
        unit[rows],
        flagged[rows],
        tuple(f"{held.event[row]} {held.document[row]}" for row in rows.tolist()),
        {name: column[rows] for name, column in terms.items()},
    )


def slice_of(dataset: str, retriever: str, attack: str, detector: str, population: str) -> Slice:
    """A slice with the names that a reader sees: an unnamed retriever or attack says so."""
    return Slice(dataset, retriever or "unnamed retriever", attack or "unnamed attack", detector, population)
