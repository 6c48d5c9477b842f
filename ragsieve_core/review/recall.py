"""Recall of a detector from a random sample of what it did not flag; without one it cannot be estimated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from ragsieve_core.errors import InputError

RecallState = Literal["estimated", "no_samples", "no_answers", "nothing_found"]
NOT_ESTIMABLE = "Recall cannot be estimated from flagged items alone: what was not flagged has to be sampled."


@dataclass(frozen=True, slots=True)
class StratumCount:
    """A simple random sample of one stratum of what was not flagged.

    Attributes
    ----------
    population, drawn : units in the stratum and in the sample; 0 <= drawn <= population.
    positives, negatives : answers; drawn - positives - negatives are unanswered or unsure.
    """

    population: int
    drawn: int
    positives: int
    negatives: int

    def __post_init__(self) -> None:
        sound = 0 <= self.drawn <= self.population and self.positives >= 0 and self.negatives >= 0
        if not sound or self.positives + self.negatives > self.drawn:
            raise InputError(
                f"counts that do not fit: {self.drawn} of {self.population}, {self.positives} and {self.negatives}",
                where="stratum",
                expected="0 <= positives + negatives <= drawn <= population",
            )


@dataclass(frozen=True, slots=True)
class RecallEstimate:
    """Share of all promoted units that were flagged, [0, 1], higher = fewer missed.

    Attributes
    ----------
    state : estimated; no_samples: nothing unflagged was drawn; no_answers: nobody answered yet; nothing_found: no
        promoted unit is known at all.
    recall, low, high : None unless estimated; low and high cover with at least ``level``.
    found, undecided : flagged units judged promoted, and flagged units not judged yet.
    missed, missed_low, missed_high : estimated promoted units among the unflagged.
    sampled, answered : units drawn and answered.
    text : what to show where there is no number.
    """

    state: RecallState
    recall: float | None
    low: float | None
    high: float | None
    found: int
    undecided: int
    missed: float | None
    missed_low: int | None
    missed_high: int | None
    sampled: int
    answered: int
    level: float
    text: str = ""


def missed_interval(strata: Sequence[StratumCount], *, level: float = 0.95) -> tuple[int, int]:
    """Smallest and largest number of promoted units among all strata that the samples do not rule out.

    Exact hypergeometric limits per stratum (Clopper and Pearson's argument for sampling without replacement) at a level
    shared out by Bonferroni, then summed: covers with at least ``level``, also where no positive was drawn. Unanswered
    units count as negative for the lower limit and as positive for the upper one.
    """
    if not 0 < level < 1:
        raise InputError(f"a level of {level}", where="level", expected="between 0 and 1")
    tail = (1 - level) / 2 / max(1, len(strata))
    low = high = 0
    for stratum in strata:
        unknown = stratum.drawn - stratum.positives - stratum.negatives
        low += _lower(stratum.population, stratum.drawn, stratum.positives, tail)
        high += _upper(stratum.population, stratum.drawn, stratum.positives + unknown, tail)
    return low, high


def _lower(population: int, drawn: int, seen: int, tail: float) -> int:
    """Smallest K with P[X >= seen] > tail; that probability rises with K."""
    from scipy.stats import hypergeom

    if seen == 0:
        return 0
    return _first(seen, population - (drawn - seen), lambda k: hypergeom.sf(seen - 1, population, k, drawn) > tail)


def _upper(population: int, drawn: int, seen: int, tail: float) -> int:
    """Largest K with P[X <= seen] > tail; that probability falls with K."""
    from scipy.stats import hypergeom

    most = population - (drawn - seen)
    beyond = _first(seen, most + 1, lambda k: k > most or hypergeom.cdf(seen, population, k, drawn) <= tail)
    return beyond - 1


def _first(low: int, high: int, holds: Callable[[int], bool]) -> int:
    """First number from ``low`` on at which a condition that stays true holds; it holds at ``high``."""
    while low < high:
        middle = (low + high) // 2
        if holds(middle):
            high = middle
        else:
            low = middle + 1
    return low


def recall_from(
    strata: Sequence[StratumCount], *, found: int, undecided: int = 0, level: float = 0.95
) -> RecallEstimate:
    """Recall from judged flagged units and samples of the unflagged ones.

    recall = found / (found + missed), missed = sum over strata of population · positives / answered. The interval goes
    from found / (found + missed_high) to (found + undecided) / (found + undecided + missed_low): flagged units that
    nobody judged may all be promoted, or none.

    Parameters
    ----------
    strata : one per stratum of the draw; a stratum that nobody drew from makes the interval reach to its whole size.
    found, undecided : flagged units judged promoted, and those not judged yet.
    """
    sampled = sum(stratum.drawn for stratum in strata)
    answered = sum(stratum.positives + stratum.negatives for stratum in strata)
    empty = (None, None, None)

    def without(state: RecallState, text: str) -> RecallEstimate:
        return RecallEstimate(state, *empty, found, undecided, *empty, sampled, answered, level, text)

    if sampled == 0:
        return without("no_samples", NOT_ESTIMABLE)
    if answered == 0:
        return without("no_answers", f"{NOT_ESTIMABLE} {sampled} were drawn and wait for an answer.")
    missed = 0.0
    for stratum in strata:
        told = stratum.positives + stratum.negatives
        missed += stratum.population * stratum.positives / told if told else 0.0
    low, high = missed_interval(strata, level=level)
    if found + undecided == 0 and missed == 0:
        return without("nothing_found", "No promoted document is known, flagged or not.")
    recall = found / (found + missed) if found + missed else 0.0
    least = found / (found + high) if found + high else 0.0
    most = (found + undecided) / (found + undecided + low) if found + undecided + low else 1.0
    return RecallEstimate(
        "estimated", recall, min(least, recall), max(most, recall), found, undecided, missed, low, high, sampled,
        answered, level,
    )  # fmt: skip
