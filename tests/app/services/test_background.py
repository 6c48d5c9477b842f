"""Work beside the pages: one at a time per name, failures in words, joined at the end."""

from __future__ import annotations

import threading
import time

from app.services.background import Background
from ragsieve_core.errors import InputError


def ended(background: Background, name: str) -> None:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        task = background.task(name)
        if task is not None and task.state != "running":
            return
        time.sleep(0.01)
    raise AssertionError("it did not end")


def test_one_at_a_time_and_the_outcome_is_kept() -> None:
    background, go = Background(), threading.Event()
    assert background.task("x") is None
    assert background.start("x", lambda: go.wait(10))
    assert not background.start("x", lambda: 1)
    assert background.start("y", lambda: 7)
    ended(background, "y")
    task = background.task("y")
    assert task is not None
    assert (task.state, task.result, task.problem) == ("done", 7, "")
    go.set()
    background.stop()
    running = background.task("x")
    assert running is not None
    assert running.state == "done"
    assert background.start("x", lambda: 1)
    background.stop()


def test_a_failure_is_words_and_never_a_trace() -> None:
    def refused() -> None:
        raise InputError("no such address", do="choose another")

    def broken() -> None:
        raise ValueError("text of a document")

    background = Background()
    background.start("refused", refused)
    background.start("broken", broken)
    background.stop()
    first, second = background.task("refused"), background.task("broken")
    assert first is not None
    assert second is not None
    assert first.state == second.state == "failed"
    assert "no such address" in first.problem
    assert "choose another" in first.problem
    assert "text of a document" not in second.problem
    assert "terminal" in second.problem
