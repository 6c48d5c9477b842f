"""Distinct ``[a-z0-9]+`` words of many texts as numbers, by passes over their bytes.

The definition is :func:`ragsieve_core.text.words.ascii_words`; this gives the same sets. A word is told by a 64-bit
hash of its bytes, and every word is compared with the first of its hash: two words that share one are parted by their
bytes, so nothing rests on luck.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.text.words import ascii_words
from ragsieve_core.workers import run_tasks

_CHARACTERS = 1_500_000
"""Characters worked on at once; bounds memory."""

_WORD = np.zeros(256, dtype=bool)
_WORD[list(b"abcdefghijklmnopqrstuvwxyz0123456789")] = True
_MASK = np.array([(1 << 8 * size) - 1 for size in range(9)], dtype=np.uint64)
_FACTOR = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class TokenSets:
    """Distinct words of N texts.

    Attributes
    ----------
    start : int64 (N + 1,); the words of text i are ``number[start[i]:start[i + 1]]``.
    number : int32, each once in a text, below ``vocabulary``.
    vocabulary : different words.
    """

    start: NDArray[np.int64]
    number: NDArray[np.int32]
    vocabulary: int

    @property
    def size(self) -> NDArray[np.int64]:
        """Number of distinct words of each text, int64 (N,)."""
        return np.diff(self.start)


def ascii_token_sets(texts: Sequence[str]) -> TokenSets:
    """Sets of :func:`ascii_words` of each text."""
    known: dict[bytes, int] = {}
    sizes, numbers = [], []
    for size, local, words in run_tasks(
        lambda part: _part_sets(texts[part[0] : part[1]]), text_parts(texts, _CHARACTERS)
    ):
        number = np.fromiter((known.setdefault(word, len(known)) for word in words), np.int32, len(words))
        sizes.append(size)
        numbers.append(number[local])
    start = np.zeros(len(texts) + 1, dtype=np.int64)
    if sizes:
        np.cumsum(np.concatenate(sizes), out=start[1:])
    return TokenSets(start, np.concatenate(numbers) if numbers else np.empty(0, dtype=np.int32), len(known))


def text_parts(texts: Sequence[str], characters: int) -> Iterator[tuple[int, int]]:
    """Consecutive [begin, end) of at least one text and at most about ``characters`` in each."""
    begin = 0
    while begin < len(texts):
        end, held = begin, 0
        while end < len(texts) and (end == begin or held + len(texts[end]) < characters):
            held += len(texts[end]) + 1
            end += 1
        yield begin, end
        begin = end


def _part_sets(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64], list[bytes]]:
    """Number of words of each text, places of its words in the list, and the list."""
    # Text by text: ASCII ones fold far faster alone than inside a string that is not ASCII
    pieces = [text.casefold() for text in texts]
    # One byte per character; whatever is not ASCII parts words as a space does
    data = ("\n" + "\n".join(pieces) + "\n").encode("ascii", "replace")
    edge = np.cumsum(np.fromiter(map(len, pieces), np.int64, len(pieces)) + 1)
    buffer = np.frombuffer(data + b"\0" * 8, dtype=np.uint8)
    inside = _WORD[buffer]
    turns = np.flatnonzero(inside[1:] != inside[:-1]) + 1
    first, length = turns[::2], turns[1::2] - turns[::2]
    text = np.repeat(np.arange(edge.size), np.diff(np.searchsorted(first, edge), prepend=0))
    hashed = _hashes(buffer, first, length)
    order = np.argsort(hashed)
    fresh = np.ones(order.size, dtype=bool)
    fresh[1:] = hashed[order[1:]] != hashed[order[:-1]]
    local = np.empty(order.size, dtype=np.int64)
    local[order] = np.cumsum(fresh) - 1
    model = order[fresh]
    if not _all_equal(buffer, first, length, model[local]):
        return _plain_sets(texts)
    ends = (first + length)[model].tolist()
    spelled = [data[begin:end] for begin, end in zip(first[model].tolist(), ends, strict=True)]
    key = np.sort((text << 32) | local)
    kept = np.ones(key.size, dtype=bool)
    kept[1:] = key[1:] != key[:-1]
    key = key[kept]
    return np.bincount(key >> 32, minlength=len(texts)), key & 0xFFFFFFFF, spelled


def _words_at(buffer: NDArray[np.uint8], first: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Eight bytes from each place on."""
    view: NDArray[np.uint64] = np.ndarray((buffer.size - 7,), dtype="<u8", buffer=buffer, strides=(1,))
    return view[np.minimum(first, buffer.size - 8)]


def _hashes(buffer: NDArray[np.uint8], first: NDArray[np.int64], length: NDArray[np.int64]) -> NDArray[np.uint64]:
    out = (_words_at(buffer, first) & _MASK[np.minimum(length, 8)]) * _FACTOR
    out ^= out >> np.uint64(29)
    more, offset = np.flatnonzero(length > 8), 8
    while more.size:
        piece = _words_at(buffer, first[more] + offset) & _MASK[np.minimum(length[more] - offset, 8)]
        mixed = (out[more] ^ piece) * _FACTOR
        out[more] = mixed ^ (mixed >> np.uint64(31))
        offset += 8
        more = more[length[more] > offset]
    return out


def _all_equal(
    buffer: NDArray[np.uint8], first: NDArray[np.int64], length: NDArray[np.int64], model: NDArray[np.int64]
) -> bool:
    """Whether each word has the bytes of its model."""
    if (length != length[model]).any():
        return False
    more, offset = np.arange(first.size), 0
    while more.size:
        mask = _MASK[np.minimum(length[more] - offset, 8)]
        one, other = _words_at(buffer, first[more] + offset), _words_at(buffer, first[model[more]] + offset)
        if ((one & mask) != (other & mask)).any():
            return False
        offset += 8
        more = more[length[more] > offset]
    return True


def _plain_sets(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64], list[bytes]]:
    """The same for texts in which two words share a hash."""
    rows = [[word.encode() for word in ascii_words(text)] for text in texts]
    words = list({word for row in rows for word in row})
    place = {word: number for number, word in enumerate(words)}
    return (
        np.array([len(row) for row in rows], dtype=np.int64),
        np.array([place[word] for row in rows for word in row], dtype=np.int64),
        words,
    )
