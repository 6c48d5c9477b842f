"""`make bench` fails where a benchmark missed its bounds, and runs the others all the same."""

from __future__ import annotations

import sys
from types import ModuleType

import pytest

from benchmarks.__main__ import main


def test_a_missed_bound_or_a_benchmark_that_cannot_run_is_an_exit_code(monkeypatch: pytest.MonkeyPatch) -> None:
    ran: list[str] = []

    def fake(name: str, outcome: object) -> None:
        def run() -> object:
            ran.append(name)
            if isinstance(outcome, str):
                raise SystemExit(outcome)
            return outcome

        module = ModuleType(f"benchmarks.{name}", "What it measures.")
        module.main = run
        monkeypatch.setitem(sys.modules, f"benchmarks.{name}", module)

    fake("concurrency", 1)
    fake("rsg_rules", "its data is missing")
    fake("ingest", 0)
    fake("rsg_scan", None)
    with pytest.raises(SystemExit, match="could not run: concurrency, rsg_rules"):
        main(["concurrency", "rsg_rules", "ingest", "rsg_scan"])
    assert ran == ["concurrency", "rsg_rules", "ingest", "rsg_scan"]
    main(["ingest", "rsg_scan"])
