"""`ragsieve bulk`: one act on many alerts, counted before and after."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from app.cli.decide import REASONS, VERDICTS
from app.cli.options import json_option, note_option, warehouse_option, yes_option
from app.cli.output import confirm, progress, result, table


@click.group("bulk")
def bulk() -> None:
    """Acts on many alerts as recorded jobs. An interrupted one goes on with `resume`; nothing is done twice."""


@bulk.command("decide")
@click.argument("alerts", nargs=-1)
@click.option("--campaign", default="", help="All alerts of this campaign.")
@click.option("--corpus", default="", help="All open alerts of this corpus.")
@click.option("--except", "exceptions", multiple=True, help="Alert to leave out; repeatable.")
@click.option("--verdict", required=True, type=click.Choice(VERDICTS))
@click.option("--reason", required=True, type=click.Choice(REASONS))
@click.option("--at-once", is_flag=True, help="Put quarantines that need no second person in force.")
@click.option("--preview", is_flag=True, help="Count what it would do, and do nothing.")
@yes_option
@note_option
@warehouse_option
@json_option
def decide(
    alerts: tuple[str, ...],
    campaign: str,
    corpus: str,
    exceptions: tuple[str, ...],
    verdict: str,
    reason: str,
    at_once: bool,
    preview: bool,
    yes: bool,
    note: str,
    warehouse: Path,
    as_json: bool,
) -> int:
    """Give ALERTS, a campaign or a corpus's open alerts one verdict; shows the counts and asks first."""
    from app.services.owning import owning
    from warehouse import bulk as jobs
    from warehouse.alerts import QueueFilter

    act = jobs.BulkAct("decide", verdict, reason, note, at_once)
    with owning(warehouse, command="bulk decide", action="decide on alerts") as (wh, who):
        filters = QueueFilter(statuses=("open",), corpus=corpus) if corpus else None
        given: dict[str, Any] = {"alerts": alerts, "filters": filters, "campaign": campaign, "exceptions": exceptions}
        found = jobs.preview(wh, act, principal=who, **given)
        if preview:
            values = {"items": len(found.items), "exceptions": found.exceptions, "contexts": found.contexts}
            result(values | dict(found.outcomes), as_json=as_json)
            return 0
        told = ", ".join(f"{count:,} {outcome}" for outcome, count in sorted(found.outcomes.items())) or "none"
        confirm(f"{verdict} for {len(found.items):,} alerts ({told})?", yes=yes)
        return _work(wh, who, jobs.start(wh, act, found, principal=who), as_json)


@bulk.command("resume")
@click.argument("job")
@warehouse_option
@json_option
def resume(job: str, warehouse: Path, as_json: bool) -> int:
    """Go on with JOB where it was interrupted; its author stays the proposer."""
    from app.services.owning import owning

    with owning(warehouse, command="bulk resume", action="decide on alerts") as (wh, who):
        return _work(wh, who, job, as_json)


@bulk.command("undo")
@click.argument("job")
@yes_option
@warehouse_option
@json_option
def undo(job: str, yes: bool, warehouse: Path, as_json: bool) -> int:
    """Take JOB back, alert by alert; what somebody changed since stays and is counted."""
    from app.services.owning import owning
    from warehouse import bulk as jobs

    with owning(warehouse, command="bulk undo", action="undo decisions") as (wh, who):
        found = jobs.undo_of(wh, job, principal=who)
        confirm(f"undo {len(found.items):,} decisions?", yes=yes)
        return _work(wh, who, jobs.start(wh, jobs.BulkAct("undo"), found, principal=who), as_json)


@bulk.command("list")
@warehouse_option
@json_option
def list_all(warehouse: Path, as_json: bool) -> int:
    """Jobs, latest first, with their exact counts."""
    from app.services.owning import owning
    from warehouse import bulk as jobs

    with owning(warehouse, command="bulk list", action="list bulk jobs") as (wh, who):
        rows = jobs.list_jobs(wh, principal=who)
    columns = ("job_id", "act", "items", "done", "refused", "left", "actor")
    if as_json:
        result({"jobs": [{name: row[name] for name in columns} for row in rows]}, as_json=True)
        return 0
    table(rows, columns, empty="no job yet: ragsieve bulk decide")
    return 0


def _work(wh: Any, who: Any, job: str, as_json: bool) -> int:
    from warehouse import bulk as jobs

    with progress("deciding") as step:
        report = jobs.run(wh, job, principal=who, progress=step)
    values = {name: dict(value) if name == "reasons" else value for name, value in asdict(report).items()}
    result(values, as_json=as_json)
    return 1 if report.refused else 0
