"""Which words each two neighbours share, kept between scans: how rare they are is worked out anew, which they are not.

One document that comes changes how rare nearly every word is, so the weighted overlap of nearly every pair. But the
words that two texts share hang on these two alone; adding up what they weigh now is a small part of finding them.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.errors import InputError
from ragsieve_core.rsg.array_folder import load_arrays, packed, save_arrays, unpacked
from ragsieve_core.rsg.calibrated.reading import TextReading
from ragsieve_core.rsg.calibrated.wording import SharedWords, WordSets, overlaps, renumbered, word_masses
from ragsieve_core.rsg.carried import carried_places, rows_before
from ragsieve_core.rsg.lexical import earlier_places
from ragsieve_core.text.shared_tokens import spans
from ragsieve_core.workers import run_tasks, together

_PAIRS = 1 << 15
"""Pairs added up at once; bounds memory."""
_ROWS = 256
_CELLS = 1 << 23
_WORDS = 1 << 18
"""Documents, cells and words of a table looked up in at once; bound memory."""
_SPARE_WORDS = 1_000_000
_NAMES = ("index", "pair", "edges", "word", "key_bytes", "key_ends", "word_bytes", "word_ends")


@dataclass(frozen=True, slots=True)
class PairWords:
    """Words shared by the pairs in the neighbour lists of N texts.

    Attributes
    ----------
    keys : N strings; texts with one key are equal.
    words : vocabulary the numbers refer to.
    index : int32 (N, k), neighbours.
    pair : int32 (N, k), number of each place's pair, one for both places of a pair that stands in both lists. There may
        be pairs that stand in no list any more.
    edges : int64 (P + 1,); the words of pair p are ``word[edges[p]:edges[p + 1]]``.
    word : int32, increasing within a pair.
    """

    keys: tuple[str, ...]
    words: tuple[str, ...]
    index: NDArray[np.int32]
    pair: NDArray[np.int32]
    edges: NDArray[np.int64]
    word: NDArray[np.int32]

    def overlap(self, sets: WordSets) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What :func:`ragsieve_core.rsg.calibrated.wording.neighbor_overlap` gives for these lists, bit for bit.

        Parameters
        ----------
        sets : words of the texts, the vocabulary being ``words``.
        """
        count = self.edges.size - 1
        row = np.arange(len(self.keys), dtype=np.int32)

        def side(document: NDArray[np.int32]) -> NDArray[Any]:
            # The two places of a pair write both sides in one order, so that they go together
            found = np.zeros(count, dtype=np.int32)
            found[self.pair.ravel()] = document
            return found

        left, right, mass = together(
            lambda: side(np.repeat(row, self.index.shape[1])),
            lambda: side(self.index.ravel()),
            partial[NDArray[Any]](word_masses, sets),
        )
        size = np.diff(sets.edges)
        plain, weighted = np.empty(count), np.empty(count)

        def add_up(start: int) -> None:
            part = slice(start, min(start + _PAIRS, count))
            edges = self.edges[start : part.stop + 1]
            number = np.diff(edges)
            rarity = sets.rarity.take(self.word[edges[0] : edges[-1]], mode="wrap")
            # Adds one after another in the order of the vocabulary, as the first time
            pair = np.repeat(np.arange(number.size), number)
            weight = np.bincount(pair, rarity, minlength=number.size).astype(np.float64, copy=False)
            one, other = left[part], right[part]
            plain[part], weighted[part] = overlaps(number, weight, size[one], size[other], mass[one], mass[other])

        deque(run_tasks(add_up, range(0, count, _PAIRS)), maxlen=0)
        both = together(lambda: plain.take(self.pair), lambda: weighted.take(self.pair))
        return both[0], both[1]

    def save(self, folder: Path) -> None:
        """Write the words as ``.npy`` files; ``folder`` holds the old ones or the new ones, never a mixture."""
        key_bytes, key_ends = packed(self.keys)
        word_bytes, word_ends = packed(self.words)
        save_arrays(
            folder,
            {name: getattr(self, name) for name in _NAMES[:4]}
            | {"key_bytes": key_bytes, "key_ends": key_ends, "word_bytes": word_bytes, "word_ends": word_ends},
        )

    @classmethod
    def load(cls, folder: Path) -> PairWords:
        """Read saved words.

        Raises
        ------
        InputError : the folder holds none that are whole.
        """
        held: dict[str, Any] = dict(load_arrays(folder, _NAMES, "words of pairs"))
        keys, words = (unpacked(held[f"{name}_bytes"], held[f"{name}_ends"]) for name in ("key", "word"))
        found = cls(keys, words, *(held[name] for name in _NAMES[:4]))
        index, pair, edges = found.index, found.pair, found.edges
        sound = (
            index.shape == pair.shape == (len(keys), index.shape[-1])
            and edges.ndim == 1
            and (int(edges[0]), int(edges[-1])) == (0, found.word.size)
            and bool((np.diff(edges) >= 0).all())
            and (pair.size == 0 or 0 <= int(pair.min()) <= int(pair.max()) < edges.size - 1)
        )
        if not sound:
            raise InputError("no words of pairs: arrays that do not fit each other", where=str(folder))
        return found


