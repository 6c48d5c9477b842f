"""The same scan again and again: a round that fails is counted and told, and the next one is run all the same."""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass

from app.services.scanning import ScanOutcome
from app.services.waiting import Say
from ragsieve_core.errors import RagsieveError


@dataclass(slots=True)
class Rounds:
    """What the rounds did so far.

    Attributes
    ----------
    rounds : begun.
    scanned, unchanged, failed : of them. Unchanged: snapshot, rule, encoder and version were those of a stored scan.
    new_alerts, new_copies : alerts opened over all rounds.
    interrupted : a person ended them.
    last_scan : id of the last scan, stored now or before.
    last_error : of the last round that failed, empty without one.
    exit_code : of that error.
    """

    rounds: int = 0
    scanned: int = 0
    unchanged: int = 0
    failed: int = 0
    new_alerts: int = 0
    new_copies: int = 0
    interrupted: bool = False
    last_scan: str | None = None
    last_error: str = ""
    exit_code: int = 0


def scan_rounds(
    scan: Callable[[], ScanOutcome],
    *,
    every_s: float,
    count: int | None,
    say: Say,
    done: Callable[[ScanOutcome], None],
    sleep: Callable[[float], None] = time.sleep,
) -> Rounds:
    """Run a scan every ``every_s`` seconds, from start to start, ``count`` times or until Ctrl-C.

    Parameters
    ----------
    scan : one round; opens and closes what it needs, so that others can work in between.
    say : takes one line for the person at the terminal.
    done : told the outcome of each round that did not fail.
    """
    total = Rounds()
    try:
        while count is None or total.rounds < count:
            started = time.monotonic()
            total.rounds += 1
            _round(scan, total, say, done)
            if total.rounds != count:
                sleep(max(0.0, every_s - (time.monotonic() - started)))
    except KeyboardInterrupt:
        total.interrupted = True
    return total


def _round(scan: Callable[[], ScanOutcome], total: Rounds, say: Say, done: Callable[[ScanOutcome], None]) -> None:
    try:
        outcome = scan()
    except RagsieveError as error:
        total.failed += 1
        total.last_error, total.exit_code = error.what, error.exit_code
        say(f"round {total.rounds} failed: {error.render()}")
        return
    except Exception as error:  # noqa: BLE001
        # The boundary of one round: an audit that runs for weeks must outlive it, and its trace is what mends it
        total.failed += 1
        total.last_error, total.exit_code = f"{type(error).__name__}: {error}", 2
        say(f"round {total.rounds} failed:\n{traceback.format_exc()}")
        return
    total.last_scan = outcome.scan
    if outcome.already:
        total.unchanged += 1
    else:
        total.scanned += 1
        total.new_alerts += outcome.new_alerts
        total.new_copies += outcome.new_copies
    done(outcome)
