"""Severity: the order of the queue and nothing else. The same formula stands in the view alert_folded."""

from __future__ import annotations

import math

TRUST_WEIGHT = {"trusted": 0.0, "neutral": 0.5, "untrusted": 1.0}


def severity(
    score: float | None, threshold: float, contexts: int, campaign_size: int, trust: str = "neutral", tier: int = 1
) -> float:
    """0 to 100, higher = look at it sooner.

    40 · min(1, score / (2 · threshold)) + 25 · min(1, log10(1 + contexts) / 2) + 15 · min(1, (campaign_size - 1) / 4)
    + 10 · t + 10 · (tier - 1) / 2, t = 0 trusted, 0.5 neutral, 1 untrusted: full score at twice the threshold, full
    reach at 99 contexts, full campaign at five members. A missing score counts 0.

    Parameters
    ----------
    score : highest score of any evidence, >= 0, higher = more suspicious.
    threshold : score from which the rule flags, > 0.
    contexts : answers whose context held the text, >= 0.
    campaign_size : members of its campaign, >= 1.
    trust : lower of the trust in source and contributor.
    tier : risk tier, 1 low to 3 high.
    """
    return (
        40 * min(1.0, (score or 0.0) / (2 * threshold))
        + 25 * min(1.0, math.log10(1 + contexts) / 2)
        + 15 * min(1.0, (campaign_size - 1) / 4)
        + 10 * TRUST_WEIGHT[trust]
        + 10 * (tier - 1) / 2
    )
