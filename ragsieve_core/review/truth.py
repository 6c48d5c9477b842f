"""Whether a statement holds, from people's checks alone: no function here takes a score, a flag or a verdict."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, get_args

CheckKind = Literal["source_authorisation", "cross_source_agreement", "time_validity", "human_review"]
CHECK_KINDS: tuple[CheckKind, ...] = get_args(CheckKind)
CheckOutcome = Literal["supported", "contradicted", "inconclusive"]
CHECK_OUTCOMES: tuple[CheckOutcome, ...] = get_args(CheckOutcome)
ClaimStatus = Literal["unverified", "supported", "contradicted", "out_of_date"]


@dataclass(frozen=True, slots=True)
class Check:
    """One check: what kind, what it found, when (naive UTC), and from when it counts no more (None = never)."""

    kind: str
    outcome: str
    checked_at: datetime
    expires_at: datetime | None = None


def claim_status(checks: Iterable[Check], now: datetime) -> ClaimStatus:
    """Status of a statement at ``now``.

    The latest check of each kind counts. A time_validity check that contradicts makes it out of date; else any other
    that contradicts makes it contradicted; else any that supports makes it supported. Where only checks that ran out
    had supported or contradicted it, it is out of date; without any of these it is unverified.
    """
    latest: dict[str, Check] = {}
    for check in sorted(checks, key=lambda check: check.checked_at):
        latest[check.kind] = check
    standing = [check for check in latest.values() if check.expires_at is None or check.expires_at > now]
    if any(check.kind == "time_validity" and check.outcome == "contradicted" for check in standing):
        return "out_of_date"
    if any(check.outcome == "contradicted" for check in standing):
        return "contradicted"
    if any(check.outcome == "supported" for check in standing):
        return "supported"
    told = any(check.outcome != "inconclusive" for check in latest.values())
    return "out_of_date" if told else "unverified"
