"""In how many documents of a snapshot a word stands."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ragsieve_core.rsq.calibrated.words import Words, cut_words


@dataclass(frozen=True, slots=True)
class DocumentFrequencies:
    """Document frequencies of a snapshot, and what a word is worth.

    Attributes
    ----------
    documents : number N of documents counted.
    holding : word -> number df of documents that hold it; a word left out has df = 0.
    source : ``snapshot``, or ``ranking`` where nothing but the ranking itself was there to count.
    """

    documents: int
    holding: Mapping[str, int]
    source: str = "snapshot"

    @classmethod
    def of(cls, texts: Iterable[str], source: str = "snapshot") -> DocumentFrequencies:
        """Counts over document texts (with titles)."""
        return cls.of_words(map(cut_words, texts), source)

    @classmethod
    def of_words(cls, documents: Iterable[Words], source: str) -> DocumentFrequencies:
        """Counts over the words of documents."""
        count, holding = 0, Counter[str]()
        for document in documents:
            count += 1
            holding.update(set(document.words))
        return cls(count, dict(holding), source)

    def weight(self, word: str) -> float:
        """w = ln((N + 1) / (df + 1)), >= 0; rare = heavy, 0 for a word of every document."""
        return max(0.0, math.log((self.documents + 1) / (self.holding.get(word, 0) + 1)))


def ranking_frequencies(texts: Iterable[str]) -> DocumentFrequencies:
    """The fallback: counts over the ranked documents alone. Measured in docs/why/rsq-calibrated.md."""
    return DocumentFrequencies.of(texts, "ranking")
