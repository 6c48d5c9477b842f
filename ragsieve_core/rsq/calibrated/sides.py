"""Who is compared with whom: candidates, a guard on neither side, and the tail."""

from __future__ import annotations

from dataclasses import dataclass

from ragsieve_core.rsq.calibrated.config import CalibratedRSQConfig


@dataclass(frozen=True, slots=True)
class Sides:
    """Positions of a ranking of m documents, m <= n.

    Attributes
    ----------
    candidates : first k positions.
    guard : the following ones, where more of what is promoted would stand.
    tail : the rest.
    short : the ranking holds fewer than n documents, so the tail is shorter than the rule was measured with.
    """

    candidates: range
    guard: range
    tail: range
    short: bool

    @classmethod
    def of(cls, documents: int, config: CalibratedRSQConfig) -> Sides:
        """Sides of a ranking of that many documents."""
        held = min(documents, config.n)
        head = min(config.k + config.guard, held)
        return cls(range(min(config.k, held)), range(config.k, head), range(head, held), held < config.n)
