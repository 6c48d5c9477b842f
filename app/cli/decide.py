"""`ragsieve decide`: a verdict on one alert, with its reason."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from app.cli.options import expected_version_option, json_option, note_option, warehouse_option
from app.cli.output import result

VERDICTS = ("quarantine", "keep", "needs_verification", "escalate")
REASONS = ("true_positive", "benign", "duplicate", "policy_exception", "other")


@click.command("decide")
@click.argument("alert")
@click.option("--verdict", required=True, type=click.Choice(VERDICTS))
@click.option("--reason", required=True, type=click.Choice(REASONS))
@expected_version_option
@click.option("--at-once", is_flag=True, help="Put a quarantine that needs no second person in force with it.")
@note_option
@warehouse_option
@json_option
def decide(
    alert: str,
    verdict: Any,
    reason: Any,
    expected_version: int,
    at_once: bool,
    note: str,
    warehouse: Path,
    as_json: bool,
) -> int:
    """Decide on ALERT as the user of this computer.

    A verdict changes no retrieval by itself: `ragsieve quarantine propose` and `approve` do, or --at-once. It ends the
    alert's holds. While the dashboard runs this is refused (exit code 3): decisions are taken on its screens.
    """
    from app.services.owning import owning
    from warehouse.decisions import decide as store

    with owning(warehouse, command="decide", action="decide on an alert") as (wh, who):
        done = store(
            wh, alert, expected_version, principal=who, verdict=verdict, reason=reason, note=note, at_once=at_once
        )
    values = {
        "alert": done.alert_id,
        "version": done.version,
        "status": done.status,
        "verdict": done.verdict,
        "reason": done.reason,
        "before": done.before["verdict"] or done.before["status"],
        "quarantine": done.quarantine_id,
    }
    result(values, as_json=as_json)
    return 0
