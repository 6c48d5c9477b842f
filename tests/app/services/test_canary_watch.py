"""The owner replays every published version once, by itself, and says what kept it from doing so."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.services import canary_watch
from app.services.canary_watch import VARIABLE, CanaryWatch
from tests.warehouse.desk import LOCAL, fill, reached, version
from warehouse.canary import canary_runs, without_canary
from warehouse.database import Warehouse
from warehouse.decisions import decide


@pytest.fixture
def wh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Warehouse]:
    monkeypatch.setenv(VARIABLE, "none")
    monkeypatch.setattr(canary_watch, "_LOOK_S", 0.02)
    with Warehouse.open(tmp_path / "w.duckdb", command="pytest") as opened:
        yield opened


def published(wh: Warehouse) -> str:
    alerts = fill(wh)
    reached(wh, "d0", 3)
    done = decide(
        wh, alerts["d0"], version(wh, alerts["d0"]), principal=LOCAL, verdict="quarantine", reason="true_positive",
        at_once=True,
    )  # fmt: skip
    return str(done.quarantine_id)


def until(true) -> None:
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_published_version_is_replayed_once(wh: Warehouse) -> None:
    watch = CanaryWatch(wh).start()
    try:
        name = published(wh)
        until(lambda: without_canary(wh, principal=LOCAL) is None)
        time.sleep(0.2)
    finally:
        watch.stop()
    runs = canary_runs(wh, principal=LOCAL)
    assert [(run["quarantine_id"], run["queries"], run["verified_absent"], run["actor"]) for run in runs] == [
        (name, 3, 3, "ragsieve")
    ]
    assert watch.problem == ""


def test_what_fails_is_said_and_tried_again(wh: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(canary_watch, "_AGAIN_S", 0.05)
    real, failing = canary_watch.verify_version, [True]

    def verify(*given, **named):
        if failing[0]:
            raise ValueError("text of a document")
        return real(*given, **named)

    monkeypatch.setattr(canary_watch, "verify_version", verify)
    published(wh)
    watch = CanaryWatch(wh).start()
    try:
        until(lambda: watch.problem)
        assert "text of a document" not in watch.problem
        failing[0] = False
        until(lambda: without_canary(wh, principal=LOCAL) is None and not watch.problem)
    finally:
        watch.stop()


def test_weights_that_are_not_here_do_not_stop_it(wh: Warehouse, monkeypatch: pytest.MonkeyPatch) -> None:
    from ragsieve_core.errors import ModelUnavailableError

    def missing(profile: str):
        raise ModelUnavailableError("not on this machine")

    monkeypatch.setenv(VARIABLE, "embedded")
    monkeypatch.setattr(canary_watch, "open_models", missing)
    name = published(wh)
    canary_watch.replay(wh, name, LOCAL)
    assert canary_runs(wh, principal=LOCAL)[0]["verified_absent"] == 3
