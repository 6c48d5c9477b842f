"""Mid-rank of a candidate's value among the tail's: the local contrast that RSQ is built on."""

from __future__ import annotations

from collections.abc import Sequence


def mid_rank(value: float, tail: Sequence[float]) -> float:
    """p = (0.5 + #{r > v} + 0.5 #{r = v}) / (len(tail) + 1), in (0, 1); small = above nearly all of the tail.

    Source: METHOD, "Script integrity". With an empty tail p = 0.5: nothing to contrast with.
    """
    above = sum(1 for r in tail if r > value)
    equal = sum(1 for r in tail if r == value)
    return (0.5 + above + 0.5 * equal) / (len(tail) + 1)
