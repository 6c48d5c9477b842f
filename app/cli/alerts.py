"""`ragsieve alerts`: the queue as a list, with the version that a decision has to name."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli.options import json_option, warehouse_option
from app.cli.output import remark, result, table

STATUSES = ("open", "claimed", "decided", "waiting", "in_force", "closed")


@click.command("alerts")
@click.option("--corpus", default="", help="Only this corpus.")
@click.option("--status", "statuses", multiple=True, type=click.Choice(STATUSES), help="Repeatable; default: open.")
@click.option("--all", "everything", is_flag=True, help="Whatever their status.")
@click.option("--verdict", "verdicts", multiple=True, help="Only with this verdict; repeatable.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@warehouse_option
@json_option
def alerts(
    corpus: str,
    statuses: tuple[str, ...],
    everything: bool,
    verdicts: tuple[str, ...],
    limit: int,
    warehouse: Path,
    as_json: bool,
) -> int:
    """List alerts, most severe first. A flag is triage: it never means "false" or "delete"."""
    from app.services.owner_jobs import run_job

    wanted = [] if everything or (verdicts and not statuses) else list(statuses) or ["open"]
    given = {"corpus": corpus, "statuses": wanted, "verdicts": list(verdicts), "limit": limit}
    found = run_job(warehouse, "alerts", given, command="alerts", say=remark)
    if as_json:
        result(found, as_json=True)
        return 0
    columns = ("alert_id", "version", "detector", "corpus", "document_id", "score", "severity", "status", "verdict")
    table(found["alerts"], columns, empty="no such alerts")
    if found["total"] > len(found["alerts"]):
        remark(f"{len(found['alerts']):,} of {found['total']:,}: --limit shows more")
    return 0
