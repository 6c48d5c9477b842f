"""How many words two texts share, for many pairs at once."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from queue import Empty, SimpleQueue

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.text.token_sets import TokenSets
from ragsieve_core.workers import run_tasks

COMMON = 2048
"""Words kept as one bit each per text: the most frequent ones, more than half of all words of a text."""

_PAIRS = 4_096
_CELLS = 1 << 22
_ROWS = 512
_LEFT = 256
_PIECE = 16


def shared_counts(sets: TokenSets, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    """Size of the intersection of the word sets of each pair of texts.

    Frequent words are compared as bits, the rest by a table of the left texts' words that the right texts' words are
    looked up in. A word that one text alone holds is
    looked up for none.

    Parameters
    ----------
    sets : words of N texts.
    left, right : int64 (m,), the pairs; fastest where ``left`` is sorted.

    Returns
    -------
    int64 (m,).
    """
    out = np.zeros(left.size, dtype=np.int64)
    if not left.size:
        return out
    involved = _involved(left, right, sets.size.size)
    if 2 * involved.size < sets.size.size:
        place = np.empty(sets.size.size, dtype=np.int64)
        place[involved] = np.arange(involved.size)
        some = TokenSets(sets.begin[involved], sets.size[involved], sets.number, sets.vocabulary)
        return shared_counts(some, place[left], place[right])
    number, begin = _compact(sets)
    laid = _lay_out(number, begin, sets.size, sets.vocabulary)

    def count(start: int) -> None:
        part = slice(start, start + _PAIRS)
        both = laid.bits.take(left[part], axis=0, mode="clip")
        both &= laid.bits.take(right[part], axis=0, mode="clip")
        out[part] = np.bitwise_count(both).sum(axis=1, dtype=np.uint16)

    deque(run_tasks(count, range(0, left.size, _PAIRS)), maxlen=0)
    if laid.width:
        _add_rare(laid, left, right, out)
    itself = np.flatnonzero(left == right)
    out[itself] = sets.size[left[itself]]
    return out


def _involved(left: NDArray[np.int64], right: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Texts that stand in a pair."""
    seen = np.zeros(count, dtype=bool)
    seen[left] = seen[right] = True
    return np.flatnonzero(seen)


def _compact(sets: TokenSets) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Words of the texts one after another, and where each begins; without a copy where they lie so."""
    begin = np.cumsum(sets.size) - sets.size
    if np.array_equal(begin, sets.begin) and int(sets.size.sum()) == sets.number.size:
        return sets.number, begin
    return sets.number.take(spans(sets.begin, sets.size), mode="clip"), begin


@dataclass(frozen=True, slots=True)
class _Layout:
    """Words of N texts, ready to be compared.

    Attributes
    ----------
    bits : uint64 (N, COMMON / 64), one bit for each frequent word.
    pieces : int64 (P, _PIECE), the rare words of each text in pieces, padded with ``width``.
    start, number : int64 (N,), first piece of each text, and how many.
    width : rare words in use.
    """

    bits: NDArray[np.uint64]
    pieces: NDArray[np.int64]
    start: NDArray[np.int64]
    number: NDArray[np.int64]
    width: int


def _lay_out(number: NDArray[np.int32], begin: NDArray[np.int64], size: NDArray[np.int64], vocabulary: int) -> _Layout:
    frequency = np.bincount(number, minlength=vocabulary)
    rare = frequency > 1
    rank = np.full(vocabulary, -1, dtype=np.int32)
    common = _most_frequent(frequency)
    rare[common] = False
    rank[common] = np.arange(common.size)
    rare_words = np.flatnonzero(rare)
    width = rare_words.size
    rank[rare_words] = np.arange(COMMON, COMMON + width)
    bits = np.empty((size.size, COMMON // 64), dtype=np.uint64)

    def lay_out(first: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        last = min(first + _ROWS, size.size)
        sizes = size[first:last]
        word = rank.take(number[begin[first] : begin[last - 1] + size[last - 1]], mode="clip").astype(np.int64)
        row = np.repeat(np.arange(last - first), sizes)
        flags = np.zeros((last - first) * COMMON, dtype=bool)
        frequent = (word >= 0) & (word < COMMON)
        flags[(row * COMMON + word)[frequent]] = True
        bits[first:last] = np.packbits(flags).view(np.uint64).reshape(last - first, -1)
        seldom = np.flatnonzero(word >= COMMON)
        held = np.bincount(row[seldom], minlength=last - first)
        needed = -(-held // _PIECE)
        pieces = np.full(int(needed.sum()) * _PIECE, width, dtype=np.int64)
        pieces[spans((np.cumsum(needed) - needed) * _PIECE, held)] = word[seldom] - COMMON
        return needed, pieces

    parts = list(run_tasks(lay_out, range(0, size.size, _ROWS)))
    needed = np.concatenate([part[0] for part in parts])
    pieces = np.concatenate([part[1] for part in parts]).reshape(-1, _PIECE)
    return _Layout(bits, pieces, np.cumsum(needed) - needed, needed, width)


def _most_frequent(frequency: NDArray[np.int64]) -> NDArray[np.int64]:
    """Words that get a bit, at most :data:`COMMON`."""
    if frequency.size <= COMMON:
        return np.arange(frequency.size)
    cut = np.partition(frequency, frequency.size - COMMON)[frequency.size - COMMON]
    return np.flatnonzero(frequency >= cut)[:COMMON]


def _add_rare(laid: _Layout, left: NDArray[np.int64], right: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    start, number, width = laid.start, laid.number, laid.width
    order = np.argsort(left, kind="stable") if (left[1:] < left[:-1]).any() else np.arange(left.size)
    ordered = left[order]
    fresh = np.ones(ordered.size, dtype=bool)
    fresh[1:] = ordered[1:] != ordered[:-1]
    first_pair = np.append(np.flatnonzero(fresh), ordered.size)
    texts = ordered[fresh]
    rows = max(1, min(_LEFT, _CELLS // (width + 1)))
    # Fresh memory costs more than all else here: tables are handed on from task to task
    tables: SimpleQueue[NDArray[np.bool_]] = SimpleQueue()

    def task(first: int) -> None:
        some = texts[first : first + rows]
        at = np.arange(0, some.size * (width + 1), width + 1)
        try:
            table = tables.get_nowait()
        except Empty:
            table = np.zeros(rows * (width + 1), dtype=bool)
        own = laid.pieces[spans(start[some], number[some])]
        own += np.repeat(at, number[some])[:, None]
        table[own] = True
        table[at + width] = False
        edges = first_pair[first : first + some.size + 1]
        pairs = order[edges[0] : edges[-1]]
        other = right[pairs]
        asked = laid.pieces.take(spans(start[other], number[other]), axis=0, mode="clip")
        asked += np.repeat(np.repeat(at, np.diff(edges)), number[other])[:, None]
        # Eight answers of 0 or 1 at once
        answers = np.bitwise_count(table.take(asked, mode="clip").view(np.uint64))
        table[own] = False
        tables.put(table)
        found = np.zeros(answers.shape[0] + 1, dtype=np.int32)
        np.cumsum(answers[:, 0] + answers[:, 1], out=found[1:])
        end = np.cumsum(number[other])
        out[pairs] += found[end] - found[end - number[other]]

    deque(run_tasks(task, range(0, texts.size, rows)), maxlen=0)


def spans(start: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.int64]:
    """Places start, start + 1, … of each span, one after another."""
    places: NDArray[np.int64] = np.repeat(start - (np.cumsum(size) - size), size)
    places += np.arange(places.size)
    return places
