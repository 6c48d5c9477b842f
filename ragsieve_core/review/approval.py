"""When a quarantine needs a second person, and the rest of what a desk sets for itself."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, fields

from ragsieve_core.config import config_key
from ragsieve_core.errors import InputError

# Fields in which a higher value lets one person do more: raising one needs a second person.
_LOOSER_HIGHER = ("alone_contexts", "alone_campaign", "alone_tier", "alone_per_day", "release_days")


@dataclass(frozen=True, slots=True)
class ReviewPolicy:
    """Limits of the desk; the key covers every field.

    Attributes
    ----------
    alone_contexts : contexts an alert's text may have got into for one person to quarantine it alone; >= 0.
    alone_campaign : members its campaign may have for that; >= 1.
    alone_tier : highest risk tier for that, 0 (never alone) to 3.
    alone_per_day : documents that one person may put in force alone in 24 hours; >= 0.
    claim_minutes : how long a claim holds, (0, 1440].
    release_days : how long a release stays on the allow-list, (0, 3650].
    realert_margin : rise of the score, as a share of the threshold, above the highest score seen at a release that is
        new evidence; >= 0.
    realert_members : members that a campaign must gain since a release to be new evidence; >= 1.
    hold_severity : open alerts from this severity on are held until decided; above 100 = none.
    hold_hours : how long such a hold lasts, (0, 720].
    sample_rate : probability with which an unflagged document is drawn for blind review, [0, 1].
    double_rate : probability with which a decided alert is drawn for a second, blind review, [0, 1].
    """

    alone_contexts: int = 9
    alone_campaign: int = 4
    alone_tier: int = 2
    alone_per_day: int = 50
    claim_minutes: float = 30.0
    release_days: float = 180.0
    realert_margin: float = 0.5
    realert_members: int = 2
    hold_severity: float = 101.0
    hold_hours: float = 24.0
    sample_rate: float = 0.0
    double_rate: float = 0.0

    def __post_init__(self) -> None:
        ranges: dict[str, tuple[float, float]] = {
            "alone_contexts": (0, math.inf),
            "alone_campaign": (1, math.inf),
            "alone_tier": (0, 3),
            "alone_per_day": (0, math.inf),
            "claim_minutes": (1e-9, 1440),
            "release_days": (1e-9, 3650),
            "realert_margin": (0, math.inf),
            "realert_members": (1, math.inf),
            "hold_severity": (0, math.inf),
            "hold_hours": (1e-9, 720),
            "sample_rate": (0, 1),
            "double_rate": (0, 1),
        }
        for name, (low, high) in ranges.items():
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
                raise InputError(f"{name} is {value!r}", where=name, expected=f"{low:g} to {high:g}")

    @property
    def key(self) -> str:
        """Over every field."""
        return config_key(self)


def loosened(before: ReviewPolicy, after: ReviewPolicy) -> tuple[str, ...]:
    """Fields in which ``after`` lets one person do more, or checks less, than ``before``."""
    found = [name for name in _LOOSER_HIGHER if getattr(after, name) > getattr(before, name)]
    found += [
        n for n in ("hold_severity", "realert_margin", "realert_members") if getattr(after, n) > getattr(before, n)
    ]
    found += [name for name in ("sample_rate", "double_rate") if getattr(after, name) < getattr(before, name)]
    return tuple(field.name for field in fields(before) if field.name in found)


def second_person_for(
    policy: ReviewPolicy, *, contexts: int, campaign_size: int, tier: int, alone_today: int
) -> tuple[str, ...]:
    """Why a quarantine needs a second person; empty if it does not.

    Parameters
    ----------
    contexts : answers whose context held the text.
    campaign_size : members of its campaign, 1 where it is alone.
    tier : its risk tier, 1 to 3.
    alone_today : documents the same person put in force alone in the last 24 hours.
    """
    limits: Iterable[tuple[str, float, float]] = (
        ("reach", contexts, policy.alone_contexts),
        ("campaign", campaign_size, policy.alone_campaign),
        ("risk_tier", tier, policy.alone_tier),
        ("daily_limit", alone_today + 1, policy.alone_per_day),
    )
    return tuple(name for name, value, limit in limits if value > limit)