def pair_words(reading: TextReading, index: NDArray[np.int32], previous: PairWords | None = None) -> PairWords:
    """Words shared by neighbours, those of pairs that an earlier scan met taken over.

    Parameters
    ----------
    reading : of N texts.
    index : int32 (N, k), rows of the neighbours, each once in a list.
    previous : of an earlier scan, of any order and set of texts, with keys of the same kind.
    """
    sets = reading.sets
    pair = np.empty(index.shape, dtype=np.int32)
    if previous is None:
        twin = earlier_places(index)
        own = np.flatnonzero(twin < 0)
        pair.ravel()[own] = np.arange(own.size)
        later = np.flatnonzero(twin >= 0)
        pair.ravel()[later] = pair.ravel()[twin[later]]
        edges, word = _shared_by_all(sets, own // index.shape[1], index.ravel()[own].astype(np.int64))
        return PairWords(reading.keys, sets.words, index, pair, edges, word)
    place = carried_places(previous.index, index, *rows_before(previous.keys, reading.keys))
    pair = previous.pair.take(place, mode="wrap")
    fresh = np.flatnonzero(place.ravel() < 0)
    left, right = fresh // index.shape[1], index.ravel()[fresh].astype(np.int64)
    count = len(reading.keys)
    key, number = np.unique(np.minimum(left, right) * count + np.maximum(left, right), return_inverse=True)
    held, edges, word = previous.edges.size - 1, previous.edges, previous.word
    pair.ravel()[fresh] = held + number
    used = np.zeros(held, dtype=bool)
    used[previous.pair.ravel()[place.ravel()[place.ravel() >= 0]]] = True
    size = np.diff(edges)
    if not sets.words or word.size + held > 2 * int(size[used].sum() + used.sum()) + _SPARE_WORDS:
        # Pairs that are gone and their words take up more than those in use, or no word is left to number theirs by
        word, edges = word[spans(edges[:-1][used], size[used])], np.concatenate([[0], np.cumsum(size[used])])
        rank = np.cumsum(used) - 1
        pair = np.where(pair < held, rank.take(pair, mode="clip"), pair - (held - int(used.sum()))).astype(np.int32)
    more, added = (_shared_by_some if 4 * key.size < index.size else _shared_by_all)(sets, *np.divmod(key, count))
    word = renumbered(_numbers_now(previous.words, sets.words), word, added)
    return PairWords(reading.keys, sets.words, index, pair, np.concatenate([edges, edges[-1] + more[1:]]), word)


def _numbers_now(then: tuple[str, ...], now: tuple[str, ...]) -> NDArray[np.int32]:
    """Number now of each word of then; any for one that is gone, which only pairs that are gone hold."""
    if then == now:
        return np.arange(len(now), dtype=np.int32)
    place = {word: number for number, word in enumerate(now)}
    return np.fromiter((place.get(word, 0) for word in then), np.int32, len(then))


def _shared_by_all(
    sets: WordSets, left: NDArray[np.int64], right: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Edges and numbers of the words each pair shares, increasing; ``left`` is increasing and has most documents."""
    shared = SharedWords.of(sets)

    def work(part: tuple[int, int, slice]) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        begin, end, pairs = part
        pair, word = shared.find(begin, end, left[pairs], right[pairs])
        return np.bincount(pair, minlength=pairs.stop - pairs.start), shared.number[word]

    return _joined(list(run_tasks(work, shared.parts(left, right))))


def _shared_by_some(
    sets: WordSets, left: NDArray[np.int64], right: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The same of a few pairs in any order, without laying out the words of every document."""
    seen = np.zeros((2, sets.edges.size - 1), dtype=bool)
    seen[0, left] = seen[1, right] = True
    if seen[1].sum() < seen[0].sum():
        left, right = right, left
    order = np.argsort(left, kind="stable")
    size = np.diff(sets.edges)
    width = len(sets.words)
    at_once = max(1, min(_ROWS, _CELLS // max(width, 1)))
    # Few documents to a table, and not too many words to look up in it
    step = np.cumsum(size[right[order]]) // _WORDS
    row = np.cumsum(np.concatenate([[0], (np.diff(left[order]) != 0).astype(np.int64)]))
    cuts = np.flatnonzero((np.diff(step) != 0) | (np.diff(row // at_once) != 0)) + 1

    def work(pairs: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        own, place = np.unique(left[pairs], return_inverse=True)
        table = np.zeros(own.size * width, dtype=bool)
        words = sets.number.take(spans(sets.edges[own], size[own]))
        table[words + np.repeat(np.arange(own.size) * width, size[own])] = True
        other = right[pairs]
        word = sets.number.take(spans(sets.edges[other], size[other]))
        held = np.flatnonzero(table.take(word + np.repeat(place * width, size[other])))
        pair = np.repeat(np.arange(pairs.size), size[other]).take(held)
        return np.bincount(pair, minlength=pairs.size), word.take(held)

    edges, word = _joined(list(run_tasks(work, np.split(order, cuts) if order.size else [])))
    number = np.diff(edges)
    back = np.empty(order.size, dtype=np.int64)
    back[order] = np.arange(order.size)
    return np.concatenate([[0], np.cumsum(number[back])]), word[spans(edges[back], number[back])]


def _joined(
    parts: list[tuple[NDArray[np.intp], NDArray[np.int32]]],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    number = np.concatenate([np.empty(0, dtype=np.int64), *(part[0] for part in parts)])
    word = np.concatenate([np.empty(0, dtype=np.int32), *(part[1] for part in parts)])
    return np.concatenate([[0], np.cumsum(number)]), word
