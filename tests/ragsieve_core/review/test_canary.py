from __future__ import annotations

import pytest

from ragsieve_core.review.canary import judge


@pytest.mark.parametrize(
    ("change", "ranking", "expected"),
    [
        ("added", ["a", "b"], ("verified_absent", None)),
        ("added", ["a", "x"], ("still_present", 2)),
        ("removed", ["x"], ("restored", 1)),
        ("removed", ["a"], ("not_restored", None)),
        ("added", None, ("unreplayed", None)),
        ("added", [], ("verified_absent", None)),
    ],
)
def test_outcomes(change: str, ranking: list[str] | None, expected: tuple) -> None:
    assert judge(change, "x", ranking) == expected
