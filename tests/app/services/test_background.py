"""Work beside the pages: one at a time per name, failures in words, joined at the end."""

from __future__ import annotations

import threading
import time

from app.services.background import Background, Tell
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


def test_long_work_says_how_far_it_is_and_ends_where_it_is_cancelled() -> None:
    background, go, told = Background(), threading.Event(), threading.Event()

    def work(tell: Tell) -> str:
        tell("reading", 1, 2)
        told.set()
        go.wait(10)
        tell("writing", 2, 2)
        return "written"

    assert background.start_long("x", work)
    assert told.wait(10)
    task = background.task("x")
    assert task is not None
    assert (task.title, task.done, task.total, task.state) == ("reading", 1, 2, "running")
    assert background.cancel("x")
    background.forget("x")
    go.set()
    ended(background, "x")
    task = background.task("x")
    assert task is not None
    assert (task.state, task.result, task.problem) == ("cancelled", None, "")
    assert not background.cancel("x")
    background.forget("x")
    assert background.task("x") is None
    assert background.start_long("x", work)
    ended(background, "x")
    task = background.task("x")
    assert task is not None
    assert (task.state, task.result) == ("done", "written")


def test_the_end_of_the_process_cancels_long_work() -> None:
    background, begun = Background(), threading.Event()

    def endless(tell: Tell) -> None:
        while True:
            tell("turning", 0, 0)
            begun.set()
            time.sleep(0.01)

    background.start_long("x", endless)
    assert begun.wait(10)
    background.stop()
    task = background.task("x")
    assert task is not None
    assert task.state == "cancelled"
