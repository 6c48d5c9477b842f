"""What the calibrated rule needs of a text alone: its words in order and its misplaced letters."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import regex

from ragsieve_core.models.feature_cache.kinds import ENTRY_OVERHEAD, Arrays, Kind
from ragsieve_core.rsq.calibrated.script import Misplaced, find_misplaced
from ragsieve_core.rsq.calibrated.words import Words, cut_words, words_of
from ragsieve_core.text.uts39 import ScriptFinding

_VERSION = 1
"""Raised with every change to how words are cut or letters judged: features on disk then no longer apply."""


@dataclass(frozen=True, slots=True)
class CalibratedText:
    """One text.

    Attributes
    ----------
    words : its words with their places.
    misplaced : its misplaced letters.
    """

    words: Words
    misplaced: Misplaced


def calibrated_text(text: str, stray_families: int) -> CalibratedText:
    """Both, from the text; nothing is remembered, so that the time it takes says nothing of earlier texts."""
    return CalibratedText(cut_words(text), find_misplaced(text, stray_families))


def calibrated_texts(texts: Sequence[str], stray_families: int) -> list[CalibratedText]:
    """:func:`calibrated_text` of each, equal ones once."""
    made = {text: calibrated_text(text, stray_families) for text in dict.fromkeys(texts)}
    return [made[text] for text in texts]


def _pack(value: CalibratedText) -> Arrays:
    spans = np.array(value.words.spans, dtype=np.int32).reshape(-1, 2)
    rest = [
        list(value.words.words),
        value.misplaced.number,
        value.misplaced.letters,
        [[found.kind, found.start, found.end, list(found.families)] for found in value.misplaced.findings],
    ]
    # A lone surrogate has no UTF-8 form; as an escape it comes back as it was
    return {"spans": spans, "json": np.frombuffer(json.dumps(rest).encode("ascii"), dtype=np.uint8)}


def _unpack(arrays: Arrays) -> CalibratedText:
    words, number, letters, findings = json.loads(_bytes(arrays["json"]))
    spans = arrays["spans"]
    if spans.dtype != np.int32 or spans.shape != (len(words), 2):
        raise ValueError("spans that do not fit the words")
    return CalibratedText(
        words_of([(str(word), int(a), int(b)) for word, (a, b) in zip(words, spans.tolist(), strict=True)]),
        Misplaced(
            int(number),
            int(letters),
            tuple(ScriptFinding(str(k), int(a), int(b), tuple(map(str, names))) for k, a, b, names in findings),
        ),
    )


def _bytes(array: Any) -> bytes:
    if array.dtype != np.uint8 or array.ndim != 1:
        raise ValueError(f"{array.dtype} with {array.ndim} axes")
    return bytes(array.tobytes())


def _size(value: CalibratedText) -> int:
    # Measured with tracemalloc: a word, its span and its place take about 250 bytes together
    return 256 * len(value.words.words) + 256 * len(value.misplaced.findings) + ENTRY_OVERHEAD


def calibrated_kind(stray_families: int) -> Kind[CalibratedText]:
    """Kind of these features; they change with the Unicode tables and the parameter."""
    return Kind(
        "calibrated",
        f"calibrated={_VERSION},stray_families={stray_families},unicode={unicodedata.unidata_version},"
        f"regex={regex.__version__}",
        _pack,
        _unpack,
        _size,
    )
