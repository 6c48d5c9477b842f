from __future__ import annotations

from dataclasses import fields, replace

import pytest

from ragsieve_core.errors import InputError
from ragsieve_core.review.approval import ReviewPolicy, loosened, second_person_for

POLICY = ReviewPolicy(alone_contexts=9, alone_campaign=4, alone_tier=2, alone_per_day=5)


@pytest.mark.parametrize(
    ("facts", "causes"),
    [
        ((9, 4, 2, 4), ()),
        ((10, 4, 2, 4), ("reach",)),
        ((9, 5, 2, 4), ("campaign",)),
        ((9, 4, 3, 4), ("risk_tier",)),
        ((9, 4, 2, 5), ("daily_limit",)),
        ((10, 5, 3, 5), ("reach", "campaign", "risk_tier", "daily_limit")),
    ],
)
def test_limits_are_the_last_that_one_person_may(facts: tuple[int, ...], causes: tuple[str, ...]) -> None:
    contexts, size, tier, today = facts
    assert second_person_for(POLICY, contexts=contexts, campaign_size=size, tier=tier, alone_today=today) == causes


def test_every_field_is_loosened_one_way_only() -> None:
    raised = {"sample_rate": 0.5, "double_rate": 0.5, "alone_tier": 3, "hold_severity": 200.0}
    for field in fields(ReviewPolicy):
        value = getattr(ReviewPolicy(), field.name)
        after = replace(ReviewPolicy(), **{field.name: raised.get(field.name, value + 1)})
        ways = [loosened(ReviewPolicy(), after), loosened(after, ReviewPolicy())]
        neutral = field.name in ("claim_minutes", "hold_hours")
        assert sorted(ways) == ([(), ()] if neutral else [(), (field.name,)]), field.name
        assert ReviewPolicy().key != after.key


@pytest.mark.parametrize(
    "change",
    [
        {"alone_tier": 4},
        {"claim_minutes": 0},
        {"sample_rate": 1.5},
        {"alone_per_day": -1},
        {"hold_hours": "x"},
        {"alone_contexts": True},
    ],
)
def test_what_is_no_policy(change: dict) -> None:
    with pytest.raises(InputError):
        ReviewPolicy(**change)
