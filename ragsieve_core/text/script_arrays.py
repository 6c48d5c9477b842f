"""Coarse scripts of many texts in one pass over their code points, by a table of the code points that occur.

The definition is :func:`ragsieve_core.text.scripts.script_profile`; this gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.text.scripts import SCRIPTS, coarse_script
from ragsieve_core.text.token_sets import text_parts

_NUMBER = {name: number for number, name in enumerate((*SCRIPTS, "EAST_ASIAN", "OTHER"), start=1)}
_CHARACTERS = 4_000_000
"""Code points worked on at once; bounds memory."""

_table = np.zeros(0x110000, dtype=np.uint8)
_UNKNOWN = np.uint8(255)
_table[:] = _UNKNOWN


def script_counts(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct coarse scripts of each text and its adjacent letters of different scripts.

    Returns
    -------
    two int64 (N,): as ``script_count`` and ``transitions`` of the profile.
    """
    scripts = np.zeros(len(texts), dtype=np.int64)
    transitions = np.zeros(len(texts), dtype=np.int64)
    for begin, end in text_parts(texts, _CHARACTERS):
        scripts[begin:end], transitions[begin:end] = _part(texts[begin:end])
    return scripts, transitions


def _part(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    # A line feed is no letter: texts do not touch
    joined = "\n".join(texts) + "\n"
    points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    codes = _table[points]
    if codes.max() == _UNKNOWN:
        _learn(points[codes == _UNKNOWN])
        codes = _table[points]
    length = np.fromiter(map(len, texts), np.int64, len(texts)) + 1
    start = np.cumsum(length) - length
    # One bit per script, joined over each text
    held = np.bitwise_or.reduceat((np.uint16(1) << codes.astype(np.uint16)), start) & np.uint16(0xFFFE)
    turns = (codes[1:] != codes[:-1]) & (codes[1:] > 0) & (codes[:-1] > 0)
    before = np.concatenate([[0], np.cumsum(turns)])
    return np.bitwise_count(held).astype(np.int64), before[start + length - 1] - before[start]


def _learn(points: NDArray[np.uint32]) -> None:
    for point in np.unique(points).tolist():
        script = coarse_script(chr(point))
        _table[point] = 0 if script is None else _NUMBER[script]
