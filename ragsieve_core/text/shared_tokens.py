"""How many words two texts share, for many pairs at once."""

from __future__ import annotations

from collections import deque

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.text.token_sets import TokenSets
from ragsieve_core.workers import run_tasks

COMMON = 2048
"""Words kept as one bit each per text: the most frequent ones, more than half of all words of a text."""

_PAIRS = 8_192
_CELLS = 1 << 24
_ROWS = 4096


def shared_counts(sets: TokenSets, left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    """Size of the intersection of the word sets of each pair of texts.

    Frequent words are compared as bits, the rest by a table of the left texts' words that the right texts' words are
    looked up in.

    Parameters
    ----------
    sets : words of N texts.
    left, right : int64 (m,), the pairs; fastest where ``left`` is sorted.

    Returns
    -------
    int64 (m,).
    """
    frequency = np.bincount(sets.number, minlength=sets.vocabulary)
    rank = np.empty(sets.vocabulary, dtype=np.int64)
    rank[np.argsort(-frequency, kind="stable")] = np.arange(sets.vocabulary)
    ranked = rank[sets.number]
    bits = _bits(sets, ranked)
    out = np.empty(left.size, dtype=np.int64)

    def common(start: int) -> None:
        part = slice(start, start + _PAIRS)
        out[part] = np.bitwise_count(bits[left[part]] & bits[right[part]]).sum(axis=1, dtype=np.uint16)

    deque(run_tasks(common, range(0, left.size, _PAIRS)), maxlen=0)
    if sets.vocabulary > COMMON:
        _add_rare(sets, ranked, left, right, out)
    return out


def _bits(sets: TokenSets, ranked: NDArray[np.int64]) -> NDArray[np.uint64]:
    """One bit for each of the frequent words, uint64 (N, COMMON / 64)."""
    count = sets.start.size - 1
    out = np.empty((count, COMMON // 64), dtype=np.uint64)
    for begin in range(0, count, _ROWS):
        end = min(begin + _ROWS, count)
        part = slice(sets.start[begin], sets.start[end])
        row = np.repeat(np.arange(end - begin), np.diff(sets.start[begin : end + 1]))
        common = ranked[part] < COMMON
        flags = np.zeros((end - begin, COMMON), dtype=bool)
        flags[row[common], ranked[part][common]] = True
        out[begin:end] = np.packbits(flags, axis=1).view(np.uint64)
    return out


def _add_rare(
    sets: TokenSets,
    ranked: NDArray[np.int64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    rare = ranked >= COMMON
    before = np.concatenate([[0], np.cumsum(rare)])
    start = before[sets.start]
    word = (ranked[rare] - COMMON).astype(np.int64)
    size = np.diff(start)
    width = sets.vocabulary - COMMON
    rows = max(1, _CELLS // width)
    table = np.zeros((min(rows, int(size.size)), width), dtype=bool)
    order = np.argsort(left, kind="stable")
    ordered = left[order]
    fresh = np.ones(ordered.size, dtype=bool)
    fresh[1:] = ordered[1:] != ordered[:-1]
    group = np.cumsum(fresh) - 1
    texts = ordered[fresh]
    for begin in range(0, texts.size, rows):
        some = texts[begin : begin + rows]
        cells = np.repeat(np.arange(some.size) * width, size[some]) + word[_spans(start[some], size[some])]
        flat = table.reshape(-1)
        flat[cells] = True
        pairs = order[np.searchsorted(group, begin) : np.searchsorted(group, begin + some.size)]
        local = group[np.searchsorted(group, begin) : np.searchsorted(group, begin + some.size)] - begin
        number = size[right[pairs]]
        looked_up = np.repeat(local * width, number) + word[_spans(start[right[pairs]], number)]
        found = np.concatenate([[0], np.cumsum(flat[looked_up])])
        end = np.cumsum(number)
        out[pairs] += found[end] - found[end - number]
        flat[cells] = False


def _spans(start: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.int64]:
    """Places start, start + 1, … of each span, one after another."""
    places: NDArray[np.int64] = np.repeat(start - (np.cumsum(size) - size), size)
    return places + np.arange(int(size.sum()))
