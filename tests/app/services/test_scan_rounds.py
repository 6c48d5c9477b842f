"""Rounds of an audit, with a clock that does not wait."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.services.scan_rounds import Rounds, scan_rounds
from app.services.scanning import ScanOutcome
from ragsieve_core.errors import BusyError, InputError


def outcome(name: str, *, new: int = 0, already: bool = False) -> ScanOutcome:
    return ScanOutcome(name, "snap", 9, new, new, new, 0.1, "ok", already)


def rounds(steps: list[ScanOutcome | BaseException], count: int | None) -> tuple[Rounds, list[str], list[float]]:
    said: list[str] = []
    slept: list[float] = []
    left: Iterator[ScanOutcome | BaseException] = iter(steps)

    def scan() -> ScanOutcome:
        step = next(left)
        if isinstance(step, BaseException):
            raise step
        return step

    sleep: Callable[[float], None] = slept.append
    return scan_rounds(scan, every_s=60, count=count, say=said.append, done=lambda _: None, sleep=sleep), said, slept


def test_counts() -> None:
    steps = [outcome("a", new=2), outcome("a", already=True), InputError("no vectors"), outcome("b", new=1)]
    total, said, slept = rounds(steps, 4)
    assert (total.rounds, total.scanned, total.unchanged, total.failed, total.new_alerts) == (4, 2, 1, 1, 3)
    assert (total.last_scan, total.last_error, total.interrupted) == ("b", "no vectors", False)
    assert len(slept) == 3
    assert all(59 < pause <= 60 for pause in slept)
    assert said == ["round 3 failed: no vectors"]


def test_an_unforeseen_error_is_one_round_with_its_trace() -> None:
    total, said, _ = rounds([ZeroDivisionError("x"), outcome("a")], 2)
    assert (total.failed, total.scanned, total.last_error) == (1, 1, "ZeroDivisionError: x")
    assert "Traceback" in said[0]


def test_ctrl_c_ends_the_rounds_and_keeps_the_counts() -> None:
    total, _, _ = rounds([outcome("a", new=2), KeyboardInterrupt()], None)
    assert (total.rounds, total.scanned, total.interrupted, total.new_alerts) == (2, 1, True, 2)


def test_the_code_of_the_last_error_is_kept() -> None:
    assert rounds([BusyError("held")], 1)[0].exit_code == 3
