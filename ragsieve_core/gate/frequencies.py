"""Weights of words for each caller, counted over documents that the caller may see."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsq.calibrated.frequencies import DocumentFrequencies
from ragsieve_core.rsq.calibrated.words import cut_words

COUNTED = 5_000
"""Documents counted at most; of more, evenly spaced ones. A weight is the logarithm of a share: it is off by little."""


def evenly_spaced(count: int) -> range:
    """Positions of at most :data:`COUNTED` of ``count`` documents."""
    return range(0, count, max(1, -(-count // COUNTED)))


class CountedWords:
    """Words of some documents, so that they can be counted over any part of them in milliseconds.

    Parameters
    ----------
    texts : N document texts.
    rows : positions of the documents to cut into words.
    """

    def __init__(self, texts: Sequence[str], rows: NDArray[np.intp]) -> None:
        self.rows = rows
        number: dict[str, int] = {}
        parts: list[NDArray[np.int32]] = []
        for row in rows.tolist():
            held = {number.setdefault(word, len(number)) for word in cut_words(texts[row]).words}
            parts.append(np.fromiter(held, dtype=np.int32, count=len(held)))
        self._words = list(number)
        self._flat = np.concatenate(parts) if parts else np.zeros(0, dtype=np.int32)
        self._lengths = np.array([part.size for part in parts], dtype=np.intp)

    def frequencies(self, visible: NDArray[np.bool_]) -> DocumentFrequencies:
        """Counts over the documents among them that are visible (bool (N,) over all)."""
        kept = visible[self.rows]
        counts = np.bincount(self._flat[np.repeat(kept, self._lengths)], minlength=len(self._words))
        held = np.flatnonzero(counts).tolist()
        return DocumentFrequencies(int(kept.sum()), {self._words[word]: int(counts[word]) for word in held})


class ViewFrequencies:
    """Weights of words by caller's view. Documents are drawn from each tenant apart: what others hold, and how much,
    changes neither which documents are counted for a tenant nor any count. Safe to share between threads.

    Parameters
    ----------
    texts : N document texts.
    tenants : object (N,), tenant of each.
    """

    def __init__(self, texts: Sequence[str], tenants: NDArray[np.object_]) -> None:
        self._texts, self._tenants = texts, tenants
        self._guard = threading.Lock()
        self._counted: dict[str | None, CountedWords] = {}

    def of(self, tenant: str | None, visible: NDArray[np.bool_]) -> DocumentFrequencies:
        """Counts for a caller; the first of a tenant cuts up to :data:`COUNTED` documents into words."""
        return self.prepare(tenant).frequencies(visible)

    def prepare(self, tenant: str | None) -> CountedWords:
        """Words of a tenant's documents, None = of all."""
        with self._guard:
            found = self._counted.get(tenant)
            if found is None:
                rows = np.arange(len(self._texts)) if tenant is None else np.flatnonzero(self._tenants == tenant)
                found = CountedWords(self._texts, rows[list(evenly_spaced(rows.size))])
                self._counted[tenant] = found
            return found
