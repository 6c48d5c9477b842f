"""Integrity I_i of a document: letters of different scripts side by side, or many scripts in one text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsg.config import RSGConfig
from ragsieve_core.text.script_arrays import script_counts


def integrity(texts: Sequence[str], config: RSGConfig) -> NDArray[np.float64]:
    """1 where two adjacent characters are letters of different coarse scripts or the text holds too many scripts.

    Parameters
    ----------
    texts : N document texts.
    config : number of scripts that is too many (3 in `paper`).

    Returns
    -------
    float64 (N,), each 0 or 1; 1 = suspicious.
    """
    return flags(*text_scripts(texts), config)


def text_scripts(texts: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """:func:`script_counts`, but an ASCII text counts as one script unseen: its letters are all Latin."""
    scripts, transitions = np.ones(len(texts), dtype=np.int64), np.zeros(len(texts), dtype=np.int64)
    mixed = [row for row, text in enumerate(texts) if not text.isascii()]
    if mixed:
        scripts[mixed], transitions[mixed] = script_counts([texts[row] for row in mixed])
    return scripts, transitions


def flags(scripts: NDArray[np.int64], transitions: NDArray[np.int64], config: RSGConfig) -> NDArray[np.float64]:
    """:func:`integrity` from the counts of :func:`text_scripts`."""
    return ((transitions > 0) | (scripts >= config.integrity_scripts)).astype(np.float64)
