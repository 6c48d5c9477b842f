"""Coarse scripts of many texts in one pass over their code points, by a table of the code points that occur.

The definition is :func:`ragsieve_core.text.scripts.script_profile`; this gives the same numbers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.text.scripts import SCRIPTS, coarse_script
from ragsieve_core.text.shared_tokens import spans
from ragsieve_core.text.token_sets import text_parts
from ragsieve_core.workers import run_tasks

_NUMBER = {name: number for number, name in enumerate((*SCRIPTS, "EAST_ASIAN", "OTHER"), start=1)}
_CHARACTERS = 400_000
"""Code points worked on at once; bounds memory."""

_table = np.zeros(0x110000, dtype=np.uint8)
_UNKNOWN = np.uint8(255)
_table[:] = _UNKNOWN
_BIT = np.array([0, *(1 << code for code in range(15))], dtype=np.uint16)
"""One bit per script; none for what is no letter."""


def script_counts(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Distinct coarse scripts of each text and its adjacent letters of different scripts.

    Returns
    -------
    two int64 (N,): as ``script_count`` and ``transitions`` of the profile.
    """
    scripts = np.zeros(len(texts), dtype=np.int64)
    transitions = np.zeros(len(texts), dtype=np.int64)

    def count(part: tuple[int, int]) -> None:
        some = slice(*part)
        scripts[some], transitions[some] = _part(texts[some])

    deque(run_tasks(count, text_parts(texts, _CHARACTERS)), maxlen=0)
    return scripts, transitions


def _part(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    codes, start, length = _codes(texts)
    # Most texts hold one script, and then it is mostly the first: nothing can meet anything
    highest = np.maximum.reduceat(codes, start)
    scripts = np.minimum(highest, 1).astype(np.int64)
    transitions = np.zeros(len(texts), dtype=np.int64)
    more = np.flatnonzero(highest > 1)
    if more.size:
        codes = codes[spans(start[more], length[more])]
        length = length[more]
        start = np.cumsum(length) - length
        # One bit per script, joined over each text
        scripts[more] = np.bitwise_count(np.bitwise_or.reduceat(_BIT.take(codes, mode="clip"), start))
        turns = (codes[1:] != codes[:-1]) & (codes[1:] > 0) & (codes[:-1] > 0)
        at = np.flatnonzero(turns)
        transitions[more] = np.diff(np.searchsorted(at, np.append(start, codes.size)))
    return scripts, transitions


def _codes(texts: Sequence[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]:
    """Script of each code point of the texts, 0 for what is no letter; where each text begins and how long it is."""
    # A line feed is no letter: texts do not touch
    joined = "\n".join(texts) + "\n"
    points = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    codes = _table.take(points, mode="clip")
    if codes.max() == _UNKNOWN:
        _learn(points[codes == _UNKNOWN])
        codes = _table.take(points, mode="clip")
    length = np.fromiter(map(len, texts), np.int64, len(texts)) + 1
    return codes, np.cumsum(length) - length, length


def _learn(points: NDArray[np.uint32]) -> None:
    for point in np.unique(points).tolist():
        script = coarse_script(chr(point))
        _table[point] = 0 if script is None else _NUMBER[script]
