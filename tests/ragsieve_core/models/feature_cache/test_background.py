"""Jobs run one after another on a thread of their own; errors stay with the job; a flood is cut."""

from __future__ import annotations

import threading

import pytest

from ragsieve_core.models.feature_cache import background
from ragsieve_core.models.feature_cache.background import Background


def test_values_come_step_by_step_and_in_all() -> None:
    sizes: list[int] = []

    def lengths(part: list[str]) -> list[int]:
        sizes.append(len(part))
        return [len(text) for text in part]

    job = Background().submit(["a" * n for n in range(9)], lengths)
    assert job.done.wait(10)
    assert job.values == {"a" * n: n for n in range(9)}
    assert sizes == [4, 4, 1]


def test_an_error_is_kept_and_the_next_job_runs() -> None:
    worker = Background()

    def failing(part: list[str]) -> list[int]:
        raise ValueError("no")

    first, second = worker.submit(["a"], failing), worker.submit(["b"], lambda part: [1])
    assert second.done.wait(10)
    assert isinstance(first.failure, ValueError)
    assert second.values == {"b": 1}


def test_a_flood_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "WAITING", 3)
    worker, gate = Background(), threading.Event()

    def slow(part: list[str]) -> list[int]:
        gate.wait(10)
        return [0] * len(part)

    first = worker.submit(["a", "b"], slow)
    second = worker.submit(["c", "d"], slow)
    third = worker.submit(["e"], slow)
    assert (first.texts, second.texts, third.texts) == (["a", "b"], ["c"], [])
    assert third.done.is_set()
    gate.set()
    assert second.done.wait(10)
