"""Word overlap of neighbours in any language: plain Jaccard, and Jaccard weighted by how rare a word is."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.lexical import earlier_places
from ragsieve_core.text.shared_tokens import spans
from ragsieve_core.text.unicode_words import unicode_words
from ragsieve_core.workers import run_tasks

_CELLS = 1 << 23
_ROWS = 256
_PIECE = 16
_WORDS = 1 << 17
"""Words looked up at once; bounds memory."""
_COPIED = 1 << 18
"""Words counted or renumbered at once. Whole temporary copies cost more than the work: memory is cleared for them."""


@dataclass(frozen=True, slots=True)
class WordSets:
    """Words of N documents as sorted vocabulary numbers.

    Attributes
    ----------
    words : the vocabulary, sorted; every word is held by a document.
    edges : int64 (N + 1,); the words of document i are ``number[edges[i]:edges[i + 1]]``.
    number : int32, increasing within a document.
    frequency : int64 (V,), documents that hold each word.
    rarity : float64 (V,), ln((N + 1) / (frequency + 1)), >= 0.
    """

    words: tuple[str, ...]
    edges: NDArray[np.int64]
    number: NDArray[np.int32]
    frequency: NDArray[np.int64]
    rarity: NDArray[np.float64]

    @classmethod
    def of(cls, words: Sequence[str], size: NDArray[np.int64], number: NDArray[np.int32]) -> WordSets:
        """Sets of documents with ``size`` words each, numbered in sorted ``words`` of which some may be unused."""
        frequency = np.zeros(len(words), dtype=np.int64)
        for start in range(0, number.size, _COPIED):
            frequency += np.bincount(number[start : start + _COPIED], minlength=len(words))
        if (frequency == 0).any():
            used = np.flatnonzero(frequency)
            rank = np.zeros(len(words), dtype=np.int32)
            rank[used] = np.arange(used.size, dtype=np.int32)
            number, frequency = rank[number], frequency[used]
            words = [words[place] for place in used.tolist()]
        edges = np.zeros(size.size + 1, dtype=np.int64)
        np.cumsum(size, out=edges[1:])
        return cls(tuple(words), edges, number, frequency, np.log((size.size + 1) / (frequency + 1)))

    def row(self, document: int) -> NDArray[np.int32]:
        """Words of one document."""
        return self.number[self.edges[document] : self.edges[document + 1]]


def word_sets(texts: Sequence[str]) -> WordSets:
    """Word sets of ``texts`` by :func:`ragsieve_core.text.unicode_words.unicode_words`."""
    return numbered([unicode_words(text) for text in texts])


def numbered(found: Sequence[Collection[str]]) -> WordSets:
    """Word sets of documents with these distinct words."""
    vocabulary = sorted(frozenset().union(*found)) if found else []
    place = {word: rank for rank, word in enumerate(vocabulary)}
    size = np.fromiter(map(len, found), np.int64, len(found))
    rank = np.fromiter((place[word] for words in found for word in words), np.int64, int(size.sum()))
    # Sorted within each document by sorting all at once with the document in the upper half
    key = (np.repeat(np.arange(size.size), size) << 32) | rank
    key.sort()
    return WordSets.of(vocabulary, size, (key & 0xFFFFFFFF).astype(np.int32))


def neighbor_overlap(sets: WordSets, index: NDArray[np.int32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Jaccard of each document's words with each neighbour's, plain and weighted by rarity.

    A pair that stands in both lists is worked out once: the sums run over the shared words in the order of the
    vocabulary, from either side.

    Parameters
    ----------
    sets : words of N documents.
    index : int32 (N, k), rows of the neighbours.

    Returns
    -------
    two float64 (N, k), in [0, 1]; 0 where both texts are without words.
    """
    count, k = index.shape
    plain, weighted = np.zeros(count * k), np.zeros(count * k)
    size = np.diff(sets.edges)
    mass = word_masses(sets)
    shared = SharedWords.of(sets)
    twin = earlier_places(index)
    own = np.flatnonzero(twin < 0)
    left, right = own // k, index.ravel()[own].astype(np.int64)

    def work(part: tuple[int, int, slice]) -> None:
        first, last, pairs = part
        one, other, to = left[pairs], right[pairs], own[pairs]
        pair, word = shared.find(first, last, one, other)
        number = np.bincount(pair, minlength=to.size)
        weight = np.bincount(pair, shared.rarity[word], minlength=to.size).astype(np.float64, copy=False)
        plain[to], weighted[to] = overlaps(number, weight, size[one], size[other], mass[one], mass[other])

    deque(run_tasks(work, shared.parts(left, right)), maxlen=0)
    later = np.flatnonzero(twin >= 0)
    plain[later], weighted[later] = plain[twin[later]], weighted[twin[later]]
    return plain.reshape(count, k), weighted.reshape(count, k)


