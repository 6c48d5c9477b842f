"""Block tasks on all processors: results in order, whatever finishes first; an error comes out."""

from __future__ import annotations

import threading

import pytest

from ragsieve_core.workers import run_tasks, together, worker_count


@pytest.mark.parametrize("workers", ["1", "2"])
def test_results_are_in_order(workers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", workers)
    assert list(run_tasks(lambda number: number * number, range(50))) == [number * number for number in range(50)]
    assert together(lambda: "a", lambda: "b", lambda: "c") == ["a", "b", "c"]
    with pytest.raises(ZeroDivisionError):
        together(lambda: 1.0, lambda: 1 / 0)


def test_functions_run_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    if worker_count() < 2:
        pytest.skip("one processor")
    # Each waits for the other: one after another they would end in a broken barrier
    both = threading.Barrier(2, timeout=20)
    assert sorted(together(both.wait, both.wait)) == [0, 1]
