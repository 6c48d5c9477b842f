"""Word overlap of neighbours in any language: plain Jaccard, and Jaccard weighted by how rare a word is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.text.unicode_words import unicode_words


@dataclass(frozen=True, slots=True)
class WordSets:
    """Words of N documents as sorted vocabulary numbers.

    Attributes
    ----------
    words : the vocabulary, sorted.
    rows : N int64 arrays, increasing: the distinct words of each document.
    frequency : int64 (V,), documents that hold each word.
    rarity : float64 (V,), ln((N + 1) / (frequency + 1)), >= 0.
    """

    words: tuple[str, ...]
    rows: tuple[NDArray[np.int64], ...]
    frequency: NDArray[np.int64]
    rarity: NDArray[np.float64]


def word_sets(texts: Sequence[str]) -> WordSets:
    """Word sets of ``texts`` by :func:`ragsieve_core.text.unicode_words.unicode_words`."""
    found = [unicode_words(text) for text in texts]
    vocabulary = sorted(frozenset().union(*found)) if found else []
    number = {word: place for place, word in enumerate(vocabulary)}
    rows = tuple(np.sort(np.fromiter((number[word] for word in words), np.int64, len(words))) for words in found)
    joined = np.concatenate(rows) if rows else np.empty(0, dtype=np.int64)
    frequency = np.bincount(joined, minlength=len(vocabulary)).astype(np.int64)
    return WordSets(tuple(vocabulary), rows, frequency, np.log((len(texts) + 1) / (frequency + 1)))


def neighbor_overlap(sets: WordSets, index: NDArray[np.int32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Jaccard of each document's words with each neighbour's, plain and weighted by rarity.

    Parameters
    ----------
    sets : words of N documents.
    index : int32 (N, k), rows of the neighbours.

    Returns
    -------
    two float64 (N, k), in [0, 1]; 0 where both texts are without words.
    """
    plain = np.zeros(index.shape)
    weighted = np.zeros(index.shape)
    mass = np.array([sets.rarity[row].sum() for row in sets.rows])
    size = np.array([row.size for row in sets.rows])
    held = np.zeros(len(sets.words), dtype=bool)
    for row, neighbors in enumerate(index):
        own = sets.rows[row]
        held[own] = True
        words = np.concatenate([sets.rows[other] for other in neighbors])
        place = np.repeat(np.arange(neighbors.size), size[neighbors])
        shared = held[words]
        held[own] = False
        count = np.bincount(place[shared], minlength=neighbors.size)
        weight = np.bincount(place[shared], sets.rarity[words[shared]], minlength=neighbors.size)
        union = own.size + size[neighbors] - count
        union_mass = mass[row] + mass[neighbors] - weight
        np.divide(count, union, out=plain[row], where=union > 0)
        # A word every document holds weighs nothing; texts of such words alone share no evidence
        np.divide(weight, union_mass, out=weighted[row], where=union_mass > 1e-12)
    return plain, weighted