def overlaps(
    number: NDArray[np.signedinteger[Any]],
    weight: NDArray[np.float64],
    size: NDArray[np.int64],
    other_size: NDArray[np.int64],
    mass: NDArray[np.float64],
    other_mass: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Jaccard of m pairs, plain and weighted, from the number and rarity of shared words and of each side's."""
    union = size + other_size - number
    union_mass = mass + other_mass - weight
    plain = np.divide(number, union, out=np.zeros(number.size), where=union > 0)
    # A word every document holds weighs nothing; texts of such words alone share no evidence
    return plain, np.divide(weight, union_mass, out=np.zeros(number.size), where=union_mass > 1e-12)


def _parts(asked: NDArray[np.int64], rows: int) -> Iterator[tuple[int, int]]:
    """Consecutive [first, last) of at least one document, at most ``rows`` and about ``_WORDS`` words to look up."""
    first, count = 0, asked.size - 1
    while first < count:
        held = int(np.searchsorted(asked, asked[first] + _WORDS, side="right")) - 1
        last = min(max(first + 1, held), first + rows, count)
        yield first, last
        first = last


def word_masses(sets: WordSets) -> NDArray[np.float64]:
    """Rarity of each document's words, summed, float64 (N,); documents with equally many at once."""
    size = np.diff(sets.edges)
    mass = np.zeros(size.size)
    order = np.argsort(size, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(size[order])) + 1):
        if rows.size and size[rows[0]]:
            words = sets.number.take(sets.edges[rows][:, None] + np.arange(size[rows[0]]))
            mass[rows] = sets.rarity.take(words).sum(axis=1)
    return mass


def renumbered(number_now: NDArray[np.int32], number: NDArray[np.int32], more: NDArray[np.int32]) -> NDArray[np.int32]:
    """``number_now[number]`` followed by ``more``, int32, in memory that is touched once."""
    out = np.empty(number.size + more.size, dtype=np.int32)

    def fill(start: int) -> None:
        part = slice(start, min(start + _COPIED, number.size))
        number_now.take(number[part], out=out[part], mode="wrap")

    deque(run_tasks(fill, range(0, number.size, _COPIED)), maxlen=0)
    out[number.size :] = more
    return out


@dataclass(frozen=True, slots=True)
class SharedWords:
    """Words that two documents or more hold, in pieces that are looked up together.

    Attributes
    ----------
    pieces : int64 (P, _PIECE); the words of each document in their order, padded with ``width``. Numbered by falling
        frequency, so that the part of a table that most look-ups meet is small.
    start, size : int64 (n,), first piece of each document, and how many.
    rarity : float64 (width,).
    rows : documents whose words are laid out in one table.
    number : int32 (width,), each word's number in the vocabulary.
    """

    pieces: NDArray[np.int64]
    start: NDArray[np.int64]
    size: NDArray[np.int64]
    rarity: NDArray[np.float64]
    rows: int
    number: NDArray[np.int32]

    @classmethod
    def of(cls, sets: WordSets) -> SharedWords:
        """Words of all documents."""
        width = int((sets.frequency > 1).sum())
        order = np.argsort(-sets.frequency, kind="stable").astype(np.int32)
        rank = np.empty(order.size, dtype=np.int64)
        rank[order] = np.arange(order.size)
        number = rank[sets.number]
        kept = number < width
        edges = np.concatenate([[0], np.cumsum(kept)])[sets.edges]
        held = np.diff(edges)
        size = -(-held // _PIECE)
        start = np.cumsum(size) - size
        pieces = np.full(int(size.sum()) * _PIECE, width, dtype=np.int64)
        pieces[spans(start * _PIECE, held)] = number[kept]
        rows = max(1, min(_ROWS, _CELLS // (width + 1)))
        return cls(pieces.reshape(-1, _PIECE), start, size, sets.rarity[order[:width]], rows, order[:width])

    def parts(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> Iterator[tuple[int, int, slice]]:
        """Consecutive [first, last) of the documents, bounded in memory, and their pairs; ``left`` is increasing."""
        first_pair = np.searchsorted(left, np.arange(int(left[-1]) + 2 if left.size else 1))
        asked = np.concatenate([[0], np.cumsum(self.size[right] * _PIECE)])[first_pair]
        for first, last in _parts(asked, self.rows):
            yield first, last, slice(first_pair[first], first_pair[last])

    def find(
        self, first: int, last: int, left: NDArray[np.int64], right: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Words shared by pairs, left in [first, last): numbers of the pairs and of the words here, in their order."""
        width = self.rarity.size + 1
        table = np.zeros((last - first) * width, dtype=bool)
        row = np.repeat(np.arange(last - first) * width, self.size[first:last])
        table[self.pieces[self.start[first] : self.start[last - 1] + self.size[last - 1]] + row[:, None]] = True
        table[width - 1 :: width] = False
        size = self.size[right]
        word = self.pieces.take(spans(self.start[right], size), axis=0)
        cell = word + np.repeat((left - first) * width, size)[:, None]
        held = np.flatnonzero(table.take(cell))
        return np.repeat(np.arange(left.size), size)[held // _PIECE], word.ravel()[held]
