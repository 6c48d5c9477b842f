"""Script integrity E_i: a candidate that mixes writing systems more than the tail does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ragsieve_core.rsq.config import RSQConfig
from ragsieve_core.rsq.tail import mid_rank
from ragsieve_core.text.scripts import ScriptProfile, ScriptRun, script_profile, script_runs


@dataclass(frozen=True, slots=True)
class ScriptEvidence:
    """E_i of one candidate.

    Attributes
    ----------
    v_script : mixed fraction of the candidate, in [0, 1).
    p_script : mid-rank of v_script against the tail, in (0, 1).
    e_script : -log10(p_script) / log10(2 (n - k + 1)); in (0, 1], higher = more suspicious. A tie with the whole
        tail (any all-Latin query) gives exactly 0.2 at n = 20, k = 5.
    profile : letter counts per script and transitions.
    runs : where each script stands in the text.
    """

    v_script: float
    p_script: float
    e_script: float
    profile: ScriptProfile
    runs: tuple[ScriptRun, ...]


def script_strength(p_script: float, config: RSQConfig) -> float:
    """e_script from the mid-rank probability."""
    return -math.log10(p_script) / math.log10(2 * (config.n - config.k + 1))


def _runs(text: str, profile: ScriptProfile) -> tuple[ScriptRun, ...]:
    if profile.script_count != 1:
        return script_runs(text)
    # One script: one run from the first letter to the last, without a look at those between
    ((script, letters),) = profile.counts
    start = next(i for i, character in enumerate(text) if character.isalpha())
    end = next(i for i in range(len(text), 0, -1) if text[i - 1].isalpha())
    return (ScriptRun(script, start, end, letters),)


def script_integrity(
    texts: Sequence[str], config: RSQConfig, *, profiles: Sequence[ScriptProfile] | None = None
) -> tuple[list[ScriptEvidence], list[float]]:
    """E_i of the first ``config.k`` of the ``config.n`` ranked texts.

    Parameters
    ----------
    texts : the n ranked texts, best first.
    config : n and k.
    profiles : script counts of each text, where they are known already.

    Returns
    -------
    Evidence per candidate in rank order, and the tail's mixed fractions (n - k values) that they were ranked against.
    """
    if profiles is None:
        profiles = [script_profile(text) for text in texts]
    tail = [profile.mixed_fraction for profile in profiles[config.k :]]
    evidence = []
    for text, profile in zip(texts[: config.k], profiles, strict=False):
        p = mid_rank(profile.mixed_fraction, tail)
        evidence.append(
            ScriptEvidence(profile.mixed_fraction, p, script_strength(p, config), profile, _runs(text, profile))
        )
    return evidence, tail
