"""Words as numbers that stay the same from scan to scan."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

LONG = np.uint64(1 << 63)
"""Set in the code of a word of more than eight bytes; no code of a shorter ASCII word has it."""

_ROUNDS = 6
_FACTOR = 0x9E3779B97F4A7C15


def models(
    hashed: NDArray[np.uint64],
    alike: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]],
    spell: Callable[[int], Hashable],
) -> NDArray[np.int64]:
    """One of each set of equal items for each item: itself, or another that is equal to it.

    A table is written and read at the hash of each item. Who finds an item that is not equal there, looks again in
    another table; after a few of these, what is left is told apart by its spelling, whatever the hashes are.

    Parameters
    ----------
    hashed : uint64 (m,), equal for equal items.
    alike : whether items and others, int64 (r,) each, are equal; exact.
    spell : an item as a key that only equal items share.

    Returns
    -------
    int64 (m,).
    """
    count = hashed.size
    bits = max(8, count.bit_length())
    table = np.empty(1 << bits, dtype=np.int64)
    factor = _FACTOR
    out = np.arange(count)
    rest = out
    for number in range(_ROUNDS):
        slot = (((hashed if number == 0 else hashed[rest]) * np.uint64(factor)) >> np.uint64(64 - bits)).view(np.int64)
        table[slot] = rest
        found = table[slot]
        unequal = np.flatnonzero(~alike(rest, found))
        if number == 0:
            out, rest = found, unequal
        else:
            out[rest] = found
            rest = rest[unequal]
        if not rest.size:
            return out
        factor = factor * _FACTOR % (1 << 64)
    known: dict[Hashable, int] = {}
    for item in rest.tolist():
        out[item] = known.setdefault(spell(item), item)
    return out


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words with a number.

    Attributes
    ----------
    codes : uint64 (V,), in the order of the numbers: the bytes of a word of at most eight, or :data:`LONG` and the
        number of the word in ``long``.
    long : number of each longer word among the longer ones.
    """

    codes: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, dtype=np.uint64))
    long: dict[bytes, int] = field(default_factory=dict)

    @property
    def size(self) -> int:
        """Number of words."""
        return self.codes.size

    def with_words(
        self, codes: Sequence[NDArray[np.uint64]], spelled: Sequence[Sequence[bytes]]
    ) -> tuple[Vocabulary, list[NDArray[np.int32]]]:
        """The vocabulary with more words, and the number of each of them.

        Parameters
        ----------
        codes : of several lists of words; of a longer word :data:`LONG` and its place in the list ``spelled``.
        spelled : the longer words of each list.
        """
        long = dict(self.long)
        asked = [self.codes]
        for part, words in zip(codes, spelled, strict=True):
            places = np.fromiter((long.setdefault(word, len(long)) for word in words), np.uint64, len(words))
            own = part.copy()
            is_long = (own & LONG) > 0
            own[is_long] = LONG | places[(own[is_long] ^ LONG).astype(np.int64)]
            asked.append(own)
        joined = np.concatenate(asked)
        model = models(joined, lambda one, other: joined[one] == joined[other], lambda item: int(joined[item]))
        number = np.full(joined.size, -1, dtype=np.int32)
        number[model[: self.size]] = np.arange(self.size, dtype=np.int32)
        fresh = np.flatnonzero((number == -1) & (model == np.arange(joined.size)))
        number[fresh] = np.arange(self.size, self.size + fresh.size, dtype=np.int32)
        given = number[model]
        edges = np.cumsum([part.size for part in asked])[:-1]
        return Vocabulary(np.concatenate([self.codes, joined[fresh]]), long), np.split(given, edges)[1:]
