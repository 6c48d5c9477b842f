"""Query alignment E_s: a document whose closeness to the query jumps between neighbouring windows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.models.halves import widened
from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.tail import mid_rank


@dataclass(frozen=True, slots=True)
class AlignmentTrace:
    """BERTScore of a document's windows with the query.

    Attributes
    ----------
    f1 : float64 (w,), F1 per window, in [-1, 1]; empty without tokens.
    windows : int32 (w, 2), token span [start, end) of each window.
    jump : largest |difference| of neighbouring windows, >= 0; 0 with fewer than two windows.
    jump_at : index of the second window of that pair; None where there is none.
    """

    f1: NDArray[np.float64]
    windows: NDArray[np.int32]
    jump: float
    jump_at: int | None


@dataclass(frozen=True, slots=True)
class AlignmentEvidence:
    """E_s of one candidate.

    Attributes
    ----------
    p_alignment : mid-rank of the candidate's jump against the tail's, in (0, 1).
    e_alignment : max(0, ln(level / p_alignment) / ln(1 / level)), level = 0.05; higher = more suspicious.
    trace : the windows and where the jump is.
    offsets : int32 (t, 2), character spans of the document tokens; empty if unknown.
    """

    p_alignment: float
    e_alignment: float
    trace: AlignmentTrace
    offsets: NDArray[np.int32]


def window_spans(tokens: int, window: int, stride: int) -> NDArray[np.int32]:
    """Spans [start, end) of the windows over ``tokens`` tokens, int32 (w, 2).

    Every ``stride`` from the start, plus a last one ending at the last token where the stride misses it; one
    window where there are no more than ``window`` tokens; none for no tokens.
    """
    if tokens == 0:
        return np.zeros((0, 2), dtype=np.int32)
    if tokens <= window:
        return np.array([[0, tokens]], dtype=np.int32)
    starts = list(range(0, tokens - window + 1, stride))
    if starts[-1] + window < tokens:
        starts.append(tokens - window)
    return np.array([[s, s + window] for s in starts], dtype=np.int32)


@lru_cache(maxsize=1024)
def _windows(tokens: int, window: int, stride: int) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Spans, and the token rows of each window, intp (w, min(window, tokens)); read-only, because they are shared."""
    spans = window_spans(tokens, window, stride)
    rows = spans[:, :1].astype(np.intp) + np.arange(min(window, tokens), dtype=np.intp)
    spans.setflags(write=False)
    rows.setflags(write=False)
    return spans, rows


def alignment_trace(document: NDArray[Any], query: NDArray[np.float32], config: RSQConfig) -> AlignmentTrace:
    """BERTScore F1 of each window and the largest jump.

    Parameters
    ----------
    document : float32 or float16 (t, d), unit rows: contextual vectors of the whole document. float16 is widened here,
        one document at a time: fifty widened at once would not fit into the processor's caches.
    query : float (q, d), unit rows.
    config : window and stride.
    """
    spans, rows = _windows(document.shape[0], config.alignment_window, config.alignment_stride)
    if spans.shape[0] == 0 or query.shape[0] == 0:
        return AlignmentTrace(np.zeros(0), np.zeros((0, 2), dtype=np.int32), 0.0, None)
    # One product per document, never one over a whole ranking: a document's numbers must not depend on the others
    cosines = (widened(document) @ query.T).astype(np.float64)
    precision = cosines.max(axis=1)[rows].mean(axis=1)
    recall = cosines[rows].max(axis=1).mean(axis=1)
    f1 = 2 * precision * recall / np.maximum(precision + recall, 1e-8)
    if f1.size < 2:
        return AlignmentTrace(f1, spans, 0.0, None)
    steps = np.abs(np.diff(f1))
    widest = int(steps.argmax())
    return AlignmentTrace(f1, spans, float(steps[widest]), widest + 1)


def alignment_strength(p_alignment: float, config: RSQConfig) -> float:
    """e_alignment from the mid-rank probability."""
    return max(0.0, math.log(config.alignment_level / p_alignment) / math.log(1 / config.alignment_level))


def query_alignment(
    traces: Sequence[AlignmentTrace], offsets: Sequence[NDArray[np.int32]], config: RSQConfig
) -> tuple[list[AlignmentEvidence], list[float]]:
    """E_s of the first ``config.k`` of the ``config.n`` traces, in rank order.

    Returns
    -------
    Evidence per candidate, and the tail's jumps (n - k values) that they were ranked against.
    """
    tail = [trace.jump for trace in traces[config.k :]]
    evidence = []
    for trace, spans in zip(traces[: config.k], offsets, strict=False):
        p = mid_rank(trace.jump, tail)
        evidence.append(AlignmentEvidence(p, alignment_strength(p, config), trace, spans))
    return evidence, tail
