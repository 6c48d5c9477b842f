from __future__ import annotations

import inspect
from datetime import datetime, timedelta

import pytest

from ragsieve_core.review import truth
from ragsieve_core.review.truth import Check, claim_status

NOW = datetime(2026, 6, 1)
DAY = timedelta(days=1)


def check(kind: str, outcome: str, ago: int = 1, left: int | None = None) -> Check:
    return Check(kind, outcome, NOW - ago * DAY, None if left is None else NOW + left * DAY)


@pytest.mark.parametrize(
    ("checks", "status"),
    [
        ([], "unverified"),
        ([check("human_review", "inconclusive")], "unverified"),
        ([check("human_review", "supported")], "supported"),
        ([check("human_review", "supported"), check("cross_source_agreement", "contradicted")], "contradicted"),
        ([check("human_review", "supported"), check("time_validity", "contradicted")], "out_of_date"),
        ([check("human_review", "supported", left=-1)], "out_of_date"),
        ([check("human_review", "supported", left=0)], "out_of_date"),
        ([check("human_review", "supported", left=1)], "supported"),
        ([check("human_review", "contradicted", 9), check("human_review", "supported", 1)], "supported"),
        ([check("human_review", "supported", 1), check("human_review", "contradicted", 9)], "supported"),
        ([check("source_authorisation", "inconclusive"), check("time_validity", "supported", left=-1)], "out_of_date"),
    ],
)
def test_status(checks: list[Check], status: str) -> None:
    assert claim_status(checks, NOW) == status


def test_no_score_goes_in() -> None:
    assert list(inspect.signature(claim_status).parameters) == ["checks", "now"]
    assert set(Check.__dataclass_fields__) == {"kind", "outcome", "checked_at", "expires_at"}
    assert "score" not in set(vars(truth))
