"""Surprisal E_p: a burst of improbable tokens, or a jump between two stretches of one text.

Depends on the document alone: no query, no tail.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ragsieve_core.rsq.config import RSQConfig


@dataclass(frozen=True, slots=True)
class WindowSurprisal:
    """Burst and change of one window length.

    Attributes
    ----------
    window : length w in tokens.
    gate : tau_w = 5 ln 2 sqrt(16 / w), nats; a burst or change below it contributes nothing.
    burst : max - lower median of the rolling means over w tokens, nats, >= 0.
    burst_at : index of the first token of the window with the largest mean; None without tokens.
    change : largest |mean of w before - mean of w after| over the boundaries, nats; 0 with fewer than 2w tokens.
    change_at : index of the first token after that boundary; None where there was no boundary.
    """

    window: int
    gate: float
    burst: float
    burst_at: int | None
    change: float
    change_at: int | None


@dataclass(frozen=True, slots=True)
class SurprisalEvidence:
    """E_p of one document.

    Attributes
    ----------
    e_surprisal : max(0, max over w of max(burst, change) / gate - 1); higher = more suspicious, 0 without tokens.
    windows : one entry per window length, in the order of the configuration.
    nll : float32 (m,), the token NLL in nats the numbers come from.
    offsets : int32 (m, 2), character spans of those tokens; empty (0, 2) if unknown.
    """

    e_surprisal: float
    windows: tuple[WindowSurprisal, ...]
    nll: NDArray[np.float32]
    offsets: NDArray[np.int32]


def window_surprisal(nll: NDArray[np.float32], window: int, config: RSQConfig) -> WindowSurprisal:
    """Burst and change of ``nll`` (float (m,), nats) for one window length."""
    gate = config.surprisal_gate * math.sqrt(16 / window)
    values = np.asarray(nll, dtype=np.float64)
    if values.size == 0:
        return WindowSurprisal(window, gate, 0.0, None, 0.0, None)
    if values.size < window:
        means = values.mean(keepdims=True)
    else:
        means = np.lib.stride_tricks.sliding_window_view(values, window).mean(axis=1)
    # torch's median, which METHOD follows: the lower of the two middle values of an even count
    median = np.sort(means)[(means.size - 1) // 2]
    peak = int(means.argmax())
    burst = float(means[peak] - median)
    boundaries = np.arange(window, values.size - window + 1, max(1, window // 2))
    if boundaries.size == 0:
        return WindowSurprisal(window, gate, burst, peak, 0.0, None)
    steps = np.abs(means[boundaries - window] - means[boundaries])
    widest = int(steps.argmax())
    return WindowSurprisal(window, gate, burst, peak, float(steps[widest]), int(boundaries[widest]))


def surprisal(
    nll: NDArray[np.float32], config: RSQConfig, offsets: NDArray[np.int32] | None = None
) -> SurprisalEvidence:
    """E_p from a document's token NLL.

    Parameters
    ----------
    nll : float (m,), nats, m >= 0.
    config : window lengths and gate.
    offsets : int (m, 2) character spans of the tokens, kept for display.
    """
    spans = np.zeros((0, 2), dtype=np.int32) if offsets is None else offsets
    if nll.size == 0:
        parts = tuple(window_surprisal(nll, w, config) for w in config.surprisal_windows)
        return SurprisalEvidence(0.0, parts, nll, spans)
    parts = tuple(window_surprisal(nll, w, config) for w in config.surprisal_windows)
    strongest = max(max(part.burst, part.change) / part.gate for part in parts)
    return SurprisalEvidence(max(0.0, strongest - 1.0), parts, nll, spans)
