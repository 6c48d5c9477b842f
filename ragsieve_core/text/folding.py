"""Texts as bytes for the `paper` words: a letter or digit of ``[a-z0-9]`` after casefolding, or 0.

Casefolding goes code point by code point: arithmetic gives it for Latin-1, a table of the code points that occur for
the rest. A code point that folds to several, one of them in ``[a-z0-9]`` (``ß``, ``ﬁ``), sends its text through
:meth:`str.casefold` first.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_ALPHABET = b"abcdefghijklmnopqrstuvwxyz0123456789"
_SHARP_S = 0xDF
"""The one code point of Latin-1 beyond ASCII with ASCII letters in its folding."""

_LONGER, _UNKNOWN = np.uint8(254), np.uint8(255)
_table = np.full(0x110000, _UNKNOWN, dtype=np.uint8)
"""Of code points above Latin-1: the byte each folds to, 0, or that it is longer or was not met yet."""

TAIL = 8
"""Zero bytes behind the texts, so that eight bytes can be read from any place in them."""


def folded_bytes(texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The texts one after another, each behind a 0, and the place after each; uint8 and int64 (N,)."""
    edge = _edges(texts)
    joined = "\n" + "\n".join(texts) + "\n"
    if joined.isascii():
        return _latin(np.frombuffer(joined.encode() + bytes(TAIL), dtype=np.uint8)), edge
    folded, longer = _by_table(joined)
    if longer.size:
        changed = list(texts)
        for row in np.unique(np.searchsorted(edge, longer, side="left")).tolist():
            changed[row] = texts[row].casefold()
        folded, _ = _by_table("\n" + "\n".join(changed) + "\n")
        edge = _edges(changed)
    return folded, edge


def _edges(texts: Sequence[str]) -> NDArray[np.int64]:
    """Place of the line feed behind each text, the first of all being at 0."""
    return np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)) + 1)


def _latin(data: NDArray[np.uint8]) -> NDArray[np.uint8]:
    small = data | np.uint8(0x20)
    # Unsigned: what lies below the first letter or digit wraps round to above the last
    small *= (small - np.uint8(ord("a"))) < 26
    small += data * ((data - np.uint8(ord("0"))) < 10)
    return small


def _by_table(joined: str) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Bytes of a text, and the places of code points that fold to more than one byte."""
    points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    low = np.zeros(points.size + TAIL, dtype=np.uint8)
    low[: points.size] = points
    folded = _latin(low)
    high = np.flatnonzero(points > 0xFF)
    if high.size:
        some = points[high]
        codes = _table[some]
        if codes.max() == _UNKNOWN:
            _learn(some[codes == _UNKNOWN])
            codes = _table[some]
        folded[high] = codes
        longer = high[codes == _LONGER]
    else:
        longer = high
    sharp = np.flatnonzero(points == _SHARP_S)
    return folded, np.concatenate([longer, sharp]) if sharp.size else longer


def _learn(points: NDArray[np.uint32]) -> None:
    for point in np.unique(points).tolist():
        folded = chr(point).casefold().encode("utf-8", "surrogatepass")
        plain = [byte for byte in folded if byte in _ALPHABET]
        _table[point] = folded[0] if len(folded) == 1 and plain else _LONGER if plain else 0
