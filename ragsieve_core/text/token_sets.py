"""Distinct ``[a-z0-9]+`` words of many texts as numbers, by passes over their bytes.

The definition is :func:`ragsieve_core.text.words.ascii_words`; this gives the same sets. A word of at most eight bytes
is its own number; a longer one is found by a hash and compared byte by byte, so nothing rests on luck.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.text.folding import folded_bytes
from ragsieve_core.text.vocabulary import LONG, Vocabulary, models
from ragsieve_core.workers import run_tasks

_CHARACTERS = 500_000
"""Characters worked on at once; bounds memory."""

_MASK = np.array([(1 << 8 * size) - 1 for size in range(9)], dtype=np.uint64)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class TokenSets:
    """Distinct words of N texts.

    Attributes
    ----------
    begin, size : int64 (N,); the words of text i are ``number[begin[i]:begin[i] + size[i]]``.
    number : int32, each once in a text, below ``vocabulary``.
    vocabulary : different words.
    """

    begin: NDArray[np.int64]
    size: NDArray[np.int64]
    number: NDArray[np.int32]
    vocabulary: int


def ascii_token_sets(texts: Sequence[str]) -> TokenSets:
    """Sets of :func:`ascii_words` of each text."""
    return numbered_token_sets(texts, Vocabulary())[0]


def numbered_token_sets(texts: Sequence[str], known: Vocabulary) -> tuple[TokenSets, Vocabulary]:
    """Sets of :func:`ascii_words` of each text, words numbered on from those of earlier texts.

    Parameters
    ----------
    texts : N texts.
    known : words that have a number already.

    Returns
    -------
    the sets, and the vocabulary with the words that came in.
    """
    found = list(run_tasks(lambda part: _part_sets(texts[part[0] : part[1]]), text_parts(texts, _CHARACTERS)))
    if not found:
        empty = np.empty(0, dtype=np.int64)
        return TokenSets(empty, empty, empty.astype(np.int32), known.size), known
    vocabulary, numbers = known.with_words([part[2] for part in found], [part[3] for part in found])
    size = np.concatenate([part[0] for part in found])
    number = np.concatenate([one[part[1]] for part, one in zip(found, numbers, strict=True)])
    return TokenSets(np.cumsum(size) - size, size, number, vocabulary.size), vocabulary


def text_parts(texts: Sequence[str], characters: int) -> Iterator[tuple[int, int]]:
    """Consecutive [begin, end) of at least one text and at most about ``characters`` in each."""
    end = np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1)
    begin = 0
    while begin < len(texts):
        held = end[begin - 1] if begin else 0
        stop = max(begin + 1, int(np.searchsorted(end, held + characters, side="right")))
        yield begin, stop
        begin = stop


def _part_sets(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint64], list[bytes]]:
    """Number of words of each text, places of its words in the part's list, and the list: codes and long words.

    A long word's code is :data:`LONG` and its place in the list of them.
    """
    buffer, edge = folded_bytes(texts)
    inside = buffer > 0
    turns = np.flatnonzero(inside[1:] != inside[:-1])
    turns += 1
    first = turns[::2]
    length = turns[1::2] - first
    code = _words_at(buffer, first) & _MASK[np.minimum(length, 8)]
    longer = length > 8
    code[longer] |= LONG

    def alike(one: NDArray[np.int64], other: NDArray[np.int64]) -> NDArray[np.bool_]:
        same = (code if one.size == code.size else code[one]) == code[other]
        more = np.flatnonzero(same & longer[one])
        same[more] = _same_bytes(buffer, first, length, one[more], other[more])
        return np.asarray(same)

    data = buffer.data

    def spell(token: int) -> bytes:
        return bytes(data[first[token] : first[token] + length[token]])

    model = models(_hashes(buffer, first, length, code), alike, spell)
    distinct = np.flatnonzero(model == np.arange(model.size))
    local = np.empty(model.size, dtype=np.uint64)
    local[distinct] = np.arange(distinct.size, dtype=np.uint64)
    words = np.diff(np.searchsorted(first, edge), prepend=0)
    key = np.repeat(np.arange(edge.size, dtype=np.uint64) << np.uint64(32), words)
    key |= local[model]
    key.sort()
    kept = np.ones(key.size, dtype=bool)
    np.not_equal(key[1:], key[:-1], out=kept[1:])
    key = key[kept]
    size = np.bincount((key >> np.uint64(32)).astype(np.int64), minlength=len(texts))
    codes = code[distinct]
    longs = np.flatnonzero(longer[distinct])
    codes[longs] = LONG | np.arange(longs.size, dtype=np.uint64)
    return size, (key & np.uint64(0xFFFFFFFF)).astype(np.int64), codes, [spell(t) for t in distinct[longs].tolist()]


def _words_at(buffer: NDArray[np.uint8], first: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Eight bytes from each place on."""
    view: NDArray[np.uint64] = np.ndarray((buffer.size - 7,), dtype="<u8", buffer=buffer, strides=(1,))
    return view[first]


def _piece(
    buffer: NDArray[np.uint8], first: NDArray[np.int64], length: NDArray[np.int64], offset: int
) -> NDArray[np.uint64]:
    """Eight bytes of each word from an offset below its length on, zeros behind its end."""
    return _words_at(buffer, first + offset) & _MASK[np.minimum(length - offset, 8)]


def _hashes(
    buffer: NDArray[np.uint8], first: NDArray[np.int64], length: NDArray[np.int64], code: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    out = code * _FACTOR
    out ^= out >> np.uint64(29)
    more, offset = np.flatnonzero(length > 8), 8
    while more.size:
        mixed = (out[more] ^ _piece(buffer, first[more], length[more], offset)) * _FACTOR
        out[more] = mixed ^ (mixed >> np.uint64(31))
        offset += 8
        more = more[length[more] > offset]
    return out


def _same_bytes(
    buffer: NDArray[np.uint8],
    first: NDArray[np.int64],
    length: NDArray[np.int64],
    one: NDArray[np.int64],
    other: NDArray[np.int64],
) -> NDArray[np.bool_]:
    """Whether words with the same first eight bytes are the same, bool (m,)."""
    same = length[one] == length[other]
    more, offset = np.flatnonzero(same), 8
    while more.size:
        size = length[one[more]]
        left = _piece(buffer, first[one[more]], size, offset)
        equal = left == _piece(buffer, first[other[more]], size, offset)
        same[more[~equal]] = False
        offset += 8
        more = more[equal & (size > offset)]
    return np.asarray(same)
